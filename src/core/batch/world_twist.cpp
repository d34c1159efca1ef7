// Twists in world axes, and gravity, for bodies with frames.
#include <cmath>
#include <string>

#include "core/batch/body_numbers.hpp"
#include "quartic/error.hpp"
#include "quartic/frame_motion.hpp"

namespace quartic {
namespace {

template <class T>
void require_frames(const Batch<T>& batch) {
  if (!batch.impl().has_frames())
    throw InputError("no group of this batch has a frame, so that no body has a twist; give BodyGroup::frame");
}

template <class T>
void require_twists(const Batch<T>& batch, std::int64_t rows, std::int64_t bodies) {
  require_frames(batch);
  if (rows != twist_size || bodies != batch.bodies())
    throw InputError("twists must have " + std::to_string(twist_size) + " rows and a column for each of the " +
                     std::to_string(batch.bodies()) + " bodies, not " + std::to_string(rows) + " and " +
                     std::to_string(bodies));
}

}  // namespace

template <class T>
void world_twist(const Batch<T>& batch, StateView<T> twist) {
  require_twists(batch, twist.rank, twist.bodies);
  const StateView<const T> own = batch.twist(), pose = batch.pose();
  for_each_framed_body(batch.impl(), [&](std::int64_t body, std::size_t) {
    for (std::int64_t c = 0; c < 3; ++c) twist(c, body) = own(c, body);
    put_vector(rotate(rotation_in(pose, body), vector_of(own, body, 3)), twist, body, 3);
  });
}

template <class T>
void set_world_twist(Batch<T>& batch, StateView<const T> twist) {
  require_twists(batch, twist.rank, twist.bodies);
  const StateView<T> own = batch.twist();
  const StateView<const T> pose = std::as_const(batch).pose();
  for_each_framed_body(batch.impl(), [&](std::int64_t body, std::size_t) {
    for (std::int64_t c = 0; c < 3; ++c) own(c, body) = twist(c, body);
    put_vector(rotate(conjugate(rotation_in(pose, body)), vector_of(twist, body, 3)), own, body, 3);
  });
}

template <class T>
void add_gravity(Batch<T>& batch, const std::array<double, 3>& acceleration) {
  require_frames(batch);
  for (const double g : acceleration)
    if (!std::isfinite(g)) throw InputError("the acceleration of gravity must be finite numbers");
  const frame::Vector3<double> g = {acceleration[0], acceleration[1], acceleration[2]};
  const StateView<T> wrench = batch.wrench(), twist_rate = batch.twist_rate();
  for_each_framed_body(batch.impl(), [&](std::int64_t body, std::size_t group) {
    if (batch.impl().motions()[group] == FrameMotion::prescribed) {
      put_vector(vector_of<T>(twist_rate, body, 0) - g, twist_rate, body, 0);
    } else {
      const double mass = batch.impl().frames()[group]->mass;
      put_vector(vector_of<T>(wrench, body, 0) + mass * g, wrench, body, 0);
    }
  });
}

template QUARTIC_EXPORT void world_twist(const Batch<float>&, StateView<float>);
template QUARTIC_EXPORT void world_twist(const Batch<double>&, StateView<double>);
template QUARTIC_EXPORT void set_world_twist(Batch<float>&, StateView<const float>);
template QUARTIC_EXPORT void set_world_twist(Batch<double>&, StateView<const double>);
template QUARTIC_EXPORT void add_gravity(Batch<float>&, const std::array<double, 3>&);
template QUARTIC_EXPORT void add_gravity(Batch<double>&, const std::array<double, 3>&);

}  // namespace quartic
