// OpenUSD, "Usda file format specification". Recursive descent; statements end with a newline or a semicolon, which
// need no telling apart here, since every statement shows where it ends.
#include "io/usd/usda_parser.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "io/text/text.hpp"
#include "io/usd/usda_text.hpp"

namespace quartic::io {
namespace {

// Deeper files are hostile, and would use up the stack.
constexpr int depth_limit = 100;

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

class UsdaParser {
 public:
  UsdaParser(const MeshFile& file, bool (*wanted)(std::string_view)) : text_(file), wanted_(wanted) {}

  UsdPrim parse();

 private:
  void parse_metadata(std::vector<UsdMetadata>* metadata);
  void parse_contents(UsdPrim& prim, int depth);
  void parse_prim(UsdPrim& parent, UsdSpecifier specifier, int depth);
  void parse_variants(UsdPrim& parent, int depth);
  void parse_property(UsdPrim& prim, std::string_view first);
  void parse_attribute(UsdPrim& prim);
  void parse_relationship(UsdPrim& prim, bool deletes);
  void parse_samples(UsdAttribute& attribute);
  void parse_value(UsdValue& value, int depth);
  void parse_list(UsdValue& value, char close, int depth);
  void parse_number(UsdValue& value);
  void pass_over_value();

  UsdaText text_;
  bool (*wanted_)(std::string_view);
};

// ---- values -----------------------------------------------------------------------------------------------------

void UsdaParser::parse_number(UsdValue& value) {
  const auto field = text_.field();
  if (const auto number = io::parse_number(field)) {
    value.numbers.push_back(*number);
  } else if (is_one_of(field, {"-inf", "+inf", "-nan", "+nan"})) {
    value.words.emplace_back(field);
  } else {
    text_.fail(quote(field) + " is not a number");
  }
}

// Entries of a list have the same number of numbers each.
void UsdaParser::parse_list(UsdValue& value, char close, int depth) {
  const bool is_list = close == ']';
  std::size_t rows = 0;
  while (!text_.take(close)) {
    const std::size_t before = value.numbers.size();
    parse_value(value, depth + 1);
    const std::size_t width = value.numbers.size() - before;
    if (is_list && rows > 0 && width != value.width)
      text_.fail("entry " + std::to_string(rows) + " of a list has " + std::to_string(width) +
                 " numbers, but those before have " + std::to_string(value.width));
    if (is_list) value.width = width;
    ++rows;
    if (!text_.take(',')) {
      text_.expect(close, "a list of values");
      break;
    }
  }
  if (is_list) value.rows = rows;
}

void UsdaParser::parse_value(UsdValue& value, int depth) {
  if (depth > depth_limit) text_.fail("values are nested more than " + std::to_string(depth_limit) + " deep");
  const char c = text_.peek();
  if ((c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.') {
    parse_number(value);
  } else if (c == '(' || c == '[') {
    text_.take(c);
    parse_list(value, c == '(' ? ')' : ']', depth);
  } else if (c == '"' || c == '\'') {
    value.words.push_back(text_.string());
  } else if (c == '@') {
    std::string file = "@" + std::string(text_.asset()) + "@";
    if (text_.peek() == '<') file += text_.path();
    value.words.push_back(std::move(file));
    if (text_.peek() == '(') text_.pass_over_brackets();  // offset and scale of time
  } else if (c == '<') {
    value.words.emplace_back(text_.path());
  } else if (c == '{') {
    text_.pass_over_brackets();
  } else {
    value.words.emplace_back(text_.name("a value"));
  }
  if (depth == 0 && value.rows == 1 && value.width == 0) value.width = value.numbers.size();
}

void UsdaParser::pass_over_value() {
  const char c = text_.peek();
  if (c == '(' || c == '[' || c == '{') {
    text_.pass_over_brackets();
  } else {
    UsdValue value;
    parse_value(value, 0);
  }
}

// ---- statements -------------------------------------------------------------------------------------------------

// From behind the opening bracket.
void UsdaParser::parse_metadata(std::vector<UsdMetadata>* metadata) {
  while (!text_.take(')')) {
    if (text_.take(';')) continue;
    if (text_.peek() == '"' || text_.peek() == '\'') {
      (void)text_.string();  // a comment
      continue;
    }
    const std::int64_t start = text_.line();
    std::string_view key = text_.name("metadata");
    const bool deletes = key == "delete";
    if (is_one_of(key, {"add", "prepend", "append", "delete", "reorder"})) key = text_.name("the name of metadata");
    text_.expect('=', "metadata " + quote(key));
    UsdMetadata entry{std::string(key), start, {}};
    parse_value(entry.value, 0);
    if (metadata != nullptr && !deletes) metadata->push_back(std::move(entry));
  }
}

void UsdaParser::parse_samples(UsdAttribute& attribute) {
  text_.expect('{', "timeSamples");
  double first = std::numeric_limits<double>::infinity();
  while (!text_.take('}')) {
    UsdValue time, value;
    parse_value(time, 0);
    text_.expect(':', "a time sample");
    if (time.numbers.size() != 1) text_.fail("a time sample's time should be a number");
    parse_value(value, 0);
    if (time.numbers[0] < first) {
      first = time.numbers[0];
      attribute.value = std::move(value);
      attribute.has_value = true;
      attribute.sampled = true;
    }
    if (!text_.take(',')) {
      text_.expect('}', "timeSamples");
      break;
    }
  }
}

// From the name on.
void UsdaParser::parse_attribute(UsdPrim& prim) {
  UsdAttribute attribute;
  attribute.name = text_.name("an attribute's name");
  attribute.line = text_.line();
  const bool is_wanted = wanted_(attribute.name);
  std::string_view part;
  if (text_.take_at_once('.')) part = text_.name("timeSamples or connect");
  if (text_.take('=')) {
    if (!is_wanted || !is_one_of(part, {"", "default", "timeSamples"})) {
      pass_over_value();
    } else if (part == "timeSamples") {
      parse_samples(attribute);
    } else {
      parse_value(attribute.value, 0);
      attribute.has_value = attribute.value.words != std::vector<std::string>{"None"};
    }
  }
  if (text_.take('(')) parse_metadata(is_wanted ? &attribute.metadata : nullptr);
  if (is_wanted) prim.attributes.push_back(std::move(attribute));
}

// From the name on.
void UsdaParser::parse_relationship(UsdPrim& prim, bool deletes) {
  UsdAttribute relationship;
  relationship.name = text_.name("a relationship's name");
  relationship.line = text_.line();
  const bool is_wanted = wanted_(relationship.name) && !deletes;
  if (text_.take('=')) {
    if (is_wanted) {
      parse_value(relationship.value, 0);
      relationship.has_value = relationship.value.words != std::vector<std::string>{"None"};
    } else {
      pass_over_value();
    }
  }
  if (text_.take('(')) parse_metadata(is_wanted ? &relationship.metadata : nullptr);
  if (is_wanted) prim.attributes.push_back(std::move(relationship));
}

// An attribute, a relationship or an order; `first` is its first word.
void UsdaParser::parse_property(UsdPrim& prim, std::string_view first) {
  bool deletes = false;
  while (is_one_of(first, {"custom", "uniform", "varying", "config", "add", "prepend", "append", "delete"})) {
    deletes = deletes || first == "delete";
    first = text_.name("a property's type");
  }
  if (first == "reorder" || first == "rel") return parse_relationship(prim, deletes || first == "reorder");
  if (text_.take('[')) text_.expect(']', "an array's type");
  parse_attribute(prim);
}

// From behind the specifier.
void UsdaParser::parse_prim(UsdPrim& parent, UsdSpecifier specifier, int depth) {
  if (depth > depth_limit) text_.fail("prims are nested more than " + std::to_string(depth_limit) + " deep");
  UsdPrim prim;
  prim.specifier = specifier;
  prim.line = text_.line();
  if (text_.peek() != '"' && text_.peek() != '\'') prim.type = text_.name("a prim's type or name");
  prim.name = text_.string();
  if (text_.take('(')) parse_metadata(&prim.metadata);
  text_.expect('{', "prim " + quote(prim.name));
  parse_contents(prim, depth);
  parent.children.push_back(std::move(prim));
}

void UsdaParser::parse_variants(UsdPrim& parent, int depth) {
  (void)text_.string();
  text_.expect('=', "variantSet");
  text_.expect('{', "variantSet");
  while (!text_.take('}')) {
    UsdPrim variant;
    variant.specifier = UsdSpecifier::variant;
    variant.line = text_.line();
    variant.name = text_.string();
    if (depth > depth_limit) text_.fail("prims are nested more than " + std::to_string(depth_limit) + " deep");
    if (text_.take('(')) parse_metadata(&variant.metadata);
    text_.expect('{', "variant " + quote(variant.name));
    parse_contents(variant, depth + 1);
    parent.children.push_back(std::move(variant));
  }
}

// Up to the closing bracket; for the root, up to the end of the file.
void UsdaParser::parse_contents(UsdPrim& prim, int depth) {
  while (depth == 0 ? !text_.at_end() : !text_.take('}')) {
    if (text_.take(';')) continue;
    const std::string_view first = text_.name("a prim or a property");
    if (first == "def") {
      parse_prim(prim, UsdSpecifier::define, depth + 1);
    } else if (first == "over") {
      parse_prim(prim, UsdSpecifier::over, depth + 1);
    } else if (first == "class") {
      parse_prim(prim, UsdSpecifier::abstract, depth + 1);
    } else if (first == "variantSet") {
      parse_variants(prim, depth + 1);
    } else {
      parse_property(prim, first);
    }
  }
}

UsdPrim UsdaParser::parse() {
  UsdPrim root;  // the first line, #usda, is a comment
  if (text_.take('(')) parse_metadata(&root.metadata);
  parse_contents(root, 0);
  return root;
}

}  // namespace

const UsdAttribute* UsdPrim::find_attribute(std::string_view wanted) const {
  const UsdAttribute* found = nullptr;
  for (const UsdAttribute& attribute : attributes)
    if (attribute.name == wanted && attribute.has_value && (found == nullptr || found->sampled)) found = &attribute;
  return found;
}

const UsdMetadata* UsdPrim::find_metadata(std::string_view key) const {
  const auto found =
      std::find_if(metadata.begin(), metadata.end(), [&](const auto& entry) { return entry.key == key; });
  return found == metadata.end() ? nullptr : &*found;
}

UsdPrim parse_usda(const MeshFile& file, bool (*wanted)(std::string_view attribute)) {
  return UsdaParser(file, wanted).parse();
}

}  // namespace quartic::io
