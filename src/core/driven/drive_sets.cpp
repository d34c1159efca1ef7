#include <Eigen/Cholesky>
#include <algorithm>
#include <string>
#include <utility>

#include "core/energy/quartic_polynomial.hpp"
#include "core/fem/unit_acceleration.hpp"
#include "quartic/driven.hpp"
#include "quartic/energy.hpp"
#include "quartic/error.hpp"
#include "quartic/fem.hpp"

namespace quartic {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

/// Fields beside a mass-orthonormal basis: F = U A + V R with V mass-orthonormal to U and in itself.
struct Extension {
  MatrixXd shares, triangle, fields;  // A, R, V
};

// Twice is enough (Kahan): rounding of the first time is what the second takes out.
Extension extend(const Matrix& basis, const SparseMatrix& mass, MatrixXd fields) {
  const auto u = basis.map();
  Extension result{MatrixXd::Zero(u.cols(), fields.cols()), {}, {}};
  for (int pass = 0; pass < 2; ++pass) {
    const MatrixXd shares = u.transpose() * (mass.map() * fields);
    fields -= u * shares;
    result.shares += shares;
  }
  const Eigen::LLT<MatrixXd> factor(fields.transpose() * (mass.map() * fields));
  if (factor.info() != Eigen::Success)
    throw InputError("the motions of the moved sets depend on each other, or move no mass");
  result.triangle = factor.matrixU();
  result.fields = factor.matrixU().solve<Eigen::OnTheRight>(fields);
  return result;
}

void require_drivable(const ReducedModel& model, std::span<const DrivenSet> sets) {
  if (sets.empty()) throw InputError("no set is moved: name at least one");
  if (model.cubature)
    throw InputError(
        "the weights of a cubature belong to its basis, which moved sets extend; take the material law stvk");
  if (model.rank() < 1 || model.energy.rank != model.rank())
    throw InputError("sets are moved of a model with basis and energy");
  if (model.relaxation)
    throw InputError("relaxed strains don't know moved sets; take a model without --relax (`unrelaxed`)");
  if (model.rank() + std::ssize(sets) > rank_limit)
    throw InputError("the model's rank and " + std::to_string(sets.size()) + " moved sets are more than " +
                     std::to_string(rank_limit) + " coordinates");
}

// What is of the basis is made anew, what isn't known of the new coordinates is left out.
ReducedModel with_fields(const ReducedModel& model, const MatrixXd& fields, const SparseMatrix& mass) {
  ReducedModel result = model;
  result.basis = Matrix(model.basis.rows, model.basis.cols + fields.cols());
  result.basis.map() << model.basis.map(), fields;
  result.unit_acceleration = unit_acceleration(result.basis, mass);
  result.energy = reduce_energy(result.mesh, result.basis.map());
  result.frame_moments.reset();
  result.region_energy.clear();
  result.region_mass.clear();
  result.region_unit_acceleration.clear();
  result.region_moments.clear();
  result.bound_tree.reset();
  for (ModelChamber& chamber : std::exchange(result.chambers, {})) add_chamber(result, std::move(chamber.chamber));
  return result;
}

}  // namespace

DrivenModel drive_sets(const ReducedModel& model, std::span<const DrivenSet> sets) {
  require_drivable(model, sets);
  const SparseMatrix mass = mass_matrix(model.mesh, model.mass_matrix);
  const Extension extension =
      extend(model.basis, mass, MatrixXd(lifting_fields(model.mesh, model.supports(), sets).map()));
  DrivenModel driven{with_fields(model, extension.fields, mass), {}};
  driven.coordinates = Matrix(driven.model.rank(), std::ssize(sets));
  driven.coordinates.map() << extension.shares, extension.triangle;
  return driven;
}

std::vector<double> DrivenModel::driven_coordinates(std::span<const double> s) const {
  if (std::ssize(s) != coordinates.cols)
    throw InputError("there are " + std::to_string(coordinates.cols) + " moved sets, not " + std::to_string(s.size()));
  std::vector<double> z(s.size());
  Eigen::VectorXd::Map(z.data(), std::ssize(z)) =
      coordinates.map().bottomRows(coordinates.cols) * Eigen::VectorXd::Map(s.data(), std::ssize(s));
  return z;
}

}  // namespace quartic
