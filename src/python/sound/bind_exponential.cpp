// Nonlinear bodies at the rate of sound.
#include <nanobind/stl/optional.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "python/energy.hpp"
#include "python/shared.hpp"
#include "python/sound/batch_numbers.hpp"
#include "python/sound/sound_options.hpp"
#include "python/sound_bindings.hpp"
#include "quartic/batch.hpp"
#include "quartic/exponential.hpp"
#include "quartic/participation.hpp"

namespace quartic::python {
namespace {

struct LockedExponential {
  std::variant<ExponentialBatch<float>, ExponentialBatch<double>> batch;
  std::mutex mutex = {};
};

/// Python's `quartic.ExponentialBatch`. Calls from several threads take turns.
struct ExponentialObject {
  std::shared_ptr<LockedExponential> shared;

  template <class F>
  auto alone(F f) const {
    const nb::gil_scoped_release released;
    const std::lock_guard lock(shared->mutex);
    return std::visit(f, shared->batch);
  }
  template <class F>
  Array view(F part) const {
    return std::visit([&](auto& batch) { return array_of(part(batch), shared); }, shared->batch);
  }
};

void construct(ExponentialObject* self, const Energy& energy, std::int64_t bodies, const std::string& dtype,
               const std::optional<RayleighDamping>& damping, double highest, int sweeps, int threads) {
  const RayleighDamping rayleigh = damping.value_or(RayleighDamping{});
  const ExponentialOptions options{.bodies = bodies,
                                   .rayleigh_mass = rayleigh.mass,
                                   .rayleigh_stiffness = rayleigh.stiffness,
                                   .highest = highest,
                                   .sweeps = sweeps,
                                   .threads = threads};
  const bool single = is_float32(dtype);
  auto shared = without_gil([&] {
    using Any = decltype(LockedExponential::batch);
    if (single)
      return std::make_shared<LockedExponential>(Any(std::in_place_type<ExponentialBatch<float>>, *energy, options));
    return std::make_shared<LockedExponential>(Any(std::in_place_type<ExponentialBatch<double>>, *energy, options));
  });
  new (self) ExponentialObject{std::move(shared)};
}

void bind_state(nb::class_<ExponentialObject>& type) {
  type.def_prop_ro(
          "q", [](const ExponentialObject& e) { return e.view([](auto& batch) { return batch.q(); }); },
          "(B, r): the batch's own memory, as the next two.")
      .def_prop_ro("velocity",
                   [](const ExponentialObject& e) { return e.view([](auto& batch) { return batch.velocity(); }); })
      .def_prop_ro("force",
                   [](const ExponentialObject& e) { return e.view([](auto& batch) { return batch.force(); }); })
      .def_prop_ro(
          "status",
          [](const ExponentialObject& e) {
            return copied<std::int32_t>(e, [](const auto& batch) { return batch.status(); });
          },
          nb::sig("def status(self) -> numpy.typing.NDArray[numpy.int32]"))
      .def_prop_ro(
          "flags",
          [](const ExponentialObject& e) {
            return copied<std::uint32_t>(e, [](const auto& batch) { return batch.flags(); });
          },
          nb::sig("def flags(self) -> numpy.typing.NDArray[numpy.uint32]"),
          "BodyFlags.not_converged of bodies whose stiff coordinates didn't come to rest.")
      .def("reset_status", [](const ExponentialObject& e) { e.alone([](auto& batch) { batch.reset_status(); }); })
      .def("reset_flags", [](const ExponentialObject& e) { e.alone([](auto& batch) { batch.reset_flags(); }); })
      .def(
          "elastic_energy",
          [](const ExponentialObject& e) {
            return copied<double>(e, [](const auto& batch) { return batch.elastic_energy(); });
          },
          nb::sig("def elastic_energy(self) -> numpy.typing.NDArray[numpy.float64]"), "[J], (B).")
      .def(
          "kinetic_energy",
          [](const ExponentialObject& e) {
            return copied<double>(e, [](const auto& batch) { return batch.kinetic_energy(); });
          },
          nb::sig("def kinetic_energy(self) -> numpy.typing.NDArray[numpy.float64]"), "[J], (B).");
}

}  // namespace

void bind_exponential(nb::module_& module) {
  nb::class_<ExponentialObject> type(module, "ExponentialBatch",
                                     "Nonlinear bodies of one model whose pitch doesn't depend on the step.");
  type.def("__init__", &construct, nb::arg("energy"), nb::kw_only(), nb::arg("bodies") = 1,
           nb::arg("dtype") = "float32", nb::arg("damping") = nb::none(), nb::arg("highest") = 0.45,
           nb::arg("sweeps") = 12, nb::arg("threads") = 0,
           "highest: oscillators up to this share of the steps' frequency; sweeps: of the others towards rest in a "
           "step, at most.")
      .def_prop_ro("rank",
                   [](const ExponentialObject& e) { return e.alone([](const auto& batch) { return batch.rank(); }); })
      .def_prop_ro("bodies",
                   [](const ExponentialObject& e) { return e.alone([](const auto& batch) { return batch.bodies(); }); })
      .def_prop_ro(
          "eigenvalues",
          [](const ExponentialObject& e) {
            return copied<double>(e, [](const auto& batch) { return batch.eigenvalues(); });
          },
          nb::sig("def eigenvalues(self) -> numpy.typing.NDArray[numpy.float64]"),
          "Of the stiffness at rest [1/s^2], ascending.")
      .def(
          "oscillators",
          [](const ExponentialObject& e, double h) {
            return e.alone([h](const auto& batch) { return batch.oscillators(h); });
          },
          nb::arg("h"), "How many coordinates swing with steps of h [s].")
      .def(
          "step",
          [](const ExponentialObject& e, double dt, int substeps) {
            e.alone([&](auto& batch) { batch.step(dt, substeps); });
          },
          nb::arg("dt"), nb::arg("substeps") = 1)
      .def_prop_rw(
          "time", [](const ExponentialObject& e) { return e.alone([](const auto& batch) { return batch.time(); }); },
          [](const ExponentialObject& e, double time) { e.alone([&](auto& batch) { batch.set_time(time); }); }, "[s]");
  bind_state(type);
}

}  // namespace quartic::python
