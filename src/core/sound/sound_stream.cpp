#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <utility>

#include "core/base/number_text.hpp"
#include "core/sound/stream_impl.hpp"
#include "quartic/error.hpp"
#include "quartic/model.hpp"
#include "quartic/sound.hpp"

namespace quartic {
namespace {

void require_vertex(std::int64_t vertex, VertexOf of, const ModeRows& rows) {
  const std::int64_t vertices = rows.vertices(of);
  if (of == VertexOf::surface && vertices == 0)
    throw InputError("the model has no embedded surface whose vertices forces could act on; take those of its mesh");
  if (vertex < 0 || vertex >= vertices)
    throw InputError("there is no vertex " + std::to_string(vertex) + "; the " +
                     (of == VertexOf::surface ? "embedded surface" : "model") + " has " + std::to_string(vertices) +
                     ", and the first is 0");
}

void require_finite(const std::array<double, 3>& force, const char* name) {
  for (const double x : force)
    if (!std::isfinite(x)) throw InputError(std::string(name) + " must be finite");
}

void require_fitting(const SoundWeights& weights, std::int64_t modes) {
  if (weights.channels < 1 || std::ssize(weights.values) != weights.moments() * weights.channels * modes)
    throw InputError("sound weights must have a number for each of the " + std::to_string(modes) +
                     " modes, each channel and each time, and a channel at least; there are " +
                     std::to_string(weights.values.size()) + " of " + std::to_string(weights.channels) +
                     " channels and " + std::to_string(weights.times.size()) + " times");
  for (std::size_t m = 0; m < weights.times.size(); ++m)
    if (!std::isfinite(weights.times[m]) || (m > 0 && weights.times[m] <= weights.times[m - 1]))
      throw InputError("the times of sound weights must be finite and ascend");
}

/// Weights of the oscillators alone.
std::vector<double> kept_weights(const SoundWeights& weights, const Oscillators& oscillators, std::int64_t modes) {
  require_fitting(weights, modes);
  std::vector<double> kept;
  for (std::int64_t c = 0; c < weights.moments() * weights.channels; ++c)
    for (const std::int64_t i : oscillators.numbers) {
      kept.push_back(weights.values[static_cast<std::size_t>(c * modes + i)]);
      if (!std::isfinite(kept.back())) throw InputError("sound weights must be finite");
    }
  return kept;
}

template <class T>
std::unique_ptr<StreamImpl<T>> make_stream(const ReducedModel& model, const SoundWeights& weights,
                                           const SoundOptions& options) {
  const Oscillators oscillators = audible_oscillators(model.eigenvalues, options);
  if (model.linear_modes.cols != std::ssize(model.eigenvalues))
    throw InputError("the model must have a linear mode for each eigenvalue");
  std::vector<double> kept = kept_weights(weights, oscillators, std::ssize(model.eigenvalues));
  return std::make_unique<StreamImpl<T>>(oscillators, ModeRows(model, oscillators.numbers), std::move(kept), weights,
                                         options);
}

template <class T>
constexpr const char* precision() {
  return std::is_same_v<T, float> ? "float" : "double";
}

void check(const Strike& strike, const ModeRows& rows, double now) {
  require_vertex(strike.vertex, strike.vertex_of, rows);
  require_finite(strike.impulse, "the impulse of a strike");
  if (!std::isfinite(strike.gain)) throw InputError("the gain of a strike must be finite");
  if (!(strike.length >= 0 && std::isfinite(strike.length)))
    throw InputError("the length of a strike must be finite and >= 0, not " + number_text(strike.length, 6));
  if (strike.time && !(*strike.time >= now && std::isfinite(*strike.time)))
    throw InputError("a strike's time must be finite and not before the stream's, " + number_text(now, 9) + " s, but " +
                     number_text(*strike.time, 9) + " s has passed");
}

}  // namespace

template <class T>
SoundStream<T>::SoundStream(const ReducedModel& model, const SoundWeights& weights, const SoundOptions& options)
    : impl_(make_stream<T>(model, weights, options)) {}
template <class T>
SoundStream<T>::SoundStream(SoundStream&&) noexcept = default;
template <class T>
SoundStream<T>& SoundStream<T>::operator=(SoundStream&&) noexcept = default;
template <class T>
SoundStream<T>::~SoundStream() = default;

template <class T>
std::int64_t SoundStream<T>::channels() const {
  return impl_->bank().channels();
}
template <class T>
double SoundStream<T>::rate() const {
  return impl_->rate();
}
template <class T>
const AudibleModes& SoundStream<T>::modes() const {
  return impl_->modes();
}
template <class T>
double SoundStream<T>::time() const {
  return static_cast<double>(impl_->position()) / impl_->rate();
}

template <class T>
void SoundStream<T>::strike(const Strike& strike) {
  check(strike, impl_->rows(), time());
  if (!impl_->can_hold(strike))
    throw InputError("a strike is too strong for the numbers of the stream (" + std::string(precision<T>()) +
                     "); take a smaller impulse or gain, or a longer contact");
  if (!impl_->push(strike))
    throw InputError(
        "there are as many strikes as the stream has room for; raise SoundOptions::max_strikes, or strike "
        "later");
}
template <class T>
int SoundStream<T>::strikes() const {
  return impl_->strikes();
}

template <class T>
int SoundStream<T>::add_input(std::int64_t vertex, const std::array<double, 3>& direction, VertexOf vertex_of) {
  require_vertex(vertex, vertex_of, impl_->rows());
  require_finite(direction, "the direction of an input");
  if (direction == std::array<double, 3>{}) throw InputError("the direction of an input must not be zero");
  if (!impl_->can_hold(vertex, direction, vertex_of))
    throw InputError("the direction of an input is too long for the numbers of the stream (" +
                     std::string(precision<T>()) + "); give forces in newtons along a unit vector");
  return impl_->add_input(vertex, direction, vertex_of);
}

template <class T>
void SoundStream<T>::set_weights(const SoundWeights& weights, double time) {
  if (!weights.times.empty())
    throw InputError("weights to be reached must not change by themselves; give those of one time");
  require_fitting(weights, impl_->model_modes());
  if (weights.channels != channels() || weights.signal != impl_->signal())
    throw InputError("weights to be reached must be of the stream's signal and its " + std::to_string(channels()) +
                     " channels");
  for (const double w : weights.values)
    if (!std::isfinite(w)) throw InputError("sound weights must be finite");
  if (!(time >= 0 && std::isfinite(time)))
    throw InputError("the time in which weights are reached must be finite and >= 0, not " + number_text(time, 6));
  impl_->set_weights(weights, time);
}

template <class T>
bool SoundStream<T>::process(std::span<T> out, std::span<const T> inputs) noexcept {
  const std::int64_t frames = std::ssize(out) / channels();
  if (frames * channels() != std::ssize(out) || frames * impl_->inputs() != std::ssize(inputs)) return false;
  if (!impl_->can_hold(inputs)) return false;
  impl_->run(out, inputs, false);
  return true;
}
template <class T>
bool SoundStream<T>::add(std::span<T> out, std::span<const T> inputs) noexcept {
  const std::int64_t frames = std::ssize(out) / channels();
  if (frames * channels() != std::ssize(out) || frames * impl_->inputs() != std::ssize(inputs)) return false;
  if (!impl_->can_hold(inputs)) return false;
  impl_->run(out, inputs, true);
  return true;
}

template class SoundStream<float>;
template class SoundStream<double>;

}  // namespace quartic
