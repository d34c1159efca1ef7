// Input decks of Abaqus and CalculiX (.inp): parts and instances or none, solids, sets, materials, and which nodes are
// fixed.
#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "io/abaqus/abaqus_assembly.hpp"
#include "io/abaqus/abaqus_deck.hpp"
#include "io/abaqus/abaqus_format.hpp"
#include "io/abaqus/abaqus_keywords.hpp"
#include "io/abaqus/abaqus_model.hpp"
#include "io/abaqus/abaqus_rows.hpp"
#include "io/text/text.hpp"

namespace quartic::io {
namespace {

class AbaqusReader {
 public:
  explicit AbaqusReader(const MeshFile& file) : deck_(file) {}

  VolumeMesh read();

 private:
  using Action = void (AbaqusReader::*)();
  struct Entry {
    std::string_view keyword;
    Action action;
  };
  static const Entry actions[];

  void act();
  void pass_over();
  void read_steps();
  void begin_part();
  void end_part();
  void begin_assembly();
  void end_assembly() { assembly_ = Place(); }
  void begin_instance();
  void end_instance();
  void read_nodes() { read_abaqus_nodes(deck_, keyword_, own_part()); }
  void read_elements() { read_abaqus_elements(deck_, keyword_, own_part()); }
  void read_node_set() { read_set("NSET"); }
  void read_element_set() { read_set("ELSET"); }
  void read_set(std::string_view kind);
  void read_section();
  void begin_material();
  void read_elastic();
  void read_density();
  void read_boundary();
  [[nodiscard]] unsigned fixed_directions(DataFields& fields);
  [[nodiscard]] AbaqusPart& own_part();
  [[nodiscard]] AbaqusMaterial& material();
  [[nodiscard]] std::array<double, 2> first_row(const std::string& what);
  [[nodiscard]] double number(std::string_view field, const std::string& what) const;
  void warn(Place place, const std::string& what) { model_.warnings.push_back(deck_.text(place) + ": " + what); }

  Deck deck_;
  Keyword keyword_;
  AbaqusModel model_;
  AbaqusPart* part_ = &model_.root;     // that nodes and sets go to now
  AbaqusInstance* instance_ = nullptr;  // that is open
  AbaqusMaterial* material_ = nullptr;  // that *ELASTIC belongs to
  Place assembly_;                      // where the open assembly begins; line 0 if none is open
  std::set<std::string> passed_over_;   // keywords that there has been a warning of
  bool is_in_step_ = false;
};

const AbaqusReader::Entry AbaqusReader::actions[] = {
    {"NODE", &AbaqusReader::read_nodes},           {"ELEMENT", &AbaqusReader::read_elements},
    {"NSET", &AbaqusReader::read_node_set},        {"ELSET", &AbaqusReader::read_element_set},
    {"PART", &AbaqusReader::begin_part},           {"ENDPART", &AbaqusReader::end_part},
    {"ASSEMBLY", &AbaqusReader::begin_assembly},   {"ENDASSEMBLY", &AbaqusReader::end_assembly},
    {"INSTANCE", &AbaqusReader::begin_instance},   {"ENDINSTANCE", &AbaqusReader::end_instance},
    {"SOLIDSECTION", &AbaqusReader::read_section}, {"MATERIAL", &AbaqusReader::begin_material},
    {"ELASTIC", &AbaqusReader::read_elastic},      {"DENSITY", &AbaqusReader::read_density},
    {"BOUNDARY", &AbaqusReader::read_boundary}};

VolumeMesh AbaqusReader::read() {
  while (deck_.next_keyword(keyword_)) {
    if (keyword_.name == "STEP") {
      read_steps();
      break;
    }
    act();
  }
  if (instance_ != nullptr) deck_.fail(instance_->place, "*INSTANCE has no *END INSTANCE (is the file cut short?)");
  if (part_ != &model_.root) deck_.fail(part_->place, "*PART has no *END PART (is the file cut short?)");
  if (assembly_.line > 0) deck_.fail(assembly_, "*ASSEMBLY has no *END ASSEMBLY (is the file cut short?)");
  VolumeMesh mesh = assemble_abaqus(deck_, model_);
  mesh.source_files = deck_.included_files();
  return mesh;
}

void AbaqusReader::act() {
  const auto* const entry =
      std::find_if(std::begin(actions), std::end(actions), [&](const Entry& e) { return e.keyword == keyword_.name; });
  if (entry == std::end(actions)) return pass_over();
  if (keyword_.name != "ELASTIC" && keyword_.name != "DENSITY") material_ = nullptr;
  (this->*entry->action)();
}

void AbaqusReader::pass_over() {
  const KeywordRole role = abaqus_keyword_role(keyword_.name);
  if (role == KeywordRole::makes_mesh)
    deck_.fail(keyword_.place, keyword_.shown +
                                   " can't be read; let the program that wrote the deck write all nodes "
                                   "and elements out, in global coordinates");
  if (role == KeywordRole::harmless || !passed_over_.insert(keyword_.name).second) return;
  const std::string owner = material_ == nullptr ? "" : " after material " + quote(material_->name);
  warn(keyword_.place, keyword_.shown + owner + " isn't used and was skipped");
}

// Steps are loads and what is asked of the analysis. Only the first one's *BOUNDARY says what holds the body.
void AbaqusReader::read_steps() {
  is_in_step_ = true;
  while (deck_.next_keyword(keyword_) && keyword_.name != "ENDSTEP" && keyword_.name != "STEP")
    if (keyword_.name == "BOUNDARY") read_boundary();
}

// ---- parts and instances --------------------------------------------------------------------------------------------

AbaqusPart& AbaqusReader::own_part() {
  if (instance_ == nullptr) return *part_;
  if (!instance_->part_name.empty())
    deck_.fail(keyword_.place,
               keyword_.shown + " inside of an *INSTANCE with PART= can't be read; move it into the part");
  if (instance_->part == nullptr) {
    AbaqusPart& part = *model_.parts.emplace_back(std::make_unique<AbaqusPart>());
    part.name = instance_->name;
    part.place = instance_->place;
    instance_->part = part_ = &part;
  }
  return *part_;
}

void AbaqusReader::begin_part() {
  if (part_ != &model_.root || instance_ != nullptr || assembly_.line > 0)
    deck_.fail(keyword_.place, "*PART inside of a *PART or *ASSEMBLY (is an *END PART missing?)");
  const auto& name = deck_.required(keyword_, "NAME");
  for (const auto& part : model_.parts)
    if (equal_ignoring_case(part->name, name)) deck_.fail(keyword_.place, "a second part named " + quote(name));
  part_ = model_.parts.emplace_back(std::make_unique<AbaqusPart>()).get();
  part_->name = name;
  part_->place = keyword_.place;
}

void AbaqusReader::end_part() {
  if (part_ == &model_.root || instance_ != nullptr) deck_.fail(keyword_.place, "*END PART without a *PART");
  part_ = &model_.root;
}

void AbaqusReader::begin_assembly() {
  if (part_ != &model_.root) deck_.fail(keyword_.place, "*ASSEMBLY inside of a *PART (is an *END PART missing?)");
  assembly_ = keyword_.place;
}

void AbaqusReader::begin_instance() {
  if (part_ != &model_.root || instance_ != nullptr)
    deck_.fail(keyword_.place, "*INSTANCE inside of a *PART or *INSTANCE (is an *END missing?)");
  instance_ = &model_.instances.emplace_back();
  instance_->name = deck_.required(keyword_, "NAME");
  instance_->place = keyword_.place;
  if (const auto* const part = keyword_.find("PART")) instance_->part_name = *part;
  std::string_view line, field;
  while (deck_.next_data(line)) {
    std::array<double, 7> numbers{};
    DataFields fields(line);
    while (fields.next(field)) {
      if (fields.count() > 7) deck_.fail("an *INSTANCE takes 3 numbers that move it and 7 that turn it, not more");
      numbers[static_cast<std::size_t>(fields.count()) - 1] = number(field, "*INSTANCE");
    }
    if (fields.count() <= 3) {
      instance_->translation = {numbers[0], numbers[1], numbers[2]};
    } else if (fields.count() == 7) {
      instance_->rotation = numbers;
    } else {
      deck_.fail("an *INSTANCE takes 3 numbers that move it and 7 that turn it, not " + std::to_string(fields.count()));
    }
  }
}

void AbaqusReader::end_instance() {
  if (instance_ == nullptr) deck_.fail(keyword_.place, "*END INSTANCE without an *INSTANCE");
  if (instance_->part == nullptr && instance_->part_name.empty())
    deck_.fail(instance_->place, "*INSTANCE needs PART=... or nodes of its own");
  instance_ = nullptr;
  part_ = &model_.root;
}

// ---- sets, sections, materials --------------------------------------------------------------------------------------

void AbaqusReader::read_set(std::string_view kind) {
  const bool is_nodes = kind == "NSET";
  const bool is_of_instance = instance_ != nullptr && !instance_->part_name.empty();
  AbaqusPart& part = is_of_instance ? model_.root : own_part();
  std::string name = deck_.required(keyword_, kind);
  SetPiece piece;
  if (is_of_instance) {
    piece.instance = instance_->name;
    name = instance_->name + "." + name;
  } else if (const auto* const instance = keyword_.find("INSTANCE")) {
    piece.instance = *instance;
  }
  read_abaqus_set(deck_, keyword_, piece);
  (is_nodes ? part.node_sets : part.element_sets).get(name).pieces.push_back(std::move(piece));
}

void AbaqusReader::read_section() {
  SolidSection section{deck_.required(keyword_, "ELSET"), "", keyword_.place};
  if (const auto* const name = keyword_.find("MATERIAL")) section.material = *name;
  own_part().sections.push_back(std::move(section));
}

void AbaqusReader::begin_material() {
  const auto& name = deck_.required(keyword_, "NAME");
  if (model_.materials.find(name) != nullptr) deck_.fail(keyword_.place, "a second material named " + quote(name));
  material_ = &model_.materials.get(name);
  material_->place = keyword_.place;
}

AbaqusMaterial& AbaqusReader::material() {
  if (material_ == nullptr) deck_.fail(keyword_.place, keyword_.shown + " must follow a *MATERIAL");
  return *material_;
}

double AbaqusReader::number(std::string_view field, const std::string& what) const {
  const auto value = field.empty() ? 0 : parse_number(field);
  if (!value) deck_.fail(what + ": " + quote(field) + " is not a number");
  return *value;
}

// Further rows are for other temperatures.
std::array<double, 2> AbaqusReader::first_row(const std::string& what) {
  std::array<double, 2> numbers{};
  std::string_view line, field;
  if (!deck_.next_data(line)) deck_.fail(keyword_.place, what + " has no values");
  DataFields fields(line);
  for (double& value : numbers)
    if (fields.next(field)) value = number(field, what);
  const Place place = deck_.place();
  if (deck_.next_data(line)) warn(place, what + " depends on temperature or a field; its first row is taken");
  return numbers;
}

void AbaqusReader::read_elastic() {
  AbaqusMaterial& owner = material();
  const std::string what = "*ELASTIC of material " + quote(owner.name);
  const auto* const type = keyword_.find("TYPE");
  if (type != nullptr && abaqus_keyword(*type) != "ISOTROPIC" && abaqus_keyword(*type) != "ISO") {
    warn(keyword_.place, what + " is of type " + quote(*type) + "; only ISOTROPIC can be used");
    return;
  }
  owner.elastic = first_row(what);
}

void AbaqusReader::read_density() {
  AbaqusMaterial& owner = material();
  owner.density = first_row("*DENSITY of material " + quote(owner.name))[0];
}

// ---- what is fixed --------------------------------------------------------------------------------------------------

struct NamedBoundary {
  std::string_view name;
  unsigned directions;
};
// XSYMM is symmetric about a plane with normal x, XASYMM antisymmetric: what is fixed of the displacements.
constexpr NamedBoundary named_boundaries[] = {{"ENCASTRE", 7}, {"PINNED", 7}, {"XSYMM", 1},   {"YSYMM", 2},
                                              {"ZSYMM", 4},    {"XASYMM", 6}, {"YASYMM", 5},  {"ZASYMM", 3},
                                              {"NOWARP", 0},   {"NOOVAL", 0}, {"NODEFORM", 0}};

// The rest of a line `target, first, last, magnitude` or `target, NAME`. Directions from 4 on are rotations,
// temperatures and others that the nodes of solids have none of.
unsigned AbaqusReader::fixed_directions(DataFields& fields) {
  std::string_view field, last;
  if (!fields.next(field)) deck_.fail("*BOUNDARY needs a direction after the node or the set");
  const std::string name = abaqus_key(field);
  for (const auto& known : named_boundaries)
    if (known.name == name) return known.directions;
  const auto first = parse_integer(field);
  if (!first || *first < 1) deck_.fail("*BOUNDARY: " + quote(field) + " is neither a direction nor a known name");
  auto end = first;
  if (fields.next(last) && !last.empty()) end = parse_integer(last);
  if (!end) deck_.fail("*BOUNDARY: " + quote(last) + " is not a direction");
  unsigned directions = 0;
  for (std::int64_t d = *first; d <= std::min<std::int64_t>(*end, 3); ++d) directions |= 1U << (d - 1);
  if (directions != 0 && fields.next(field) && number(field, "*BOUNDARY") != 0) {
    warn(deck_.place(), "*BOUNDARY moves its nodes; they are left free");
    return 0;
  }
  return directions;
}

void AbaqusReader::read_boundary() {
  if (keyword_.find("USER") != nullptr || keyword_.find("SUBMODEL") != nullptr || part_ != &model_.root) {
    warn(keyword_.place, keyword_.shown + " in a part, or given by a program or another model, was skipped");
    return;
  }
  const auto* const operation = keyword_.find("OP");
  if (is_in_step_ && operation != nullptr && abaqus_keyword(*operation) == "NEW") {
    const auto first = std::find_if(model_.boundary.begin(), model_.boundary.end(),
                                    [](const BoundaryLine& line) { return line.is_in_step; });
    model_.boundary.erase(model_.boundary.begin(), first);  // what was fixed before the step is free now
  }
  std::string_view line, field;
  while (deck_.next_data(line)) {
    DataFields fields(line);
    fields.next(field);
    BoundaryLine boundary{std::string(unquoted(field)), 0, deck_.place(), is_in_step_};
    boundary.directions = fixed_directions(fields);
    model_.boundary.push_back(std::move(boundary));
  }
}

// ---- the format -----------------------------------------------------------------------------------------------------

// LS-DYNA's decks have keywords of the same form, but start with *KEYWORD.
bool recognises_abaqus(std::string_view content) {
  constexpr std::string_view own[] = {"HEADING", "NODE",     "ELEMENT", "PART", "INCLUDE",  "NSET",
                                      "ELSET",   "ASSEMBLY", "SYSTEM",  "NGEN", "MATERIAL", "PARAMETER"};
  Lines lines(content, false);
  std::string_view line;
  bool is_first = true;
  while (lines.next(line)) {
    if (line.starts_with("**")) continue;
    if (line.front() != '*') {
      if (is_first) return false;
      continue;
    }
    const std::string keyword = abaqus_keyword(line.substr(1, line.find(',') - 1));
    if (keyword == "KEYWORD") return false;
    if (std::find(std::begin(own), std::end(own), keyword) != std::end(own)) return true;
    is_first = false;
  }
  return false;
}

VolumeMesh read_abaqus(const MeshFile& file) {
  VolumeMesh mesh = AbaqusReader(file).read();
  const bool ends_with_keyword = file.content.substr(file.content.find_last_of("\r\n") + 1).starts_with('*');
  if (ends_within_line(file.content) && !ends_with_keyword) mesh.warnings.emplace_back(unfinished_line_warning);
  return mesh;
}

}  // namespace

const MeshFormat abaqus_format = {"Abaqus and CalculiX (.inp)", recognises_abaqus, read_abaqus};

}  // namespace quartic::io
