// Joins what touches: vertices at one place become one.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "core/base/number_text.hpp"
#include "core/elements/element_geometry.hpp"
#include "core/elements/quadrature.hpp"
#include "core/mesh/attachments.hpp"
#include "core/mesh/coincident_vertices.hpp"
#include "quartic/error.hpp"
#include "quartic/mesh.hpp"

namespace quartic {
namespace {

/// For each vertex its number in the welded mesh: places are numbered in the order of their lowest vertices.
std::vector<std::int32_t> numbers_of(const std::vector<std::int32_t>& founder) {
  std::vector<std::int32_t> number_of_place(founder.size(), -1);
  std::vector<std::int32_t> numbers(founder.size());
  std::int32_t places = 0;
  for (std::size_t v = 0; v < founder.size(); ++v) {
    std::int32_t& number = number_of_place[static_cast<std::size_t>(founder[v])];
    if (number < 0) number = places++;
    numbers[v] = number;
  }
  return numbers;
}

void require_distinct_vertices(const VolumeMesh& mesh, const std::vector<std::int32_t>& numbers, double tolerance) {
  std::int64_t first = 0;
  for (const ElementBlock& block : mesh.blocks) {
    for (std::int64_t e = 0; e < block.count(); ++e) {
      const auto element = block.element(e);
      for (std::size_t a = 0; a < element.size(); ++a)
        for (std::size_t b = 0; b < a; ++b)
          if (element[a] != element[b] &&
              numbers[static_cast<std::size_t>(element[a])] == numbers[static_cast<std::size_t>(element[b])])
            throw InputError("welding within " + number_text(tolerance, 4) + " m would make one of vertices " +
                             std::to_string(std::min(element[a], element[b])) + " and " +
                             std::to_string(std::max(element[a], element[b])) + " of element " +
                             std::to_string(first + e) + ", which would lose its volume; use a smaller tolerance");
    }
    first += block.count();
  }
}

}  // namespace

double default_weld_tolerance(const VolumeMesh& mesh) {
  require_indices(mesh);
  return weld_tolerance(mesh);
}

std::int64_t weld_vertices(VolumeMesh& mesh, double tolerance, std::vector<std::int32_t>* new_numbers) {
  if (!(tolerance >= 0) || !std::isfinite(tolerance))
    throw InputError("the tolerance of welding is " + number_text(tolerance, 4) + " m; it must be 0 or more");
  require_indices(mesh);
  const std::vector<std::int32_t> founder = place_founders(mesh.vertices, tolerance);
  std::vector<std::int32_t> numbers = numbers_of(founder);
  require_distinct_vertices(mesh, numbers, tolerance);

  std::int64_t places = 0;
  std::vector<double> positions(mesh.vertices.size());
  for (std::size_t v = 0; v < founder.size(); ++v) {
    if (founder[v] != static_cast<std::int32_t>(v)) continue;
    ++places;
    for (std::size_t c = 0; c < 3; ++c)
      positions[3 * static_cast<std::size_t>(numbers[v]) + c] = mesh.vertices[3 * v + c];
  }
  const std::int64_t welded = mesh.vertex_count() - places;
  positions.resize(3 * static_cast<std::size_t>(places));
  mesh.vertices = std::move(positions);
  for (ElementBlock& block : mesh.blocks)
    for (std::int32_t& v : block.vertices) v = numbers[static_cast<std::size_t>(v)];
  for (auto& [name, set] : mesh.vertex_sets) {
    for (std::int32_t& v : set) v = numbers[static_cast<std::size_t>(v)];
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
  }
  renumber_attachments(mesh, numbers);
  if (new_numbers != nullptr) *new_numbers = std::move(numbers);
  return welded;
}

}  // namespace quartic
