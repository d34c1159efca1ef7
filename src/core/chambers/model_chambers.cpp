// Chambers of reduced models.
#include <string>
#include <utility>
#include <vector>

#include "core/energy/enclosed_volume.hpp"
#include "quartic/error.hpp"
#include "quartic/model.hpp"

namespace quartic {

void add_chamber(ReducedModel& model, Chamber chamber) {
  if (model.rank() < 1) throw InputError("the model has no basis, which the volume of a chamber is reduced on");
  if (std::ssize(model.chambers) == chamber_limit)
    throw InputError("the model has " + std::to_string(chamber_limit) + " chambers, which is as many as there may be");
  for (const ModelChamber& other : model.chambers)
    if (other.chamber.name == chamber.name)
      throw InputError("the model has a chamber '" + chamber.name + "' already; give this one another name");
  EnclosedVolume volume = reduce_volume(model.mesh, chamber, model.basis.map());
  model.chambers.push_back({std::move(chamber), std::move(volume)});
}

int find_chamber(const ReducedModel& model, std::string_view name) {
  std::string known;
  for (std::size_t c = 0; c < model.chambers.size(); ++c) {
    if (model.chambers[c].chamber.name == name) return static_cast<int>(c);
    known += " '" + model.chambers[c].chamber.name + "'";
  }
  throw InputError("the model has no chamber '" + std::string(name) + "'; it has:" + (known.empty() ? " none" : known));
}

std::vector<EnclosedVolume> chamber_volumes(const ReducedModel& model) {
  std::vector<EnclosedVolume> volumes;
  for (const ModelChamber& chamber : model.chambers) volumes.push_back(chamber.volume);
  return volumes;
}

}  // namespace quartic
