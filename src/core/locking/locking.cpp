#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <utility>

#include "core/base/number_text.hpp"
#include "core/elements/quadrature.hpp"
#include "core/elements/vectors.hpp"
#include "core/locking/bending_patch.hpp"
#include "core/locking/thickness.hpp"
#include "quartic/element_quality.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

using Vector = std::array<double, 3>;

constexpr std::int64_t line_count = 4096;
constexpr std::size_t patch_size = 400;    // vertices, and those of the last element
constexpr std::size_t most_patches = 8;    // of different Poisson's ratios, the largest first
constexpr double passed_over = 0.05;       // share of a region's boundary that may lock more: corners, fillets
constexpr double told_from = 1.05;         // frequency ratio
constexpr double measured_ratio = 0.4995;  // up to here patches were seen to lock as bodies do
constexpr double usual_poissons_ratio = 0.3;

// The excess stiffness of a brick, but for a factor: of shear with the square of width over thickness, of the
// thickness' own strain with the inverse square of the number of layers.
double expected_excess(const Crossing& crossing) {
  const double slenderness = crossing.width / crossing.thickness;
  return slenderness * slenderness + 0.25 / (crossing.elements_across * crossing.elements_across);
}

double poissons_ratio(const VolumeMesh& mesh, std::int32_t region) {
  if (region < 0 || region >= std::ssize(mesh.regions)) return usual_poissons_ratio;
  const auto& material = mesh.regions[static_cast<std::size_t>(region)].material;
  const bool usable = material && material->poissons_ratio > -1 && material->poissons_ratio < 0.5;
  return usable ? material->poissons_ratio : usual_poissons_ratio;
}

// By Poisson's ratio, the only number of a material that the measure depends on.
using Samples = std::map<double, std::vector<Crossing>>;

Samples sample(const ElementNeighbours& neighbours) {
  const VolumeMesh& mesh = neighbours.mesh();
  Samples samples;
  for (const Crossing& crossing : crossings(neighbours, line_count)) {
    if (!crossing.parallel || is_quadratic(neighbours.element(crossing.element).table->type)) continue;
    const auto e = static_cast<std::size_t>(crossing.element);
    const std::int32_t region = e < mesh.element_region.size() ? mesh.element_region[e] : -1;
    samples[poissons_ratio(mesh, region)].push_back(crossing);
  }
  return samples;
}

// The place with the largest expected excess after the worst of the boundary has been passed over.
const Crossing& choose(std::vector<Crossing>& crossings) {
  std::stable_sort(crossings.begin(), crossings.end(),
                   [](const Crossing& a, const Crossing& b) { return expected_excess(a) > expected_excess(b); });
  double area = 0;
  for (const Crossing& crossing : crossings) area += crossing.area;
  double before = 0;
  for (const Crossing& crossing : crossings) {
    before += crossing.area;
    if (before >= passed_over * area) return crossing;
  }
  return crossings.back();
}

// The linear elements around one, through common faces, nearest first.
std::vector<std::int64_t> elements_around(const ElementNeighbours& neighbours, std::int64_t seed) {
  const Vector centre = neighbours.centre(seed);
  const auto distance = [&](std::int64_t element) {
    const Vector x = neighbours.centre(element);
    return std::hypot(x[0] - centre[0], x[1] - centre[1], x[2] - centre[2]);
  };
  using Candidate = std::pair<double, std::int64_t>;
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> candidates;
  std::set<std::int64_t> seen = {seed};
  std::set<std::int32_t> vertices;
  std::vector<std::int64_t> patch;
  candidates.emplace(0.0, seed);
  while (!candidates.empty() && vertices.size() < patch_size) {
    const std::int64_t element = candidates.top().second;
    candidates.pop();
    patch.push_back(element);
    const ElementView view = neighbours.element(element);
    vertices.insert(view.vertices.begin(), view.vertices.end());
    for (std::size_t f = 0; f < view.face_count(); ++f) {
      const std::int64_t other = neighbours.sharing(view.face_corners(f), element);
      if (other < 0 || is_quadratic(neighbours.element(other).table->type) || !seen.insert(other).second) continue;
      candidates.emplace(distance(other), other);
    }
  }
  return patch;
}

// The patch may be thinner than the body: the excess falls with the square of the thickness.
double measure(const ElementNeighbours& neighbours, const Crossing& at, double poissons_ratio) {
  const VolumeMesh patch = make_patch(neighbours.mesh(), elements_around(neighbours, at.element),
                                      {.youngs_modulus = 1, .poissons_ratio = poissons_ratio, .density = 1});
  const Vector& n = at.inwards;
  const Vector& s = at.edge;
  BendingPatch bent(patch, n);
  const BendingRatios first = bent.ratios(s), second = bent.ratios(cross(n, s));
  const double ratio = std::max({first.beam, first.plate, second.beam, second.plate});
  std::vector<std::int32_t> vertices(static_cast<std::size_t>(patch.vertex_count()));
  std::iota(vertices.begin(), vertices.end(), 0);
  const double share = std::min(1.0, extent_along(patch, vertices, n) / at.thickness);
  return 1 + (std::max(1.0, ratio) - 1) * share * share;
}

}  // namespace

LockingEstimate estimate_locking(const VolumeMesh& mesh) {
  require_indices(mesh);
  LockingEstimate worst;
  const bool linear = std::any_of(mesh.blocks.begin(), mesh.blocks.end(), [](const ElementBlock& block) {
    return element_supported(block.type) && !is_quadratic(block.type) && block.count() > 0;
  });
  if (!linear) return worst;
  const ElementNeighbours neighbours(mesh);
  Samples samples = sample(neighbours);
  std::size_t patches = 0;
  for (auto group = samples.rbegin(); group != samples.rend() && patches < most_patches; ++group, ++patches) {
    const Crossing& at = choose(group->second);
    try {
      const double ratio = measure(neighbours, at, group->first);
      if (worst.element >= 0 && !(ratio > worst.stiffness_ratio)) continue;
      worst = {.stiffness_ratio = ratio,
               .frequency_ratio = std::sqrt(ratio),
               .element = at.element,
               .thickness = at.thickness,
               .elements_across = at.elements_across,
               .poissons_ratio = group->first};
    } catch (const Error&) {  // elements that can't be used: checks tell of them
      continue;
    }
  }
  return worst;
}

std::vector<std::string> locking_hints(const LockingEstimate& estimate, const std::string& remedy) {
  if (!(estimate.frequency_ratio > told_from)) return {};
  return {"the linear elements are too stiff here: bent where the body is " + number_text(estimate.thickness, 3) +
          " m thick, with " + number_text(estimate.elements_across, 2) + " across (element " +
          std::to_string(estimate.element) + ", Poisson's ratio " + number_text(estimate.poissons_ratio, 4) +
          "), they have " + number_text(estimate.stiffness_ratio, 3) +
          " times the exact stiffness, and frequencies of bending are " +
          (estimate.poissons_ratio > measured_ratio ? "at least " : "about ") +
          number_text(estimate.frequency_ratio, 3) + " times too high; " + remedy};
}

}  // namespace quartic
