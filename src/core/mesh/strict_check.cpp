// What strict users want to hear of rather than have it repaired.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/elements/element_geometry.hpp"
#include "core/elements/quadrature.hpp"
#include "core/mesh/attachments.hpp"
#include "core/mesh/folded_elements.hpp"
#include "core/mesh/repeated_elements.hpp"
#include "quartic/error.hpp"
#include "quartic/mesh.hpp"

namespace quartic {
namespace {

// "tets" where there are no others, as people would count them.
std::string noun(const VolumeMesh& mesh) {
  const auto all = [&](ElementType linear, ElementType quadratic) {
    return std::all_of(mesh.blocks.begin(), mesh.blocks.end(),
                       [&](const ElementBlock& block) { return block.type == linear || block.type == quadratic; });
  };
  if (all(ElementType::tet4, ElementType::tet10)) return "tets";
  if (all(ElementType::hex8, ElementType::hex20)) return "hexahedra";
  return "elements";
}

std::string first_text(const std::string& what, std::int64_t first) {
  return " (first: " + what + " " + std::to_string(first) + ", counted from 0)";
}

void find_inverted(const VolumeMesh& mesh, std::vector<std::string>& problems) {
  std::int64_t inverted = 0, first_inverted = 0, number = 0;
  for (const ElementBlock& block : mesh.blocks) {
    const ElementRuler ruler(element_table(block.type));
    for (std::int64_t e = 0; e < block.count(); ++e, ++number)
      if (ruler.signed_volume(mesh, block.element(e)) < 0 && inverted++ == 0) first_inverted = number;
  }
  if (inverted > 0)
    problems.push_back(std::to_string(inverted) + " of " + std::to_string(mesh.element_count()) + " " + noun(mesh) +
                       (inverted == 1 ? " has" : " have") + " the wrong winding" +
                       first_text("element", first_inverted) + ": turn them round");
}

void find_folded(const VolumeMesh& mesh, std::vector<std::string>& problems) {
  for (std::string& problem : folded_warnings(folded_elements(mesh), mesh.element_count()))
    problems.push_back(std::move(problem));
}

void find_unreferenced(const VolumeMesh& mesh, std::vector<std::string>& problems) {
  std::vector<bool> used = vertices_of_elements(mesh);
  const std::vector<bool> follows = following_points(mesh);
  for (std::size_t v = 0; v < used.size(); ++v) used[v] = used[v] || follows[v];
  const auto unreferenced = std::count(used.begin(), used.end(), false);
  if (unreferenced > 0)
    problems.push_back(std::to_string(unreferenced) + " of " + std::to_string(used.size()) + " vertices " +
                       (unreferenced == 1 ? "belongs" : "belong") + " to no element" +
                       first_text("vertex", std::find(used.begin(), used.end(), false) - used.begin()) +
                       ": leave them out");
}

void find_repeated(const VolumeMesh& mesh, std::vector<std::string>& problems) {
  const auto repeated = repeated_element_count(mesh);
  if (repeated > 0)
    problems.push_back(std::to_string(repeated) + " of " + std::to_string(mesh.element_count()) + " " + noun(mesh) +
                       (repeated == 1 ? " has" : " have") + " the same vertices as another one: keep one of each");
}

}  // namespace

void require_no_repairs(const VolumeMesh& mesh) {
  require_indices(mesh);
  std::vector<std::string> problems;
  find_inverted(mesh, problems);
  find_folded(mesh, problems);
  find_unreferenced(mesh, problems);
  find_repeated(mesh, problems);
  if (problems.empty()) return;
  std::string text;
  for (const std::string& problem : problems) text += (text.empty() ? "" : "; ") + problem;
  throw InputError(text);
}

}  // namespace quartic
