// T: what is free, what follows, and that equations hold whatever the free coordinates are.
#include "core/supports/freedom_map.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>

#include "core/fem/free_matrix.hpp"
#include "quartic/error.hpp"
#include "quartic/fem.hpp"
#include "support/boxes.hpp"
#include "support/error_message.hpp"
#include "support/support.hpp"

namespace {

using Eigen::MatrixXd;
using namespace quartic;
using test::message_of;

Constraint hold(std::int32_t vertex, const std::array<double, 3>& direction, const std::string& origin = "test") {
  return {{{vertex, direction}}, origin};
}

// What a constraint says of displacements, column by column.
Eigen::RowVectorXd residual(const Constraint& constraint, const MatrixXd& u) {
  Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(u.cols());
  for (const DisplacementTerm& term : constraint.terms)
    for (int c = 0; c < 3; ++c) sum += term.factors[static_cast<std::size_t>(c)] * u.row(3 * term.vertex + c);
  return sum;
}

MatrixXd dense(const FreedomMap& map) {
  return map.matrix().map().toDense();
}

TEST(FreedomMap, OfWholeVerticesIsASelection) {
  const FreedomMap map(12, Supports(std::vector<std::int32_t>{2, 0}));
  EXPECT_TRUE(map.is_selection());
  EXPECT_TRUE(map.holds_whole_vertices());
  EXPECT_EQ(map.free_dofs(), (std::vector<std::int32_t>{3, 4, 5, 9, 10, 11}));
  MatrixXd selection = MatrixXd::Zero(12, 6);
  for (int i = 0; i < 6; ++i) selection(map.free_dofs()[static_cast<std::size_t>(i)], i) = 1;
  EXPECT_EQ(dense(map), selection);
}

TEST(FreedomMap, OfAxesIsASelection) {
  const FreedomMap map(6, Supports({}, {hold(0, {0, 2, 0}), hold(1, {1, 0, 0}), hold(1, {0, 0, -1})}));
  EXPECT_TRUE(map.is_selection());
  EXPECT_FALSE(map.holds_whole_vertices());
  EXPECT_EQ(map.free_dofs(), (std::vector<std::int32_t>{0, 2, 4}));
}

TEST(FreedomMap, LeavesAPlaneOrALineAtAVertex) {
  const std::array<double, 3> a = {1, 2, -3}, b = {0.5, -1, 1};
  const std::vector<Constraint> plane = {hold(0, a)}, line = {hold(0, a), hold(0, b)};
  for (const auto& constraints : {plane, line}) {
    const FreedomMap map(3, Supports({}, constraints));
    EXPECT_EQ(map.free_count(), 3 - std::ssize(constraints));
    const MatrixXd t = dense(map);
    for (const Constraint& constraint : constraints) EXPECT_LE(residual(constraint, t).norm(), 1e-15);
    EXPECT_LE(t.cwiseAbs().maxCoeff(), 1);  // the largest component follows
  }
}

TEST(FreedomMap, ObeysManyEquationsBetweenVertices) {
  constexpr std::int32_t vertices = 12;
  std::vector<Constraint> constraints = {hold(3, {1, 1, 0}), hold(5, {0, 0, 1})};
  const auto numbers = test::random_numbers(400, 3);
  for (std::size_t i = 0; i < 14; ++i) {
    Constraint& joint = constraints.emplace_back(Constraint{{}, "joint"});
    for (std::size_t k = 0; k < 4; ++k) {
      const auto at = static_cast<std::size_t>(16 * i + 4 * k);
      joint.terms.push_back(
          {static_cast<std::int32_t>((5 * i + 7 * k) % vertices), {numbers[at], numbers[at + 1], numbers[at + 2]}});
    }
  }
  const FreedomMap map(3 * vertices, Supports({7}, constraints));
  EXPECT_FALSE(map.is_selection());
  EXPECT_EQ(map.free_count(), 3 * vertices - 3 - std::ssize(constraints));
  const MatrixXd t = dense(map);
  for (const Constraint& constraint : constraints)
    EXPECT_LE(residual(constraint, t).norm(), 1e-12 * t.norm());  // sums of some tens of products that cancel
  EXPECT_EQ(t.middleRows(21, 3).norm(), 0);

  // The three ways between all and free displacements are T's.
  MatrixXd x(map.free_count(), 2), f(3 * vertices, 2), u(3 * vertices, 2);
  for (Eigen::Index i = 0; i < x.size(); ++i) x.data()[i] = numbers[static_cast<std::size_t>(i)];
  for (Eigen::Index i = 0; i < f.size(); ++i) f.data()[i] = numbers[static_cast<std::size_t>(i) + 100];
  map.expand(x, u);
  EXPECT_LE((u - t * x).norm(), 1e-14 * u.norm());
  EXPECT_EQ(map.restrict_displacements(u), x);
  EXPECT_LE((map.restrict_forces(f) - t.transpose() * f).norm(), 1e-14 * f.norm() * t.norm());
}

TEST(FreedomMap, TakesWhatSaysNothingNew) {
  const Constraint joint{{{0, {1, 0, 0}}, {1, {-1, 0, 0}}}, "joint"};
  Constraint twice = joint;
  for (DisplacementTerm& term : twice.terms) term.factors[0] *= 3;
  const FreedomMap map(6, Supports({}, {joint, twice, hold(1, {0, 1, 0}), hold(1, {1e-5, 1, 0})}));
  EXPECT_EQ(map.free_count(), 4);
  EXPECT_TRUE(map.warnings().empty());
}

TEST(FreedomMap, SaysWhereAFollowerIsHeldOtherwise) {
  const Constraint tie{{{0, {1, 0, 0}}, {1, {-0.5, 0, 0}}, {2, {-0.5, 0, 0}}}, "*TIE WELD"};
  const FreedomMap map(9, Supports({0}, {tie}));
  ASSERT_EQ(map.warnings().size(), 1U);
  EXPECT_EQ(map.warnings().front().substr(0, 9), "*TIE WELD");
  const MatrixXd t = dense(map);
  EXPECT_EQ(t.row(3), -t.row(6));  // what was to lead balances
}

TEST(FreedomMap, RefusesDirectionsThatAlmostCoincide) {
  const double angle = 3 * M_PI / 180;
  const Supports supports(
      {}, {hold(1, {1, 0, 0}, "--fix-normal A"), hold(1, {std::cos(angle), std::sin(angle), 0}, "--fix-normal B")});
  EXPECT_EQ(message_of([&] { FreedomMap(6, supports); }),
            "vertex 1 is held in directions that almost coincide, 3 degrees apart (--fix-normal A, --fix-normal B): "
            "leave one of them out there, or fix the vertex in all directions");
}

TEST(FreedomMap, RefusesWhatMakesNoSense) {
  const auto refused = [](const Supports& supports) { return message_of([&] { FreedomMap(6, supports); }); };
  EXPECT_EQ(refused({{2}, {}}), "fixed vertex 2 is outside 0 .. 1");
  EXPECT_EQ(refused({{}, {hold(2, {1, 0, 0})}}), "test: vertex 2 is outside 0 .. 1");
  EXPECT_EQ(refused({{}, {hold(0, {0, 0, 0})}}), "test: all factors of a constraint are zero, or they cancel");
  const Constraint cancels{{{0, {0.3, 1, 0}}, {0, {-0.1, -1, 0}}, {0, {-0.2, 0, 0}}}, "test"};
  EXPECT_EQ(refused({{}, {cancels}}), "test: all factors of a constraint are zero, or they cancel");
  EXPECT_EQ(refused({{}, {hold(0, {NAN, 0, 0})}}), "test: a factor of vertex 0 isn't finite");
  EXPECT_EQ(refused({{0, 1}, {}}), "every vertex is fixed: nothing can move");
  EXPECT_EQ(refused({{0}, {hold(1, {1, 0, 0}), hold(1, {0, 1, 0}), hold(1, {0, 0, 1})}}),
            "the supports hold everything: nothing can move");
}

TEST(FreeMatrix, IsTheProductWithT) {
  const VolumeMesh mesh = test::make_box(test::BoxCells::alternating, {2, 2, 1});
  const SparseMatrix k = stiffness_matrix(mesh);
  const std::vector<Constraint> constraints = {
      hold(0, {1, 2, 3}), hold(4, {0, 1, 0}), {{{1, {1, 0, 0}}, {9, {-0.5, 0.25, 0}}, {12, {0, 0, -1}}}, "joint"}};
  const FreedomMap map(k.rows, Supports({2}, constraints));
  FreeMatrix free(k, map);
  const MatrixXd t = dense(map), expected = t.transpose() * k.map().toDense() * t;
  EXPECT_LE((free.matrix.map().toDense() - expected).norm(), 1e-14 * expected.norm());
  std::vector<double> doubled = k.values;
  for (double& value : doubled) value *= 2;
  free.assign(3, doubled);
  EXPECT_LE((free.matrix.map().toDense() - 6 * expected).norm(), 1e-13 * expected.norm());
}

TEST(FreeMatrix, RefusesMoreEntriesThanCanBeCountedBeforeMakingThem) {
  constexpr std::int32_t vertices = 50'000;  // n^2 entries
  SparseMatrix diagonal{.rows = 3 * vertices, .cols = 3 * vertices, .row_offsets = {0}, .columns = {}, .values = {}};
  for (std::int32_t dof = 0; dof < 3 * vertices; ++dof) {
    diagonal.columns.push_back(dof);
    diagonal.values.push_back(1);
    diagonal.row_offsets.push_back(dof + 1);
  }
  std::vector<std::int32_t> all(vertices);
  std::iota(all.begin(), all.end(), 0);
  const FreedomMap map(diagonal.rows, Supports({}, {hold_mean(all, {1, 0, 0})}));
  EXPECT_NE(message_of([&] { FreeMatrix(diagonal, map); }).find("fewer vertices"), std::string::npos);
}

}  // namespace
