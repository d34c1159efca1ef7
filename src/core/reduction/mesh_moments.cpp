#include "core/reduction/mesh_moments.hpp"

#include <algorithm>
#include <string>

#include "core/algebra/blas.hpp"
#include "core/base/thread_pool.hpp"
#include "core/energy/symmetric_tensor.hpp"
#include "core/fem/scalar_mass.hpp"
#include "core/frame/moment_check.hpp"
#include "core/reduction/region_mass.hpp"
#include "quartic/error.hpp"
#include "quartic/fem.hpp"

namespace quartic {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

// Rows of [1, X, U]: the constant, X about the origin, then x, y and z of each field.
Index row_of(Index field, Index axis) {
  return 4 + 3 * field + axis;
}

// (1, X, U) of all vertices, a column each, so that a product with m reads whole columns.
MatrixXd stacked(const std::array<double, 3>& origin, const std::vector<double>& vertices, const Matrix& basis) {
  const Index n = std::ssize(vertices) / 3;
  MatrixXd columns(4 + 3 * basis.cols, n);
  columns.row(0).setOnes();
  for (Index v = 0; v < n; ++v)
    for (Index c = 0; c < 3; ++c)
      columns(1 + c, v) = vertices[static_cast<std::size_t>(3 * v + c)] - origin[static_cast<std::size_t>(c)];
  for (Index i = 0; i < basis.cols; ++i)
    for (Index v = 0; v < n; ++v)
      for (Index c = 0; c < 3; ++c) columns(row_of(i, c), v) = basis(3 * v + c, i);
  return columns;
}

// G = W m W^T for the columns W, block by block of vertices.
MatrixXd gram_matrix(const MatrixXd& columns, const SparseMatrix& mass) {
  constexpr Index block = 2048;
  MatrixXd gram = MatrixXd::Zero(columns.rows(), columns.rows());
  MatrixXd products(columns.rows(), std::min(block, columns.cols()));
  for (Index first = 0; first < columns.cols(); first += block) {
    const Index count = std::min(block, columns.cols() - first);
    parallel_for(count, [&](std::int64_t local) {
      auto product = products.col(local);
      product.setZero();
      const auto row = static_cast<std::size_t>(first + local);
      for (auto entry = static_cast<std::size_t>(mass.row_offsets[row]);
           entry < static_cast<std::size_t>(mass.row_offsets[row + 1]); ++entry)
        product += mass.values[entry] * columns.col(mass.columns[entry]);
    });
    const MatrixXd transposed = products.leftCols(count).transpose();
    blas::multiply(1, columns.middleCols(first, count), transposed, 1, gram);
  }
  return gram;
}

std::array<double, 3> mass_centre(const std::vector<double>& vertices, const SparseMatrix& mass) {
  double whole = 0;
  std::array<double, 3> first = {};
  for (std::size_t row = 0; row < static_cast<std::size_t>(mass.rows); ++row)
    for (auto entry = static_cast<std::size_t>(mass.row_offsets[row]);
         entry < static_cast<std::size_t>(mass.row_offsets[row + 1]); ++entry) {
      whole += mass.values[entry];
      for (std::size_t c = 0; c < 3; ++c) first[c] += mass.values[entry] * vertices[3 * row + c];
    }
  for (double& number : first) number /= whole;
  return first;
}

FrameMoments from_mesh(const ReducedModel& model) {
  return centred_moments(model, scalar_mass(mass_matrix(model.mesh, model.mass_matrix)));
}

}  // namespace

FrameMoments moments_about(const std::array<double, 3>& origin, const std::vector<double>& vertices,
                           const Matrix& basis, const SparseMatrix& mass) {
  const MatrixXd gram = gram_matrix(stacked(origin, vertices, basis), mass);
  const Index r = basis.cols;
  FrameMoments moments;
  moments.mass = gram(0, 0);
  moments.origin = origin;
  for (Index c = 0; c < 3; ++c) moments.first_moment[static_cast<std::size_t>(c)] = gram(0, 1 + c);
  moments.unit_acceleration = Matrix(r, 3);
  moments.moment0 = to_matrix(gram.block(1, 1, 3, 3));
  moments.moment1 = Matrix(9, r);
  moments.moment2 = Matrix(9, r * (r + 1) / 2);
  for (Index a = 0; a < 3; ++a)
    for (Index b = 0; b < 3; ++b)
      for (Index i = 0; i < r; ++i) {
        if (a == 0) moments.unit_acceleration(i, b) = gram(0, row_of(i, b));
        moments.moment1(3 * a + b, i) = gram(1 + a, row_of(i, b));
        for (Index j = i; j < r; ++j) {
          const auto pair =
              pair_index(static_cast<std::size_t>(i), static_cast<std::size_t>(j), static_cast<std::size_t>(r));
          moments.moment2(3 * a + b, static_cast<std::int64_t>(pair)) = gram(row_of(i, a), row_of(j, b));
        }
      }
  return moments;
}

FrameMoments centred_moments(const ReducedModel& model, const SparseMatrix& mass) {
  FrameMoments moments = moments_about(mass_centre(model.mesh.vertices, mass), model.mesh.vertices, model.basis, mass);
  moments.first_moment = {};  // but for round-off
  if (model.rank() > 0) moments.unit_acceleration = model.unit_acceleration;
  return moments;
}

std::vector<FrameMoments> region_moments(const ReducedModel& model) {
  if (!model.region_moments.empty()) {
    const bool fit = model.region_moments.size() == model.mesh.regions.size() &&
                     std::ranges::all_of(model.region_moments,
                                         [&](const FrameMoments& part) { return are_moments(part, model.rank()); });
    if (!fit) throw InputError("the model's moments per region don't fit its regions and its basis");
    return model.region_moments;
  }
  const std::array<double, 3> origin = frame_moments(model).origin;
  std::vector<FrameMoments> parts;
  for (std::size_t g = 0; g < model.mesh.regions.size(); ++g)
    parts.push_back(region_mass(model, static_cast<std::int32_t>(g), origin).moments);
  return parts;
}

bool is_free(const ReducedModel& model) {
  return model.fixed_vertices.empty() && model.constraints.empty() && model.rigid_modes == 6;
}

FrameMoments frame_moments(const ReducedModel& model) {
  return model.frame_moments ? *model.frame_moments : from_mesh(model);
}

FrameMoments free_frame(const ReducedModel& model) {
  if (model.rank() < 1) throw InputError("the model has no basis: there is nothing to simulate");
  if (!model.supports().empty())
    throw InputError("the body is held at " + std::to_string(model.fixed_vertices.size()) + " vertices" +
                     (model.constraints.empty() ? "" : ", and in single directions") +
                     ": only a body without fixed vertices has a frame of its own");
  if (!is_free(model))
    throw InputError("the body has " + std::to_string(model.rigid_modes) +
                     " rigid motions instead of 6, as several components have: they have no frame in common; join them "
                     "(weld_vertices, --weld), or reduce each by itself");
  FrameMoments moments = frame_moments(model);
  require_free_frame(moments, model.rank());
  return moments;
}

FrameMoments base_frame(const ReducedModel& model, const std::array<double, 3>& origin) {
  if (model.rank() < 1) throw InputError("the model has no basis: there is nothing to simulate");
  const FrameMoments moments = frame_moments(model);
  FrameChange change{.translation = Matrix(model.rank(), 3), .transform = Matrix(model.rank(), model.rank())};
  for (std::size_t c = 0; c < 3; ++c) change.shift[c] = origin[c] - moments.origin[c];
  for (int i = 0; i < model.rank(); ++i) change.transform(i, i) = 1;
  FrameMoments about = change_frame(moments, change);
  about.origin = origin;  // to the bit
  return about;
}

}  // namespace quartic
