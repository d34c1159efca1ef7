// Vertex sets and regions by their names.
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/letters.hpp"
#include "quartic/error.hpp"
#include "quartic/mesh.hpp"

namespace quartic {
namespace {

/// The places of a name among others; the right case goes before any.
std::vector<std::int32_t> places_of(std::string_view name, const std::vector<std::string>& names, bool ignores_case) {
  std::vector<std::int32_t> exact, similar;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) exact.push_back(static_cast<std::int32_t>(i));
    if (ignores_case && equal_ignoring_case(names[i], name)) similar.push_back(static_cast<std::int32_t>(i));
  }
  return exact.empty() ? similar : exact;
}

[[noreturn]] void fail(const char* kind, std::string_view name, const std::vector<std::string>& names) {
  std::string known;
  for (const std::string& one : names) known += " '" + one + "'";
  throw InputError("the mesh has no " + std::string(kind) + " '" + std::string(name) +
                   "'; it has:" + (known.empty() ? " none" : known));
}

}  // namespace

const std::vector<std::int32_t>& find_vertex_set(const VolumeMesh& mesh, std::string_view name) {
  std::vector<std::string> names;
  for (const auto& entry : mesh.vertex_sets) names.push_back(entry.first);
  const std::vector<std::int32_t> places = places_of(name, names, mesh.names_ignore_case);
  if (places.empty()) fail("vertex set", name, names);
  if (places.size() > 1)
    throw InputError("the mesh has vertex sets '" + names[static_cast<std::size_t>(places[0])] + "' and '" +
                     names[static_cast<std::size_t>(places[1])] +
                     "'; write the name in the case of the one that is meant");
  return mesh.vertex_sets.at(names[static_cast<std::size_t>(places.front())]);
}

std::vector<std::string> distinct_region_names(const VolumeMesh& mesh) {
  std::map<std::string_view, std::int64_t> count, seen;
  for (const Region& region : mesh.regions) ++count[region.name];
  std::vector<std::string> names;
  names.reserve(mesh.regions.size());
  for (const Region& region : mesh.regions)
    names.push_back(region.name + (count[region.name] > 1 ? "#" + std::to_string(++seen[region.name]) : ""));
  return names;
}

std::vector<std::int32_t> find_regions(const VolumeMesh& mesh, std::string_view name) {
  std::vector<std::string> names;
  for (const Region& region : mesh.regions) names.push_back(region.name);
  std::vector<std::int32_t> places = places_of(name, names, mesh.names_ignore_case);
  if (!places.empty()) return places;
  const std::vector<std::string> distinct = distinct_region_names(mesh);
  places = places_of(name, distinct, mesh.names_ignore_case);
  if (places.empty()) fail("region", name, distinct);
  return places;
}

}  // namespace quartic
