// The rigid motion of bodies with a frame.
#include "python/batch.hpp"

namespace quartic::python {
namespace {

template <class F>
Array view(const BatchObject& batch, F rows) {
  return inspect(batch, [&](auto& b) { return array_of(rows(b), batch.shared); });
}

}  // namespace

void bind_free_bodies(nb::class_<BatchObject>& type) {
  type.def_prop_ro(
          "pose", [](const BatchObject& b) { return view(b, [](auto& batch) { return batch.pose(); }); },
          "Position of the mass centre [m] and rotation as a quaternion x y z w, (B, 7): the batch's own memory.")
      .def_prop_ro(
          "twist", [](const BatchObject& b) { return view(b, [](auto& batch) { return batch.twist(); }); },
          "Velocity [m/s] in world axes, angular velocity [rad/s] in the body's, (B, 6).")
      .def_prop_ro(
          "twist_rate", [](const BatchObject& b) { return view(b, [](auto& batch) { return batch.twist_rate(); }); },
          "Rate of the twist, (B, 6).")
      .def_prop_ro(
          "wrench", [](const BatchObject& b) { return view(b, [](auto& batch) { return batch.wrench(); }); },
          "External force [N] and torque about the mass centre [N m], in world axes, (B, 6).")
      .def(
          "has_frame",
          [](const BatchObject& b, int group) {
            return inspect(b, [&](const auto& batch) { return batch.has_frame(group); });
          },
          nb::arg("group") = 0, "Whether the group's bodies are free to fly.");
}

}  // namespace quartic::python
