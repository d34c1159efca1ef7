#include <cmath>
#include <string>
#include <utility>

#include "core/base/number_text.hpp"
#include "quartic/contact_records.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

using Vector = std::array<double, 3>;

Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// R^T x of the quaternion x, y, z, w, of any length but 0.
Vector turned_back(const std::array<double, 4>& quaternion, const Vector& x) {
  double square = 0;
  for (const double c : quaternion) square += c * c;
  const Vector axis = {-quaternion[0], -quaternion[1], -quaternion[2]};
  const Vector first = cross(axis, x), second = cross(axis, first);
  Vector result;
  for (std::size_t k = 0; k < 3; ++k) result[k] = x[k] + 2 / square * (quaternion[3] * first[k] + second[k]);
  return result;
}

template <class T>
bool has_pose(const Batch<T>& batch, std::int64_t body) {
  for (int g = 0; g < batch.group_count(); ++g) {
    const GroupRange range = batch.group(g);
    if (body < range.first_body + range.bodies) return batch.has_frame(g);
  }
  return false;
}

/// Along the axes of the mesh.
template <class T>
Vector own_force(const Batch<T>& batch, const Contact& contact) {
  if (!has_pose(batch, contact.body)) return contact.force;
  std::array<double, 4> quaternion;
  for (std::size_t k = 0; k < 4; ++k)
    quaternion[k] = static_cast<double>(batch.pose()(static_cast<std::int64_t>(3 + k), contact.body));
  return turned_back(quaternion, contact.force);
}

}  // namespace

template <class T>
void ContactRecorder::record(World<T>& world, double dt) {
  if (!(dt > 0 && std::isfinite(dt)))
    throw InputError("the length of a step must be finite and > 0, not " + number_text(dt, 6));
  const Batch<T>& batch = std::as_const(world).batch();
  decltype(lasting_) touching;
  for (const Contact& contact : world.contacts()) {
    const std::tuple key{contact.body, contact.shape, contact.point};
    auto before = lasting_.extract(key);
    const bool is_new = before.empty();
    ContactRecord& record = is_new ? touching[key] : touching.insert(std::move(before)).position->second;
    if (is_new)
      record = {.time = batch.time() - dt,
                .body = contact.body,
                .shape = contact.shape,
                .point = contact.point,
                .position = contact.position};
    record.duration += dt;
    const Vector force = own_force(batch, contact);
    for (std::size_t k = 0; k < 3; ++k) record.impulse[k] += dt * force[k];
  }
  for (const auto& [key, record] : lasting_) over_.push_back(record);
  lasting_ = std::move(touching);
}

std::vector<ContactRecord> ContactRecorder::all_records() const {
  std::vector<ContactRecord> result = over_;
  for (const auto& [key, record] : lasting_) result.push_back(record);
  return result;
}

template void QUARTIC_EXPORT ContactRecorder::record(World<float>&, double);
template void QUARTIC_EXPORT ContactRecorder::record(World<double>&, double);

}  // namespace quartic
