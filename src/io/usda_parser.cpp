// OpenUSD, "Usda file format specification". Recursive descent; statements end with a newline or a semicolon, which
// need no telling apart here, since every statement shows where it ends.
#include "io/usda_parser.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "io/text.hpp"
#include "quartic/error.hpp"

namespace quartic::io {
namespace {

// Deeper files are hostile, and would use up the stack.
constexpr int depth_limit = 100;

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

class UsdaParser {
 public:
  UsdaParser(const MeshFile& file, bool (*wanted)(std::string_view))
      : name_(file.path.string()), text_(file.content), wanted_(wanted) {}

  UsdPrim parse();

 private:
  void parse_metadata(std::vector<UsdMetadata>* metadata);
  void parse_contents(UsdPrim& prim, int depth);
  void parse_prim(UsdPrim& parent, UsdSpecifier specifier, int depth);
  void parse_variants(UsdPrim& parent, int depth);
  void parse_property(UsdPrim& prim, std::string_view first);
  void parse_attribute(UsdPrim& prim);
  void parse_samples(UsdAttribute& attribute);
  void parse_value(UsdValue& value, int depth);
  void parse_list(UsdValue& value, char close, int depth);
  void parse_number(UsdValue& value);
  void pass_over_value();
  void pass_over_brackets();

  // Pieces of text. All but `peek` pass over white space and comments first.
  [[nodiscard]] char peek();
  bool take(char c);
  void expect(char c, std::string_view what);
  std::string_view word(std::string_view what);
  std::string_view name(std::string_view what);
  std::string string();
  std::string_view asset();
  std::string_view path();
  void skip_space();
  void skip_to(std::string_view end, std::string_view what);

  [[nodiscard]] std::int64_t line();
  [[noreturn]] void fail(const std::string& what) { throw ParseError(name_, line(), what); }

  std::string name_;
  std::string_view text_;
  bool (*wanted_)(std::string_view);
  std::size_t position_ = 0;
  std::size_t counted_ = 0;  // up to here, `line_` has counted
  std::int64_t line_ = 1;
};

// ---- values -----------------------------------------------------------------------------------------------------

void UsdaParser::parse_number(UsdValue& value) {
  const std::size_t end = std::min(text_.find_first_of(" \t\r\n,:;()[]{}#", position_), text_.size());
  const auto field = text_.substr(position_, end - position_);
  if (const auto number = io::parse_number(field)) {
    value.numbers.push_back(*number);
  } else if (is_one_of(field, {"-inf", "+inf", "-nan", "+nan"})) {
    value.words.emplace_back(field);
  } else {
    fail(quote(field) + " is not a number");
  }
  position_ = end;
}

// Entries of a list have the same number of numbers each.
void UsdaParser::parse_list(UsdValue& value, char close, int depth) {
  const bool is_list = close == ']';
  std::size_t rows = 0;
  while (!take(close)) {
    const std::size_t before = value.numbers.size();
    parse_value(value, depth + 1);
    const std::size_t width = value.numbers.size() - before;
    if (is_list && rows > 0 && width != value.width)
      fail("entry " + std::to_string(rows) + " of a list has " + std::to_string(width) +
           " numbers, but those before have " + std::to_string(value.width));
    if (is_list) value.width = width;
    ++rows;
    if (!take(',')) {
      expect(close, "a list of values");
      break;
    }
  }
  if (is_list) value.rows = rows;
}

void UsdaParser::parse_value(UsdValue& value, int depth) {
  if (depth > depth_limit) fail("values are nested more than " + std::to_string(depth_limit) + " deep");
  const char c = peek();
  if ((c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.') {
    parse_number(value);
  } else if (c == '(' || c == '[') {
    ++position_;
    parse_list(value, c == '(' ? ')' : ']', depth);
  } else if (c == '"' || c == '\'') {
    value.words.push_back(string());
  } else if (c == '@') {
    std::string file = "@" + std::string(asset()) + "@";
    if (peek() == '<') file += path();
    value.words.push_back(std::move(file));
    if (peek() == '(') pass_over_brackets();  // offset and scale of time
  } else if (c == '<') {
    value.words.emplace_back(path());
  } else if (c == '{') {
    pass_over_brackets();
  } else {
    value.words.emplace_back(name("a value"));
  }
  if (depth == 0 && value.rows == 1 && value.width == 0) value.width = value.numbers.size();
}

// From an opening bracket to the one that closes it, whatever is between them.
void UsdaParser::pass_over_brackets() {
  std::string open;
  do {
    const char c = peek();
    if (position_ == text_.size()) fail("a bracket isn't closed (is the file cut short?)");
    if (c == '"' || c == '\'') {
      (void)string();
    } else if (c == '@') {
      (void)asset();
    } else if (c == '(' || c == '[' || c == '{') {
      open += c == '(' ? ')' : c == '[' ? ']' : '}';
      ++position_;
    } else if (c == ')' || c == ']' || c == '}') {
      if (open.back() != c) fail(std::string("'") + c + "' closes a bracket that isn't open");
      open.pop_back();
      ++position_;
    } else {
      ++position_;
    }
  } while (!open.empty());
}

void UsdaParser::pass_over_value() {
  const char c = peek();
  if (c == '(' || c == '[' || c == '{') {
    pass_over_brackets();
  } else {
    UsdValue value;
    parse_value(value, 0);
  }
}

// ---- statements -------------------------------------------------------------------------------------------------

// From behind the opening bracket.
void UsdaParser::parse_metadata(std::vector<UsdMetadata>* metadata) {
  while (!take(')')) {
    if (take(';')) continue;
    if (peek() == '"' || peek() == '\'') {
      (void)string();  // a comment
      continue;
    }
    const std::int64_t start = line();
    std::string_view key = name("metadata");
    const bool deletes = key == "delete";
    if (is_one_of(key, {"add", "prepend", "append", "delete", "reorder"})) key = name("the name of metadata");
    expect('=', "metadata " + quote(key));
    UsdMetadata entry{std::string(key), start, {}};
    parse_value(entry.value, 0);
    if (metadata != nullptr && !deletes) metadata->push_back(std::move(entry));
  }
}

void UsdaParser::parse_samples(UsdAttribute& attribute) {
  expect('{', "timeSamples");
  double first = std::numeric_limits<double>::infinity();
  while (!take('}')) {
    UsdValue time, value;
    parse_value(time, 0);
    expect(':', "a time sample");
    if (time.numbers.size() != 1) fail("a time sample's time should be a number");
    parse_value(value, 0);
    if (time.numbers[0] < first) {
      first = time.numbers[0];
      attribute.value = std::move(value);
      attribute.has_value = true;
      attribute.sampled = true;
    }
    if (!take(',')) {
      expect('}', "timeSamples");
      break;
    }
  }
}

// From the name on.
void UsdaParser::parse_attribute(UsdPrim& prim) {
  UsdAttribute attribute;
  attribute.name = name("an attribute's name");
  attribute.line = line();
  const bool is_wanted = wanted_(attribute.name);
  std::string_view part;
  if (text_.substr(position_, 1) == ".") {
    ++position_;
    part = name("timeSamples or connect");
  }
  if (take('=')) {
    if (!is_wanted || !is_one_of(part, {"", "default", "timeSamples"})) {
      pass_over_value();
    } else if (part == "timeSamples") {
      parse_samples(attribute);
    } else {
      parse_value(attribute.value, 0);
      attribute.has_value = attribute.value.words != std::vector<std::string>{"None"};
    }
  }
  if (take('(')) parse_metadata(nullptr);
  if (is_wanted) prim.attributes.push_back(std::move(attribute));
}

// An attribute, a relationship or an order; `first` is its first word.
void UsdaParser::parse_property(UsdPrim& prim, std::string_view first) {
  while (is_one_of(first, {"custom", "uniform", "varying", "config", "add", "prepend", "append", "delete"}))
    first = name("a property's type");
  if (first == "reorder" || first == "rel") {
    (void)name("a relationship's name");
    if (take('=')) pass_over_value();
    if (take('(')) parse_metadata(nullptr);
    return;
  }
  if (take('[')) expect(']', "an array's type");
  parse_attribute(prim);
}

// From behind the specifier.
void UsdaParser::parse_prim(UsdPrim& parent, UsdSpecifier specifier, int depth) {
  if (depth > depth_limit) fail("prims are nested more than " + std::to_string(depth_limit) + " deep");
  UsdPrim prim;
  prim.specifier = specifier;
  prim.line = line();
  if (peek() != '"' && peek() != '\'') prim.type = name("a prim's type or name");
  prim.name = string();
  if (take('(')) parse_metadata(&prim.metadata);
  expect('{', "prim " + quote(prim.name));
  parse_contents(prim, depth);
  parent.children.push_back(std::move(prim));
}

void UsdaParser::parse_variants(UsdPrim& parent, int depth) {
  (void)string();
  expect('=', "variantSet");
  expect('{', "variantSet");
  while (!take('}')) {
    UsdPrim variant;
    variant.specifier = UsdSpecifier::variant;
    variant.line = line();
    variant.name = string();
    if (depth > depth_limit) fail("prims are nested more than " + std::to_string(depth_limit) + " deep");
    if (take('(')) parse_metadata(&variant.metadata);
    expect('{', "variant " + quote(variant.name));
    parse_contents(variant, depth + 1);
    parent.children.push_back(std::move(variant));
  }
}

// Up to the closing bracket; for the root, up to the end of the file.
void UsdaParser::parse_contents(UsdPrim& prim, int depth) {
  while (depth == 0 ? peek() != '\0' || position_ < text_.size() : !take('}')) {
    if (take(';')) continue;
    const std::string_view first = name("a prim or a property");
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
  if (text_.starts_with("\xEF\xBB\xBF")) position_ = 3;
  UsdPrim root;  // the first line, #usda, is a comment
  if (take('(')) parse_metadata(&root.metadata);
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
