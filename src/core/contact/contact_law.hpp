// The force of one contact and how it changes: formulas of quartic/world.hpp.
#pragma once

#include "core/base/host_device.hpp"
#include "core/frame/vector3.hpp"

namespace quartic {

/// Of a material pair.
struct ContactLaw {
  double stiffness, dissipation, friction, friction_velocity;
};

/// What friction's force is multiplied with in its derivative, along and across the slip.
enum class FrictionSlope {
  secant,  ///< the same in both: a quadratic above the potential that touches it, with which each step goes downhill
  tangent  ///< the derivative: quadratic convergence near the solution
};

/// f and -df: changes dx of the point's place and dv of its velocity change the force by -(by_place dx + by_velocity
/// dv), the normal being taken as constant. Both matrices row by row.
struct ContactResponse {
  using Vector = frame::Vector3<double>;
  using Matrix = frame::Matrix3<double>;

  bool touches = false;
  Vector force;
  Matrix by_place, by_velocity;
};

[[nodiscard]] QUARTIC_HD inline frame::Matrix3<double> outer(const frame::Vector3<double>& a,
                                                             const frame::Vector3<double>& b) {
  return {{a.x * b, a.y * b, a.z * b}};
}
[[nodiscard]] QUARTIC_HD inline frame::Matrix3<double> operator+(const frame::Matrix3<double>& a,
                                                                 const frame::Matrix3<double>& b) {
  return {{a.row[0] + b.row[0], a.row[1] + b.row[1], a.row[2] + b.row[2]}};
}
[[nodiscard]] QUARTIC_HD inline frame::Matrix3<double> operator*(double scale, const frame::Matrix3<double>& a) {
  return {{scale * a.row[0], scale * a.row[1], scale * a.row[2]}};
}

/// @param area of the point @param velocity relative to the shape's
/// @param pressing the normal force that friction follows, wherever the point is, so that friction has a potential;
/// below 0: the point's own
[[nodiscard]] QUARTIC_HD inline ContactResponse contact_response(const ContactLaw& law, double area, double gap,
                                                                 const frame::Vector3<double>& normal,
                                                                 const frame::Vector3<double>& velocity,
                                                                 FrictionSlope slope, double pressing = -1) {
  using Vector = frame::Vector3<double>;
  const bool inside = gap < 0, is_own = !(pressing >= 0);
  if (!inside && !(pressing > 0)) return {};
  const double stiffness = law.stiffness * area, closing = dot(normal, velocity);
  const double undamped = 1 - law.dissipation * closing;
  const double damping = undamped > 0 ? undamped : 0.0;
  const double normal_force = inside ? -gap * stiffness * damping : 0.0;
  const double per_place = inside ? stiffness * damping : 0.0;
  const double per_velocity = inside && damping > 0 ? -gap * stiffness * law.dissipation : 0.0;

  const Vector slip = velocity - closing * normal;
  const double speed = norm(slip), limit = law.friction_velocity,
               most = law.friction * (is_own ? normal_force : pressing);
  const bool sticks = speed < limit;
  // Friction over speed, and its derivative along the slip.
  const double secant = sticks ? most * (2 / limit - speed / (limit * limit)) : most / speed;
  const Vector along = speed > 0 ? (1 / speed) * slip : Vector{};

  ContactResponse response;
  response.touches = true;
  response.force = normal_force * normal - secant * slip;
  Vector of_normal_force = normal;
  frame::Matrix3<double> across = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  across = secant * (across + -1.0 * outer(normal, normal));
  if (slope == FrictionSlope::tangent && most > 0) {
    if (is_own) of_normal_force = normal - (secant / normal_force) * slip;
    const double tangent = sticks ? most * (2 / limit - 2 * speed / (limit * limit)) : 0.0;
    across = across + (tangent - secant) * outer(along, along);
  }
  response.by_place = per_place * outer(of_normal_force, normal);
  response.by_velocity = per_velocity * outer(of_normal_force, normal) + across;
  return response;
}

}  // namespace quartic
