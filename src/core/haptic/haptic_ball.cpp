#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <utility>

#include "core/contact/body_frame.hpp"
#include "core/frame/symmetric3.hpp"
#include "quartic/error.hpp"
#include "quartic/haptic.hpp"

namespace quartic {
namespace {

void require(bool sound, const std::string& what) {
  if (!sound) throw InputError("HapticOptions::" + what);
}

void require_options(const HapticOptions& o) {
  const auto positive = [](double x) { return x > 0 && std::isfinite(x); };
  const auto not_negative = [](double x) { return x >= 0 && std::isfinite(x); };
  require(positive(o.period), "period must be a finite number above 0");
  require(positive(o.radius), "radius must be a finite number above 0");
  require(positive(o.stiffness), "stiffness must be a finite number above 0");
  require(not_negative(o.damping), "damping must be a finite number >= 0");
  require(not_negative(o.device_damping), "device_damping must be a finite number >= 0");
  require(positive(o.largest_force), "largest_force must be a finite number above 0");
  const double most = largest_passive_stiffness(o.device_damping, o.damping, o.period);
  if (o.stiffness <= most) return;
  std::ostringstream text;
  text << "a coupling of " << o.stiffness << " N/m isn't passive: a device with a damping of " << o.device_damping
       << " N s/m allows " << most
       << " N/m; take a smaller HapticOptions::stiffness, damping or period, or say how much damping the device has";
  throw InputError(text.str());
}

bool is_finite(const std::array<double, 3>& x) {
  return std::all_of(x.begin(), x.end(), [](double value) { return std::isfinite(value); });
}

template <class T>
std::shared_ptr<World<T>> require_world(std::shared_ptr<World<T>> world) {
  if (world == nullptr) throw InputError("a haptic ball needs a world");
  return world;
}

// Friction as the ball feels it in the next step, f_t = c (v - u) against its velocity v along the surface: by c, and
// by the point's own velocity u there, as they were in the last step. What is held back by less than Coulomb's most
// slips at the speed for which friction rises to that; of what slides, the ball's speed is taken.
struct Friction {
  double rate = 0;           // c [N s/m]
  ContactPoint held, point;  // f_t on the body [N], u [m/s]
};
Friction friction_of(const Contact& contact, const ContactOptions& options, const ContactPoint& ball_velocity) {
  const ContactPoint normal = point_of(contact.normal.data()), force = point_of(contact.force.data());
  const double pressed = dot(force, normal), most = options.friction * pressed, limit = options.friction_velocity;
  if (!(most > 0)) return {};
  Friction friction;
  friction.held = force - pressed * normal;
  const ContactPoint along = ball_velocity - dot(ball_velocity, normal) * normal;
  const double share = norm(friction.held) / most;
  const double speed = share < 1 - 1e-9 ? (1 - std::sqrt(1 - share)) * limit : std::max(limit, norm(along));
  friction.rate = speed > 1e-9 * limit ? share * most / speed : 2 * most / limit;
  friction.point = along - (1 / friction.rate) * friction.held;
  return friction;
}

}  // namespace

double largest_passive_stiffness(double device_damping, double damping, double period) {
  if (!(period > 0) || !(device_damping >= 0) || !(damping >= 0))
    throw InputError("a passive coupling needs a period above 0, and numbers >= 0 for the dampings");
  return std::max(0.0, 2 * (device_damping - damping) / period);
}

template <class T>
HapticBall<T>::HapticBall(std::shared_ptr<World<T>> world, const HapticOptions& options,
                          const std::array<double, 3>& device)
    : world_(require_world(std::move(world))), options_(options), shape_(world_->colliders().size()) {
  require_options(options);
  if (!is_finite(device)) throw InputError("the device's position must be finite");
  sample_.device = sample_.ball = device;
  Collider ball{Shape{SphereShape{options.radius}}};
  std::copy(device.begin(), device.end(), ball.pose.begin());
  world_->colliders().push_back(std::move(ball));
}

// Where the spring and the contacts of the last step hold each other.
template <class T>
std::array<double, 3> HapticBall<T>::balance() const {
  if (sample_.contacts == 0) return sample_.device;
  const double k = options_.stiffness;
  frame::Symmetric3<double> system = {k, k, k, 0, 0, 0};
  const ContactPoint ball = point_of(sample_.ball.data()),
                     velocity = point_of(world_->colliders()[shape_].twist.data());
  ContactPoint pull = k * (point_of(sample_.device.data()) - ball) + point_of(sample_.contact_force.data());
  for (const Contact& contact : world_->contacts()) {
    if (contact.shape != static_cast<std::int32_t>(shape_)) continue;
    const Friction friction = friction_of(contact, world_->options(), velocity);
    const double across = friction.rate / options_.period, each = world_->options().stiffness * contact.area - across;
    const auto& n = contact.normal;
    system.xx += across + each * n[0] * n[0], system.yy += across + each * n[1] * n[1],
        system.zz += across + each * n[2] * n[2];
    system.yz += each * n[1] * n[2], system.xz += each * n[0] * n[2], system.xy += each * n[0] * n[1];
    pull = pull + friction.held + friction.rate * friction.point;
  }
  return array_of(ball + frame::Cholesky3<double>(system).solve(pull));
}

// The world moves the ball to a place.
template <class T>
void HapticBall<T>::move_ball(const std::array<double, 3>& place) {
  Collider& before = world_->colliders()[shape_];
  const std::array<double, 6> twist = before.twist;
  for (std::size_t k = 0; k < 3; ++k) before.twist[k] = (place[k] - before.pose[k]) / options_.period;
  try {
    world_->step(options_.period);
  } catch (...) {
    world_->colliders()[shape_].twist = twist;
    throw;
  }
  std::copy_n(world_->colliders()[shape_].pose.begin(), 3, sample_.ball.begin());
}

template <class T>
const HapticSample& HapticBall<T>::step(const std::array<double, 3>& device) {
  if (!is_finite(device)) throw InputError("the device's position must be finite");
  if (world_->colliders().size() != shape_ + 1)
    throw InputError("colliders were added or removed behind a haptic ball; make another ball after that");
  const std::array<double, 3> last = std::exchange(sample_.device, device);
  move_ball(balance());
  sample_.contacts = 0;
  sample_.contact_force = {};
  for (const Contact& contact : world_->contacts()) {
    if (contact.shape != static_cast<std::int32_t>(shape_)) continue;
    ++sample_.contacts;
    for (std::size_t k = 0; k < 3; ++k) sample_.contact_force[k] -= contact.force[k];
  }
  double square = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    double& f = sample_.force[k];
    f = options_.stiffness * (sample_.ball[k] - device[k]) - options_.damping * (device[k] - last[k]) / options_.period;
    square += f * f;
  }
  if (const double size = std::sqrt(square); size > options_.largest_force)
    for (double& f : sample_.force) f *= options_.largest_force / size;
  ++sample_.step;
  sample_.time = world_->batch().time();
  return sample_;
}

template class HapticBall<float>;
template class HapticBall<double>;

}  // namespace quartic
