// Bodies that start anew among others that go on.
#include <cmath>
#include <string>
#include <vector>

#include "core/batch/batch_checks.hpp"
#include "core/batch/batch_impl.hpp"
#include "quartic/batch.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

std::string of_body(const char* what, std::int64_t body) {
  return std::string("the start's ") + what + " of body " + std::to_string(body);
}

template <class T>
void check_shape(StateView<const T> view, const Batch<T>& batch, std::int64_t rows, const char* what) {
  if (view.data == nullptr) return;
  if (view.bodies != batch.bodies() || (rows > 0 && view.rank != rows))
    throw InputError(std::string("the start's ") + what + " must have a column for each of the " +
                     std::to_string(batch.bodies()) + " bodies" +
                     (rows > 0 ? " and " + std::to_string(rows) + " rows" : ""));
}

// The view of a start, if it has data, has the rows of the bodies to be reset, and is finite there.
template <class T>
void check_numbers(StateView<const T> view, const Batch<T>& batch, std::span<const std::uint8_t> mask,
                   std::int64_t rows, const char* what) {
  if (view.data == nullptr) return;
  for (int g = 0; g < batch.group_count(); ++g) {
    const GroupRange range = batch.group(g);
    if (rows > 0 && !batch.has_frame(g)) continue;
    for (std::int64_t body = range.first_body; body < range.first_body + range.bodies; ++body) {
      if (mask[static_cast<std::size_t>(body)] == 0) continue;
      if (rows == 0 && view.rank < range.rank)
        throw InputError(of_body(what, body) + " must have " + std::to_string(range.rank) + " rows, not " +
                         std::to_string(view.rank));
      for (std::int64_t i = 0; i < (rows > 0 ? rows : range.rank); ++i)
        if (!std::isfinite(view(i, body)))
          throw InputError(of_body(what, body) + " has a number that isn't finite in row " + std::to_string(i));
    }
  }
}

template <class T>
void check_rotations(StateView<const T> pose, const Batch<T>& batch, std::span<const std::uint8_t> mask) {
  if (pose.data == nullptr) return;
  for (int g = 0; g < batch.group_count(); ++g) {
    const GroupRange range = batch.group(g);
    for (std::int64_t body = range.first_body; batch.has_frame(g) && body < range.first_body + range.bodies; ++body)
      if (mask[static_cast<std::size_t>(body)] != 0 && pose(3, body) == 0 && pose(4, body) == 0 && pose(5, body) == 0 &&
          pose(6, body) == 0)
        throw InputError(of_body("pose", body) +
                         " has the quaternion 0, which is no rotation; without one it is "
                         "0 0 0 1 (x y z w)");
  }
}

// rows of one body: those of `from`, or zeros.
template <class T>
void put(StateView<const T> from, StateView<T> to, std::int64_t rows, std::int64_t body) {
  for (std::int64_t i = 0; i < rows; ++i) to(i, body) = from.data == nullptr ? T{0} : from(i, body);
}

template <class T>
void put_pose(StateView<const T> from, StateView<T> to, std::int64_t body) {
  put(from, to, pose_size, body);
  if (from.data == nullptr) {
    to(6, body) = 1;
    return;
  }
  double square = 0;
  for (std::int64_t i = 3; i < pose_size; ++i) square += double{to(i, body)} * double{to(i, body)};
  for (std::int64_t i = 3; i < pose_size; ++i) to(i, body) = static_cast<T>(double{to(i, body)} / std::sqrt(square));
}

}  // namespace

template <class T>
void check_start_shapes(const Batch<T>& batch, const BodyStart<T>& start) {
  if (!batch.impl().has_frames() && (start.pose.data != nullptr || start.twist.data != nullptr))
    throw InputError(
        "no group of this batch has a frame, so that no body has a pose or a twist; give BodyGroup::frame");
  check_shape(start.q, batch, 0, "q");
  check_shape(start.velocity, batch, 0, "velocity");
  check_shape(start.pose, batch, pose_size, "pose");
  check_shape(start.twist, batch, twist_size, "twist");
}

template <class T>
void reset_bodies(Batch<T>& batch, std::span<const std::uint8_t> mask, const BodyStart<T>& start) {
  if (std::ssize(mask) != batch.bodies())
    throw InputError("the mask must have an entry for each of the " + std::to_string(batch.bodies()) + " bodies, not " +
                     std::to_string(mask.size()));
  check_start_shapes(batch, start);
  check_numbers(start.q, batch, mask, 0, "q");
  check_numbers(start.velocity, batch, mask, 0, "velocity");
  check_numbers(start.pose, batch, mask, pose_size, "pose");
  check_numbers(start.twist, batch, mask, twist_size, "twist");
  check_rotations(start.pose, batch, mask);

  std::vector<BodyStatus> status(batch.status().begin(), batch.status().end());
  for (int g = 0; g < batch.group_count(); ++g) {
    const GroupRange range = batch.group(g);
    for (std::int64_t body = range.first_body; body < range.first_body + range.bodies; ++body) {
      if (mask[static_cast<std::size_t>(body)] == 0) continue;
      status[static_cast<std::size_t>(body)] = BodyStatus::ok;
      put(start.q, batch.q(), range.rank, body);
      put(start.velocity, batch.velocity(), range.rank, body);
      put({}, batch.acceleration(), range.rank, body);
      if (!batch.has_frame(g)) continue;
      const bool prescribed = batch.frame_motion(g) == FrameMotion::prescribed;
      if (!prescribed || start.pose.data != nullptr) put_pose(start.pose, batch.pose(), body);
      if (!prescribed || start.twist.data != nullptr) put(start.twist, batch.twist(), twist_size, body);
      if (!prescribed) put({}, batch.twist_rate(), twist_size, body);
    }
  }
  batch.set_status(status);
}

template <class T>
void reset_bodies(Batch<T>& batch, std::span<const std::int32_t> numbers, const BodyStart<T>& start) {
  std::vector<std::uint8_t> mask(static_cast<std::size_t>(batch.bodies()), 0);
  for (const std::int32_t body : numbers) {
    if (body < 0 || body >= batch.bodies())
      throw InputError("there is no body " + std::to_string(body) + "; the batch has " +
                       std::to_string(batch.bodies()));
    mask[static_cast<std::size_t>(body)] = 1;
  }
  reset_bodies<T>(batch, std::span<const std::uint8_t>(mask), start);
}

template void check_start_shapes(const Batch<float>&, const BodyStart<float>&);
template void check_start_shapes(const Batch<double>&, const BodyStart<double>&);
template QUARTIC_EXPORT void reset_bodies(Batch<float>&, std::span<const std::uint8_t>, const BodyStart<float>&);
template QUARTIC_EXPORT void reset_bodies(Batch<double>&, std::span<const std::uint8_t>, const BodyStart<double>&);
template QUARTIC_EXPORT void reset_bodies(Batch<float>&, std::span<const std::int32_t>, const BodyStart<float>&);
template QUARTIC_EXPORT void reset_bodies(Batch<double>&, std::span<const std::int32_t>, const BodyStart<double>&);

}  // namespace quartic
