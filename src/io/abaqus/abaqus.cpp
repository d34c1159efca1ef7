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
#include "io/abaqus/abaqus_heat.hpp"
#include "io/abaqus/abaqus_link_rows.hpp"
#include "io/abaqus/abaqus_loads.hpp"
#include "io/abaqus/abaqus_steps.hpp"
#include "io/abaqus_deck/abaqus_attached_rows.hpp"
#include "io/abaqus_deck/abaqus_deck.hpp"
#include "io/abaqus_deck/abaqus_joint_rows.hpp"
#include "io/abaqus_deck/abaqus_keywords.hpp"
#include "io/abaqus_deck/abaqus_model.hpp"
#include "io/abaqus_deck/abaqus_rows.hpp"
#include "io/text/text.hpp"
#include "quartic/error.hpp"

namespace quartic::io {
namespace {

constexpr std::string_view of_materials[] = {"ELASTIC", "HYPERELASTIC", "DENSITY", "EXPANSION"};

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
  void read_hyperelastic();
  void read_density();
  void read_expansion();
  void read_initial_conditions();
  void read_mass() { read_abaqus_mass(deck_, keyword_, set_owner(), set_prefix(), model_.left_out); }
  void read_nonstructural_mass() { read_abaqus_nonstructural_mass(deck_, keyword_, set_owner(), model_.left_out); }
  void read_spring() { read_abaqus_spring(deck_, keyword_, set_owner(), set_prefix(), model_.left_out); }
  void read_rotary_inertia();
  void read_transform();
  void read_equations();
  void read_surface();
  void read_ties();
  void read_coupling();
  void read_coupling_kind();
  void read_kinematic_coupling();
  void read_rigid_body();
  void read_mpcs();
  [[nodiscard]] bool is_in_part() const { return part_ != &model_.root || instance_ != nullptr; }
  /// True for what stands in a part, where it is told and left out.
  bool leave_out_of_part(std::string_view consequence = "it stands in a part: what it joins moves on its own");
  void read_boundary() { (void)read_boundary_lines(); }
  bool read_boundary_lines();
  [[nodiscard]] AbaqusPart& own_part();
  /// Of an instance of a part: what stands in it is the assembly's, behind the instance's name.
  [[nodiscard]] bool is_in_placed_part() const { return instance_ != nullptr && !instance_->part_name.empty(); }
  [[nodiscard]] AbaqusPart& set_owner() { return is_in_placed_part() ? model_.root : own_part(); }
  [[nodiscard]] std::string set_prefix() const { return is_in_placed_part() ? instance_->name + "." : ""; }
  [[nodiscard]] AbaqusMaterial& material();
  template <std::size_t count>
  [[nodiscard]] std::array<double, count> first_row(const std::string& what);
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
                                                     {"HYPERELASTIC", &AbaqusReader::read_hyperelastic},
                                                     {"DENSITY", &AbaqusReader::read_density},
                                                     {"BOUNDARY", &AbaqusReader::read_boundary},
                                                     {"EXPANSION", &AbaqusReader::read_expansion},
                                                     {"INITIALCONDITIONS", &AbaqusReader::read_initial_conditions},
                                                     {"MASS", &AbaqusReader::read_mass},
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
  if (!contains(of_materials, keyword_.name)) material_ = nullptr;
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
      steps.add_load(read_abaqus_loads(deck_, keyword_, model_));
    } else if (is_abaqus_temperature(keyword_) && steps.is_first()) {
      read_abaqus_temperatures(deck_, keyword_, model_);
      steps.add_load(keyword_.shown);
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
      numbers[static_cast<std::size_t>(fields.count()) - 1] = deck_.number(field, "*INSTANCE");
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
  AbaqusPart& part = set_owner();
  const std::string name = set_prefix() + deck_.required(keyword_, kind);
  SetPiece piece;
  if (is_in_placed_part()) {
    piece.instance = instance_->name;
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

// Further rows are for other temperatures.
template <std::size_t count>
std::array<double, count> AbaqusReader::first_row(const std::string& what) {
  std::array<double, count> numbers{};
  std::string_view line, field;
  if (!deck_.next_data(line)) deck_.fail(keyword_.place, what + " has no values");
  DataFields fields(line);
  for (double& value : numbers)
    if (fields.next(field)) value = deck_.number(field, what);
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
  owner.elastic = first_row<2>(what);
}

// *HYPERELASTIC, NEO HOOKE: C10, D1. MOONEY-RIVLIN: C10, C01, D1. The bulk modulus is 2 / D1.
void AbaqusReader::read_hyperelastic() {
  AbaqusMaterial& owner = material();
  const bool is_mooney = keyword_.find("MOONEY-RIVLIN") != nullptr;
  if ((!is_mooney && keyword_.find("NEOHOOKE") == nullptr) || keyword_.find("TESTDATAINPUT") != nullptr) {
    pass_over();
    return;
  }
  const std::string what = "*HYPERELASTIC of material " + quote(owner.name);
  const std::array<double, 3> row = first_row<3>(what);
  const double c01 = is_mooney ? row[1] : 0, compressibility = is_mooney ? row[2] : row[1];
  if (!(compressibility > 0)) {
    warn(keyword_.place, what + " is incompressible; it can be used with a D1 above 0, such as 0.1 / C10");
    return;
  }
  owner.mooney_rivlin = {row[0], c01, 2 / compressibility};
}

void AbaqusReader::read_density() {
  AbaqusMaterial& owner = material();
  owner.density = first_row<2>("*DENSITY of material " + quote(owner.name))[0];
}

void AbaqusReader::read_expansion() {
  if (material_ != nullptr) read_abaqus_expansion(deck_, keyword_, *material_, model_);
}

// Temperatures are asked for with the loads.
void AbaqusReader::read_initial_conditions() {
  if (is_abaqus_temperature(keyword_))
    read_abaqus_temperatures(deck_, keyword_, model_);
  else
    pass_over();
}

// ---- masses, joints and links
// ----------------------------------------------------------------------------------------------------------

bool AbaqusReader::leave_out_of_part(std::string_view consequence) {
  if (is_in_part()) leave_out(consequence);
  return is_in_part();
}

void AbaqusReader::read_rotary_inertia() {
  if (!leave_out_of_part("its inertia is missing: moments along global axes, outside of parts, can be read"))
    read_abaqus_rotary_inertia(deck_, keyword_, model_.root, model_.left_out);
}

void AbaqusReader::read_transform() {
  if (!leave_out_of_part("it stands in a part: *BOUNDARY counts in global directions"))
    read_abaqus_transform(deck_, keyword_, model_);
}

void AbaqusReader::read_equations() {
  if (!leave_out_of_part("it stands in a part or another file: what it joins moves on its own"))
    read_abaqus_equations(deck_, keyword_, model_);
}

// Those of parts are what contact and loads act on.
void AbaqusReader::read_surface() {
  if (!is_in_part()) read_abaqus_surface(deck_, keyword_, model_);
}

void AbaqusReader::read_ties() {
  if (!leave_out_of_part()) read_abaqus_ties(deck_, keyword_, model_);
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
