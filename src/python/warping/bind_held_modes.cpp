// Linear bodies whose vertices are held, float64.
#include <nanobind/stl/string.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "python/bindings.hpp"
#include "python/shared.hpp"
#include "quartic/position_constraints.hpp"

namespace quartic::python {
namespace {

struct LockedModes {
  HeldModes modes;
  std::mutex mutex = {};
};

/// Python's `quartic.HeldModes`. Calls from several threads take turns.
struct HeldObject {
  std::shared_ptr<LockedModes> shared;

  template <class F>
  auto alone(F f) const {
    const nb::gil_scoped_release released;
    const std::lock_guard lock(shared->mutex);
    return f(shared->modes);
  }
};

void construct(HeldObject* self, nb::handle eigenvalues, const Shared<ModalWarp>& warp, std::int64_t bodies,
               double rayleigh_mass, double rayleigh_stiffness, int iterations, double tolerance) {
  const std::vector<double> lambda = doubles(eigenvalues, "eigenvalues", {warp->rank()});
  const HeldModesOptions options{.bodies = bodies,
                                 .rayleigh_mass = rayleigh_mass,
                                 .rayleigh_stiffness = rayleigh_stiffness,
                                 .iterations = iterations,
                                 .tolerance = tolerance};
  new (self) HeldObject{without_gil([&] { return std::make_shared<LockedModes>(HeldModes(lambda, *warp, options)); })};
}

void hold(const HeldObject& held, std::int64_t body, nb::handle vertices, nb::handle targets) {
  const std::vector<std::int32_t> some = indices(vertices, "vertices");
  const std::vector<double> places = doubles(targets, "targets", {std::ssize(some), 3});
  held.alone([&](HeldModes& modes) { modes.hold(body, some, places); });
}

nb::object hold_force(const HeldObject& held, std::int64_t body) {
  std::vector<double> force = held.alone([&](HeldModes& modes) {
    const auto acting = modes.hold_force(body);
    return std::vector<double>(acting.begin(), acting.end());
  });
  const std::int64_t count = std::ssize(force) / 3;
  return to_numpy(owning_array(std::move(force), {count, 3}));
}

std::vector<HoldStatus> status(const HeldObject& held) {
  return held.alone(
      [](HeldModes& modes) { return std::vector<HoldStatus>(modes.status().begin(), modes.status().end()); });
}

void bind_status(nb::module_& module) {
  nb::class_<HoldStatus>(module, "HoldStatus", "What became of a body's constraints in the last step.")
      .def_ro("iterations", &HoldStatus::iterations)
      .def_ro("rank", &HoldStatus::rank, "Of the constraints, at most 3 per vertex and k.")
      .def_ro("distance", &HoldStatus::distance, "The largest of a held vertex from its target [m].")
      .def_ro("converged", &HoldStatus::converged)
      .def_ro("diverged", &HoldStatus::diverged);
}

}  // namespace

void bind_held_modes(nb::module_& module) {
  bind_status(module);
  nb::class_<HeldObject> type(module, "HeldModes",
                              "Bodies in their linear modes, shown by modal warping, under position constraints.");
  type.def("__init__", &construct, nb::arg("eigenvalues"), nb::arg("warp"), nb::kw_only(), nb::arg("bodies") = 1,
           nb::arg("rayleigh_mass") = 0.0, nb::arg("rayleigh_stiffness") = 0.0, nb::arg("iterations") = 5,
           nb::arg("tolerance") = 1e-13,
           nb::sig("def __init__(self, eigenvalues: quartic._typing.ArrayLike, warp: ModalWarp, *, bodies: int = 1, "
                   "rayleigh_mass: float = 0.0, rayleigh_stiffness: float = 0.0, iterations: int = 5, tolerance: "
                   "float = 1e-13) -> None"))
      .def(
          "hold", &hold, nb::arg("body"), nb::arg("vertices"), nb::arg("targets"),
          nb::sig("def hold(self, body: int, vertices: quartic._typing.Indices, targets: quartic._typing.ArrayLike) -> "
                  "None"),
          "From the next step on; targets: displacements from rest [m], (vertices, 3).")
      .def(
          "let_go", [](const HeldObject& h, std::int64_t body) { h.alone([&](HeldModes& m) { m.let_go(body); }); },
          nb::arg("body"))
      .def(
          "step", [](const HeldObject& h, double dt) { h.alone([&](HeldModes& m) { m.step(dt); }); }, nb::arg("dt"))
      .def("hold_force", &hold_force, nb::arg("body"),
           nb::sig("def hold_force(self, body: int) -> numpy.typing.NDArray[numpy.float64]"),
           "That acted on the held vertices in the last step [N], (vertices, 3).")
      .def_prop_ro("status", &status, nb::sig("def status(self) -> list[HoldStatus]"))
      .def("reset_status", [](const HeldObject& h) { h.alone([](HeldModes& m) { m.reset_status(); }); });
  const auto state = [&](const char* name, StateView<double> (HeldModes::*part)(), const char* text) {
    type.def_prop_ro(
        name, [part](const HeldObject& h) { return array_of((h.shared->modes.*part)(), h.shared); }, text);
  };
  state("q", &HeldModes::q, "(B, k): the bodies' own memory, as the next three.");
  state("velocity", &HeldModes::velocity, "(B, k)");
  state("acceleration", &HeldModes::acceleration, "(B, k)");
  state("force", &HeldModes::force, "On the modes, without the constraints', (B, k).");
}

}  // namespace quartic::python
