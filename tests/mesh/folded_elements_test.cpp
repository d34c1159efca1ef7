// Elements that are folded where no quadrature point is: every check says so, in the same words.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "quartic/element_quality.hpp"
#include "quartic/error.hpp"
#include "quartic/fem.hpp"
#include "quartic/mesh.hpp"
#include "quartic/model.hpp"
#include "quartic/statics.hpp"
#include "support/grids.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

// Unit cubes of quadratic elements; the middle of the first edge of element `bad` is moved to 0.22 of it, so that det J
// is negative near one end of the edge only, in all elements that have it.
VolumeMesh folded_mesh(bool tetrahedra, std::int64_t bad) {
  VolumeMesh mesh = make_quadratic(test::grid(2, 1, 1, tetrahedra));
  ElementBlock& block = mesh.blocks[0];
  const auto element = block.element(bad);
  const std::size_t corners = tetrahedra ? 4 : 8;
  for (std::size_t c = 0; c < 3; ++c) {
    const auto at = [&](std::size_t v) -> double& {
      return mesh.vertices[3 * static_cast<std::size_t>(element[v]) + c];
    };
    at(corners) = 0.78 * at(0) + 0.22 * at(1);
  }
  return mesh;
}

class FoldedElementsTest : public testing::TestWithParam<bool> {
 protected:
  const std::int64_t bad = GetParam() ? 6 : 1;
  const VolumeMesh mesh = folded_mesh(GetParam(), bad);
};
INSTANTIATE_TEST_SUITE_P(Types, FoldedElementsTest, testing::Bool(),
                         [](const auto& param) { return param.param ? "tet10" : "hex20"; });

TEST_P(FoldedElementsTest, CheckNamesThem) {
  const MeshReport report = check_mesh(mesh);
  const FoldedElements folded = folded_elements(mesh);
  EXPECT_GE(folded.count, 1);
  EXPECT_EQ(report.degenerate, folded.count);
  EXPECT_EQ(report.first_degenerate, folded.first);
  EXPECT_LE(folded.first, bad);
  EXPECT_LT(folded.ratio, 0);
  EXPECT_GT(folded.ratio, -0.2);
  EXPECT_EQ(report.worst_quality, 0);
  EXPECT_TRUE(test::has_warning(report, "folded (first: element " + std::to_string(folded.first)));
}

TEST_P(FoldedElementsTest, TheyAreTheElementsWithTheMovedEdge) {
  const std::int32_t moved = mesh.blocks[0].element(bad)[GetParam() ? 4 : 8];
  std::int64_t with_it = 0;
  for (std::int64_t e = 0; e < mesh.element_count(); ++e) {
    const auto element = mesh.blocks[0].element(e);
    with_it += std::find(element.begin(), element.end(), moved) != element.end();
  }
  EXPECT_EQ(folded_elements(mesh).count, with_it);
  const std::vector<double> rest(mesh.vertices.size(), 0.0);
  EXPECT_EQ(inverted_elements(mesh, rest), with_it);
}

// All of them in the same words.
TEST_P(FoldedElementsTest, StrictCheckRefusesAndStagesWarn) {
  const MeshReport report = check_mesh(mesh);
  const auto folded = std::find_if(report.warnings.begin(), report.warnings.end(), [](const std::string& warning) {
    return warning.find("folded") != std::string::npos;
  });
  ASSERT_NE(folded, report.warnings.end());
  try {
    require_no_repairs(mesh);
    FAIL() << "a folded element was accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), *folded);
  }
  VolumeMesh prepared = mesh;
  std::vector<std::string> warnings;
  static_cast<void>(prepare_mesh(prepared, {}, warnings));
  EXPECT_EQ(warnings, std::vector<std::string>{*folded});
  ReduceReport of_reduction;
  static_cast<void>(reduce(mesh, {}, {.modes = 2, .rank = 3}, &of_reduction));
  EXPECT_NE(std::find(of_reduction.warnings.begin(), of_reduction.warnings.end(), *folded),
            of_reduction.warnings.end());
}

TEST_P(FoldedElementsTest, SoundMeshesHaveNone) {
  const VolumeMesh sound = make_quadratic(test::grid(2, 1, 1, GetParam()));
  EXPECT_EQ(folded_elements(sound).count, 0);
  EXPECT_EQ(folded_elements(sound).first, -1);
  EXPECT_NO_THROW(require_no_repairs(sound));
  ReduceReport report;
  static_cast<void>(reduce(sound, {}, {.modes = 2, .rank = 3}, &report));
  EXPECT_TRUE(std::none_of(report.warnings.begin(), report.warnings.end(),
                           [](const std::string& warning) { return warning.find("folded") != std::string::npos; }));
}

}  // namespace
}  // namespace quartic
