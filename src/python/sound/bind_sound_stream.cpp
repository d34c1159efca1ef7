// Sound in blocks, for the callback of an audio library.
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "python/sound/sound_options.hpp"
#include "python/sound_bindings.hpp"
#include "quartic/error.hpp"
#include "quartic/sound.hpp"

namespace quartic::python {
namespace {

using Vector = std::array<double, 3>;

struct LockedStream {
  std::variant<SoundStream<float>, SoundStream<double>> stream;
  std::mutex processing = {}, striking = {};  // a strike doesn't wait for a block
  std::atomic<int> inputs = 0;
};

/// Python's `quartic.SoundStream`.
struct StreamObject {
  std::unique_ptr<LockedStream> locked;

  template <class F>
  auto alone(std::mutex& mutex, F f) const {
    const nb::gil_scoped_release released;
    const std::lock_guard lock(mutex);
    return std::visit(f, locked->stream);
  }
  template <class F>
  auto inspect(F f) const {
    return std::visit([&](const auto& stream) { return f(stream); }, locked->stream);
  }
  [[nodiscard]] DType dtype() const {
    return std::holds_alternative<SoundStream<float>>(locked->stream) ? DType::float32 : DType::float64;
  }
};

void construct(StreamObject* self, const Model& model, const SoundWeights& weights, const std::string& dtype,
               double rate, const std::optional<RayleighDamping>& damping, nb::handle damping_ratios, double highest,
               int max_strikes) {
  const SoundOptions options{.rate = rate,
                             .damping = damping.value_or(RayleighDamping{}),
                             .damping_ratios = optional_doubles(damping_ratios, "damping_ratios"),
                             .highest = highest,
                             .max_strikes = max_strikes};
  const bool single = is_float32(dtype);
  auto locked = without_gil([&] {
    using Any = decltype(LockedStream::stream);
    if (single)
      return std::make_unique<LockedStream>(Any(std::in_place_type<SoundStream<float>>, *model, weights, options));
    return std::make_unique<LockedStream>(Any(std::in_place_type<SoundStream<double>>, *model, weights, options));
  });
  new (self) StreamObject{std::move(locked)};
}

// Forces (inputs, frames) in C order, as a block wants them.
Array inputs_from(const StreamObject& object, nb::handle inputs, std::int64_t frames) {
  const int count = object.locked->inputs;
  if (inputs.is_none()) {
    if (count > 0)
      throw InputError("the stream has " + std::to_string(count) +
                       " inputs: inputs= must have their forces, (inputs, frames)");
    return host_array(object.dtype(), {0, frames});
  }
  const Array given = import_array(inputs, "inputs");
  require(given, "inputs", object.dtype(), {count, frames});
  return given.is_contiguous() ? given : copy_of(given);
}

void run(const StreamObject& object, const Array& out, const Array& inputs, bool adds) {
  const bool done = object.alone(object.locked->processing, [&]<class T>(SoundStream<T>& stream) {
    if (inputs.shape[0] != object.locked->inputs)
      throw InputError("an input was added while the block began; give its forces, too");
    const std::span<T> samples(data_of<T>(out), static_cast<std::size_t>(out.size()));
    const std::span<const T> forces(data_of<const T>(inputs), static_cast<std::size_t>(inputs.size()));
    return adds ? stream.add(samples, forces) : stream.process(samples, forces);
  });
  if (!done) throw InputError("inputs must be finite, and so must what is heard of them");  // the sizes fit
}

Array process(const StreamObject& object, std::int64_t frames, nb::handle inputs) {
  if (frames < 0) throw InputError("frames must not be negative");
  const Array forces = inputs_from(object, inputs, frames);
  Array out = host_array(object.dtype(), {frames, object.inspect([](const auto& s) { return s.channels(); })});
  run(object, out, forces, false);
  return out;
}

void process_into(const StreamObject& object, nb::handle out, nb::handle inputs, bool adds) {
  const Array given = import_output(out, "out");
  require(given, "out", object.dtype(), {-1, object.inspect([](const auto& s) { return s.channels(); })});
  if (!given.is_contiguous()) throw InputError("out must be in C order");
  const Array forces = inputs_from(object, inputs, given.shape[0]);
  if (overlap(given, forces)) throw InputError("out and inputs overlap");
  run(object, given, forces, adds);
}

void bind_blocks(nb::class_<StreamObject>& type) {
  type.def(
          "process",
          [](const StreamObject& s, std::int64_t frames, nb::handle inputs) {
            return to_numpy(process(s, frames, inputs));
          },
          nb::arg("frames"), nb::arg("inputs") = nb::none(),
          nb::sig("def process(self, frames: int, inputs: quartic._typing.ArrayLike | None = None) -> "
                  "numpy.typing.NDArray[typing.Any]"),
          "The next samples, (frames, channels), of the stream's dtype; inputs [N], (inputs, frames).")
      .def(
          "process_into",
          [](const StreamObject& s, nb::handle out, nb::handle inputs) { process_into(s, out, inputs, false); },
          nb::arg("out"), nb::arg("inputs") = nb::none(),
          nb::sig("def process_into(self, out: quartic._typing.ArrayLike, inputs: quartic._typing.ArrayLike | None = "
                  "None) -> None"),
          "The same, written to an array.")
      .def(
          "add", [](const StreamObject& s, nb::handle out, nb::handle inputs) { process_into(s, out, inputs, true); },
          nb::arg("out"), nb::arg("inputs") = nb::none(),
          nb::sig("def add(self, out: quartic._typing.ArrayLike, inputs: quartic._typing.ArrayLike | None = None) -> "
                  "None"),
          "The same, added to what is there.");
}

}  // namespace

void bind_sound_streams(nb::module_& module) {
  nb::class_<StreamObject> type(module, "SoundStream",
                                "Sound in blocks, for an audio callback. Strikes may come from another thread.");
  type.def("__init__", &construct, nb::arg("model"), nb::arg("weights"), nb::kw_only(), nb::arg("dtype") = "float32",
           nb::arg("rate") = 44100.0, nb::arg("damping") = nb::none(), nb::arg("damping_ratios") = nb::none(),
           nb::arg("highest") = 0.45, nb::arg("max_strikes") = 64,
           nb::sig("def __init__(self, model: ReducedModel, weights: SoundWeights, *, dtype: str = 'float32', rate: "
                   "float = 44100.0, damping: RayleighDamping | None = None, damping_ratios: quartic._typing.ArrayLike "
                   "| None = None, highest: float = 0.45, max_strikes: int = 64) -> None"))
      .def(
          "strike",
          [](const StreamObject& s, const Strike& strike) {
            s.alone(s.locked->striking, [&](auto& stream) { stream.strike(strike); });
          },
          nb::arg("strike"))
      .def(
          "add_input",
          [](const StreamObject& s, std::int64_t vertex, const Vector& direction, const std::string& vertex_of) {
            const VertexOf counted = chosen(vertex_kinds, "vertex_of", vertex_of);
            return s.alone(s.locked->processing, [&](auto& stream) {
              const int number = stream.add_input(vertex, direction, counted);
              s.locked->inputs = number + 1;
              return number;
            });
          },
          nb::arg("vertex"), nb::arg("direction"), nb::arg("vertex_of") = "mesh",
          "A force on a vertex, whose samples each block gets from now on; direction: of 1 N.")
      .def(
          "set_weights",
          [](const StreamObject& s, const SoundWeights& weights, double time) {
            s.alone(s.locked->striking, [&](auto& stream) { stream.set_weights(weights, time); });
          },
          nb::arg("weights"), nb::arg("time"),
          "From the next block on, weights go to these linearly in `time` [s]; from any thread.")
      .def_prop_ro(
          "strikes", [](const StreamObject& s) { return s.inspect([](const auto& x) { return x.strikes(); }); },
          "That wait or act.")
      .def_prop_ro("channels",
                   [](const StreamObject& s) { return s.inspect([](const auto& x) { return x.channels(); }); })
      .def_prop_ro("rate", [](const StreamObject& s) { return s.inspect([](const auto& x) { return x.rate(); }); })
      .def_prop_ro("modes", [](const StreamObject& s) { return s.inspect([](const auto& x) { return x.modes(); }); })
      .def_prop_ro(
          "time", [](const StreamObject& s) { return s.inspect([](const auto& x) { return x.time(); }); },
          "Of the next sample [s].");
  bind_blocks(type);
}

}  // namespace quartic::python
