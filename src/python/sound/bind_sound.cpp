// What modal bodies sound like, whole and in blocks, and WAV files.
#include <nanobind/stl/array.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "python/choices.hpp"
#include "python/sound/sound_options.hpp"
#include "python/sound_bindings.hpp"
#include "quartic/error.hpp"
#include "quartic/sketch.hpp"
#include "quartic/sound.hpp"

namespace quartic::python {
namespace {

namespace fs = std::filesystem;
using Vector = std::array<double, 3>;
using PythonSound = Shared<Sound>;

constexpr Choice<SoundSignal, 3> signals{{{"displacement", SoundSignal::displacement},
                                          {"velocity", SoundSignal::velocity},
                                          {"acceleration", SoundSignal::acceleration}}};
constexpr Choice<WavFormat, 3> formats{
    {{"float32", WavFormat::float32}, {"pcm16", WavFormat::pcm16}, {"pcm24", WavFormat::pcm24}}};

SoundWeights weights_from(nb::handle values, const std::string& signal, nb::handle times) {
  const Array given = import_array(values, "values");
  const bool change = !times.is_none();
  require(given, "values", DType::float64,
          change ? std::vector<std::int64_t>{-1, -1, -1} : std::vector<std::int64_t>{-1, -1});
  SoundWeights weights{chosen(signals, "signal", signal), given.shape[change ? 1 : 0],
                       doubles(values, "values", given.shape)};
  if (change) weights.times = doubles(times, "times", {given.shape[0]});
  return weights;
}

/// (channels, k), or (moments, channels, k) of weights that change.
Array values_of(const SoundWeights& w) {
  const std::int64_t rows = w.moments() * w.channels, modes = rows > 0 ? std::ssize(w.values) / rows : 0;
  return w.times.empty() ? owning_array(std::vector(w.values), {w.channels, modes})
                         : owning_array(std::vector(w.values), {w.moments(), w.channels, modes});
}

Array times_of(const SoundWeights& w) {
  return owning_array(std::vector(w.times), {std::ssize(w.times)});
}

Sound sound_from(nb::handle samples, double rate) {
  const Array given = import_array(samples, "samples");
  require(given, "samples", DType::float32, {-1, -1});
  const Array compact = given.is_contiguous() ? given : copy_of(given);
  const auto* first = data_of<const float>(compact);
  return {.rate = rate, .channels = given.shape[1], .samples = {first, first + compact.size()}};
}

void bind_weights(nb::module_& module) {
  nb::class_<SoundWeights>(module, "SoundWeights", "How loud each mode is in each channel.")
      .def(
          "__init__",
          [](SoundWeights* self, nb::handle values, const std::string& signal, nb::handle times) {
            new (self) SoundWeights(weights_from(values, signal, times));
          },
          nb::arg("values"), nb::arg("signal") = "displacement", nb::arg("times") = nb::none(),
          nb::sig("def __init__(self, values: quartic._typing.ArrayLike, signal: str = 'displacement', times: "
                  "quartic._typing.ArrayLike | None = None) -> None"),
          "values (channels, k), float64, or (m, channels, k) at times [s] (m), linear between; signal: displacement, "
          "velocity or acceleration of the modes.")
      .def_prop_ro("signal", [](const SoundWeights& w) { return word_for(signals, w.signal); })
      .def_ro("channels", &SoundWeights::channels)
      .def_prop_ro(
          "values", [](const SoundWeights& w) { return to_numpy(values_of(w)); },
          nb::sig("def values(self) -> numpy.typing.NDArray[numpy.float64]"),
          "(channels, k), or (m, channels, k) of weights that change; a copy.")
      .def_prop_ro(
          "times", [](const SoundWeights& w) { return to_numpy(times_of(w)); },
          nb::sig("def times(self) -> numpy.typing.NDArray[numpy.float64]"),
          "[s], (m); none: the weights stay. A copy.");
  module.def(
      "constant_weights", [](const Model& model) { return constant_weights(*model); }, nb::arg("model"),
      "1 for each mode.");
  module.def(
      "pickup_weights",
      [](const Model& model, std::int64_t vertex, const Vector& direction, const std::string& vertex_of) {
        return pickup_weights(*model, vertex, direction, chosen(vertex_kinds, "vertex_of", vertex_of));
      },
      nb::arg("model"), nb::arg("vertex"), nb::arg("direction"), nb::arg("vertex_of") = "mesh",
      "The velocity of a vertex along a direction; vertex_of: mesh, or surface, the embedded one.");
  module.def(
      "monopole_weights",
      [](const Model& model, double distance, double air_density) {
        return without_gil([&] { return monopole_weights(*model, distance, air_density); });
      },
      nb::arg("model"), nb::arg("distance") = 1.0, nb::arg("air_density") = 1.204,
      "Sound pressure [Pa] at a distance [m] from a body that is small beside the wave length.");
  module.def(
      "listener_weights",
      [](const Model& model, const std::vector<double>& times, const std::vector<Vector>& positions,
         double air_density) {
        return without_gil([&] { return listener_weights(*model, times, positions, air_density); });
      },
      nb::arg("model"), nb::arg("times"), nb::arg("positions"), nb::arg("air_density") = 1.204,
      "Sound pressure [Pa] for a listener who walks straight from one position [m], in the mesh's coordinates, to the "
      "next.");
  module.def(
      "moving_weights",
      [](const std::vector<double>& times, const std::vector<SoundWeights>& weights) {
        return moving_weights(times, weights);
      },
      nb::arg("times"), nb::arg("weights"), "Weights at times [s], linear between.");
  module.def(
      "read_sound_weights",
      [](const fs::path& path, const std::string& signal) {
        return read_sound_weights(path, chosen(signals, "signal", signal));
      },
      nb::arg("path"), nb::arg("signal") = "displacement",
      "A line of k numbers per channel; of weights that change, a line `time T` before each moment's.");
  module.def(
      "stacked", [](const std::vector<SoundWeights>& weights) { return stacked(weights); }, nb::arg("weights"),
      "Several weights of one signal as channels.");
}

void bind_strike(nb::module_& module) {
  nb::class_<Strike>(module, "Strike", "A blow on a vertex.")
      .def(
          "__init__",
          [](Strike* self, std::int64_t vertex, const Vector& impulse, std::optional<double> time, double length,
             double gain, const std::string& vertex_of) {
            new (self) Strike{vertex, impulse, time, length, gain, chosen(vertex_kinds, "vertex_of", vertex_of)};
          },
          nb::arg("vertex"), nb::arg("impulse"), nb::kw_only(), nb::arg("time") = nb::none(), nb::arg("length") = 0.0,
          nb::arg("gain") = 1.0, nb::arg("vertex_of") = "mesh",
          "impulse [N s]; time of the stream [s], None for the next sample; length of the contact [s], during which "
          "the "
          "force is a half sine; gain: factor of what is heard of it; vertex_of: mesh, or surface, the embedded one.")
      .def_ro("vertex", &Strike::vertex)
      .def_ro("impulse", &Strike::impulse)
      .def_ro("time", &Strike::time)
      .def_ro("length", &Strike::length)
      .def_ro("gain", &Strike::gain)
      .def_prop_ro("vertex_of", [](const Strike& strike) { return word_for(vertex_kinds, strike.vertex_of); });
  nb::class_<AudibleModes>(module, "AudibleModes", "What becomes of a model's modes in a sound.")
      .def_ro("audible", &AudibleModes::audible)
      .def_ro("rigid", &AudibleModes::rigid, "Left out, as the next two.")
      .def_ro("above", &AudibleModes::above, "`highest` of the rate.")
      .def_ro("overdamped", &AudibleModes::overdamped);
}

PythonSound render(const Model& model, const std::vector<Strike>& strikes, double duration, const SoundWeights& weights,
                   const std::vector<RecordedLoad>& recording, double rate,
                   const std::optional<RayleighDamping>& damping, nb::handle damping_ratios, double highest,
                   const std::string& recording_of) {
  const VertexOf counted = chosen(vertex_kinds, "recording_of", recording_of);
  const SoundOptions options{.rate = rate,
                             .damping = damping.value_or(RayleighDamping{}),
                             .damping_ratios = optional_doubles(damping_ratios, "damping_ratios"),
                             .highest = highest};
  return without_gil(
      [&] { return share(render_sound(*model, strikes, duration, weights, options, recording, counted)); });
}

void bind_rendering(nb::module_& module) {
  nb::class_<PythonSound>(module, "Sound", "Samples at a rate.")
      .def(
          "__init__",
          [](PythonSound* self, nb::handle samples, double rate) {
            new (self) PythonSound(share(sound_from(samples, rate)));
          },
          nb::arg("samples"), nb::arg("rate") = 44100.0,
          nb::sig("def __init__(self, samples: quartic._typing.ArrayLike, rate: float = 44100.0) -> None"),
          "samples (frames, channels), float32.")
      .def_prop_ro("rate", [](const PythonSound& s) { return s->rate; })
      .def_prop_ro("channels", [](const PythonSound& s) { return s->channels; })
      .def_prop_ro(
          "samples",
          [](const PythonSound& s) {
            return numpy_view(s, s->samples, {s->frames(), s->channels});
          },
          nb::sig("def samples(self) -> numpy.typing.NDArray[numpy.float32]"), "(frames, channels)")
      .def_prop_ro("modes", [](const PythonSound& s) { return s->modes; })
      .def("__len__", [](const PythonSound& s) { return s->frames(); });
  module.def(
      "render_sound", &render, nb::arg("model"), nb::arg("strikes"), nb::arg("duration"), nb::arg("weights"),
      nb::kw_only(), nb::arg("recording") = std::vector<RecordedLoad>{}, nb::arg("rate") = 44100.0,
      nb::arg("damping") = nb::none(), nb::arg("damping_ratios") = nb::none(), nb::arg("highest") = 0.45,
      nb::arg("recording_of") = "mesh",
      nb::sig("def render_sound(model: ReducedModel, strikes: collections.abc.Sequence[Strike], duration: float, "
              "weights: SoundWeights, *, recording: collections.abc.Sequence[RecordedLoad] = [], rate: float = "
              "44100.0, damping: RayleighDamping | None = None, damping_ratios: quartic._typing.ArrayLike | None "
              "= None, highest: float = 0.45, recording_of: str = 'mesh') -> Sound"),
      "The sound of strikes and of a recording of forces; duration [s]. Modes above `highest` of the rate are "
      "left out. recording_of: what the recording's vertices count, mesh or surface.");
  module.def(
      "normalize",
      [](const PythonSound& sound, double peak) {
        Sound copy = *sound;
        const double factor = normalize(copy, peak);
        return std::pair(share(std::move(copy)), factor);
      },
      nb::arg("sound"), nb::arg("peak") = 0.89, "The sound whose largest sample is `peak` in size, and the factor.");
  module.def(
      "write_wav",
      [](const PythonSound& sound, const fs::path& path, const std::string& format) {
        const WavFormat chosen_format = chosen(formats, "format", format);
        return without_gil([&] { return write_wav(*sound, path, chosen_format); });
      },
      nb::arg("sound"), nb::arg("path"), nb::arg("format") = "float32",
      "format: float32, pcm16 or pcm24; returns how many samples were beyond full scale of whole numbers.");
}

}  // namespace

void bind_sounds(nb::module_& module) {
  bind_weights(module);
  bind_strike(module);
  bind_rendering(module);
  bind_sound_streams(module);
}

}  // namespace quartic::python
