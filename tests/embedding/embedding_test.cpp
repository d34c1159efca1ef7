// u = U q and U^T f against Eigen's products.
#include "quartic/embedding.hpp"

#include <Eigen/Core>
#include <limits>

#include "embedding/random_matrix.hpp"
#include "quartic/error.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using Eigen::MatrixXd;

constexpr Eigen::Index vertex_count = 157;  // not a multiple of any block size
constexpr Eigen::Index rank = 7;

template <class T>
class Embedding : public testing::Test {
 protected:
  // q of shape (r, B) laid out with the given strides; gaps hold NaN.
  std::vector<T> lay_out(const MatrixXd& q, std::int64_t stride_mode, std::int64_t stride_body) {
    const auto size = (q.rows() - 1) * stride_mode + (q.cols() - 1) * stride_body + 1;
    std::vector<T> values(static_cast<std::size_t>(size), std::numeric_limits<T>::quiet_NaN());
    for (Eigen::Index i = 0; i < q.rows(); ++i)
      for (Eigen::Index b = 0; b < q.cols(); ++b)
        values[static_cast<std::size_t>(i * stride_mode + b * stride_body)] = static_cast<T>(q(i, b));
    return values;
  }
  // Seven products of numbers below one, each and its sum rounded.
  static constexpr double tolerance = 8 * static_cast<double>(std::numeric_limits<T>::epsilon()) * 7;
  const MatrixXd basis_ = test::random_matrix(3 * vertex_count, rank, 1);
};

using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Embedding, Precisions);

TYPED_TEST(Embedding, DisplacesAllVertices) {
  for (const std::int64_t bodies : {1, 3, 4, 10})
    for (const bool body_contiguous : {true, false}) {
      const MatrixXd q = test::random_matrix(rank, bodies, 2);
      const std::int64_t stride_mode = body_contiguous ? bodies + 5 : 1, stride_body = body_contiguous ? 1 : rank;
      const auto values = this->lay_out(q, stride_mode, stride_body);
      std::vector<TypeParam> u(static_cast<std::size_t>(3 * vertex_count * bodies));
      vertex_displacements<TypeParam>(this->basis_, {values.data(), rank, bodies, stride_mode, stride_body}, {}, u);
      const MatrixXd reference = this->basis_ * q;
      const auto result = Eigen::Map<const Eigen::Matrix<TypeParam, -1, -1>>(u.data(), 3 * vertex_count, bodies);
      EXPECT_LT((result.template cast<double>() - reference).cwiseAbs().maxCoeff(), this->tolerance);
    }
}

TYPED_TEST(Embedding, DisplacesChosenVertices) {
  const std::vector<std::int32_t> chosen = {156, 0, 13, 13, 77};
  const std::int64_t bodies = 6;
  const MatrixXd q = test::random_matrix(rank, bodies, 3);
  const auto values = this->lay_out(q, 1, rank);
  std::vector<TypeParam> u(chosen.size() * 3 * bodies);
  vertex_displacements<TypeParam>(this->basis_, {values.data(), rank, bodies, 1, rank}, chosen, u);
  const MatrixXd reference = this->basis_ * q;
  for (std::size_t b = 0; b < bodies; ++b)
    for (std::size_t v = 0; v < chosen.size(); ++v)
      for (std::size_t c = 0; c < 3; ++c)
        EXPECT_NEAR(static_cast<double>(u[(b * chosen.size() + v) * 3 + c]),
                    reference(3 * chosen[v] + static_cast<Eigen::Index>(c), static_cast<Eigen::Index>(b)),
                    this->tolerance);
}

TYPED_TEST(Embedding, DisplacementDoesNotDependOnTheOtherBodiesOrVertices) {
  const std::int64_t bodies = 11;
  const MatrixXd q = test::random_matrix(rank, bodies, 4);
  const auto values = this->lay_out(q, 1, rank);
  const std::size_t n = 3 * vertex_count;
  std::vector<TypeParam> all(n * bodies), one(n);
  vertex_displacements<TypeParam>(this->basis_, {values.data(), rank, bodies, 1, rank}, {}, all);
  for (std::int64_t b = 0; b < bodies; ++b) {
    vertex_displacements<TypeParam>(this->basis_, {values.data() + b * rank, rank, 1, 1, rank}, {}, one);
    const auto* expected = all.data() + static_cast<std::size_t>(b) * n;
    EXPECT_EQ(one, std::vector<TypeParam>(expected, expected + n));
    const std::vector<std::int32_t> chosen = {100};
    std::vector<TypeParam> few(3);
    vertex_displacements<TypeParam>(this->basis_, {values.data() + b * rank, rank, 1, 1, rank}, chosen, few);
    EXPECT_EQ(few, std::vector<TypeParam>(expected + 300, expected + 303));
  }
}

// Beyond some size results go past the caches. Odd numbers, so that nothing begins at a whole cache line.
TYPED_TEST(Embedding, LargeResultsAreThoseOfSmallOnes) {
  constexpr std::int64_t bodies = 18'001, part = 250;
  const MatrixXd q = test::random_matrix(rank, bodies, 6);
  const auto values = this->lay_out(q, 1, rank);
  const std::size_t n = 3 * vertex_count;
  std::vector<TypeParam> all(n * bodies + 1, TypeParam(7)), few(n * part);
  vertex_displacements<TypeParam>(this->basis_, {values.data(), rank, bodies, 1, rank}, {},
                                  std::span(all).first(n * bodies));
  EXPECT_EQ(all.back(), TypeParam(7)) << "written behind the end";
  for (std::int64_t first = 0; first + part <= bodies; first += part) {
    vertex_displacements<TypeParam>(this->basis_, {values.data() + first * rank, rank, part, 1, rank}, {}, few);
    ASSERT_TRUE(std::equal(few.begin(), few.end(), all.begin() + first * static_cast<std::int64_t>(n))) << first;
  }
}

TYPED_TEST(Embedding, AddsVertexForces) {
  const std::int64_t bodies = 3, pitch = 8;
  const MatrixXd before = test::random_matrix(rank, bodies, 5);
  auto values = this->lay_out(before, pitch, 1);
  const std::vector<VertexForce> forces = {{.body = 2, .vertex = 156, .force = {1, -2, 0.5}},
                                           {.body = 0, .vertex = 0, .force = {0, 0, 3}},
                                           {.body = 2, .vertex = 4, .force = {-1, 0.25, 0}}};
  add_vertex_forces<TypeParam>(this->basis_, forces, {values.data(), rank, bodies, pitch, 1});
  MatrixXd full = MatrixXd::Zero(3 * vertex_count, bodies);
  for (const VertexForce& f : forces)
    full.block<3, 1>(3 * f.vertex, f.body) += Eigen::Map<const Eigen::Vector3d>(f.force.data());
  const MatrixXd reference = before + this->basis_.transpose() * full;
  for (std::int64_t i = 0; i < rank; ++i)
    for (std::int64_t b = 0; b < bodies; ++b)
      EXPECT_NEAR(static_cast<double>(values[static_cast<std::size_t>(i * pitch + b)]), reference(i, b),
                  this->tolerance);
}

// Numbers of a (B, v, 3) array in memory that is laid out in some other way.
template <class T>
struct Layout {
  std::int64_t stride_body, stride_vertex, stride_axis, first;

  [[nodiscard]] VertexView<T> view(T* data, std::int64_t bodies, std::int64_t vertices) const {
    return {data + first, bodies, vertices, stride_body, stride_vertex, stride_axis};
  }
};

// Packed, a padded vertex buffer, coordinate by coordinate, bodies innermost, and vertices backwards.
template <class T>
std::vector<Layout<T>> layouts(std::int64_t bodies, std::int64_t vertices) {
  return {{3 * vertices, 3, 1, 0},
          {8 * vertices + 2, 8, 1, 5},
          {3 * vertices, 1, vertices, 0},
          {1, 3 * bodies, bodies, 0},
          {3 * vertices, -3, 1, 3 * (vertices - 1)}};
}

TYPED_TEST(Embedding, DisplacesIntoArraysOfAnyStrides) {
  const std::int64_t bodies = 5;
  const MatrixXd q = test::random_matrix(rank, bodies, 7);
  const auto values = this->lay_out(q, 1, rank);
  const StateView<const TypeParam> state{values.data(), rank, bodies, 1, rank};
  const std::vector<std::int32_t> some = {156, 0, 13, 13};
  for (const std::vector<std::int32_t>& chosen : {std::vector<std::int32_t>{}, some}) {
    const std::int64_t vertices = chosen.empty() ? vertex_count : std::ssize(chosen);
    std::vector<TypeParam> packed(static_cast<std::size_t>(bodies * vertices * 3));
    vertex_displacements<TypeParam>(this->basis_, state, chosen, packed);
    for (const auto& layout : layouts<TypeParam>(bodies, vertices)) {
      std::vector<TypeParam> memory(static_cast<std::size_t>(bodies * (8 * vertices + 2)), TypeParam(9));
      const auto view = layout.view(memory.data(), bodies, vertices);
      vertex_displacements(this->basis_, state, chosen, view);
      std::int64_t at = 0;
      for (std::int64_t b = 0; b < bodies; ++b)
        for (std::int64_t v = 0; v < vertices; ++v)
          for (std::int64_t c = 0; c < 3; ++c) {
            EXPECT_EQ(view(b, v, c), packed[static_cast<std::size_t>(at++)]);
            view(b, v, c) = TypeParam(9);
          }
      EXPECT_EQ(memory, std::vector<TypeParam>(memory.size(), TypeParam(9))) << "written beside the view";
    }
  }
}

TYPED_TEST(Embedding, AddsForcesOfAnyStridesOnAllBodies) {
  const std::int64_t bodies = 67, pitch = 70;  // more than one part of the bodies
  const MatrixXd before = test::random_matrix(rank, bodies, 8);
  const std::vector<std::int32_t> some = {156, 0, 13, 13};
  for (const std::vector<std::int32_t>& chosen : {std::vector<std::int32_t>{}, some}) {
    const std::int64_t vertices = chosen.empty() ? vertex_count : std::ssize(chosen);
    const MatrixXd forces = test::random_matrix(3 * vertices, bodies, 9);
    MatrixXd full = MatrixXd::Zero(3 * vertex_count, bodies);
    for (std::int64_t v = 0; v < vertices; ++v) {
      const Eigen::Index vertex = chosen.empty() ? v : chosen[static_cast<std::size_t>(v)];
      full.middleRows(3 * vertex, 3) += forces.middleRows(3 * v, 3);
    }
    const MatrixXd reference = before + this->basis_.transpose() * full;
    for (const auto& layout : layouts<TypeParam>(bodies, vertices)) {
      std::vector<TypeParam> memory(static_cast<std::size_t>(bodies * (8 * vertices + 2)));
      const auto view = layout.view(memory.data(), bodies, vertices);
      for (std::int64_t b = 0; b < bodies; ++b)
        for (std::int64_t row = 0; row < 3 * vertices; ++row)
          view(b, row / 3, row % 3) = static_cast<TypeParam>(forces(row, b));
      auto values = this->lay_out(before, pitch, 1);
      const VertexView<const TypeParam> given{
          memory.data() + layout.first, bodies, vertices, layout.stride_body, layout.stride_vertex, layout.stride_axis};
      add_vertex_forces<TypeParam>(this->basis_, chosen, given, {values.data(), rank, bodies, pitch, 1});
      // Forces are rounded to T, and so is what they are added to; sums are taken in double.
      const double bound = static_cast<double>(std::numeric_limits<TypeParam>::epsilon()) *
                           (this->basis_.cwiseAbs().transpose() * full.cwiseAbs()).maxCoeff();
      for (std::int64_t i = 0; i < rank; ++i)
        for (std::int64_t b = 0; b < bodies; ++b)
          ASSERT_NEAR(static_cast<double>(values[static_cast<std::size_t>(i * pitch + b)]), reference(i, b), bound);
    }
  }
}

// One force for all, by strides of zero, and the sum that doesn't depend on how many bodies there are.
TYPED_TEST(Embedding, AForceForAllBodiesIsThatOfEach) {
  const std::int64_t bodies = 130;
  const std::vector<TypeParam> force = {TypeParam(1), TypeParam(-2), TypeParam(0.5)};
  std::vector<TypeParam> all(rank * bodies), one(rank);
  add_vertex_forces<TypeParam>(this->basis_, {}, {force.data(), bodies, vertex_count, 0, 0, 1},
                               {all.data(), rank, bodies, 1, rank});
  add_vertex_forces<TypeParam>(this->basis_, {}, {force.data(), 1, vertex_count, 0, 0, 1},
                               {one.data(), rank, 1, 1, rank});
  for (std::int64_t b = 0; b < bodies; ++b)
    EXPECT_TRUE(std::equal(one.begin(), one.end(), all.begin() + b * rank)) << b;
}

TYPED_TEST(Embedding, RefusesArraysOfWrongShapes) {
  std::vector<TypeParam> values(rank * 2, TypeParam(1)), forces(2 * 3 * vertex_count, TypeParam(3));
  const StateView<TypeParam> state{values.data(), rank, 2, 1, rank};
  const std::vector<std::int32_t> bad_vertex = {157}, good_vertex = {0};
  const auto given = [&](std::int64_t bodies, std::int64_t vertices) {
    return VertexView<TypeParam>{forces.data(), bodies, vertices, 3 * vertices};
  };
  const auto add = [&](const MatrixXd& basis, const std::vector<std::int32_t>& chosen, const VertexView<TypeParam>& f) {
    add_vertex_forces<TypeParam>(basis, chosen, {f.data, f.bodies, f.vertices, f.stride_body}, state);
  };
  const MatrixXd narrow = this->basis_.leftCols(rank - 1);
  for (const auto& [bodies, vertices] : {std::pair{1, 157}, std::pair{3, 157}, std::pair{2, 156}})
    EXPECT_THROW(add(this->basis_, {}, given(bodies, vertices)), InputError);
  EXPECT_THROW(add(this->basis_, bad_vertex, given(2, 1)), InputError);
  EXPECT_THROW(add(narrow, {}, given(2, vertex_count)), InputError);
  EXPECT_EQ(values, std::vector<TypeParam>(rank * 2, TypeParam(1)));
  EXPECT_THROW(vertex_displacements<TypeParam>(this->basis_, state, good_vertex, given(2, 2)), InputError);
  EXPECT_THROW(vertex_displacements<TypeParam>(this->basis_, state, good_vertex, given(1, 1)), InputError);
  EXPECT_EQ(forces, std::vector<TypeParam>(forces.size(), TypeParam(3)));
}

TYPED_TEST(Embedding, RefusesWrongInputAndChangesNothing) {
  std::vector<TypeParam> values(rank * 2, TypeParam(1));
  const StateView<TypeParam> state{values.data(), rank, 2, 1, rank};
  const auto add = [&](const VertexForce& bad) {
    const std::vector<VertexForce> forces = {{.body = 0, .vertex = 0, .force = {1, 1, 1}}, bad};
    add_vertex_forces<TypeParam>(this->basis_, forces, state);
  };
  EXPECT_THROW(add({.body = 2, .vertex = 0}), InputError);
  EXPECT_THROW(add({.body = -1, .vertex = 0}), InputError);
  EXPECT_THROW(add({.body = 0, .vertex = 157}), InputError);
  EXPECT_THROW(add({.body = 0, .vertex = -1}), InputError);
  const MatrixXd narrow = this->basis_.leftCols(rank - 1);
  EXPECT_THROW(add_vertex_forces<TypeParam>(narrow, {}, state), InputError);
  EXPECT_EQ(values, std::vector<TypeParam>(rank * 2, TypeParam(1)));

  std::vector<TypeParam> u(6, TypeParam(9));
  const std::vector<std::int32_t> bad_vertex = {157}, good_vertex = {0};
  EXPECT_THROW(vertex_displacements<TypeParam>(this->basis_, state, bad_vertex, u), InputError);
  EXPECT_THROW(vertex_displacements<TypeParam>(narrow, state, good_vertex, u), InputError);
  EXPECT_THROW(vertex_displacements<TypeParam>(this->basis_, state, good_vertex, std::span(u).first(5)), InputError);
  EXPECT_EQ(u, std::vector<TypeParam>(6, TypeParam(9)));
  vertex_displacements<TypeParam>(this->basis_, state, good_vertex, u);
  EXPECT_NE(u, std::vector<TypeParam>(6, TypeParam(9)));
}

}  // namespace
}  // namespace quartic
