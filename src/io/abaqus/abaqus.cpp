// Input decks of Abaqus and CalculiX (.inp): parts and instances or none, solids, sets, materials, and which nodes are
// fixed.
#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/abaqus/abaqus_assembly.hpp"
#include "io/abaqus/abaqus_boundary.hpp"
#include "io/abaqus/abaqus_format.hpp"
#include "io/abaqus/abaqus_link_rows.hpp"
#include "io/abaqus/abaqus_loads.hpp"
#include "io/abaqus/abaqus_steps.hpp"
#include "io/abaqus_deck/abaqus_deck.hpp"
#include "io/abaqus_deck/abaqus_keywords.hpp"
#include "io/abaqus_deck/abaqus_model.hpp"
#include "io/abaqus_deck/abaqus_rows.hpp"
#include "io/text/text.hpp"
#include "quartic/error.hpp"

namespace quartic::io {
namespace {

bool are_directions(const std::vector<std::string>& row) {
  constexpr std::size_t most_ends = 2;
  return row.size() <= most_ends && std::ranges::all_of(row, [](const std::string& text) {
           const auto direction = parse_integer(text);
           return direction && *direction >= 1 && *direction <= 6;
         });
}

class AbaqusReader {
 public:
  explicit AbaqusReader(const MeshFile& file) : deck_(file) {}

  VolumeMesh read();
  /// After `read`: what loads the body. Must be asked for before.
  void want_loads() { model_.wants_loads = true; }
  [[nodiscard]] const Loads& loads() const { return model_.attached_loads; }
  [[nodiscard]] std::string loads_warning() const {
    return model_.loads_left_out.empty() ? "" : model_.loads_left_out.warning(deck_);
  }

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
  void read_step(AbaqusSteps& steps);
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
  void read_point_mass();
  void read_nonstructural_mass();
  void read_spring();
  void read_transform();
  void read_equations();
  void read_surface();
  void read_ties();
  void read_rotary_inertia();
  void read_coupling();
  void read_coupling_kind();
  void read_kinematic_coupling();
  void read_rigid_body();
  void read_mpcs();
  /// True for what stands in a part, where it is told and left out.
  bool leave_out_of_part();
  void read_boundary() { (void)read_boundary_lines(); }
  bool read_boundary_lines();
  [[nodiscard]] AbaqusPart& own_part();
  /// Of an instance of a part: what stands in it is the assembly's, behind the instance's name.
  [[nodiscard]] bool is_in_placed_part() const { return instance_ != nullptr && !instance_->part_name.empty(); }
  [[nodiscard]] AbaqusMaterial& material();
  [[nodiscard]] std::array<double, 2> first_row(const std::string& what);
  [[nodiscard]] double number(std::string_view field, const std::string& what) const;
  /// The first number below the keyword, or nothing.
  [[nodiscard]] std::optional<double> mass_below();
  void warn(Place place, const std::string& what) { model_.warnings.push_back(deck_.text(place) + ": " + what); }
  void leave_out(std::string_view consequence) { model_.left_out.add(keyword_.place, keyword_.shown, consequence); }

  Deck deck_;
  Keyword keyword_;
  AbaqusModel model_;
  AbaqusPart* part_ = &model_.root;     // that nodes and sets go to now
  AbaqusInstance* instance_ = nullptr;  // that is open
  AbaqusMaterial* material_ = nullptr;  // that *ELASTIC belongs to
  Place assembly_;                      // where the open assembly begins; line 0 if none is open
  bool is_in_step_ = false;
  bool is_in_coupling_ = false;  // the last keyword is a *COUPLING whose kind comes next
};

const AbaqusReader::Entry AbaqusReader::actions[] = {{"NODE", &AbaqusReader::read_nodes},
                                                     {"ELEMENT", &AbaqusReader::read_elements},
                                                     {"NSET", &AbaqusReader::read_node_set},
                                                     {"ELSET", &AbaqusReader::read_element_set},
                                                     {"PART", &AbaqusReader::begin_part},
                                                     {"ENDPART", &AbaqusReader::end_part},
                                                     {"ASSEMBLY", &AbaqusReader::begin_assembly},
                                                     {"ENDASSEMBLY", &AbaqusReader::end_assembly},
                                                     {"INSTANCE", &AbaqusReader::begin_instance},
                                                     {"ENDINSTANCE", &AbaqusReader::end_instance},
                                                     {"SOLIDSECTION", &AbaqusReader::read_section},
                                                     {"MATERIAL", &AbaqusReader::begin_material},
                                                     {"ELASTIC", &AbaqusReader::read_elastic},
                                                     {"DENSITY", &AbaqusReader::read_density},
                                                     {"BOUNDARY", &AbaqusReader::read_boundary},
                                                     {"MASS", &AbaqusReader::read_point_mass},
                                                     {"NONSTRUCTURALMASS", &AbaqusReader::read_nonstructural_mass},
                                                     {"SPRING", &AbaqusReader::read_spring},
                                                     {"TRANSFORM", &AbaqusReader::read_transform},
                                                     {"EQUATION", &AbaqusReader::read_equations},
                                                     {"SURFACE", &AbaqusReader::read_surface},
                                                     {"TIE", &AbaqusReader::read_ties},
                                                     {"ROTARYINERTIA", &AbaqusReader::read_rotary_inertia},
                                                     {"COUPLING", &AbaqusReader::read_coupling},
                                                     {"KINEMATIC", &AbaqusReader::read_coupling_kind},
                                                     {"DISTRIBUTING", &AbaqusReader::read_coupling_kind},
                                                     {"KINEMATICCOUPLING", &AbaqusReader::read_kinematic_coupling},
                                                     {"RIGIDBODY", &AbaqusReader::read_rigid_body},
                                                     {"MPC", &AbaqusReader::read_mpcs}};

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
  if (keyword_.name != "KINEMATIC" && keyword_.name != "DISTRIBUTING") is_in_coupling_ = false;
  (this->*entry->action)();
}

void AbaqusReader::pass_over() {
  const KeywordMeaning meaning = abaqus_keyword_meaning(keyword_.name);
  if (meaning.role == KeywordRole::makes_mesh)
    deck_.fail(keyword_.place, keyword_.shown +
                                   " can't be read; let the program that wrote the deck write all nodes "
                                   "and elements out, in global coordinates");
  if (meaning.role != KeywordRole::harmless) leave_out(meaning.consequence);
}

// Steps are loads and what is asked of the analysis. Only the first one's *BOUNDARY says what holds the body, and its
// loads alone are read; what can't be read in others must not keep the mesh from being read.
void AbaqusReader::read_steps() {
  is_in_step_ = true;
  AbaqusSteps steps(deck_, model_.left_out);
  read_step(steps);
  try {
    while (keyword_.name == "STEP" || deck_.next_keyword(keyword_))
      if (keyword_.name == "STEP") read_step(steps);
  } catch (const InputError& error) {
    model_.left_out.add(deck_.place(), "the steps from here on", error.what());
  }
}

void AbaqusReader::read_step(AbaqusSteps& steps) {
  steps.begin_step(keyword_);
  keyword_.name.clear();
  while (deck_.next_keyword(keyword_) && keyword_.name != "ENDSTEP" && keyword_.name != "STEP") {
    if (is_abaqus_load(keyword_.name) && steps.is_first()) {
      const Keyword load = keyword_;
      steps.add_load(read_abaqus_loads(deck_, load, model_));
    } else if (keyword_.name != "BOUNDARY" || !steps.is_first()) {
      leave_out_load(keyword_, model_);
      steps.add(keyword_);
    } else if (read_boundary_lines()) {
      steps.add_load(keyword_.shown + " that moves nodes");
    }
  }
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
  if (const auto* const name = keyword_.find("NAME")) model_.assembly = *name;
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
  AbaqusPart& part = is_in_placed_part() ? model_.root : own_part();
  std::string name = deck_.required(keyword_, kind);
  SetPiece piece;
  if (is_in_placed_part()) {
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

// ---- masses ---------------------------------------------------------------------------------------------------------

std::optional<double> AbaqusReader::mass_below() {
  std::string_view line, field;
  if (!deck_.next_data(line)) return std::nullopt;
  DataFields fields(line);
  fields.next(field);
  return parse_number(field);
}

void AbaqusReader::read_point_mass() {
  const auto* const elset = keyword_.find("ELSET");
  const std::optional<double> mass = mass_below();
  if (elset == nullptr || !mass) return leave_out("its mass is missing");
  AbaqusPart& part = is_in_placed_part() ? model_.root : own_part();
  const std::string set = is_in_placed_part() ? instance_->name + "." + *elset : *elset;
  part.masses.push_back({keyword_.shown, set, *mass, keyword_.place});
}

void AbaqusReader::read_nonstructural_mass() {
  const auto* const units = keyword_.find("UNITS");
  const std::optional<double> mass = mass_below();
  if (units == nullptr || abaqus_keyword(*units) != "TOTALMASS" || !mass) return leave_out("its mass is missing");
  AbaqusPart& part = is_in_placed_part() ? model_.root : own_part();
  part.masses.push_back({keyword_.shown, "", *mass, keyword_.place});
}

void AbaqusReader::read_rotary_inertia() {
  const Keyword keyword = keyword_;
  const auto* const elset = keyword.find("ELSET");
  AbaqusInertia inertia{keyword.shown, elset == nullptr ? "" : *elset, {}, keyword.place};
  std::string_view line, field;
  const bool has_line = deck_.next_data(line);
  DataFields fields(line);
  for (double& value : inertia.tensor)
    if (has_line && fields.next(field)) value = number(field, keyword.shown);
  if (elset == nullptr || !has_line || keyword.find("ORIENTATION") != nullptr || part_ != &model_.root ||
      instance_ != nullptr) {
    model_.left_out.add(keyword.place, keyword.shown,
                        "its inertia is missing: moments along global axes, outside of parts, can be read");
    return;
  }
  model_.root.inertias.push_back(std::move(inertia));
}

// ---- springs --------------------------------------------------------------------------------------------------------

// A line of directions, which CalculiX and Abaqus want empty or not at all along the element, then one that begins with
// the stiffness. Two such lines are a table over temperature or frequency.
void AbaqusReader::read_spring() {
  const auto* const elset = keyword_.find("ELSET");
  const Keyword keyword = keyword_;
  const bool is_plain =
      std::ranges::all_of(keyword.parameters, [](const auto& parameter) { return parameter.first == "ELSET"; });
  std::vector<std::vector<std::string>> lines;
  std::string_view line, field;
  while (deck_.next_data(line)) {
    DataFields fields(line);
    auto& row = lines.emplace_back();
    while (fields.next(field)) row.emplace_back(field);
  }
  std::erase_if(lines, [](const auto& row) {
    return std::ranges::all_of(row, [](const std::string& text) { return text.empty(); });
  });
  const auto stiffness = lines.empty() ? std::nullopt : parse_number(lines.back().front());
  const bool is_one = lines.size() == 1 || (lines.size() == 2 && are_directions(lines.front()));
  if (elset == nullptr || !stiffness || !is_one || !is_plain) {
    model_.left_out.add(keyword.place, keyword.shown,
                        "its stiffness is missing: one stiffness of a set, along global directions, can be read");
    return;
  }
  if (!(*stiffness >= 0)) deck_.fail(keyword.place, "*SPRING has a stiffness below 0");
  AbaqusPart& part = is_in_placed_part() ? model_.root : own_part();
  const std::string set = is_in_placed_part() ? instance_->name + "." + *elset : *elset;
  AbaqusSpring spring{keyword.shown, set, {}, *stiffness, keyword.place};
  if (lines.size() == 2)
    for (const std::string& text : lines.front()) spring.directions.push_back(parse_integer(text).value_or(0));
  part.springs.push_back(std::move(spring));
}

// ---- local directions and equations ---------------------------------------------------------------------------------

void AbaqusReader::read_transform() {
  if (part_ != &model_.root || instance_ != nullptr)
    return leave_out("it stands in a part: *BOUNDARY counts in global directions");
  AbaqusTransform transform{deck_.required(keyword_, "NSET"), 'R', {}, keyword_.place};
  if (const auto* const type = keyword_.find("TYPE")) transform.kind = abaqus_key(*type).substr(0, 1)[0];
  if (std::string_view("RCS").find(transform.kind) == std::string_view::npos)
    deck_.fail(keyword_.place, "*TRANSFORM: TYPE is R, C or S");
  const Place place = keyword_.place;
  std::string_view line, field;
  if (!deck_.next_data(line)) deck_.fail(place, "*TRANSFORM needs a line of six numbers, two points");
  DataFields fields(line);
  for (double& value : transform.points)
    if (fields.next(field)) value = number(field, "*TRANSFORM");
  model_.transforms.push_back(std::move(transform));
}

// The number of terms, then node, direction and factor of each, on as many lines as they take.
void AbaqusReader::read_equations() {
  if (part_ != &model_.root || instance_ != nullptr || keyword_.find("INPUT") != nullptr)
    return leave_out("it stands in a part or another file: what it joins moves on its own");
  std::string_view line, field;
  while (deck_.next_data(line)) {
    AbaqusEquation equation{{}, deck_.place()};
    DataFields head(line);
    head.next(field);
    const auto count = parse_integer(field);
    constexpr std::int64_t most_terms = 1'000'000;
    if (!count || *count < 1 || *count > most_terms)
      deck_.fail("*EQUATION: " + quote(field) + " is no number of terms");
    while (std::ssize(equation.terms) < *count) {
      if (!deck_.next_data(line)) deck_.fail(equation.place, "*EQUATION has fewer terms than its first line says");
      DataFields fields(line);
      while (std::ssize(equation.terms) < *count && fields.next(field)) {
        EquationTerm term{std::string(unquoted(field)), 0, 0};
        if (term.target.empty()) break;  // a comma at the end of a line
        std::string_view direction;
        const bool has_both = fields.next(direction) && fields.next(field);
        const auto parsed = parse_integer(direction);
        if (!has_both || !parsed || *parsed < 1)
          deck_.fail("*EQUATION: a term is a node or a set, a direction from 1 on, and a factor");
        term.direction = *parsed;
        term.factor = number(field, "*EQUATION");
        equation.terms.push_back(std::move(term));
      }
    }
    model_.equations.push_back(std::move(equation));
  }
}

// Those of parts are what contact and loads act on.
void AbaqusReader::read_surface() {
  const auto* const type = keyword_.find("TYPE");
  const std::string kind = type == nullptr ? "ELEMENT" : abaqus_key(*type);
  if (part_ != &model_.root || instance_ != nullptr || (kind != "ELEMENT" && kind != "NODE")) return;
  AbaqusSurface& surface = model_.surfaces.get(deck_.required(keyword_, "NAME"));
  surface.is_of_nodes = kind == "NODE";
  std::string_view line, field;
  while (deck_.next_data(line)) {
    DataFields fields(line);
    fields.next(field);
    SurfacePiece piece{std::string(unquoted(field)), {}, deck_.place()};
    if (!surface.is_of_nodes && fields.next(field)) piece.face = abaqus_key(field);
    surface.pieces.push_back(std::move(piece));
  }
}

void AbaqusReader::read_ties() {
  if (part_ != &model_.root || instance_ != nullptr)
    return leave_out("it stands in a part: what it joins moves on its own");
  std::optional<double> tolerance;
  if (const auto* const text = keyword_.find("POSITIONTOLERANCE")) tolerance = number(*text, "*TIE");
  const auto* const given = keyword_.find("NAME");
  const Keyword keyword = keyword_;
  const std::string origin = keyword.shown + (given == nullptr ? "" : " " + *given);
  std::string_view line, follower, leader;
  while (deck_.next_data(line)) {
    DataFields fields(line);
    if (!fields.next(follower) || !fields.next(leader)) deck_.fail("*TIE needs two surfaces");
    model_.ties.push_back({keyword.shown, origin, std::string(unquoted(follower)), std::string(unquoted(leader)),
                           tolerance, keyword.place});
  }
}

// ---- links ----------------------------------------------------------------------------------------------------------

bool AbaqusReader::leave_out_of_part() {
  if (part_ == &model_.root && instance_ == nullptr) return false;
  leave_out("it stands in a part: what it joins moves on its own");
  return true;
}

void AbaqusReader::read_coupling() {
  if (leave_out_of_part()) return;
  read_abaqus_coupling(deck_, keyword_, model_);
  is_in_coupling_ = true;
}

void AbaqusReader::read_coupling_kind() {
  if (std::exchange(is_in_coupling_, false)) read_abaqus_coupling_kind(deck_, keyword_, model_.links.back());
}

void AbaqusReader::read_kinematic_coupling() {
  if (!leave_out_of_part()) read_abaqus_kinematic_coupling(deck_, keyword_, model_);
}

void AbaqusReader::read_rigid_body() {
  if (!leave_out_of_part()) read_abaqus_rigid_body(deck_, keyword_, model_);
}

void AbaqusReader::read_mpcs() {
  if (!leave_out_of_part()) read_abaqus_mpcs(deck_, keyword_, model_);
}

// ---- what is fixed --------------------------------------------------------------------------------------------------

/// @return whether displacements other than 0 are prescribed
bool AbaqusReader::read_boundary_lines() {
  if (is_of_elsewhere(keyword_) || part_ != &model_.root) {
    leave_out(part_ == &model_.root ? "it is given by a program, another model or a flow; it fixes nothing"
                                    : "it stands in a part and fixes nothing; put it behind the assembly");
    return false;
  }
  const auto* const operation = keyword_.find("OP");
  if (is_in_step_ && operation != nullptr && abaqus_keyword(*operation) == "NEW") {
    const auto first = std::find_if(model_.boundary.begin(), model_.boundary.end(),
                                    [](const BoundaryLine& line) { return line.is_in_step; });
    model_.boundary.erase(model_.boundary.begin(), first);  // what was fixed before the step is free now
  }
  bool moves = false;
  std::string_view line, field;
  while (deck_.next_data(line)) {
    DataFields fields(line);
    fields.next(field);
    BoundaryLine boundary{std::string(unquoted(field)), 0, deck_.place(), is_in_step_};
    const FixedDirections fixed = read_fixed_directions(deck_, fields);
    boundary.directions = fixed.directions;
    if (fixed.moves) model_.left_out.add(deck_.place(), keyword_.shown + " that moves its nodes", "they are left free");
    moves = moves || fixed.moves;
    model_.boundary.push_back(std::move(boundary));
  }
  return moves;
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

AbaqusLoads read_abaqus_load_file(const MeshFile& file) {
  if (!recognises_abaqus(file.content))
    throw ParseError(file.path.string(), 0, "only Abaqus and CalculiX decks (.inp) have loads that can be read");
  AbaqusReader reader(file);
  reader.want_loads();
  AbaqusLoads result{reader.read(), {}, {}};
  result.loads = reader.loads();
  result.warning = reader.loads_warning();
  return result;
}

const MeshFormat abaqus_format = {"Abaqus and CalculiX (.inp)", recognises_abaqus, read_abaqus};

}  // namespace quartic::io
