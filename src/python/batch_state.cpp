// The state of a batch: views of it, and what is computed from it.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <filesystem>

#include "python/batch.hpp"
#include "python/bindings.hpp"
#include "quartic/checkpoint.hpp"
#include "quartic/error.hpp"

namespace quartic::python {
namespace {

using Type = nb::class_<BatchObject>;

// Numbers of the bodies that a batch keeps on its device: a read-only view, as they are when the stream has come so
// far.
template <class T, class F>
Array device_words(const BatchObject& object, F words) {
  return inspect(object, [&](auto& batch) {
    const auto state = device_operations().batch<Scalar<decltype(batch)>>().state(batch);
    Array array{object.shared, nullptr, dtype_of<T>(), {bodies_of(object)}, {1}, true, object.place};
    array.data = const_cast<void*>(static_cast<const void*>(words(state)));
    return array;
  });
}

// A copy of what holds now: status and flags belong to the batch.
template <class T, class F>
Array copy(const BatchObject& batch, F values, std::int64_t columns = 0) {
  std::vector<T> numbers = on_host(batch, [&](auto& b) {
    const auto found = values(b);
    std::vector<T> result;
    result.reserve(found.size());
    for (const auto value : found) result.push_back(static_cast<T>(value));
    return result;
  });
  std::vector<std::int64_t> shape = {bodies_of(batch)};
  if (columns > 0) shape.push_back(columns);
  Array array = owning_array(std::move(numbers), std::move(shape));
  array.read_only = true;
  return array;
}

template <class Word>
std::vector<Word> words_of(nb::handle object, const std::string& name, const BatchObject& batch) {
  const std::vector<std::int32_t> words = indices(object, name);
  std::vector<Word> result(words.size());
  std::transform(words.begin(), words.end(), result.begin(), [](std::int32_t word) { return static_cast<Word>(word); });
  if (std::ssize(result) != bodies_of(batch))
    throw InputError(name + " needs an entry for each of the " + std::to_string(bodies_of(batch)) + " bodies, not " +
                     std::to_string(result.size()));
  return result;
}

void bind_views(Type& type) {
  type.def_prop_ro(
          "q",
          [](const BatchObject& b) {
            return state_array(
                b, [](auto& batch) { return batch.q(); }, [](const auto& state) { return state.q; });
          },
          "Reduced coordinates [m sqrt(kg)], (B, r): the batch's own memory, as the next three.")
      .def_prop_ro("velocity",
                   [](const BatchObject& b) {
                     return state_array(
                         b, [](auto& batch) { return batch.velocity(); },
                         [](const auto& state) { return state.velocity; });
                   })
      .def_prop_ro("acceleration",
                   [](const BatchObject& b) {
                     return state_array(
                         b, [](auto& batch) { return batch.acceleration(); },
                         [](const auto& state) { return state.acceleration; });
                   })
      .def_prop_ro(
          "force",
          [](const BatchObject& b) {
            return state_array(
                b, [](auto& batch) { return batch.force(); }, [](const auto& state) { return state.force; });
          },
          "Reduced external force, constant until it is changed.");
}

void bind_reports(Type& type) {
  type.def_prop_ro(
          "status",
          [](const BatchObject& b) {
            if (b.place.on_device())
              return device_words<std::int32_t>(b, [](const auto& state) { return state.status; });
            return copy<std::int32_t>(b, [](auto& batch) { return batch.status(); });
          },
          "BodyStatus of each body, (B) int32, read-only: a copy of what it is now; on a GPU the batch's own memory.")
      .def(
          "reset_status", [](const BatchObject& b) { on_host(b, [](auto& batch) { batch.reset_status(); }); },
          "Sets the status of all bodies to ok; their state doesn't change.")
      .def(
          "set_status",
          [](const BatchObject& b, nb::handle status) {
            const auto words = words_of<BodyStatus>(status, "status", b);
            on_host(b, [&](auto& batch) { batch.set_status(words); });
          },
          nb::arg("status"), nb::sig("def set_status(self, status: quartic._typing.Indices) -> None"))
      .def(
          "enclosed_volume",
          [](const BatchObject& b, int chamber) {
            return copy<double>(b, [chamber](auto& batch) { return batch.enclosed_volume(chamber); });
          },
          nb::arg("chamber") = 0, "Of a chamber of each body [m^3], (B).")
      .def_prop_ro(
          "flags",
          [](const BatchObject& b) {
            if (b.place.on_device())
              return device_words<std::uint32_t>(b, [](const auto& state) { return state.flags; });
            return copy<std::uint32_t>(b, [](auto& batch) { return batch.flags(); });
          },
          "BodyFlags of each body since the last reset, (B) uint32, read-only, as `status`.")
      .def("reset_flags", [](const BatchObject& b) { on_host(b, [](auto& batch) { batch.reset_flags(); }); })
      .def(
          "set_flags",
          [](const BatchObject& b, nb::handle flags) {
            const auto words = words_of<BodyFlags>(flags, "flags", b);
            on_host(b, [&](auto& batch) { batch.set_flags(words); });
          },
          nb::arg("flags"), nb::sig("def set_flags(self, flags: quartic._typing.Indices) -> None"))
      .def(
          "check_range",
          [](const BatchObject& b) { return copy<std::uint32_t>(b, [](auto& batch) { return batch.check_range(); }); },
          "`inverted` and `strained` of the present q, (B) uint32; also added to `flags`.")
      .def(
          "elastic_energy",
          [](const BatchObject& b) { return copy<double>(b, [](auto& batch) { return batch.elastic_energy(); }); },
          "[J], (B) float64.")
      .def(
          "kinetic_energy",
          [](const BatchObject& b) { return copy<double>(b, [](auto& batch) { return batch.kinetic_energy(); }); },
          "[J], (B) float64.")
      .def(
          "linear_momentum",
          [](const BatchObject& b) {
            return copy<double>(
                b, [](auto& batch) { return batch.linear_momentum(); }, 3);
          },
          "Of free bodies [kg m/s], (B, 3) float64; zero for others.")
      .def(
          "angular_momentum",
          [](const BatchObject& b) {
            return copy<double>(
                b, [](auto& batch) { return batch.angular_momentum(); }, 3);
          },
          "Of free bodies about their mass centres [kg m^2/s], (B, 3) float64.");
}

}  // namespace

void bind_checkpoints(nb::module_& module) {
  module.def(
      "checkpoint_has_poses",
      [](const std::filesystem::path& path) { return without_gil([&] { return checkpoint_has_poses(path); }); },
      nb::arg("path"), "Whether a .qstate file is of bodies with poses, whose groups have a frame.");
  module.def(
      "checkpoint_has_pressures",
      [](const std::filesystem::path& path) { return without_gil([&] { return checkpoint_has_pressures(path); }); },
      nb::arg("path"), "Whether the bodies of a .qstate file are under pressure, whose groups have chambers.");
  module.def(
      "checkpoint_has_strain_damping",
      [](const std::filesystem::path& path) {
        return without_gil([&] { return checkpoint_has_strain_damping(path); });
      },
      nb::arg("path"),
      "Whether the bodies of a .qstate file are damped by strain rates, whose batch needs forms first.");
}

void bind_batch_state(Type& type) {
  bind_views(type);
  bind_reports(type);
  type.def(
          "save_checkpoint",
          [](const BatchObject& b, const std::filesystem::path& path) {
            on_host(b, [&](auto& batch) { save_checkpoint(batch, path); });
          },
          nb::arg("path"), "Writes all that is needed to go on, bit by bit, but for models and options (.qstate).")
      .def(
          "load_checkpoint",
          [](const BatchObject& b, const std::filesystem::path& path) {
            std::vector<std::string> differences;
            change_on_host(b, [&](auto& batch) { differences = load_checkpoint(batch, path); });
            return differences;
          },
          nb::arg("path"), "Goes on from a file; returns a sentence for each option that isn't the saved batch's.");
}

}  // namespace quartic::python
