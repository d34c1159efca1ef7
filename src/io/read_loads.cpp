// read_loads: a deck's loads for a mesh that was read from it.
#include <string>
#include <vector>

#include "io/abaqus/abaqus_format.hpp"
#include "io/text/text.hpp"
#include "quartic/error.hpp"
#include "quartic/loads.hpp"
#include "quartic/mesh.hpp"

namespace quartic {
namespace {

/// For each of the deck's vertices its number in the mesh; -1: it belongs to no element and was dropped.
std::vector<std::int32_t> numbers_in(const VolumeMesh& mesh, const VolumeMesh& deck, const std::string& path) {
  std::vector<std::int32_t> numbers(static_cast<std::size_t>(deck.vertex_count()), -1);
  VolumeMesh left = deck;
  const bool is_whole = mesh.vertices == deck.vertices;
  if (!is_whole) {
    const std::vector<std::int32_t> kept = drop_unreferenced_vertices(left);
    for (std::size_t v = 0; v < kept.size(); ++v)
      numbers[static_cast<std::size_t>(kept[v])] = static_cast<std::int32_t>(v);
  }
  for (std::size_t v = 0; v < numbers.size() && is_whole; ++v) numbers[v] = static_cast<std::int32_t>(v);
  if (mesh.vertices != left.vertices)
    throw InputError(path + ": these loads are of another mesh, whose vertices are elsewhere: the deck has " +
                     std::to_string(deck.vertex_count()) + " vertices, the body " +
                     std::to_string(mesh.vertex_count()) +
                     "; loads can be taken by a body that was read from a deck of the same nodes, and neither welded "
                     "nor made quadratic");
  return numbers;
}

}  // namespace

Loads read_loads(const std::filesystem::path& path, const VolumeMesh& mesh, std::vector<std::string>& warnings) {
  const io::AbaqusLoads deck = io::read_abaqus_load_file({path, io::read_file(path)});
  const std::vector<std::int32_t> numbers = numbers_in(mesh, deck.mesh, path.string());
  if (!deck.warning.empty()) warnings.push_back(deck.warning);
  Loads loads{.gravity = deck.loads.gravity};
  for (const PointForce& at : deck.loads.forces)
    loads.forces.push_back({numbers[static_cast<std::size_t>(at.vertex)], at.force});
  loads.heating.expansion = deck.loads.heating.expansion;
  if (!deck.loads.heating.empty()) loads.heating.temperature.resize(static_cast<std::size_t>(mesh.vertex_count()));
  for (std::size_t v = 0; v < deck.loads.heating.temperature.size(); ++v)
    if (numbers[v] >= 0)
      loads.heating.temperature[static_cast<std::size_t>(numbers[v])] = deck.loads.heating.temperature[v];
  return loads;
}

}  // namespace quartic
