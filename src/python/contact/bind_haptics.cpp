// A ball in a hand.
#include <nanobind/stl/array.h>

#include <memory>
#include <utility>
#include <variant>

#include "python/bindings.hpp"
#include "python/contact/contact.hpp"
#include "python/contact/world.hpp"
#include "quartic/haptic.hpp"

namespace quartic::python {
namespace {

using Vector = std::array<double, 3>;

/// Python's `quartic.HapticBall`. Its calls have the lock of the batch, as its world's.
struct HapticObject {
  nb::object world_object;
  WorldObject world;
  std::shared_ptr<std::variant<HapticBall<float>, HapticBall<double>>> ball;
};

void construct(HapticObject* self, nb::object world, const Vector& device, double period, double radius,
               double stiffness, double damping, double device_damping, double largest_force) {
  const HapticOptions options{period, radius, stiffness, damping, device_damping, largest_force};
  WorldObject object = nb::cast<const WorldObject&>(world);
  auto ball = alone(object, [&]<class T>(World<T>& own) {
    const std::shared_ptr<World<T>> shared(object.world, &own);
    return std::make_shared<std::variant<HapticBall<float>, HapticBall<double>>>(std::in_place_type<HapticBall<T>>,
                                                                                 shared, options, device);
  });
  new (self) HapticObject{std::move(world), std::move(object), std::move(ball)};
}

template <class F>
auto alone(const HapticObject& object, F f) {
  return exclusive(object.world.batch, [&](auto&) { return std::visit(f, *object.ball); });
}

}  // namespace

void bind_haptics(nb::module_& module) {
  nb::class_<HapticSample>(module, "HapticSample", "What a step of a HapticBall gives; positions [m], forces [N].")
      .def_ro("step", &HapticSample::step, "Steps so far.")
      .def_ro("time", &HapticSample::time, "Of the batch [s].")
      .def_ro("device", &HapticSample::device)
      .def_ro("ball", &HapticSample::ball)
      .def_ro("force", &HapticSample::force, "On the hand.")
      .def_ro("contact_force", &HapticSample::contact_force, "On the ball.")
      .def_ro("contacts", &HapticSample::contacts, "Points that are in the ball.");
  const HapticOptions defaults;
  nb::class_<HapticObject>(module, "HapticBall", "A ball in a hand, coupled to a device, as a world's last collider.")
      .def("__init__", &construct, nb::arg("world"), nb::arg("device"), nb::kw_only(),
           nb::arg("period") = defaults.period, nb::arg("radius") = defaults.radius,
           nb::arg("stiffness") = defaults.stiffness, nb::arg("damping") = defaults.damping,
           nb::arg("device_damping") = defaults.device_damping, nb::arg("largest_force") = defaults.largest_force,
           nb::sig("def __init__(self, world: World, device: collections.abc.Sequence[float], *, period: float = 1e-3, "
                   "radius: float = 0.02, stiffness: float = 500.0, damping: float = 0.0, device_damping: float = 0.5, "
                   "largest_force: float = 1e300) -> None"),
           "device: where it is [m]; period of a step [s], radius [m], the coupling's stiffness [N/m] and damping "
           "[N s/m], the device's own damping [N s/m], and the largest force that it bears [N].")
      .def(
          "step",
          [](const HapticObject& object, const Vector& device) {
            return alone(object, [&](auto& ball) { return HapticSample(ball.step(device)); });
          },
          nb::arg("device"), nb::sig("def step(self, device: collections.abc.Sequence[float]) -> HapticSample"),
          "Has the device there [m], moves the ball and steps the world.")
      .def_prop_ro(
          "sample",
          [](const HapticObject& object) {
            return alone(object, [](auto& ball) { return HapticSample(ball.sample()); });
          },
          "Of the last step.")
      .def_prop_ro(
          "world", [](const HapticObject& object) { return object.world_object; }, nb::sig("def world(self) -> World"));
  module.def("largest_passive_stiffness", &largest_passive_stiffness, nb::arg("device_damping"), nb::arg("damping"),
             nb::arg("period"),
             "Stiffness up to which a coupling is passive [N/m], 2 (device_damping - damping) / period.");
}

}  // namespace quartic::python
