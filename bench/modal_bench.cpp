// Modal bodies and sound, in ratios to this machine's own rates and to what others do, in the same run and on one core.
//
// modal_step: "share_of_copy" is the time in which as many bytes would be copied over that of a step, of k B modes.
// modal_and_newmark: how many exact steps of 30 modes fit into a step of a reduced body of rank 30, both of 1024
// bodies. ringing, driven: mode samples per second of a block of 256, over those of a bank of biquads whose inner loop
// runs over modes; "share_of_fma" counts 4 flops per mode sample of what rings. latency: a block of 256 samples of
// 20,000 ringing modes at 44.1 kHz, by the 99.9th percentile of 5,000 blocks, as a share of the 5.8 ms that it lasts.
// exponential_step: the time of a nonlinear sample of 1024 bodies over that of a Newmark step of one iteration.
// receiver: as modal_step, of the bytes that steps read and write; checksums of packets are in the time.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "measure/machine_rates.hpp"
#include "measure/timing.hpp"
#include "quartic/batch.hpp"
#include "quartic/energy.hpp"
#include "quartic/exponential.hpp"
#include "quartic/modal_batch.hpp"
#include "quartic/model.hpp"
#include "quartic/sound.hpp"
#include "quartic/streaming.hpp"

namespace quartic::measure {
namespace {

// Many short rounds: some of them are left alone by other work on the machine.
constexpr Effort effort{.rounds = 100, .seconds = 0.002};
constexpr std::size_t block = 256;
constexpr double rate = 44100;

std::vector<double> eigenvalues(std::int64_t modes) {
  std::vector<double> result;
  for (std::int64_t i = 0; i < modes; ++i) {
    const double frequency = 50 + 15000.0 * static_cast<double>(i) / static_cast<double>(modes);
    result.push_back(std::pow(2 * std::numbers::pi * frequency, 2));
  }
  return result;
}

void modal_step(benchmark::State& state) {
  const std::int64_t modes = state.range(0), bodies = state.range(1);
  ModalBatch<float> batch(eigenvalues(modes),
                          {.bodies = bodies, .rayleigh_mass = 1, .damping_ratios = {}, .threads = 1});
  for (std::int64_t i = 0; i < modes; ++i)
    for (std::int64_t b = 0; b < bodies; ++b) batch.q()(i, b) = 1, batch.force()(i, b) = 0.5F;
  const auto step = [&] { batch.step(1e-3); };
  const double seconds = seconds_per_call(effort, step);
  for (auto _ : state) step();
  const double bytes = 20.0 * static_cast<double>(modes * bodies);  // reads q, v, f; writes q, v
  state.counters["share_of_copy"] = bytes / copy_rate(1, effort) / seconds;
}
BENCHMARK(modal_step)->ArgNames({"k", "B"})->Args({30, 400'000})->Args({100, 100'000})->Unit(benchmark::kMillisecond);

void modal_and_newmark(benchmark::State& state) {
  constexpr int rank = 30;
  constexpr std::int64_t bodies = 1024;
  QuarticEnergy energy{.rank = rank, .coefficients = {}};
  for (int a = 0; a <= rank; ++a)
    for (int b = a; b <= rank; ++b)
      for (int c = b; c <= rank; ++c)
        for (int d = c; d <= rank; ++d) energy.coefficients.push_back(a == 0 && b == 0 && c == d && c > 0 ? 2 : 1e-6);
  Batch<float> reduced(energy, {.bodies = bodies, .threads = 1});
  ModalBatch<float> modal(eigenvalues(rank), {.bodies = bodies, .damping_ratios = {}, .threads = 1});
  const auto [newmark, exact] = compare(
      effort, [&] { reduced.step(1e-3); }, [&] { modal.step(1e-3); });
  for (auto _ : state) modal.step(1e-3);
  state.counters["times_as_fast"] = newmark / exact;
}
BENCHMARK(modal_and_newmark)->Unit(benchmark::kMicrosecond);

ReducedModel ringing_model(std::int64_t modes) {
  ReducedModel model;
  model.mesh.vertices = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  model.mesh.blocks = {{ElementType::tet4, {0, 1, 2, 3}}};
  model.eigenvalues = eigenvalues(modes);
  model.linear_modes = Matrix(12, modes);
  std::mt19937 engine(1);
  for (double& x : model.linear_modes.values) x = std::uniform_real_distribution(-1.0, 1.0)(engine);
  return model;
}

/// A bank of two-pole filters, all of whose modes take a step before the next sample: the loop that compilers make
/// vectors of.
struct BiquadBank {
  std::vector<float> first, second, gain, before, last;
  explicit BiquadBank(const std::vector<double>& lambda) {
    for (const double l : lambda) {
      const double decay = std::exp(-1 / rate);
      first.push_back(static_cast<float>(2 * decay * std::cos(std::sqrt(l) / rate)));
      second.push_back(static_cast<float>(-decay * decay));
      gain.push_back(0.1F), before.push_back(0), last.push_back(1);
    }
  }
  void process(std::vector<float>& out, const std::vector<float>& in) {
    for (std::size_t n = 0; n < out.size(); ++n) {
      float sum = 0;
      for (std::size_t i = 0; i < first.size(); ++i) {
        const float y = first[i] * last[i] + second[i] * before[i] + in[n];
        before[i] = last[i], last[i] = y;
        sum += gain[i] * y;
      }
      out[n] = sum;
    }
  }
};

void sound(benchmark::State& state) {
  const std::int64_t modes = state.range(0);
  const bool is_driven = state.range(1) == 1;
  const ReducedModel model = ringing_model(modes);
  SoundStream<float> stream(model, constant_weights(model), {.rate = rate, .damping = {.mass = 2}});
  stream.strike({.vertex = 1, .impulse = {1, 1, 1}});
  if (is_driven) stream.add_input(2, {1, 0, 0});
  BiquadBank biquads(model.eigenvalues);
  std::vector<float> out(block), in(block, 1e-3F), inputs(is_driven ? block : 0, 1e-3F);
  const auto [bank, own] = compare(
      effort, [&] { biquads.process(out, in); }, [&] { stream.process(out, inputs); });
  for (auto _ : state) stream.process(out, inputs);
  const double samples = static_cast<double>(modes) * static_cast<double>(block);
  state.counters["times_biquads"] = bank / own;
  state.counters["G mode samples/s"] = samples / own / 1e9;
  if (!is_driven) state.counters["share_of_fma"] = 4 * samples / own / multiply_add_rate<float>(1, effort);
}
BENCHMARK(sound)->ArgNames({"k", "driven"})->ArgsProduct({{100, 1000, 20'000}, {0, 1}})->Unit(benchmark::kMicrosecond);

void latency(benchmark::State& state) {
  const ReducedModel model = ringing_model(20'000);
  SoundStream<float> stream(model, constant_weights(model), {.rate = rate, .damping = {.mass = 2}, .max_strikes = 4});
  stream.strike({.vertex = 1, .impulse = {1, 1, 1}});
  std::vector<float> out(block);
  std::vector<double> seconds;
  for (auto _ : state)
    for (int n = 0; n < 5000; ++n) {
      const auto start = Clock::now();
      stream.process(out);
      seconds.push_back(seconds_since(start));
    }
  std::ranges::sort(seconds);
  const double lasts = static_cast<double>(block) / rate;
  state.counters["share_p99.9"] = percentile(seconds, 0.999) / lasts;
  state.counters["share_p50"] = percentile(seconds, 0.5) / lasts;
}
BENCHMARK(latency)->Iterations(1)->Unit(benchmark::kMillisecond);

QuarticEnergy coupled_energy(int rank) {
  QuarticEnergy energy{.rank = rank, .coefficients = {}};
  for (int a = 0; a <= rank; ++a)
    for (int b = a; b <= rank; ++b)
      for (int c = b; c <= rank; ++c)
        for (int d = c; d <= rank; ++d)
          energy.coefficients.push_back(a == 0 && b == 0 && c == d && c > 0 ? 2 * std::pow(10.0, c)
                                        : b == 0                            ? 0
                                                                            : 1e-6);
  return energy;
}

void exponential_step(benchmark::State& state) {
  const auto rank = static_cast<int>(state.range(0));
  constexpr std::int64_t bodies = 1024;
  const QuarticEnergy energy = coupled_energy(rank);
  Batch<float> reduced(energy, {.bodies = bodies, .threads = 1});
  ExponentialBatch<float> batch(energy, {.bodies = bodies, .threads = 1});
  constexpr double h = 1 / rate;
  constexpr int steps = 16;  // a block's, for which states are turned once
  const auto [newmark, exponential] = compare(
      effort, [&] { reduced.step(steps * h, steps); }, [&] { batch.step(steps * h, steps); });
  for (auto _ : state) batch.step(steps * h, steps);
  state.counters["oscillators"] = batch.oscillators(h);
  state.counters["of_newmark"] = exponential / newmark;
}
BENCHMARK(exponential_step)->ArgName("r")->Arg(14)->Arg(20)->Unit(benchmark::kMicrosecond);

void receiver(benchmark::State& state) {
  const std::int64_t modes = state.range(0), bodies = state.range(1);
  constexpr int steps = 32;
  ModalBatch<double> motion(eigenvalues(modes), {.bodies = bodies, .damping_ratios = {}, .threads = 1});
  AccelerationSender sender(modes, bodies,
                            {.rule = difference_rule,
                             .type = AccelerationType::fp64,
                             .closed_loop = true,
                             .history = 0,
                             .most_bytes = 1 << 26});
  std::vector<Packet> packets;
  for (int n = 0; n <= steps; ++n) {
    for (const Packet& packet : sender.send(motion)) packets.push_back(packet);
    motion.step(sender.options().step);
  }
  const auto run = [&] {
    AccelerationReceiver receiver(modes, bodies, {.window = 2});
    for (const Packet& packet : packets) {
      receiver.receive(packet);
      if (receiver.latest() > receiver.step()) receiver.advance();
    }
    benchmark::DoNotOptimize(receiver.q().data[0]);
  };
  const double seconds = seconds_per_call(effort, run);
  for (auto _ : state) run();
  // Reads a packet, writes its step; reads q, v, a, a'; writes q, v, a.
  const double bytes = (16.0 + 56.0) * static_cast<double>(modes * bodies * steps);
  state.counters["share_of_copy"] = bytes / copy_rate(1, effort) / seconds;
}
BENCHMARK(receiver)->ArgNames({"k", "B"})->Args({30, 20'000})->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace quartic::measure

BENCHMARK_MAIN();
