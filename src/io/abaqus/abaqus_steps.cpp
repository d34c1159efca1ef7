// A *FREQUENCY is about the state that the steps before it leave. In CalculiX it is the loaded one if its *STEP says
// PERTURBATION; in Abaqus, whose frequency steps always may say so, if a step before says NLGEOM.
//
// CalculiX CrunchiX User's Manual, "Frequency analysis"; Abaqus Analysis User's Guide, "Natural frequency extraction".
#include "io/abaqus/abaqus_steps.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "io/abaqus/abaqus_boundary.hpp"
#include "io/abaqus_deck/abaqus_keywords.hpp"
#include "io/text/text.hpp"

namespace quartic::io {
namespace {

constexpr std::string_view loads[] = {"CLOAD", "DLOAD", "DSLOAD", "TEMPERATURE"};
constexpr std::string_view centrifugal_loads[] = {"CENT", "CENTRIF", "CORIO", "ROTA", "ROTDYNF"};

}  // namespace

void AbaqusSteps::begin_step(const Keyword& step) {
  ++count_;
  is_perturbation_ = step.find("PERTURBATION") != nullptr;
  const auto* const nlgeom = step.find("NLGEOM");
  is_linear_ = nlgeom != nullptr && equal_ignoring_case(*nlgeom, "NO");
  has_large_rotations_ = has_large_rotations_ || (nlgeom != nullptr && !is_linear_);
}

void AbaqusSteps::add(const Keyword& keyword) {
  if (keyword.name == "BOUNDARY") return add_boundary(keyword);
  if (keyword.name == "FREQUENCY") return add_frequency(keyword);
  if (keyword.name == "DYNAMIC" && scales_masses(keyword))
    left_out_.add(keyword.place, keyword.shown + " with a smallest increment, which scales masses",
                  "masses are those of the materials' densities");
  if (contains(loads, keyword.name))
    return add_load(has_centrifugal_load() ? "centrifugal " + keyword.shown : keyword.shown);
  const KeywordMeaning meaning = abaqus_keyword_meaning(keyword.name);
  if (meaning.role == KeywordRole::left_out) left_out_.add(keyword.place, keyword.shown, meaning.consequence);
}

void AbaqusSteps::add_load(const std::string& what) {
  if (!is_perturbation_ && !is_linear_ && std::find(loads_.begin(), loads_.end(), what) == loads_.end())
    loads_.push_back(what);
}

void AbaqusSteps::add_boundary(const Keyword& keyword) {
  if (is_of_elsewhere(keyword)) return;
  std::string_view line, target;
  bool fixes = false;
  while (deck_.next_data(line)) {
    DataFields fields(line);
    fields.next(target);
    const FixedDirections fixed = read_fixed_directions(deck_, fields);
    fixes = fixes || (fixed.directions & 7U) != 0;
    if (fixed.moves) add_load(keyword.shown + " that moves nodes");
  }
  if (fixes) left_out_.add(keyword.place, keyword.shown + " of a later step", "what the first step fixes stays fixed");
}

void AbaqusSteps::add_frequency(const Keyword& keyword) {
  if (loads_.empty() || !(is_perturbation_ || has_large_rotations_)) return;
  std::string all;
  for (const std::string& load : loads_) all += (all.empty() ? "" : ", ") + load;
  left_out_.add(keyword.place, keyword.shown + " of the body loaded in a step before (" + all + ")",
                "modes are those of the unloaded body");
}

// In CalculiX's *DYNAMIC, EXPLICIT: the third number below.
bool AbaqusSteps::scales_masses(const Keyword& dynamic) {
  std::string_view line, field;
  if (dynamic.find("EXPLICIT") == nullptr || !deck_.next_data(line)) return false;
  DataFields fields(line);
  for (int i = 0; i < 3; ++i)
    if (!fields.next(field)) return false;
  return parse_number(field).value_or(0) > 0;
}

bool AbaqusSteps::has_centrifugal_load() {
  bool found = false;
  std::string_view line, field;
  while (deck_.next_data(line)) {
    DataFields fields(line);
    found = found || (fields.next(field) && fields.next(field) && contains(centrifugal_loads, abaqus_key(field)));
  }
  return found;
}

}  // namespace quartic::io
