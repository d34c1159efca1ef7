// Newmark steps of many bodies on one thread, strict, with forces from strains, and with a chamber. Counters, all from
// the same run: "ratio", how many bodies are stepped in the time in which the classical scheme in double steps one; the
// rate of the evaluation's floating-point operations (the rest of the step counted as overhead) as a share of that of
// multiply-adds on registers, and of a large matrix product in the same precision.
#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "measure/machine_rates.hpp"
#include "measure/samples.hpp"

namespace quartic::measure {
namespace {

constexpr int gemm_size = 1024;

template <class T>
void newmark_step(benchmark::State& state) {
  const BlasThreads blas(1);
  const int rank = static_cast<int>(state.range(0));
  const QuarticEnergy energy = sample_energy(rank);
  Batch<T> batch = sample_batch<T>(energy, {.bodies = state.range(1), .threads = 1});
  ClassicalScheme classical = sample_classical_body(energy);
  require_same_state(batch, classical);
  const auto [baseline, step] = compare(
      {}, [&] { classical.step(sample_dt); }, [&] { batch.step(sample_dt); });
  const double ours = step / static_cast<double>(batch.bodies());
  for (auto _ : state) batch.step(sample_dt);
  state.counters["ratio"] = baseline / ours;
  state.counters["share_of_multiply_adds"] = evaluation_flops(rank) / ours / multiply_add_rate<T>(1, {});
  state.counters["share_of_gemm"] = evaluation_flops(rank) / ours / gemm_rate<T>(1, gemm_size, {});
}
BENCHMARK(newmark_step<float>)->ArgNames({"r", "B"})->ArgsProduct({{12, 20, 30}, {1024}});
BENCHMARK(newmark_step<double>)->ArgNames({"r", "B"})->ArgsProduct({{12, 20, 30}, {1024}});

// Counter "ratio": the time of a strict step over that with forces from strains, in float.
void accurate_step(benchmark::State& state) {
  const BodyGroup group = sample_strain_group(static_cast<int>(state.range(0)), state.range(1));
  Batch<float> accurate({group}, {.threads = 1, .evaluation = Evaluation::accurate});
  Batch<float> strict(group.energy, {.bodies = group.bodies, .threads = 1});
  const auto [with_strains, without] = compare(
      {}, [&] { accurate.step(sample_dt); }, [&] { strict.step(sample_dt); });
  for (auto _ : state) accurate.step(sample_dt);
  state.counters["ratio"] = without / with_strains;
}
BENCHMARK(accurate_step)->ArgNames({"r", "B"})->ArgsProduct({{12, 20, 30}, {1024}});

// Counter "ratio": the time of a strict step under pressure in a chamber over that of bodies without, in float.
void chamber_step(benchmark::State& state) {
  const int rank = static_cast<int>(state.range(0));
  const BodyGroup plain{.energy = sample_energy(rank), .bodies = state.range(1)};
  BodyGroup hollow = plain;
  EnclosedVolume volume{.rank = rank};
  for (std::int64_t i = 0; i < cubic_coefficient_count(rank); ++i)
    volume.coefficients.push_back(std::sin(static_cast<double>(i)));
  hollow.chambers = {volume};
  Batch<float> under_pressure({hollow}, {.threads = 1}), without({plain}, {.threads = 1});
  const std::vector<double> pressures(static_cast<std::size_t>(plain.bodies), 1e-3);  // [Pa]: below their stiffness
  under_pressure.set_pressure(pressures);
  const auto [baseline, step] = compare(
      {}, [&] { without.step(sample_dt); }, [&] { under_pressure.step(sample_dt); });
  for (auto _ : state) under_pressure.step(sample_dt);
  state.counters["ratio"] = step / baseline;
}
BENCHMARK(chamber_step)->ArgNames({"r", "B"})->ArgsProduct({{12, 20, 30}, {1024}});

}  // namespace
}  // namespace quartic::measure

BENCHMARK_MAIN();
