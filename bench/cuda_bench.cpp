// Batches on a CUDA device: bodies per second, and the share of what the device can do in the same run.
//
//   build/cuda/cuda_bench --benchmark_filter=float/r:20 --benchmark_out=result.json
//
// Entries `step/PRECISION` are steps of a batch by Evaluation::strict as the library chooses its kernels; `fused_step`
// all steps in one kernel, `unfused_step` two kernels per step; `tensor_step` etc. the other evaluations; `free_step`
// steps of flying bodies. `pipeline` is the baseline, the same steps put together from NVIDIA's libraries
// (library_pipeline.hpp).
//
// Counters: `bodies/s` steps of bodies per second; `over_pipeline` those over the baseline's; `of_fma` multiply-adds
// that the method needs, (r+1)(r+2)/2 for each of r(r+1)/2 + r entries of H, r^3/6 for the factor and r^2 for the
// solution, over those that the device does in the same time; `of_tensor` for steps on tensor cores those of the
// products alone, sixfold in `float`, over those that tensor cores do on bfloat16 or `double`; `GHz` the clock at which
// multiply-adds ran; `of_strict` the time of a step over that of a strict one of held bodies; `of_copy` bytes written
// over those that a copy within the device's memory moves.
#include <benchmark/benchmark.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "cuda_rates.hpp"
#include "line_reporter.hpp"
#include "measure/samples.hpp"
#include "pipeline_rate.hpp"
#include "quartic/cuda.hpp"

namespace quartic {
namespace {

void check(cudaError_t result) {
  if (result != cudaSuccess) throw std::runtime_error(cudaGetErrorString(result));
}

cudaStream_t stream() {
  static const cudaStream_t value = [] {
    cudaStream_t s = nullptr;
    check(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    return s;
  }();
  return value;
}

// Seconds that the device takes for what `work` starts in the stream.
double device_seconds(const std::function<void()>& work) {
  static const std::vector<cudaEvent_t> events = [] {
    std::vector<cudaEvent_t> made(2);
    for (cudaEvent_t& event : made) check(cudaEventCreate(&event));
    return made;
  }();
  check(cudaEventRecord(events[0], stream()));
  work();
  check(cudaEventRecord(events[1], stream()));
  check(cudaEventSynchronize(events[1]));
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, events[0], events[1]));
  return 1e-3 * double{milliseconds};
}

template <class T>
std::unique_ptr<T, decltype(&cudaFree)> device_array(std::int64_t size) {
  void* data = nullptr;
  check(cudaMalloc(&data, static_cast<std::size_t>(size) * sizeof(T)));
  return {static_cast<T*>(data), &cudaFree};
}

// Multiply-adds per second, and the multiprocessors' clock meanwhile [GHz].
struct Rate {
  double multiply_adds = 0, clock = 0;
};

// The best of some runs of `start`.
template <class T, class Start>
Rate best_rate(const Start& start) {
  int multiprocessors = 0;
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  const auto result = device_array<T>(measure::multiply_add_results(multiprocessors));
  const auto cycles = device_array<long long>(1);
  Rate best;
  for (int n = 0; n < 5; ++n) {
    std::int64_t count = 0;
    const double seconds =
        device_seconds([&] { count = start(result.get(), cycles.get(), multiprocessors, stream()); });
    if (static_cast<double>(count) / seconds < best.multiply_adds) continue;
    long long counted = 0;
    check(cudaMemcpy(&counted, cycles.get(), sizeof(counted), cudaMemcpyDeviceToHost));
    best = {static_cast<double>(count) / seconds, 1e-9 * static_cast<double>(counted) / seconds};
  }
  return best;
}
template <class T>
const Rate& multiply_add_rate() {
  static const Rate rate = best_rate<T>(measure::start_multiply_adds<T>);
  return rate;
}
template <class T>
const Rate& tensor_rate() {
  static const Rate rate = best_rate<T>(measure::start_tensor_multiply_adds<T>);
  return rate;
}

// Bytes per second that a copy reads and writes together.
double copy_rate() {
  static const double rate = [] {
    const char* megabytes = std::getenv("QUARTIC_BENCH_COPY_MB");  // an emulated device wants less
    const std::int64_t bytes = (megabytes != nullptr ? std::atoll(megabytes) : 1024) << 20;
    const auto from = device_array<char>(bytes), to = device_array<char>(bytes);
    check(cudaMemsetAsync(from.get(), 0, static_cast<std::size_t>(bytes), stream()));
    double best = 0;
    for (int n = 0; n < 5; ++n) {
      const double seconds = device_seconds([&] {
        check(
            cudaMemcpyAsync(to.get(), from.get(), static_cast<std::size_t>(bytes), cudaMemcpyDeviceToDevice, stream()));
      });
      best = std::max(best, 2.0 * static_cast<double>(bytes) / seconds);
    }
    return best;
  }();
  return rate;
}

double product_multiply_adds(double r) {
  return (r * (r + 1) / 2 + r) * (r + 1) * (r + 2) / 2;
}
double step_multiply_adds(double r) {
  return product_multiply_adds(r) + r * r * r / 6 + r * r;
}

constexpr int substeps = 8;

template <class T>
const measure::PipelineRate& baseline(int rank, std::int64_t bodies) {
  return measure::pipeline_rate<T>(rank, bodies, substeps, stream(), device_seconds);
}

// Reports what was measured once, also for the steps that are compared with it.
template <class T>
void pipeline(benchmark::State& state) {
  const int rank = static_cast<int>(state.range(0));
  const std::int64_t bodies = state.range(1);
  const measure::PipelineRate& found = baseline<T>(rank, bodies);
  if (!found.missing.empty()) return state.SkipWithError(found.missing.c_str());
  const double rate = found.bodies_per_second;
  for (auto _ : state) state.SetIterationTime(static_cast<double>(bodies * substeps) / rate);
  state.counters["bodies/s"] = rate;
  state.counters["of_fma"] = rate * step_multiply_adds(rank) / multiply_add_rate<T>().multiply_adds;
}

// Sets QUARTIC_CUDA_FUSED, which a batch reads when it is made, while it lives.
class FusedSetting {
 public:
  explicit FusedSetting(const char* value) : is_set_(value != nullptr) {
    if (is_set_) setenv(name, value, 1);
  }
  ~FusedSetting() {
    if (is_set_) unsetenv(name);
  }
  FusedSetting(const FusedSetting&) = delete;
  FusedSetting& operator=(const FusedSetting&) = delete;

 private:
  static constexpr const char* name = "QUARTIC_CUDA_FUSED";
  bool is_set_;
};

constexpr int ranks[] = {12, 20, 30, 40, 60};
constexpr int all_counts[] = {1, 64, 1024, 4096, 16384, 65536}, some_counts[] = {64, 4096, 65536},
              few_counts[] = {1, 8, 64};

// A way to step a batch.
struct Variant {
  const char* name;
  Evaluation evaluation;
  const char* fused;  // for QUARTIC_CUDA_FUSED; null: the library's rule
  int largest_rank;   // of those above
  std::span<const int> body_counts;
  bool flies = false;  // free bodies, beside held ones of `step`
};
template <class T>
constexpr bool single = std::is_same_v<T, float>;
template <class T>
constexpr Variant variants[] = {
    {"step", Evaluation::strict, nullptr, 60, all_counts},
    {"fused_step", Evaluation::strict, "1", single<T> ? 40 : 32, all_counts},
    {"unfused_step", Evaluation::strict, "0", 60, all_counts},
    {"tensor_step", Evaluation::tensor, nullptr, 60, some_counts},
    {"cublas_step", Evaluation::cublas, nullptr, 60, some_counts},
    {"latency_step", Evaluation::latency, nullptr, 60, few_counts},
    {"free_step", Evaluation::strict, nullptr, 60, some_counts, true},
    {"accurate_step", Evaluation::accurate, nullptr, single<T> ? 60 : 0, some_counts},
};

template <class T>
Batch<T> moving_batch(const BodyGroup& group, Evaluation evaluation, const char* fused) {
  const FusedSetting setting(fused);
  Batch<T> batch({group}, {.evaluation = evaluation, .backend = Backend::cuda});
  for (std::int64_t b = 0; b < group.bodies; ++b) batch.force()(0, b) = static_cast<T>(b % 7);
  cuda::send(batch, stream());
  for (int n = 0; n < 3; ++n) cuda::step(batch, measure::sample_dt, substeps, stream());  // the second makes a graph
  return batch;
}

template <class T>
void step(benchmark::State& state, const Variant& variant) {
  const int rank = static_cast<int>(state.range(0));
  const std::int64_t bodies = state.range(1);
  const Evaluation evaluation = variant.evaluation;
  BodyGroup group = evaluation == Evaluation::accurate ? measure::sample_strain_group(rank, bodies)
                                                       : BodyGroup{measure::sample_energy(rank), bodies, {}};
  if (variant.flies) group.frame = measure::sample_frame(rank);
  Batch<T> batch = moving_batch<T>(group, evaluation, variant.fused);
  const auto once = [&] { cuda::step(batch, measure::sample_dt, substeps, stream()); };
  double seconds = 0;
  for (auto _ : state) {
    const double taken = device_seconds(once);
    state.SetIterationTime(taken);
    seconds += taken;
  }
  const double steps = static_cast<double>(state.iterations()) * static_cast<double>(bodies * substeps);
  state.counters["bodies/s"] = steps / seconds;
  if (const measure::PipelineRate& other = baseline<T>(rank, bodies); other.missing.empty())
    state.counters["over_pipeline"] = steps / seconds / other.bodies_per_second;
  state.counters["of_fma"] = steps * step_multiply_adds(rank) / seconds / multiply_add_rate<T>().multiply_adds;
  state.counters["GHz"] = multiply_add_rate<T>().clock;
  if (evaluation == Evaluation::tensor) {
    const double products = std::is_same_v<T, float> ? 6 : 1;
    state.counters["of_tensor"] =
        steps * products * product_multiply_adds(rank) / seconds / tensor_rate<T>().multiply_adds;
  }
  if (evaluation == Evaluation::strict && !variant.flies) return;
  group.frame.reset();
  Batch<T> strict = moving_batch<T>(group, Evaluation::strict, nullptr);
  double best = device_seconds([&] { cuda::step(strict, measure::sample_dt, substeps, stream()); });
  for (int n = 0; n < 10; ++n)
    best = std::min(best, device_seconds([&] { cuda::step(strict, measure::sample_dt, substeps, stream()); }));
  state.counters["of_strict"] = seconds / static_cast<double>(state.iterations()) / best;
}

void positions(benchmark::State& state, cuda::BasisPrecision precision) {
  const std::int64_t rank = state.range(0), bodies = state.range(1), vertices = state.range(2);
  const Matrix basis = [&] {
    Matrix u(3 * vertices, rank);
    for (std::size_t n = 0; n < u.values.size(); ++n) u.values[n] = 1e-3 * static_cast<double>(n % 1000);
    return u;
  }();
  const cuda::Embedding embedding(basis.map(), std::vector<double>(static_cast<std::size_t>(3 * vertices)),
                                  {.precision = precision});
  Batch<float> batch(measure::sample_energy(static_cast<int>(rank)), {.bodies = bodies, .backend = Backend::cuda});
  const auto out = device_array<float>(3 * vertices * bodies);
  const StateView<const float> q = cuda::device_state(batch).q;
  const auto once = [&] { embedding.positions(q, {out.get(), bodies, vertices, 3 * vertices, 3}, stream()); };
  once();
  double seconds = 0;
  for (auto _ : state) {
    const double taken = device_seconds(once);
    state.SetIterationTime(taken);
    seconds += taken;
  }
  const double count = static_cast<double>(state.iterations());
  state.counters["bodies/s"] = count * static_cast<double>(bodies) / seconds;
  state.counters["of_copy"] = count * static_cast<double>(12 * vertices * bodies) / seconds / copy_rate();
}

template <class T>
void register_steps(const std::string& precision) {
  for (const int rank : ranks)
    for (const int bodies : all_counts)
      benchmark::RegisterBenchmark(("pipeline/" + precision).c_str(), measure::guarded(pipeline<T>))
          ->ArgNames({"r", "B"})
          ->Args({rank, bodies})
          ->Iterations(1)
          ->UseManualTime();
  for (const Variant& variant : variants<T>)
    for (const int rank : ranks) {
      if (rank > variant.largest_rank) continue;
      for (const int bodies : variant.body_counts)
        benchmark::RegisterBenchmark((variant.name + ("/" + precision)).c_str(), measure::guarded(step<T>), variant)
            ->ArgNames({"r", "B"})
            ->Args({rank, bodies})
            ->UseManualTime();
    }
}

void register_all() {
  register_steps<float>("float");
  register_steps<double>("double");
  for (const auto& [name, precision] : {std::pair{"positions/float", cuda::BasisPrecision::single},
                                        std::pair{"positions/half", cuda::BasisPrecision::half}})
    for (const std::vector<std::int64_t>& size :
         {std::vector<std::int64_t>{20, 4096, 1000}, {30, 4096, 1000}, {20, 64, 50000}, {20, 1, 50000}})
      benchmark::RegisterBenchmark(name, measure::guarded(positions), precision)
          ->ArgNames({"r", "B", "vertices"})
          ->Args(size)
          ->UseManualTime();
}

}  // namespace
}  // namespace quartic

int main(int argument_count, char** arguments) try {
  if (!quartic::measure::device_is_there("cuda_bench")) return 0;
  cudaDeviceProp device = {};
  quartic::check(cudaGetDeviceProperties(&device, 0));
  benchmark::AddCustomContext("device", device.name);
  quartic::register_all();
  benchmark::Initialize(&argument_count, arguments);
  if (benchmark::ReportUnrecognizedArguments(argument_count, arguments)) return 1;
  quartic::measure::LineReporter reporter(device.name);
  benchmark::RunSpecifiedBenchmarks(&reporter);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "cuda_bench: %s\n", error.what());
  return 1;
}
