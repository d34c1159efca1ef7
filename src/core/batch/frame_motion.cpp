#include "core/batch/frame_motion.hpp"

#include <cstddef>
#include <vector>

#include "core/frame/inertia_forms.hpp"
#include "core/frame/rotation.hpp"

namespace quartic {
namespace {

// Numbers of one body, in double.
template <class T>
std::vector<double> column(StateView<const T> view, std::int64_t body, std::int64_t rows) {
  std::vector<double> numbers;
  for (std::int64_t i = 0; i < rows; ++i) numbers.push_back(double{view(i, body)});
  return numbers;
}

// Calls visit(body, inertia at its q, q') for all bodies of groups with frames.
template <class T, class Visit>
void for_each_free_body(BatchImpl<T>& batch, const Visit& visit) {
  const StateView<const T> q = batch.read_state(StateArray::q), velocity = batch.read_state(StateArray::velocity);
  for (std::size_t g = 0; g < batch.frames().size(); ++g) {
    if (batch.frames()[g] == nullptr) continue;
    const InertiaForms forms(*batch.frames()[g]);
    const GroupRange& range = batch.ranges()[g];
    for (std::int64_t body = range.first_body; body < range.first_body + range.bodies; ++body) {
      std::vector<double> point = column(q, body, range.rank);
      point.insert(point.begin(), 1.0);
      visit(body, InertiaAt(forms, point.data()), column(velocity, body, range.rank));
    }
  }
}

}  // namespace

template <class T>
void add_rigid_energy(BatchImpl<T>& batch, std::span<double> energy) {
  if (!batch.has_frames()) return;
  const StateView<const T> twists = batch.read_state(StateArray::twist);
  for_each_free_body(batch, [&](std::int64_t body, const InertiaAt& inertia, const std::vector<double>& rate) {
    const std::vector<double> twist = column(twists, body, 6);
    energy[static_cast<std::size_t>(body)] += inertia.energy(twist.data(), twist.data() + 3, rate.data());
  });
}

template <class T>
void linear_momenta(BatchImpl<T>& batch, std::span<double> result) {
  if (!batch.has_frames()) return;
  const StateView<const T> twists = batch.read_state(StateArray::twist);
  for (std::size_t g = 0; g < batch.frames().size(); ++g) {
    if (batch.frames()[g] == nullptr) continue;
    const GroupRange& range = batch.ranges()[g];
    for (std::int64_t body = range.first_body; body < range.first_body + range.bodies; ++body)
      for (std::int64_t c = 0; c < 3; ++c)
        result[static_cast<std::size_t>(3 * body + c)] = batch.frames()[g]->mass * double{twists(c, body)};
  }
}

template <class T>
void angular_momenta(BatchImpl<T>& batch, std::span<double> result) {
  if (!batch.has_frames()) return;
  const StateView<const T> twists = batch.read_state(StateArray::twist), poses = batch.read_state(StateArray::pose);
  for_each_free_body(batch, [&](std::int64_t body, const InertiaAt& inertia, const std::vector<double>& rate) {
    const std::vector<double> twist = column(twists, body, 6), pose = column(poses, body, 7);
    double own[3];
    inertia.angular_momentum(twist.data() + 3, rate.data(), own);
    const frame::Quaternion<double> rotation =
        normalised(frame::Quaternion<double>{{pose[3], pose[4], pose[5]}, pose[6]});
    const frame::Vector3<double> world = rotate(rotation, {own[0], own[1], own[2]});
    const auto at = static_cast<std::size_t>(3 * body);
    result[at] = world.x, result[at + 1] = world.y, result[at + 2] = world.z;
  });
}

template void add_rigid_energy(BatchImpl<float>&, std::span<double>);
template void add_rigid_energy(BatchImpl<double>&, std::span<double>);
template void linear_momenta(BatchImpl<float>&, std::span<double>);
template void linear_momenta(BatchImpl<double>&, std::span<double>);
template void angular_momenta(BatchImpl<float>&, std::span<double>);
template void angular_momenta(BatchImpl<double>&, std::span<double>);

}  // namespace quartic
