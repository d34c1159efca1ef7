// The inertia of a body at the deformation q as polynomials in q, from its moments. With body axes, angular velocity w,
//   T = 1/2 w^T J(q) w + w^T B(q) q' + 1/2 |q'|^2      J = J0 + q_i J1_i + q_i q_j J2_ij      B_i = B0_i + q_p A_pi
//   J0 = tr(G0) I - G0     J1_i = 2 tr(G1_i) I - G1_i - G1_i^T     J2_ij = tr(G2_ij) I - sym(G2_ij)
//   B0_i = axial(G1_i)     A_pi = axial(G2_pi) = -A_ip             axial(G)_k = e_kab G_ab
// for moments G0, G1, G2 = moment0, moment1, moment2. B_i is the angular momentum of q'_i = 1, and w . A the Coriolis
// matrix. D_i = dJ/dq_i = J1_i + 2 q_j J2_ij and B are affine in q: one matrix times (1, q) gives both, and
//   J = J0 + 1/2 q_i (J1_i + D_i).
#pragma once

#include <cstdint>
#include <vector>

#include "core/frame/vector3.hpp"
#include "quartic/frame_moments.hpp"
#include "quartic/storage.hpp"

namespace quartic {

/// Entries of a symmetric 3x3 matrix in rows of tables, in the order xx, yy, zz, yz, xz, xy.
inline constexpr int symmetric_entries = 6;

struct QUARTIC_EXPORT InertiaForms {
  int rank = 0;
  double mass = 0;
  double first_moment[3] = {};          // S m X
  double rest[symmetric_entries] = {};  // J0
  Matrix affine;                        // shape (9 r, r + 1): D_i in rows 6 i .., then B_i in rows 6 r + 3 i ..
  Matrix unit_acceleration;             // S m U, shape (r, 3)

  InertiaForms() = default;
  /// @param moments of the rank, whose shapes have been checked
  explicit InertiaForms(const FrameMoments& moments);
};

/// Kinetic energy and momenta of one body, in double.
class InertiaAt {
 public:
  /// @param point (1, q), shape (r + 1)
  InertiaAt(const InertiaForms& forms, const double* point);

  /// 1/2 m |v|^2 + 1/2 w^T J w + w^T B q': what the kinetic energy has besides 1/2 |q'|^2.
  [[nodiscard]] double energy(const double* v, const double* w, const double* rate) const;
  /// J w + B q', in body axes.
  void angular_momentum(const double* w, const double* rate, double* result) const;
  /// J w, B x and (d/dt J) w for the rate q' of q.
  [[nodiscard]] frame::Vector3<double> inertia_times(const frame::Vector3<double>& w) const;
  [[nodiscard]] frame::Vector3<double> axial_times(const double* x) const;
  [[nodiscard]] frame::Vector3<double> inertia_rate_times(const double* rate, const frame::Vector3<double>& w) const;

 private:
  const InertiaForms& forms_;
  double j_[symmetric_entries];
  std::vector<double> values_;  // D and B at q
};

}  // namespace quartic
