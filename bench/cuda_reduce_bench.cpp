// Precomputation on a CUDA device, stage by stage, over the CPU in the same run.
//
//   build/cuda/cuda_reduce_bench --benchmark_out=result.json
//
// A beam of tetrahedra, a million of them; QUARTIC_BENCH_TETRAHEDRA says otherwise. Counters: `over_cpu` seconds on the
// CPU over those on the device; `of_copy` bytes that a sparse product reads and writes, X and Y once, over those that a
// copy within the device's memory moves in the same time; `over_cusparse` time of cusparseSpMM, in blocks of 3 x 3 or
// in rows of numbers, whichever is quicker, over that of our product; `of_syrk` the flops of the Gram matrix' triangle
// that a reduction needs over those of a large dsyrk on the device in the same time.
#include <benchmark/benchmark.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "cuda/algebra/sparse_matrix.hpp"
#include "library_sparse_product.hpp"
#include "line_reporter.hpp"
#include "measure/samples.hpp"
#include "quartic/energy.hpp"
#include "quartic/error.hpp"
#include "quartic/modes.hpp"
#include "quartic/procedural.hpp"

namespace quartic {
namespace {

constexpr int mode_count = 20;

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Six tetrahedra in each of 4 c^3 cells.
const ProceduralMesh& body() {
  static const ProceduralMesh mesh = [] {
    const char* wanted = std::getenv("QUARTIC_BENCH_TETRAHEDRA");  // an emulated device wants fewer
    const double tetrahedra = wanted != nullptr ? std::atof(wanted) : 1e6;
    const int c = std::max(1, static_cast<int>(std::lround(std::cbrt(tetrahedra / 24))));
    return make_box({.length = 1,
                     .width = 0.25,
                     .height = 0.25,
                     .cells_x = 4 * c,
                     .cells_y = c,
                     .cells_z = c,
                     .type = ElementType::tet4});
  }();
  return mesh;
}

const SparseMatrix& stiffness() {
  static const SparseMatrix matrix = stiffness_matrix(body().mesh);
  return matrix;
}
const SparseMatrix& mass() {
  static const SparseMatrix matrix = mass_matrix(body().mesh);
  return matrix;
}

// What earlier stages leave for later ones. Time of analysis and factor together.
struct Factored {
  std::optional<ElasticSystem> system;
  double seconds = 0;
};
const Factored& factored(Backend backend) {
  static std::map<Backend, Factored> all;
  Factored& result = all[backend];
  if (result.system) return result;
  const auto make = [&] {
    result.system.emplace(stiffness(), mass(), body().fixed_vertices, Matrix(),
                          FactorizationOptions{.backend = backend});
  };
  if (backend == Backend::cuda) make();  // libraries and kernels are loaded the first time
  result.seconds = seconds_of(make);
  return result;
}

// Runs a stage once on the CPU, then on the device as often as it is asked for, after a first time that doesn't count.
// Returns the seconds of a run on the device.
double compare(benchmark::State& state, const std::function<double(Backend)>& seconds) {
  const double on_cpu = seconds(Backend::cpu);
  static_cast<void>(seconds(Backend::cuda));
  double on_device = 0;
  for (auto _ : state) {
    const double taken = seconds(Backend::cuda);
    state.SetIterationTime(taken);
    on_device += taken;
  }
  on_device /= static_cast<double>(state.iterations());
  state.counters["over_cpu"] = on_cpu / on_device;
  return on_device;
}

void name_factors(benchmark::State& state) {
  state.SetLabel(std::string(factored(Backend::cuda).system->factorization_name()) + " over " +
                 std::string(factored(Backend::cpu).system->factorization_name()));
}

void factorisation(benchmark::State& state) {
  compare(state, [](Backend backend) { return factored(backend).seconds; });
  name_factors(state);
}

void modes(benchmark::State& state, ModesMethod method) {
  compare(state, [&](Backend backend) {
    const ElasticSystem& system = *factored(backend).system;
    return seconds_of(
        [&] { benchmark::DoNotOptimize(linear_modes(system, {.count = mode_count, .method = method}).solves); });
  });
  name_factors(state);
}

// All pairs of a few modes: right-hand sides and solves.
void derivatives(benchmark::State& state) {
  static const LinearModes found = linear_modes(*factored(Backend::cpu).system, {.count = 8});
  compare(state, [](Backend backend) {
    const ElasticSystem& system = *factored(backend).system;
    return seconds_of([&] {
      benchmark::DoNotOptimize(modal_derivatives(body().mesh, system, found.vectors.map()).vectors.values.data());
    });
  });
  name_factors(state);
}

// K and M.
void assembly(benchmark::State& state) {
  compare(state, [](Backend backend) {
    return seconds_of([&] {
      benchmark::DoNotOptimize(stiffness_matrix(body().mesh, backend).values.data());
      benchmark::DoNotOptimize(mass_matrix(body().mesh, MassMatrix::consistent, backend).values.data());
    });
  });
}

// The right-hand sides of the derivatives alone.
void second_derivatives(benchmark::State& state) {
  static const Matrix fields = measure::sample_basis(body().mesh, 8);
  static const std::vector<std::array<int, 2>> pairs = [] {
    std::vector<std::array<int, 2>> list;
    for (int i = 0; i < 8; ++i)
      for (int j = i; j < 8; ++j) list.push_back({i, j});
    return list;
  }();
  compare(state, [](Backend backend) {
    return seconds_of(
        [&] { benchmark::DoNotOptimize(force_hessian(body().mesh, fields.map(), pairs, backend).values.data()); });
  });
}

class DeviceClock {
 public:
  explicit DeviceClock(cudaStream_t stream) : stream_(stream) {
    cuda::check(cudaEventCreate(&start_), "create an event");
    cuda::check(cudaEventCreate(&end_), "create an event");
  }
  ~DeviceClock() {
    cudaEventDestroy(start_);
    cudaEventDestroy(end_);
  }
  DeviceClock(const DeviceClock&) = delete;
  DeviceClock& operator=(const DeviceClock&) = delete;
  [[nodiscard]] double seconds(const std::function<void()>& work) const {
    cuda::check(cudaEventRecord(start_, stream_), "note the time");
    work();
    cuda::check(cudaEventRecord(end_, stream_), "note the time");
    cuda::check(cudaEventSynchronize(end_), "wait");
    float milliseconds = 0;
    cuda::check(cudaEventElapsedTime(&milliseconds, start_, end_), "tell the time");
    return 1e-3 * double{milliseconds};
  }

 private:
  cudaStream_t stream_;
  cudaEvent_t start_ = nullptr, end_ = nullptr;
};

// Zeros would take less power, at which a device may run faster.
cuda::DeviceMatrix random_matrix(std::int64_t rows, std::int64_t cols, cudaStream_t stream) {
  std::mt19937_64 engine(1);
  std::vector<double> numbers(static_cast<std::size_t>(rows * cols));
  for (double& x : numbers) x = static_cast<double>(engine() >> 11) * 0x1p-52 - 1;
  return {rows, cols, numbers, stream};
}

// Bytes per second that a copy of a block of columns reads and writes together, the best of some.
double copy_rate(const DeviceClock& clock, const cuda::DeviceMatrix& x, cudaStream_t stream) {
  const cuda::DeviceMatrix y(x.rows(), x.cols(), stream);
  double best = 0;
  for (int n = 0; n < 5; ++n)
    best = std::max(best, 2 * static_cast<double>(x.bytes()) / clock.seconds([&] {
      cuda::check(cudaMemcpyAsync(y.data(), x.data(), x.bytes(), cudaMemcpyDeviceToDevice, stream), "copy");
    }));
  return best;
}

// Flops per second of a large C += A^T A on the device, of which one triangle is computed; the best of some.
double syrk_rate() {
  constexpr int order = 2048, depth = 4096;
  const cuda::Stream stream;
  const DeviceClock clock(stream.get());
  cuda::Cublas cublas("the comparison with dsyrk", "other benchmarks");
  const cuda::DeviceArray<unsigned char> workspace(static_cast<std::int64_t>(cuda::Cublas::workspace_bytes),
                                                   stream.get());
  cublas.use(stream.get(), workspace);
  const cuda::DeviceMatrix a = random_matrix(depth, order, stream.get());
  cuda::DeviceMatrix c(order, order, stream.get());
  c.fill_zero(stream.get());
  double best = 0;
  for (int n = 0; n < 5; ++n)
    best = std::max(best, double{order} * (order + 1) * depth / clock.seconds([&] {
      cublas.rank_k_update(CUBLAS_OP_T, order, depth, 1, a.const_view(), 1, c.view());
    }));
  return best;
}

void energy(benchmark::State& state) {
  const auto rank = static_cast<int>(state.range(0));
  const Matrix basis = measure::sample_basis(body().mesh, rank);
  const double rate = syrk_rate();
  const double on_device = compare(state, [&](Backend backend) {
    return seconds_of([&] {
      benchmark::DoNotOptimize(reduce_energy(body().mesh, basis.map(), {.backend = backend}).coefficients.data());
    });
  });
  const auto pairs = static_cast<double>(strain_count(rank));
  const double flops = 6 * static_cast<double>(body().mesh.element_count()) * pairs * (pairs + 1);
  state.counters["of_syrk"] = flops / on_device / rate;
}

double largest_difference(const cuda::DeviceMatrix& a, const cuda::DeviceMatrix& b, cudaStream_t stream) {
  std::vector<double> of_a(static_cast<std::size_t>(a.size())), of_b(of_a.size());
  a.copy_to(of_a, stream);
  b.copy_to(of_b, stream);
  double largest = 0;
  for (std::size_t n = 0; n < of_a.size(); ++n)
    largest = std::max(largest, std::abs(of_a[n] - of_b[n]) / std::max(1.0, std::abs(of_a[n])));
  return largest;
}

// Seconds of the quicker one of cuSPARSE's formats, the best of some times, after a look whether it computes the same.
double cusparse_seconds(const DeviceClock& clock, const SparseMatrix& matrix, const cuda::SparseView& blocks,
                        const cuda::DeviceMatrix& x, const cuda::DeviceMatrix& expected, cudaStream_t stream) {
  cuda::DeviceMatrix y(expected.rows(), expected.cols(), stream);
  double best = std::numeric_limits<double>::infinity();
  const auto time = [&](const measure::LibrarySparseProduct& product) {
    product.multiply();
    if (const double difference = largest_difference(expected, y, stream); !(difference < 1e-6))
      throw DeviceError("cuSPARSE's product differs from ours by " + std::to_string(difference));
    for (int n = 0; n < 5; ++n) best = std::min(best, clock.seconds([&] { product.multiply(); }));
  };
  time(measure::LibrarySparseProduct(matrix, x, y, stream));
  if (!blocks.isotropic) time(measure::LibrarySparseProduct(blocks, x, y, stream));
  return best;
}

void sparse_product(benchmark::State& state, const SparseMatrix& (*matrix)()) {
  const cuda::Stream stream;
  const DeviceClock clock(stream.get());
  const cuda::DeviceSparseMatrix a(matrix(), stream.get());
  const cuda::DeviceMatrix x = random_matrix(a.rows(), state.range(0), stream.get());
  cuda::DeviceMatrix y(a.rows(), state.range(0), stream.get());
  const double rate = copy_rate(clock, x, stream.get());
  const auto once = [&] { cuda::multiply(a.view(), x, y, stream.get()); };
  once();
  double seconds = 0;
  for (auto _ : state) {
    const double taken = clock.seconds(once);
    state.SetIterationTime(taken);
    seconds += taken;
  }
  const double bytes = static_cast<double>(a.bytes() + x.bytes() + y.bytes());
  const double per_product = seconds / static_cast<double>(state.iterations());
  state.counters["of_copy"] = bytes / per_product / rate;
  try {
    state.counters["over_cusparse"] = cusparse_seconds(clock, matrix(), a.view(), x, y, stream.get()) / per_product;
  } catch (const BackendUnavailable& reason) {
    state.SetLabel(reason.what());
  }
}

void register_all() {
  for (const int columns : {1, 8, 24, 32, 64}) {
    benchmark::RegisterBenchmark("sparse_product/stiffness", measure::guarded(sparse_product), stiffness)
        ->Arg(columns)
        ->UseManualTime();
    benchmark::RegisterBenchmark("sparse_product/mass", measure::guarded(sparse_product), mass)
        ->Arg(columns)
        ->UseManualTime();
  }
  benchmark::RegisterBenchmark("assembly", measure::guarded(assembly))->Iterations(1)->UseManualTime();
  benchmark::RegisterBenchmark("second_derivatives", measure::guarded(second_derivatives))
      ->Iterations(1)
      ->UseManualTime();
  for (const int rank : {20, 30, 40})
    benchmark::RegisterBenchmark("energy", measure::guarded(energy))
        ->ArgName("r")
        ->Arg(rank)
        ->Iterations(1)
        ->UseManualTime();
  benchmark::RegisterBenchmark("factorisation", measure::guarded(factorisation))->Iterations(1)->UseManualTime();
  benchmark::RegisterBenchmark("linear_modes/lobpcg", measure::guarded(modes), ModesMethod::lobpcg)
      ->Iterations(1)
      ->UseManualTime();
  benchmark::RegisterBenchmark("linear_modes/lanczos", measure::guarded(modes), ModesMethod::lanczos)
      ->Iterations(1)
      ->UseManualTime();
  benchmark::RegisterBenchmark("modal_derivatives", measure::guarded(derivatives))->Iterations(1)->UseManualTime();
}

}  // namespace
}  // namespace quartic

int main(int argument_count, char** arguments) {
  if (!quartic::measure::device_is_there("cuda_reduce_bench")) return 0;
  cudaDeviceProp device = {};
  quartic::cuda::check(cudaGetDeviceProperties(&device, 0), "ask for the device's name");
  benchmark::AddCustomContext("device", device.name);
  quartic::register_all();
  benchmark::Initialize(&argument_count, arguments);
  if (benchmark::ReportUnrecognizedArguments(argument_count, arguments)) return 1;
  quartic::measure::LineReporter reporter(device.name);
  benchmark::RunSpecifiedBenchmarks(&reporter);
  return 0;
}
