// Chambers of reduced models.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/letters.hpp"
#include "core/energy/enclosed_volume.hpp"
#include "core/energy/parity.hpp"
#include "core/symmetry/pure_parity.hpp"
#include "quartic/error.hpp"
#include "quartic/model.hpp"

namespace quartic {

namespace {

// The corners of all faces, in an order that doesn't depend on where faces, or the list of them, begin.
std::vector<std::array<std::int32_t, 4>> corners_of(const Chamber& chamber) {
  std::vector<std::array<std::int32_t, 4>> corners;
  for (std::size_t first = 0; first + chamber_face_size <= chamber.faces.size(); first += chamber_face_size) {
    std::copy_n(chamber.faces.begin() + static_cast<std::ptrdiff_t>(first), 4, corners.emplace_back().begin());
    std::ranges::sort(corners.back());
  }
  std::ranges::sort(corners);
  return corners;
}

}  // namespace

void add_chamber(ReducedModel& model, Chamber chamber) {
  if (model.rank() < 1) throw InputError("the model has no basis, which the volume of a chamber is reduced on");
  if (model.cubature)
    throw InputError("chambers don't go with a cubature yet; reduce the mesh with the law stvk and no cubature");
  if (std::ssize(model.chambers) == chamber_limit)
    throw InputError("the model has " + std::to_string(chamber_limit) + " chambers, which is as many as there may be");
  for (const ModelChamber& other : model.chambers)
    if (other.chamber.name == chamber.name)
      throw InputError("the model has a chamber '" + chamber.name + "' already; give this one another name");
  for (const ModelChamber& other : model.chambers)
    if (corners_of(other.chamber) == corners_of(chamber))
      throw InputError("chamber '" + chamber.name + "' has the faces of '" + other.chamber.name +
                       "', which the model has already; add each chamber once");
  EnclosedVolume volume = reduce_volume(model.mesh, chamber, model.basis.map());
  if (model.energy.rank > 0)  // what mirror planes forbid, if the chamber has them too
    static_cast<void>(set_zeros(volume, parities(model.energy), rest_stiffness(model.energy)));
  model.chambers.push_back({std::move(chamber), std::move(volume)});
}

int find_chamber(const ReducedModel& model, std::string_view name) {
  std::string known;
  for (std::size_t c = 0; c < model.chambers.size(); ++c) {
    if (model.chambers[c].chamber.name == name) return static_cast<int>(c);
    known += " '" + model.chambers[c].chamber.name + "'";
  }
  for (std::size_t c = 0; model.mesh.names_ignore_case && c < model.chambers.size(); ++c)
    if (equal_ignoring_case(model.chambers[c].chamber.name, name)) return static_cast<int>(c);
  throw InputError("the model has no chamber '" + std::string(name) + "'; it has:" + (known.empty() ? " none" : known));
}

std::vector<EnclosedVolume> chamber_volumes(const ReducedModel& model) {
  std::vector<EnclosedVolume> volumes;
  for (const ModelChamber& chamber : model.chambers) volumes.push_back(chamber.volume);
  return volumes;
}

}  // namespace quartic
