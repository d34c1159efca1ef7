// A Newmark step of one body on one thread, against the classical scheme in double in the same run (counter "ratio").
#include <benchmark/benchmark.h>

#include "measure/machine_rates.hpp"
#include "measure/samples.hpp"

namespace quartic::measure {
namespace {

template <class T>
void one_body_step(benchmark::State& state) {
  const BlasThreads blas(1);
  const QuarticEnergy energy = sample_energy(static_cast<int>(state.range(0)));
  Batch<T> body = sample_batch<T>(energy, {.threads = 1, .evaluation = Evaluation::latency});
  ClassicalScheme classical = sample_classical_body(energy);
  require_same_state(body, classical);
  const auto [baseline, ours] = compare(
      {}, [&] { classical.step(sample_dt); }, [&] { body.step(sample_dt); });
  for (auto _ : state) body.step(sample_dt);
  state.counters["ratio"] = baseline / ours;
}
BENCHMARK(one_body_step<float>)->ArgName("r")->Arg(4)->Arg(8)->Arg(12)->Arg(20)->Arg(30)->Arg(40)->Arg(60);
BENCHMARK(one_body_step<double>)->ArgName("r")->Arg(4)->Arg(8)->Arg(12)->Arg(20)->Arg(30)->Arg(40)->Arg(60);

}  // namespace
}  // namespace quartic::measure

BENCHMARK_MAIN();
