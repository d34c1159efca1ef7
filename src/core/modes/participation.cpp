#include "quartic/participation.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "core/algebra/dense.hpp"
#include "core/base/number_text.hpp"
#include "core/fem/unit_acceleration.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

void check(const DampingRatio& wish) {
  if (!(wish.frequency > 0) || !std::isfinite(wish.frequency) || !(wish.ratio >= 0) || !std::isfinite(wish.ratio))
    throw InputError("a damping ratio of 0 or more at a frequency above 0 is needed, not " +
                     number_text(wish.ratio, 4) + " at " + number_text(wish.frequency, 4) + " Hz");
}

}  // namespace

Matrix participation_factors(const SparseMatrix& mass, MatrixRef modes) {
  if (mass.rows != mass.cols || mass.rows % 3 != 0 || modes.rows() != mass.rows)
    throw InputError("the modes have " + std::to_string(modes.rows()) + " rows, but the mass matrix has " +
                     std::to_string(mass.rows) + "; three per vertex are needed");
  return unit_acceleration(to_matrix(modes), mass);
}

Matrix effective_masses(const Matrix& factors) {
  Matrix masses = factors;
  for (double& value : masses.values) value *= value;
  return masses;
}

// 2 zeta = alpha / omega + beta omega at both.
RayleighDamping rayleigh_damping(const DampingRatio& a, const DampingRatio& b) {
  check(a);
  check(b);
  if (a.frequency == b.frequency)
    throw InputError("two damping ratios need two frequencies; both are at " + number_text(a.frequency, 4) + " Hz");
  const double wa = 2 * std::numbers::pi * a.frequency, wb = 2 * std::numbers::pi * b.frequency;
  const RayleighDamping damping{.mass = 2 * wa * wb * (a.ratio * wb - b.ratio * wa) / (wb * wb - wa * wa),
                                .stiffness = 2 * (b.ratio * wb - a.ratio * wa) / (wb * wb - wa * wa)};
  if (damping.mass < 0 || damping.stiffness < 0)
    throw InputError("no Rayleigh damping has the ratios " + number_text(a.ratio, 4) + " at " +
                     number_text(a.frequency, 4) + " Hz and " + number_text(b.ratio, 4) + " at " +
                     number_text(b.frequency, 4) +
                     " Hz: between two frequencies the ratio changes by their quotient "
                     "at most");
  return damping;
}

double damping_ratio(const RayleighDamping& damping, double frequency) {
  if (!(frequency > 0)) throw InputError("a damping ratio belongs to a frequency above 0");
  const double omega = 2 * std::numbers::pi * frequency;
  return damping.mass / (2 * omega) + damping.stiffness * omega / 2;
}

Matrix modal_damping(const QuarticEnergy& energy, std::span<const double> ratios, int driven) {
  if (ratios.empty()) throw InputError("a damping ratio per mode is needed, or one for all");
  for (const double ratio : ratios)
    if (!(ratio >= 0) || !std::isfinite(ratio)) throw InputError("damping ratios must be finite and 0 or more");
  if (driven < 0 || driven >= energy.rank)
    throw InputError("of " + std::to_string(energy.rank) + " coordinates " + std::to_string(driven) +
                     " can't be driven");
  const Matrix stiffness = evaluate(energy, std::vector<double>(static_cast<std::size_t>(energy.rank))).stiffness;
  const Eigen::Index free = energy.rank - driven;
  const dense::Eigenpairs modes = dense::symmetric_eigen(stiffness.map().topLeftCorner(free, free));
  Eigen::VectorXd rates(free);
  for (Eigen::Index j = 0; j < free; ++j) {
    const double ratio = ratios[std::min(static_cast<std::size_t>(j), ratios.size() - 1)];
    rates[j] = 2 * ratio * std::sqrt(std::max(modes.values[j], 0.0));  // a mode that buckles isn't damped
  }
  Matrix damping(energy.rank, energy.rank);
  damping.map().topLeftCorner(free, free) = modes.vectors * rates.asDiagonal() * modes.vectors.transpose();
  return damping;
}

}  // namespace quartic
