// What modes have to do with a motion of the base: participation factors and effective masses; and Rayleigh's damping
// from damping ratios, and a ratio for each mode.
#pragma once

#include <span>

#include "quartic/export.hpp"
#include "quartic/matrix.hpp"
#include "quartic/quartic_energy.hpp"

namespace quartic {

/// Participation factors of modes: Psi^T M times the unit fields along x, y and z [kg^(1/2)], shape (k, 3). The modal
/// coordinate of mode j obeys q'' + omega^2 q = -Gamma_jd a(t) on a base that accelerates by a along d.
/// @param mass M, shape (3n, 3n)
/// @param modes M-orthonormal, shape (3n, k)
/// @throws InputError if shapes don't fit
[[nodiscard]] QUARTIC_EXPORT Matrix participation_factors(const SparseMatrix& mass, MatrixRef modes);

/// Effective masses [kg]: the participation factors' squares, shape (k, 3). Over all modes of a held body they sum to
/// the mass that its supports let move along each axis: the whole mass, but for that of fixed vertices.
/// @param factors as `participation_factors` has them
[[nodiscard]] QUARTIC_EXPORT Matrix effective_masses(const Matrix& factors);

/// A damping ratio (1 is critical) that is wanted at a frequency.
struct DampingRatio {
  double frequency = 0;  ///< [Hz] > 0
  double ratio = 0;      ///< >= 0
};

/// Rayleigh's damping C = alpha M + beta K: mode of frequency f gets the ratio alpha / (4 pi f) + pi f beta.
struct RayleighDamping {
  double mass = 0;       ///< alpha [1/s]
  double stiffness = 0;  ///< beta [s]
};

/// The damping that has two ratios at two frequencies. Between them modes are damped less, beyond them more.
/// @throws InputError for a number out of range, equal frequencies, or ratios so far apart that alpha or beta would be
///         below 0: from f to g, the ratio can't change by more than the factor g / f
[[nodiscard]] QUARTIC_EXPORT RayleighDamping rayleigh_damping(const DampingRatio& a, const DampingRatio& b);

/// How long a sound of a frequency lasts.
struct DecayTime {
  double frequency = 0;  ///< [Hz], > 0
  double t60 = 0;        ///< time after which the amplitude is a thousandth of what it was, 60 dB less [s], > 0
};

/// The damping with which oscillators decay so: a mode of angular frequency w loses 60 dB in
/// T60 = 2 ln(1000) / (alpha + beta w^2). Of one pair: mass damping alone, the same T60 for all. Of two: the solution.
/// Of more: the alpha, beta >= 0 that minimise the sum of the squares of the rates' relative errors.
/// @throws InputError for no pair, numbers that aren't finite and > 0, several pairs of one frequency alone, or two
///         pairs that ask for a negative alpha or beta, which would feed some mode with energy: says which
[[nodiscard]] QUARTIC_EXPORT RayleighDamping rayleigh_damping(std::span<const DecayTime> times);

/// The ratio that a mode of this frequency [Hz] > 0 gets.
[[nodiscard]] QUARTIC_EXPORT double damping_ratio(const RayleighDamping& damping, double frequency);

/// A ratio for each natural mode of a reduced body: D = sum_j 2 zeta_j omega_j y_j y_j^T with the eigenpairs of its
/// stiffness at rest, K(0) y = omega^2 y, for `BodyGroup::damping`. Small vibrations in mode j then decay as
/// exp(-zeta_j omega_j t), whatever the others do.
/// @param ratios zeta of the modes in ascending order of frequency; the last one is that of all further modes
/// @param driven number of the last coordinates, which are at rest in all modes and get no damping of their own
/// @return shape (r, r). Cost O(r^3)
/// @throws InputError for no ratio, one below 0 or not finite, or an energy of a wrong size
[[nodiscard]] QUARTIC_EXPORT Matrix modal_damping(const QuarticEnergy& energy, std::span<const double> ratios,
                                                  int driven = 0);

}  // namespace quartic
