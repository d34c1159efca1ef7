#include "core/mesh/folded_elements.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "core/base/number_text.hpp"
#include "core/base/thread_pool.hpp"
#include "core/elements/element_geometry.hpp"
#include "core/elements/quadrature.hpp"

namespace quartic {
namespace {

struct Range {  // of elements of one block
  std::int64_t count = 0, first = -1;
};

// Which elements of a block are folded, counted within the block.
Range folded_in(const VolumeMesh& mesh, const ElementBlock& block, double error) {
  constexpr std::int64_t elements_per_task = 4096;
  const JacobianSign sign(element_table(block.type));
  std::vector<Range> ranges(static_cast<std::size_t>((block.count() + elements_per_task - 1) / elements_per_task));
  parallel_ranges(block.count(), elements_per_task, [&](std::int64_t begin, std::int64_t end) {
    Range& range = ranges[static_cast<std::size_t>(begin / elements_per_task)];
    std::array<std::array<double, 3>, 20> x;
    for (std::int64_t e = begin; e < end; ++e) {
      const auto element = block.element(e);
      gather_positions(mesh, element, x);
      if (sign.shape({x.data(), element.size()}, error) == ElementShape::folded && range.count++ == 0) range.first = e;
    }
  });
  Range all;
  for (const Range& range : ranges) {
    if (all.count == 0) all.first = range.first;
    all.count += range.count;
  }
  return all;
}

}  // namespace

FoldedElements folded_elements(const VolumeMesh& mesh) {
  require_indices(mesh);
  FoldedElements folded;
  const double error = coordinate_error(mesh);
  std::int64_t before = 0;
  for (const ElementBlock& block : mesh.blocks) {
    const bool may_fold = element_supported(block.type) && !element_table(block.type).affine;
    const Range here = may_fold ? folded_in(mesh, block, error) : Range{};
    if (folded.count == 0 && here.count > 0) folded.first = before + here.first;
    folded.count += here.count;
    before += block.count();
  }
  measure_fold(mesh, folded);
  return folded;
}

void measure_fold(const VolumeMesh& mesh, FoldedElements& folded) {
  std::int64_t number = folded.first;
  for (const ElementBlock& block : mesh.blocks) {
    if (number >= 0 && number < block.count()) {
      std::array<std::array<double, 3>, 20> x;
      const auto element = block.element(number);
      gather_positions(mesh, element, x);
      const Fold fold = JacobianSign(element_table(block.type)).fold({x.data(), element.size()});
      folded.ratio = fold.ratio;
      folded.place = fold.place;
    }
    number -= block.count();
  }
}

std::vector<std::string> folded_warnings(const FoldedElements& folded, std::int64_t elements) {
  if (folded.count == 0) return {};
  const auto& [x, y, z] = folded.place;
  return {std::to_string(folded.count) + " of " + std::to_string(elements) + " elements " +
          (folded.count == 1 ? "is" : "are") + " folded (first: element " + std::to_string(folded.first) +
          ", counted from 0, whose Jacobian is " + number_text(folded.ratio, 3) + " of its largest at " +
          number_text(x, 4) + ", " + number_text(y, 4) + ", " + number_text(z, 4) +
          "): part of the body is there twice, and counts as negative once; repair " +
          (folded.count == 1 ? "it" : "them") + " in the mesh"};
}

}  // namespace quartic
