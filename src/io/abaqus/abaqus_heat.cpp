// Abaqus Keywords Reference Guide and CalculiX CrunchiX User's Manual, *EXPANSION, *INITIAL CONDITIONS, *TEMPERATURE.
// With one coefficient alpha the thermal strain is alpha (T - T_initial), whatever temperature ZERO= refers it to.
#include "io/abaqus/abaqus_heat.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/text/text.hpp"
#include "quartic/error.hpp"

namespace quartic::io {
namespace {

constexpr std::string_view cold = "the body doesn't expand";
constexpr std::string_view refused_heat_parameters[] = {"FILE",        "USER",  "BSTEP",   "BINC",
                                                        "INTERPOLATE", "INPUT", "SUBMODEL"};

bool is_initial(std::string_view keyword) {
  return keyword == "INITIALCONDITIONS";
}

// By node: what those lines say that are of the start, or those of the step.
std::vector<std::optional<double>> temperatures(const PlacedDeck& deck, AbaqusSets& sets, const VolumeMesh& mesh,
                                                bool at_start) {
  std::vector<std::optional<double>> result(static_cast<std::size_t>(mesh.vertex_count()));
  for (const AbaqusTemperature& line : deck.model.temperatures)
    if (line.is_initial == at_start)
      for (const auto node : sets.nodes(line.target, line.place, line.keyword))
        if (node >= 0) result[static_cast<std::size_t>(node)] = line.temperature;
  return result;
}

std::vector<double> expansions(const PlacedDeck& deck, const VolumeMesh& mesh) {
  std::vector<double> result(mesh.regions.size());
  for (const PlacedPart& part : deck.parts)
    for (const SolidSection& section : part.part->sections) {
      const AbaqusMaterial* const material = deck.model.materials.find(section.material);
      const AbaqusSet* const set = part.part->element_sets.find(section.elset);
      if (material == nullptr || set == nullptr) continue;
      const std::string name = placed_name(part, set->name);
      for (std::size_t region = 0; region < result.size(); ++region)
        if (mesh.regions[region].name == name) result[region] = material->expansion.value_or(0);
    }
  return result;
}

}  // namespace

bool is_abaqus_temperature(const Keyword& keyword) {
  if (keyword.name == "TEMPERATURE") return true;
  const auto* const type = keyword.find("TYPE");
  return is_initial(keyword.name) && type != nullptr && abaqus_keyword(*type) == "TEMPERATURE";
}

void read_abaqus_temperatures(Deck& deck, const Keyword& keyword, AbaqusModel& model) {
  for (const std::string_view name : refused_heat_parameters)
    if (keyword.find(name) != nullptr)
      return model.loads_left_out.add(keyword.place, keyword.shown + " with " + std::string(name), cold);
  if (keyword.find("AMPLITUDE") != nullptr)
    model.loads_left_out.add(keyword.place, keyword.shown + " with AMPLITUDE",
                             "its amplitude over time isn't used: all of it acts at all times");
  std::string_view line, target, field;
  while (deck.next_data(line)) {
    DataFields fields(line);
    fields.next(target);
    const auto number = fields.next(field) ? parse_number(field) : std::nullopt;
    if (!number)
      model.loads_left_out.add(deck.place(), keyword.shown, "its line can't be understood: " + std::string(cold));
    else
      model.temperatures.push_back(
          {keyword.shown, std::string(unquoted(target)), *number, is_initial(keyword.name), deck.place()});
  }
}

void read_abaqus_expansion(Deck& deck, const Keyword& keyword, AbaqusMaterial& material, AbaqusModel& model) {
  const std::string what = keyword.shown + " of material " + quote(material.name);
  const auto leave_out = [&](std::string_view why) { model.loads_left_out.add(keyword.place, what, why); };
  const auto* const type = keyword.find("TYPE");
  if (keyword.find("USER") != nullptr ||
      (type != nullptr && abaqus_keyword(*type) != "ISO" && abaqus_keyword(*type) != "ISOTROPIC"))
    return leave_out("only one coefficient for all directions can be used: it doesn't expand");
  std::string_view line, field;
  if (!deck.next_data(line)) return leave_out("it has no coefficient: it doesn't expand");
  DataFields fields(line);
  fields.next(field);
  material.expansion = parse_number(field);
  if (!material.expansion) return leave_out("its line can't be understood: it doesn't expand");
  if (deck.next_data(line)) leave_out("it depends on temperature or a field; its first row is taken");
}

void attach_abaqus_heat(const PlacedDeck& deck, AbaqusSets& sets, const VolumeMesh& mesh, AbaqusModel& model) {
  const auto first =
      std::ranges::find_if(model.temperatures, [](const AbaqusTemperature& line) { return !line.is_initial; });
  if (first == model.temperatures.end()) return;
  Heating heating{.temperature = std::vector<double>(static_cast<std::size_t>(mesh.vertex_count())),
                  .expansion = expansions(deck, mesh)};
  try {
    const auto start = temperatures(deck, sets, mesh, true), end = temperatures(deck, sets, mesh, false);
    for (std::size_t v = 0; v < end.size(); ++v)
      if (end[v]) heating.temperature[v] = *end[v] - start[v].value_or(0);
  } catch (const InputError& error) {
    return model.loads_left_out.add(first->place, first->keyword, std::string(cold) + ", since " + error.what());
  }
  const auto is_zero = [](double number) { return number == 0; };
  if (std::ranges::all_of(heating.expansion, is_zero))
    return model.loads_left_out.add(first->place, first->keyword,
                                    std::string(cold) + ", since no section's material has an *EXPANSION");
  if (!std::ranges::all_of(heating.temperature, is_zero)) model.attached_loads.heating = std::move(heating);
}

}  // namespace quartic::io
