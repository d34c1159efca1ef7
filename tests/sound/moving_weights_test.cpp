// Weights that change, against sums of the modes sample by sample in double.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <numbers>
#include <string>
#include <thread>
#include <vector>

#include "quartic/error.hpp"
#include "quartic/procedural.hpp"
#include "quartic/sound.hpp"
#include "sound/struck_models.hpp"
#include "support/error_message.hpp"

namespace quartic {
namespace {

using namespace test;

constexpr std::size_t frames = 1500;

/// Impulses, half sines over several changes, and the force of an input.
template <class T>
std::vector<double> played(SoundStream<T>& stream, std::size_t block = frames) {
  if (stream.time() == 0) {
    stream.strike({.vertex = 1, .impulse = {1, 2, -1}, .time = 0.3 / rate});
    stream.strike({.vertex = 2, .impulse = {0, 1, 1}, .time = 50.2 / rate, .length = 200.5 / rate});
    stream.strike({.vertex = 3, .impulse = {2, 0, 1}, .time = 120.9 / rate, .length = 0.4 / rate});
    stream.strike({.vertex = 1, .impulse = {0, 1, 0}, .time = 500.0 / rate, .length = 777.0 / rate});
    stream.add_input(3, {100, 0, -100});
  }
  const std::vector<double> force = random_numbers(frames, 3);
  std::vector<double> result;
  for (std::size_t first = 0; first < frames; first += block) {
    const std::size_t count = std::min(block, frames - first);
    const std::vector<T> part(force.begin() + static_cast<std::ptrdiff_t>(first),
                              force.begin() + static_cast<std::ptrdiff_t>(first + count));
    std::vector<T> out(count * static_cast<std::size_t>(stream.channels()));
    EXPECT_TRUE(stream.process(out, part));
    result.insert(result.end(), out.begin(), out.end());
  }
  return result;
}

/// The modes by themselves, shape (frames, k): channels of a stream whose weights don't change.
std::vector<double> modes_of(const ReducedModel& model, SoundSignal signal) {
  const std::int64_t k = std::ssize(model.eigenvalues);
  SoundWeights each{signal, k, std::vector<double>(static_cast<std::size_t>(k * k))};
  for (std::int64_t i = 0; i < k; ++i) each.values[static_cast<std::size_t>(i * k + i)] = 1;
  SoundStream<double> stream(model, each, damped());
  return played(stream);
}

/// w_ci at a time, straight from the definition.
double weight_at(const SoundWeights& weights, std::size_t entry, double time) {
  const std::size_t count = weights.values.size() / static_cast<std::size_t>(weights.moments());
  if (weights.times.empty() || time <= weights.times.front()) return weights.values[entry];
  for (std::size_t m = 1; m < weights.times.size(); ++m) {
    if (time > weights.times[m]) continue;
    const double share = (time - weights.times[m - 1]) / (weights.times[m] - weights.times[m - 1]);
    return std::lerp(weights.values[(m - 1) * count + entry], weights.values[m * count + entry], share);
  }
  return weights.values[weights.values.size() - count + entry];
}

std::vector<double> summed(const std::vector<double>& modes, const SoundWeights& weights) {
  const std::size_t k = modes.size() / frames, channels = static_cast<std::size_t>(weights.channels);
  std::vector<double> result;
  for (std::size_t n = 0; n < frames; ++n)
    for (std::size_t c = 0; c < channels; ++c) {
      double sum = 0;
      for (std::size_t i = 0; i < k; ++i)
        sum += weight_at(weights, c * k + i, static_cast<double>(n) / rate) * modes[n * k + i];
      result.push_back(sum);
    }
  return result;
}

/// Two channels at times on and between samples, some of them within one; the first moments are silent.
SoundWeights changing(SoundSignal signal) {
  SoundWeights weights{signal, 2, {}, {}};
  for (const double sample : {10.0, 33.3, 100.25, 100.5, 100.75, 101.0, 333.0, 700.1, 1400.0})
    weights.times.push_back(sample / rate);
  const std::size_t count = 2 * frequencies.size();
  weights.values = random_numbers(weights.times.size() * count, 5);
  std::fill_n(weights.values.begin(), 2 * count, 0.0);
  return weights;
}

TEST(MovingWeights, AreLinearBetweenTheirTimes) {
  const ReducedModel model = ringing_model(frequencies);
  for (const SoundSignal signal : {SoundSignal::displacement, SoundSignal::velocity, SoundSignal::acceleration}) {
    const SoundWeights weights = changing(signal);
    const std::vector<double> expected = summed(modes_of(model, signal), weights);
    for (const std::size_t block : {frames, std::size_t{64}, std::size_t{7}}) {
      SoundStream<double> doubles(model, weights, damped());
      expect_equal(played(doubles, block), expected, 1e-12);
      SoundStream<float> floats(model, weights, damped());
      expect_equal(played(floats, block), expected, 2e-6);
    }
  }
}

// The second turn begins before the first is over, and the first ends the weights' own times.
TEST(MovingWeights, TurnToNewOnesInACallback) {
  const ReducedModel model = ringing_model(frequencies);
  const std::size_t count = 2 * frequencies.size();
  const SoundWeights own = changing(SoundSignal::velocity);
  SoundWeights turns[2] = {{SoundSignal::velocity, 2, random_numbers(count, 8)},
                           {SoundSignal::velocity, 2, random_numbers(count, 9)}};
  SoundWeights whole = own;  // what is heard from start to end
  whole.times = {own.times.begin(), own.times.begin() + 6};
  whole.values.resize(6 * count);
  const auto add = [&](double sample, const std::vector<double>& values) {
    whole.times.push_back(sample / rate);
    whole.values.insert(whole.values.end(), values.begin(), values.end());
  };
  const auto at = [&](const SoundWeights& weights, double sample) {
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i) values.push_back(weight_at(weights, i, sample / rate));
    return values;
  };
  add(300, at(own, 300));
  add(300 + 441, turns[0].values);  // 10 ms
  const std::vector<double> half_way = at(whole, 600);
  whole.times.pop_back();
  whole.values.resize(7 * count);
  add(600, half_way);
  add(600 + 88.2, turns[1].values);  // 2 ms

  const std::vector<double> expected = summed(modes_of(model, SoundSignal::velocity), whole);
  const std::vector<double> force = random_numbers(frames, 3);
  SoundStream<double> stream(model, own, damped());
  std::vector<double> samples;
  stream.strike({.vertex = 1, .impulse = {1, 2, -1}, .time = 0.3 / rate});
  stream.strike({.vertex = 2, .impulse = {0, 1, 1}, .time = 50.2 / rate, .length = 200.5 / rate});
  stream.strike({.vertex = 3, .impulse = {2, 0, 1}, .time = 120.9 / rate, .length = 0.4 / rate});
  stream.strike({.vertex = 1, .impulse = {0, 1, 0}, .time = 500.0 / rate, .length = 777.0 / rate});
  stream.add_input(3, {100, 0, -100});
  for (std::size_t first = 0; first < frames; first += 100) {
    if (first == 300) {
      stream.set_weights(turns[1], 0);  // never heard: another comes before the block
      std::thread([&] { stream.set_weights(turns[0], 0.010); }).join();
    }
    if (first == 600) stream.set_weights(turns[1], 0.002);
    std::vector<double> out(200);
    ASSERT_TRUE(stream.process(out, std::span(force).subspan(first, 100)));
    samples.insert(samples.end(), out.begin(), out.end());
  }
  expect_equal(samples, expected, 1e-12);
}

TEST(MovingWeights, JumpAtOnceAndComeBackFromSilence) {
  const ReducedModel model = ringing_model({440, 1000});
  const SoundWeights silent{SoundSignal::displacement, 1, {0, 0}}, loud = constant_weights(model);
  SoundStream<float> muted(model, silent), heard(model, loud);
  std::vector<float> a(300), b(300);
  for (SoundStream<float>* stream : {&muted, &heard}) stream->strike({.vertex = 1, .impulse = {1, 1, 1}});
  ASSERT_TRUE(muted.process(a));
  ASSERT_TRUE(heard.process(b));
  EXPECT_EQ(*std::ranges::max_element(a), 0);
  muted.set_weights(loud, 0);
  ASSERT_TRUE(muted.process(a));
  ASSERT_TRUE(heard.process(b));
  EXPECT_EQ(a, b);
}

TEST(MovingWeights, AreJoinedAndStacked) {
  const SoundWeights one{SoundSignal::velocity, 1, {1, 2}}, two{SoundSignal::velocity, 1, {3, 6}};
  const double times[] = {1, 3}, other_times[] = {0, 2};
  const SoundWeights pair[] = {one, two}, swapped[] = {two, one};
  const SoundWeights left = moving_weights(times, pair), right = moving_weights(other_times, swapped);
  EXPECT_EQ(left.moments(), 2);
  EXPECT_EQ(left.values, (std::vector<double>{1, 2, 3, 6}));
  const SoundWeights parts[] = {left, one, right};
  const SoundWeights all = stacked(parts);
  EXPECT_EQ(all.channels, 3);
  EXPECT_EQ(all.times, (std::vector<double>{0, 1, 2, 3}));
  EXPECT_EQ(all.values, (std::vector<double>{1, 2, 1, 2, 3, 6, 1, 2, 1, 2, 2, 4, 2, 4, 1, 2, 1, 2, 3, 6, 1, 2, 1, 2}));
}

TEST(MovingWeights, AListenerHearsByHisDistance) {
  ReducedModel model;
  model.mesh = make_box({.length = 2, .width = 1, .height = 1}).mesh;
  std::array<double, 3> middle = {};
  for (std::size_t v = 0; v < model.mesh.vertices.size(); ++v)
    middle[v % 3] += model.mesh.vertices[v] / static_cast<double>(model.mesh.vertex_count());
  model.linear_modes = Matrix(std::ssize(model.mesh.vertices), 1);
  for (std::size_t v = 0; v < model.mesh.vertices.size(); ++v) model.linear_modes.values[v] = model.mesh.vertices[v];
  model.eigenvalues = {1e6};
  // Past the body, as near as 0.5 m, standing, and away.
  const double times[] = {0, 1, 2, 3};
  const std::array<double, 3> places[] = {{middle[0] - 40, middle[1] + 0.5, middle[2]},
                                          {middle[0] + 10, middle[1] + 0.5, middle[2]},
                                          {middle[0] + 10, middle[1] + 0.5, middle[2]},
                                          {middle[0] + 10, middle[1] + 0.5, middle[2] + 100}};
  const SoundWeights weights = listener_weights(model, times, places);
  EXPECT_EQ(weights.signal, SoundSignal::acceleration);
  EXPECT_EQ(weights.times.front(), 0);
  EXPECT_EQ(weights.times.back(), 3);
  const double unit = monopole_weights(model).values[0];
  for (double time = 0; time < 3; time += 1e-4) {
    const double x = time < 1 ? 50 * time - 40 : 10, z = time < 2 ? 0 : 100 * (time - 2);
    const double expected = unit / std::sqrt(x * x + 0.25 + z * z);
    ASSERT_NEAR(weight_at(weights, 0, time), expected, 2e-4 * std::abs(expected)) << time;
  }
  const std::array<double, 3> through[] = {{middle[0] - 1, middle[1], middle[2]},
                                           {middle[0] + 1, middle[1], middle[2]}};
  EXPECT_NE(message_of([&] { (void)listener_weights(model, std::span(times).first(2), through); }).find("around it"),
            std::string::npos);
  EXPECT_THROW((void)listener_weights(model, std::span(times).first(1), through), InputError);
}

TEST(MovingWeights, FilesHaveALinePerTime) {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& text) {
    std::ofstream(folder / "w.txt") << text;
    return read_sound_weights(folder / "w.txt");
  };
  const SoundWeights weights = read("time 0\n1 2 3\n4 5 6\n# later\nTime, 0.5\n7 8 9\n0 0 1\n");
  EXPECT_EQ(weights.channels, 2);
  EXPECT_EQ(weights.times, (std::vector<double>{0, 0.5}));
  EXPECT_EQ(weights.values, (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 1}));
  for (const char* bad :
       {"time 0\n", "time 0\n1 2\ntime 1\n", "time 0\n1 2\ntime 0\n1 2\n", "1 2\ntime 1\n1 2\n",
        "time 0\n1 2\ntime 1\n1 2\n3 4\n", "time 0\n1 2\ntime 1\n1\n", "time x\n1 2\n", "time 0 1\n1 2\n"})
    EXPECT_THROW((void)read(bad), ParseError) << bad;
}

TEST(MovingWeights, WrongOnesAreRefused) {
  const ReducedModel model = ringing_model({100, 200});
  const auto expect = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  SoundWeights weights = constant_weights(model);
  weights.times = {0, 1};
  expect(message_of([&] { const SoundStream<float> stream(model, weights); }), "2 times");
  weights.values.resize(4);
  weights.times = {1, 1};
  expect(message_of([&] { const SoundStream<float> stream(model, weights); }), "ascend");
  weights.times = {1, NAN};
  expect(message_of([&] { const SoundStream<float> stream(model, weights); }), "ascend");
  weights.times = {1, 2};
  SoundStream<float> stream(model, weights);
  const SoundWeights one = constant_weights(model);
  expect(message_of([&] { stream.set_weights(weights, 1); }), "one time");
  expect(message_of([&] { stream.set_weights({SoundSignal::velocity, 1, {1, 1}}, 1); }), "signal");
  expect(message_of([&] { stream.set_weights({SoundSignal::displacement, 2, {1, 1, 1, 1}}, 1); }), "channels");
  expect(message_of([&] { stream.set_weights({SoundSignal::displacement, 1, {1}}, 1); }), "2 modes");
  expect(message_of([&] { stream.set_weights({SoundSignal::displacement, 1, {1, INFINITY}}, 1); }), "finite");
  expect(message_of([&] { stream.set_weights(one, -1); }), ">= 0");
  const double times[] = {0, 1};
  const SoundWeights of_two_signals[] = {one, {SoundSignal::velocity, 1, {1, 1}}}, of_changing[] = {one, weights};
  expect(message_of([&] { (void)moving_weights(times, of_two_signals); }), "same signal");
  expect(message_of([&] { (void)moving_weights(times, of_changing); }), "by themselves");
  expect(message_of([&] { (void)moving_weights({}, {}); }), "one at least");
}

}  // namespace
}  // namespace quartic
