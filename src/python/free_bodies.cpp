// The rigid motion of bodies with a frame.
#include <nanobind/stl/array.h>

#include <array>
#include <vector>

#include "python/batch.hpp"
#include "python/shared.hpp"
#include "quartic/error.hpp"
#include "quartic/frame_motion.hpp"

namespace quartic::python {
namespace {

// @throws InputError if no group has a frame
template <class Host, class Device>
Array rigid_array(const BatchObject& object, Host on_cpu, Device on_device) {
  Array array = state_array(object, on_cpu, on_device);
  if (array.data == nullptr)
    throw InputError("no group of this batch has a frame, so that bodies have no pose, twist or wrench; give frame=");
  return array;
}

// What a function of the library writes for each body, (B, 6).
template <class F>
nb::object six_numbers(const BatchObject& object, F write) {
  return inspect(object, [&](auto& chosen) {
    using T = Scalar<decltype(chosen)>;
    const std::int64_t bodies = bodies_of(object);
    std::vector<T> values(static_cast<std::size_t>(twist_size * bodies));
    on_host(object, [&](auto& batch) {
      if constexpr (std::is_same_v<Scalar<decltype(batch)>, T>)
        write(batch, StateView<T>{values.data(), twist_size, bodies, 1, twist_size});
    });
    return to_numpy(owning_array(std::move(values), {bodies, twist_size}));
  });
}

void set_twists(const BatchObject& object, nb::handle twist) {
  const Array given = import_array(twist, "twist");
  require(given, "twist", dtype_of(object), {bodies_of(object), twist_size});
  change_on_host(object, [&](auto& batch) {
    using T = Scalar<decltype(batch)>;
    set_world_twist(batch, state_view<const T>(given));
  });
}

}  // namespace

void bind_frame_motion(nb::class_<BatchObject>& type) {
  type.def(
          "frame_motion",
          [](const BatchObject& b, int group) {
            return inspect(b, [&](const auto& batch) {
              return batch.frame_motion(group) == FrameMotion::prescribed ? "prescribed" : "free";
            });
          },
          nb::arg("group") = 0, "Whether the caller moves the group's frame.")
      .def(
          "world_twist",
          [](const BatchObject& b) {
            return six_numbers(b, [](const auto& batch, auto rows) { world_twist(batch, rows); });
          },
          nb::sig("def world_twist(self) -> numpy.typing.NDArray[numpy.float32 | numpy.float64]"),
          "A copy of the twist with the angular velocity in world axes, (B, 6).")
      .def("set_world_twist", &set_twists, nb::arg("twist"),
           nb::sig("def set_world_twist(self, twist: quartic._typing.ArrayLike) -> None"),
           "Sets the twist from velocities in world axes, (B, 6), at the present poses.")
      .def(
          "add_gravity",
          [](const BatchObject& b, const std::array<double, 3>& g) {
            change_on_host(b, [&](auto& batch) { add_gravity(batch, g); });
          },
          nb::arg("acceleration"),
          "Uniform gravity [m/s^2] in world axes: into the wrench of free bodies, once; off the twist rate of those on "
          "a base, after each time that this is set.")
      .def(
          "base_wrench",
          [](const BatchObject& b) {
            return six_numbers(b, [](const auto& batch, auto rows) { base_wrench(batch, rows); });
          },
          nb::sig("def base_wrench(self) -> numpy.typing.NDArray[numpy.float32 | numpy.float64]"),
          "Force [N] and torque about its origin [N m] with which the base moves each body, in world axes, (B, 6).");
}

void bind_free_bodies(nb::class_<BatchObject>& type) {
  type.def_prop_ro(
          "pose",
          [](const BatchObject& b) {
            return rigid_array(
                b, [](auto& batch) { return batch.pose(); }, [](const auto& state) { return state.pose; });
          },
          "Position of the mass centre [m] and rotation as a quaternion x y z w, (B, 7): the batch's own memory.")
      .def_prop_ro(
          "twist",
          [](const BatchObject& b) {
            return rigid_array(
                b, [](auto& batch) { return batch.twist(); }, [](const auto& state) { return state.twist; });
          },
          "Velocity [m/s] in world axes, angular velocity [rad/s] in the body's, (B, 6).")
      .def_prop_ro(
          "twist_rate",
          [](const BatchObject& b) {
            return rigid_array(
                b, [](auto& batch) { return batch.twist_rate(); }, [](const auto& state) { return state.twist_rate; });
          },
          "Rate of the twist, (B, 6).")
      .def_prop_ro(
          "wrench",
          [](const BatchObject& b) {
            return rigid_array(
                b, [](auto& batch) { return batch.wrench(); }, [](const auto& state) { return state.wrench; });
          },
          "External force [N] and torque about the mass centre [N m], in world axes, (B, 6).")
      .def(
          "has_frame",
          [](const BatchObject& b, int group) {
            return inspect(b, [&](const auto& batch) { return batch.has_frame(group); });
          },
          nb::arg("group") = 0, "Whether the group's bodies have poses.");
}

}  // namespace quartic::python
