#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <queue>
#include <string>
#include <utility>

#include "core/base/memory.hpp"
#include "core/base/number_text.hpp"
#include "quartic/error.hpp"
#include "quartic/model.hpp"
#include "quartic/sketch.hpp"
#include "quartic/sound.hpp"

namespace quartic {
namespace {

constexpr std::int64_t block_frames = 1024;

double time_of(const Strike& strike) {
  return strike.time.value_or(0);
}

std::vector<Strike> in_order(std::span<const Strike> strikes) {
  std::vector<Strike> result(strikes.begin(), strikes.end());
  for (Strike& strike : result) strike.time = time_of(strike);
  std::ranges::stable_sort(result, {}, time_of);
  return result;
}

/// A recording as inputs of a stream: three forces per vertex.
class Recording {
 public:
  Recording(std::span<const RecordedLoad> loads, VertexOf vertex_of, SoundStream<double>& stream) : loads_(loads) {
    for (const RecordedLoad& load : loads) {
      if (!std::isfinite(load.time)) throw InputError("times of a recording must be finite");
      for (const VertexForce& force : load.forces) numbers_.try_emplace(force.vertex, -1);
    }
    if (!std::ranges::is_sorted(loads, {}, &RecordedLoad::time))
      throw InputError("times of a recording must ascend: forces can't go back in time");
    for (auto& [vertex, number] : numbers_) {
      number = stream.add_input(vertex, {1, 0, 0}, vertex_of);
      (void)stream.add_input(vertex, {0, 1, 0}, vertex_of);
      (void)stream.add_input(vertex, {0, 0, 1}, vertex_of);
    }
  }

  [[nodiscard]] bool ends_before(double time) const { return loads_.empty() || loads_.back().time < time; }

  /// The inputs' samples, shape (inputs, frames).
  void sample(std::int64_t first, std::int64_t frames, double rate, std::vector<double>& values) {
    values.assign(static_cast<std::size_t>(inputs() * frames), 0.0);
    for (std::int64_t n = 0; n < frames; ++n) {
      const double time = static_cast<double>(first + n) / rate;
      while (next_ < loads_.size() && loads_[next_].time <= time) ++next_;
      if (next_ == 0) continue;
      const RecordedLoad& before = loads_[next_ - 1];
      if (next_ == loads_.size()) {
        if (before.time == time) add(before, 1, n, frames, values);
        continue;
      }
      const RecordedLoad& after = loads_[next_];
      const double share = (time - before.time) / (after.time - before.time);
      add(before, 1 - share, n, frames, values);
      add(after, share, n, frames, values);
    }
  }

 private:
  [[nodiscard]] std::int64_t inputs() const { return 3 * std::ssize(numbers_); }
  void add(const RecordedLoad& load, double share, std::int64_t n, std::int64_t frames,
           std::vector<double>& values) const {
    for (const VertexForce& force : load.forces)
      for (std::size_t c = 0; c < 3; ++c)
        values[(static_cast<std::size_t>(numbers_.at(force.vertex)) + c) * static_cast<std::size_t>(frames) +
               static_cast<std::size_t>(n)] += share * force.force[c];
  }

  std::span<const RecordedLoad> loads_;
  std::map<std::int32_t, int> numbers_;  // of each vertex's first input
  std::size_t next_ = 0;
};

/// How many wait or act at once at most, with what the stream takes to let go of them. @param ordered by time
int most_at_once(std::span<const Strike> ordered, double rate) {
  std::priority_queue<double, std::vector<double>, std::greater<>> ends;
  std::size_t most = 1;
  for (const Strike& strike : ordered) {
    while (!ends.empty() && ends.top() < time_of(strike)) ends.pop();
    ends.push(time_of(strike) + strike.length + 3 / rate);
    most = std::max(most, ends.size());
  }
  return static_cast<int>(std::min<std::size_t>(most, 1000000));
}

SoundOptions with_room(SoundOptions options, std::span<const Strike> ordered) {
  if (options.max_strikes > 0) options.max_strikes = std::max(options.max_strikes, most_at_once(ordered, options.rate));
  return options;
}

std::int64_t frame_count(double duration, const SoundOptions& options) {
  if (!(duration > 0 && std::isfinite(duration)))
    throw InputError("the duration of a sound must be finite and > 0, not " + number_text(duration, 6));
  const double frames = std::ceil(duration * options.rate * (1 - 1e-12));
  if (!(frames < 1e15)) throw InputError("a sound of " + number_text(duration, 6) + " s doesn't fit into memory");
  return static_cast<std::int64_t>(frames);
}

}  // namespace

Sound render_sound(const ReducedModel& model, std::span<const Strike> strikes, double duration,
                   const SoundWeights& weights, const SoundOptions& options, std::span<const RecordedLoad> recording,
                   VertexOf recording_of) {
  if (strikes.empty() && recording.empty()) throw InputError("nothing sounds without a strike or a recorded force");
  const std::vector<Strike> ordered = in_order(strikes);
  const SoundOptions roomy = with_room(options, ordered);
  SoundStream<double> stream(model, weights, roomy);
  Sound sound{.rate = options.rate, .channels = stream.channels(), .samples = {}, .modes = stream.modes()};
  const std::int64_t frames = frame_count(duration, options);
  require_memory(static_cast<double>(frames * sound.channels) * sizeof(float),
                 "the samples of a sound of " + number_text(duration, 6) + " s", "make it shorter, or stream it");
  sound.samples.reserve(static_cast<std::size_t>(frames * sound.channels));
  Recording forces(recording, recording_of, stream);
  std::size_t next = 0;
  std::vector<double> out, inputs;
  for (std::int64_t first = 0; first < frames;) {
    std::int64_t count = std::min(block_frames, frames - first);
    const double end = static_cast<double>(first + count) / options.rate;
    for (; next < ordered.size() && time_of(ordered[next]) < end && stream.strikes() < roomy.max_strikes; ++next)
      stream.strike(ordered[next]);
    if (next < ordered.size() && time_of(ordered[next]) < end) {  // no room: until the next one, when others are over
      const auto until = static_cast<std::int64_t>(std::floor(time_of(ordered[next]) * options.rate)) - first;
      if (until <= 0) stream.strike(ordered[next]);  // throws that there isn't
      count = std::min(count, until);
    }
    out.resize(static_cast<std::size_t>(count * sound.channels));
    forces.sample(first, count, options.rate, inputs);
    if (!stream.process(out, inputs))
      throw InputError("recorded forces from " + number_text(static_cast<double>(first) / options.rate, 6) +
                       " s on aren't finite, or too large for their sound to be");
    for (const double x : out) sound.samples.push_back(static_cast<float>(x));
    first += count;
  }
  return sound;
}

double normalize(Sound& sound, double peak) {
  if (!(peak > 0 && std::isfinite(peak))) throw InputError("the peak of a sound must be finite and > 0");
  double largest = 0;
  for (const float x : sound.samples) largest = std::max(largest, std::abs(double{x}));
  if (largest == 0) return 1;
  for (float& x : sound.samples) x = static_cast<float>(double{x} * (peak / largest));
  return peak / largest;
}

}  // namespace quartic
