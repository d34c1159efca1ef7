// What linear bodies sound like: their modes as oscillators, struck, and mixed into channels.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "quartic/export.hpp"
#include "quartic/participation.hpp"

namespace quartic {

struct ReducedModel;  // quartic/model.hpp
struct RecordedLoad;  // quartic/sketch.hpp

/// What of the modal coordinates y_i is heard.
enum class SoundSignal : std::uint8_t { displacement, velocity, acceleration };

/// How loud a mode is in each channel: s_c(t) = sum_i w_ci(t) y_i(t).
struct SoundWeights {
  SoundSignal signal = SoundSignal::displacement;
  std::int64_t channels = 0;
  std::vector<double> values = {};  ///< w, shape (moments, channels, k) for all k modes of a model, C order
  /// [s], ascending, shape (moments): w is linear between them, and stays before the first and after the last. Empty:
  /// one moment, whose weights stay all the time.
  std::vector<double> times = {};

  [[nodiscard]] std::int64_t moments() const { return times.empty() ? 1 : static_cast<std::int64_t>(times.size()); }
};

/// What numbers of vertices count.
enum class VertexOf : std::uint8_t {
  mesh,    ///< vertices of the volume mesh
  surface  ///< of the surface embedded in the model, each of which hangs on some of the mesh
};

/// 1 for each mode, one channel: the course notes' choice ("FEM simulation of 3D deformable solids" part 2, eq. 4).
/// @throws InputError if the model has no modes
[[nodiscard]] QUARTIC_EXPORT SoundWeights constant_weights(const ReducedModel& model);

/// What a pickup at a vertex takes up along a direction: w_i = d . Phi_i(x) of the unit vector d; velocity.
/// @throws InputError for a vertex out of range, a direction that is zero or not finite, or no embedded surface
[[nodiscard]] QUARTIC_EXPORT SoundWeights pickup_weights(const ReducedModel& model, std::int64_t vertex,
                                                         const std::array<double, 3>& direction,
                                                         VertexOf vertex_of = VertexOf::mesh);

/// Sound pressure [Pa] far from a body that is small beside the wave length, a monopole: w_i = rho_air / (4 pi R) times
/// the rate at which mode i displaces air, the integral of Phi_i . n over the boundary; acceleration. Rigid modes are
/// silent, and bending is nearly so: take a pickup there.
/// @param distance R [m] > 0 @param air_density [kg/m^3] > 0
/// @throws InputError for numbers out of range, or a model without modes
[[nodiscard]] QUARTIC_EXPORT SoundWeights monopole_weights(const ReducedModel& model, double distance = 1,
                                                           double air_density = 1.204);

/// What a listener hears who moves about the body, as by `monopole_weights`, at his distance to the middle of its
/// volume. He walks straight between the positions; more moments are put in so that linear weights are within 2e-4 of
/// 1 / distance. Sound arrives at once: there is neither delay nor Doppler shift.
/// @param times [s], ascending, shape (m), m >= 1 @param positions in the mesh's coordinates [m], shape (m)
/// @throws InputError as `monopole_weights`, for arrays that don't fit, or a way through the middle
[[nodiscard]] QUARTIC_EXPORT SoundWeights listener_weights(const ReducedModel& model, std::span<const double> times,
                                                           std::span<const std::array<double, 3>> positions,
                                                           double air_density = 1.204);

/// Weights that change: those of each time, and linear ones between.
/// @param times [s], ascending, shape (m), m >= 1 @param weights that don't change by themselves, shape (m)
/// @throws InputError for arrays that don't fit, or weights of different signals, channels or numbers of modes
[[nodiscard]] QUARTIC_EXPORT SoundWeights moving_weights(std::span<const double> times,
                                                         std::span<const SoundWeights> weights);

/// Weights from a text file: a line per channel of k numbers, blanks or commas between, `#` for comments. Of weights
/// that change, a line `time T` [s] is before the channels of each moment.
/// @throws FileError, ParseError for what isn't a finite number, lines of different lengths, moments of different
/// numbers of channels, or times that don't ascend
[[nodiscard]] QUARTIC_EXPORT SoundWeights read_sound_weights(const std::filesystem::path& path,
                                                             SoundSignal signal = SoundSignal::displacement);

/// Several weights of one signal as the channels of one, at all times that one of them has. @throws InputError for
/// none, or those of different signals or numbers of modes
[[nodiscard]] QUARTIC_EXPORT SoundWeights stacked(std::span<const SoundWeights> weights);

/// A blow on a vertex: what contact solvers, force sensors or a mouse have to tell of a contact (course notes part 2,
/// section 2.2).
struct Strike {
  std::int64_t vertex = 0;             ///< 0-based
  std::array<double, 3> impulse = {};  ///< J [N s]
  std::optional<double> time = {};     ///< of the stream [s], any between samples; none: the next sample
  double length = 0;                   ///< [s] of contact: the force is a half sine of the integral J; 0: an instant
  double gain = 1;                     ///< factor of what is heard of it: bodies of one model are one stream
  VertexOf vertex_of = VertexOf::mesh;
};

struct SoundOptions {
  double rate = 44100;  ///< samples per second, 8000 .. 384000
  RayleighDamping damping = {};
  std::vector<double> damping_ratios = {};  ///< added to that by mode, shape (k); empty: none
  double highest = 0.45;                    ///< modes above this share of the rate are left out, in (0, 0.5)
  int max_strikes = 64;                     ///< that wait or act at once; `render_sound` makes room for more
};

/// What becomes of a model's modes.
struct AudibleModes {
  std::int64_t audible = 0;
  std::int64_t rigid = 0;       ///< left out: lambda = 0
  std::int64_t above = 0;       ///< left out: their frequency is above `highest` of the rate
  std::int64_t overdamped = 0;  ///< left out: they creep and don't swing
};

template <class T>
class StreamImpl;

/// Sound of one model's bodies, sample by sample, T = float or double: for the callback of an audio device. `process`
/// and `add` neither allocate nor lock, and throw nothing. The state of each mode is kept in double at the start of
/// every block of up to 512 samples, from which ringing modes are a product, so that float is within 1e-6 of double
/// after any time. Equal bodies that are heard alike, but for a gain, are one stream: oscillators are linear, so k of
/// them sound for all (Strike::gain).
///
/// An impulse J on vertex x makes the velocity jump by Phi_x^T J at its instant, between two samples; a half sine is
/// integrated exactly. Weights that change are linear from sample to sample. Cost: 2 k channels multiply-adds per
/// sample, twice as many while weights change, 4 k more under each force that acts.
template <class T>
class QUARTIC_EXPORT SoundStream {
 public:
  /// @throws InputError for a model without modes, options out of range, weights of another number of modes, or times
  /// of theirs that don't ascend
  SoundStream(const ReducedModel& model, const SoundWeights& weights, const SoundOptions& options = {});
  SoundStream(SoundStream&&) noexcept;
  SoundStream& operator=(SoundStream&&) noexcept;
  ~SoundStream();

  [[nodiscard]] std::int64_t channels() const;
  [[nodiscard]] double rate() const;
  [[nodiscard]] const AudibleModes& modes() const;
  [[nodiscard]] double time() const;  ///< of the next sample [s]

  /// Hands a strike to the stream. One other thread may call this while `process` runs; it doesn't lock either.
  /// @throws InputError for a vertex out of range, no embedded surface, numbers that aren't finite, a negative length,
  /// a
  ///         time that has passed (the past is gone), or `max_strikes` strikes that wait or act already
  void strike(const Strike& strike);
  [[nodiscard]] int strikes() const;  ///< that wait or act

  /// A force along a direction on a vertex whose samples `process` gets; from now on it needs them. Allocates: not
  /// while `process` runs.
  /// @param direction of a force of 1 N; its length counts
  /// @return the number of the input, from 0 @throws InputError as `pickup_weights`
  int add_input(std::int64_t vertex, const std::array<double, 3>& direction, VertexOf vertex_of = VertexOf::mesh);

  /// From the next block on, weights go from what they are then to these, linearly in `time` [s], and stay: for a
  /// listener whose way isn't known beforehand. Of two calls before a block the later one counts, and times of the
  /// stream's own weights no more. `time` 0 is a jump, which clicks. One other thread may call this while `process`
  /// runs; it neither allocates nor locks.
  /// @throws InputError for weights that change by themselves, of another signal or other numbers of channels or modes,
  ///         numbers that aren't finite, or a negative time; nothing is changed then
  void set_weights(const SoundWeights& weights, double time);

  /// The next samples.
  /// @param out shape (frames, channels), C order: overwritten
  /// @param inputs forces [N] at these samples, linear between them, from zero before the first, shape (inputs, frames)
  /// @return whether the sizes fit; else nothing is done
  bool process(std::span<T> out, std::span<const T> inputs = {}) noexcept;
  /// The same, added to what is there: for the mix of several streams.
  bool add(std::span<T> out, std::span<const T> inputs = {}) noexcept;

 private:
  std::unique_ptr<StreamImpl<T>> impl_;
};

/// Samples, and where they come from.
struct Sound {
  double rate = 44100;  ///< samples per second
  std::int64_t channels = 1;
  std::vector<float> samples = {};  ///< shape (frames, channels), C order
  AudibleModes modes = {};

  [[nodiscard]] std::int64_t frames() const {
    return channels > 0 ? static_cast<std::int64_t>(samples.size()) / channels : 0;
  }
};

/// The sound of strikes in any order, and of a recording (`read_recorded_loads`): forces linear between its times,
/// taken at the samples; none before the first and after the last. Computed in double.
/// @param duration [s] > 0, rounded up to a whole sample @param recording_of what the recording's vertices count
/// @throws InputError as SoundStream, for a negative time, neither strikes nor a recording, or a sound that doesn't fit
///         into memory; for recorded forces that aren't finite, or too large for their sound to be
[[nodiscard]] QUARTIC_EXPORT Sound render_sound(const ReducedModel& model, std::span<const Strike> strikes,
                                                double duration, const SoundWeights& weights,
                                                const SoundOptions& options = {},
                                                std::span<const RecordedLoad> recording = {},
                                                VertexOf recording_of = VertexOf::mesh);

/// Numbers of a WAV file.
enum class WavFormat : std::uint8_t {
  float32,  ///< as they are
  pcm16,    ///< 1 is full scale; rounded to nearest
  pcm24
};

/// Multiplies the samples so that the largest is `peak` in size; silence stays. @return the factor
QUARTIC_EXPORT double normalize(Sound& sound, double peak = 0.89);

/// Writes a RIFF WAVE file, or one of RF64 (EBU Tech 3306) where 4 GB aren't enough, to a temporary name, then renamed.
/// @return the number of samples that were beyond full scale, and are at it in the file; always 0 for float32
/// @throws FileError; InputError for a rate that isn't a whole number, samples that aren't finite or no channels
QUARTIC_EXPORT std::int64_t write_wav(const Sound& sound, const std::filesystem::path& path,
                                      WavFormat format = WavFormat::float32);

}  // namespace quartic
