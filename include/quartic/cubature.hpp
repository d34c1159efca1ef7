// Cubature: the reduced energy of any material law, as a weighted sum over a few of the mesh's quadrature points.
//
// With F_p = I + sum_i q_i A_p,i, the gradients A_p of the basis vectors at point p, its volume v_p and weight w_p >=
// 0:
//   V(q) = V_0(q) + sum_p w_p v_p (psi - psi_0)(F_p),  R = dV/dq,  K = dR/dq
// where V_0 = sum over all points of v_p psi_0 is known exactly: the control variate. So R and K are the derivatives of
// V whatever the weights are. See An, Kim & James 2008 and docs/cubature.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "quartic/export.hpp"
#include "quartic/laws.hpp"
#include "quartic/material.hpp"
#include "quartic/quartic_energy.hpp"
#include "quartic/storage.hpp"

namespace quartic {

/// psi_0, the part of the energy that is summed up exactly.
enum class ControlVariate : std::uint8_t {
  none,       ///< nothing
  stiffness,  ///< Hooke's energy, 1/2 q^T K(0) q: stiffness and frequencies at rest are exact
  stvk        ///< the quartic polynomial of StVK: exact to second order, at the cost of its evaluation in every step
};
/// "none", "stiffness" or "stvk"; "unknown" for any other value.
[[nodiscard]] QUARTIC_EXPORT std::string_view control_variate_name(ControlVariate base);
/// @throws InputError that lists the names
[[nodiscard]] QUARTIC_EXPORT ControlVariate find_control_variate(std::string_view name);

/// A quadrature point of a mesh.
struct CubaturePoint {
  std::int32_t element = 0;  ///< counted through all blocks
  std::int32_t point = 0;    ///< of the element type's rule for stiffness

  friend bool operator==(const CubaturePoint&, const CubaturePoint&) = default;
};

/// The law at a point with its constants.
struct PointMaterial {
  MaterialLaw law = MaterialLaw::stvk;
  double lambda = 0, mu = 0;  ///< Lame's [Pa]
  double mooney_share = 0.3;

  friend bool operator==(const PointMaterial&, const PointMaterial&) = default;
};

/// An error over several states.
struct CubatureError {
  double median = 0;
  double ninetieth = 0;  ///< percentile
  double largest = 0;
};

/// How wrong a cubature is on states that it wasn't trained on.
struct CubatureReport {
  int states = 0;             ///< number of these
  CubatureError force;        ///< of R relative to all points', in the norm of K(0)^-1
  CubatureError energy;       ///< relative, of V
  CubatureError tangent;      ///< largest eigenvalue of the error of K, in the metric of K(0)
  CubatureError equilibrium;  ///< shift of the equilibrium relative to its displacement, in the norm of K(0)
  double residual = 0;        ///< of the training, relative
  double tolerance = 0;       ///< that was asked for
  std::uint64_t seed = 0;
};

/// Points and weights, with all that an evaluation takes: no mesh.
struct Cubature {
  int rank = 0;                               ///< r; 0: none
  std::vector<CubaturePoint> points = {};     ///< shape (T)
  std::vector<double> weights = {};           ///< w_p >= 0, 1 = the point's own volume, shape (T)
  std::vector<double> volumes = {};           ///< v_p [m^3] > 0, shape (T)
  std::vector<double> gradients = {};         ///< A_p = d u_i / d X_J of each basis vector, shape (T, 3, 3, r)
  std::vector<PointMaterial> materials = {};  ///< shape (T)
  ControlVariate base = ControlVariate::none;
  Matrix stiffness = {};                   ///< K(0) of all points, shape (r, r)
  QuarticEnergy base_energy = {};          ///< V_0 of ControlVariate::stvk; else empty
  LawTangent tangent = LawTangent::exact;  ///< `projected`: K isn't the derivative of R, but as definite as K_0 is
  std::optional<CubatureReport> report = {};

  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(weights.size()); }
};

/// Checks shapes, and that numbers are finite, weights not negative, volumes and moduli positive. @throws InputError
QUARTIC_EXPORT void check_cubature(const Cubature& cubature);

/// 1/2 q^T K(0) q as a quartic energy: for what asks for the stiffness at rest alone.
[[nodiscard]] QUARTIC_EXPORT QuarticEnergy stiffness_energy(const Cubature& cubature);

/// Energy, force and stiffness of one body, in double, as the function of the same name for QuarticEnergy. Cost
/// T (4.5 r^2 + 100 r) multiply-adds.
/// @throws InputError if q doesn't have r entries, or as check_cubature
[[nodiscard]] QUARTIC_EXPORT ReducedForces evaluate(const Cubature& cubature, std::span<const double> q);

}  // namespace quartic
