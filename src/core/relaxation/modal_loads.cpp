#include "core/relaxation/modal_loads.hpp"

#include <algorithm>
#include <vector>

#include "core/algebra/dense.hpp"
#include "quartic/error.hpp"
#include "quartic/modes.hpp"

namespace quartic {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Of the largest stiffness: less is a rigid motion in the basis.
constexpr double least_stiffness = 1e-12;

double largest_extent(std::span<const double> vertices) {
  double extent = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    double low = vertices[c], high = vertices[c];
    for (std::size_t i = c; i < vertices.size(); i += 3)
      low = std::min(low, vertices[i]), high = std::max(high, vertices[i]);
    extent = std::max(extent, high - low);
  }
  return extent;
}

double largest_displacement(const VectorXd& u) {
  double square = 0;
  for (Index v = 0; v < u.size(); v += 3) square = std::max(square, u.segment<3>(v).squaredNorm());
  return std::sqrt(square);
}

}  // namespace

ModalLoads::ModalLoads(std::span<const double> vertices, const MatrixRef& basis, const QuarticEnergy& energy,
                       Index modes)
    : extent_(largest_extent(vertices)) {
  const std::vector<double> rest(static_cast<std::size_t>(energy.rank));
  const dense::Eigenpairs pairs = dense::symmetric_eigen(evaluate(energy, rest).stiffness.map());
  const double least = least_stiffness * pairs.values.cwiseAbs().maxCoeff();
  const Index rigid = (pairs.values.array() <= least).count(), count = std::min(modes, pairs.values.size() - rigid);
  if (count < 1) throw InputError("the energy has no stiffness at rest: nothing can be loaded");
  frequencies_ = pairs.values.segment(rigid, count).cwiseSqrt();
  shapes_ = pairs.vectors.middleCols(rigid, count);
  Matrix fields = to_matrix(basis * shapes_);
  const MatrixXd before = fields.map();
  fix_signs(fields);  // of displacements: the same in all coordinates of the space
  for (Index i = 0; i < count; ++i)
    if (before.col(i).dot(fields.map().col(i)) < 0) shapes_.col(i) *= -1;
  fields_ = fields.map();
}

VectorXd ModalLoads::force(const VectorXd& z, double amplitude) const {
  const VectorXd linear = fields_ * z.cwiseQuotient(frequencies_);  // K^-1 of the unscaled force
  return shapes_ * (amplitude / this->amplitude(linear) * z.cwiseProduct(frequencies_));
}

double ModalLoads::amplitude(const VectorXd& u) const {
  return largest_displacement(u) / extent_;
}

}  // namespace quartic
