// Whether a CUDA device does what it should, in a minute: tells what it is, and steps a batch of rank 12 on it and on
// the CPU. Status 0: it does; 1: wrong numbers or an error; 3: no device, or the backend can't be loaded.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "measure/samples.hpp"
#include "quartic/backend.hpp"
#include "quartic/batch.hpp"

namespace quartic {
namespace {

constexpr int rank = 12, bodies = 300, steps = 4;  // more than two tiles of 128, the last one part filled

void check(cudaError_t result) {
  if (result != cudaSuccess) throw std::runtime_error(cudaGetErrorString(result));
}

void print_device() {
  cudaDeviceProp device = {};
  int driver = 0, runtime = 0;
  std::size_t free = 0, total = 0;
  check(cudaGetDeviceProperties(&device, 0));
  check(cudaDriverGetVersion(&driver));
  check(cudaRuntimeGetVersion(&runtime));
  check(cudaMemGetInfo(&free, &total));
  std::printf("device %s, sm_%d%d, %d multiprocessors, driver for CUDA %d.%d, runtime %d.%d, %.1f of %.1f GB free\n",
              device.name, device.major, device.minor, device.multiProcessorCount, driver / 1000, driver % 1000 / 10,
              runtime / 1000, runtime % 1000 / 10, 1e-9 * static_cast<double>(free), 1e-9 * static_cast<double>(total));
}

template <class T>
Batch<T> stepped(Backend backend, Evaluation evaluation) {
  Batch<T> batch(measure::sample_energy(rank), {.bodies = bodies, .evaluation = evaluation, .backend = backend});
  for (int b = 0; b < bodies; ++b)
    for (int i = 0; i < rank; ++i) {
      batch.velocity()(i, b) = static_cast<T>(std::sin(7 * b + i));
      batch.force()(i, b) = static_cast<T>(std::sin(5 * b + 2 * i));
    }
  batch.step(steps * measure::sample_dt, steps);
  return batch;
}

// Largest difference of q over the largest q.
template <class T>
double difference(Evaluation evaluation) {
  const Batch<T> device = stepped<T>(Backend::cuda, evaluation), host = stepped<T>(Backend::cpu, Evaluation::strict);
  double error = 0, size = 0;
  for (int b = 0; b < bodies; ++b)
    for (int i = 0; i < rank; ++i) {
      const double found = double{device.q()(i, b)}, expected = double{host.q()(i, b)};
      if (!std::isfinite(found)) return std::numeric_limits<double>::infinity();
      error = std::max(error, std::abs(found - expected));
      size = std::max(size, std::abs(expected));
    }
  return error / size;
}

template <class T>
bool is_right(Evaluation evaluation, const char* name) {
  constexpr double allowed = std::is_same_v<T, float> ? 1e-4 : 1e-11;  // as between any two orders of a sum
  const double found = difference<T>(evaluation);
  std::printf("%s, %s: %d steps of %d bodies of rank %d, off the CPU's by %.1e of the largest q; allowed %.0e: %s\n",
              name, std::is_same_v<T, float> ? "float" : "double", steps, bodies, rank, found, allowed,
              found <= allowed ? "right" : "WRONG");
  return found <= allowed;
}

}  // namespace
}  // namespace quartic

int main() try {
  using namespace quartic;
  if (!backend_available(Backend::cuda)) {
    std::fputs("cuda_smoke: there is no CUDA device, or the backend can't be loaded\n", stderr);
    return 3;
  }
  print_device();
  bool right = true;
  for (const auto& [evaluation, name] :
       {std::pair{Evaluation::strict, "strict"}, std::pair{Evaluation::tensor, "tensor"},
        std::pair{Evaluation::latency, "latency"}}) {
    right = is_right<float>(evaluation, name) && right;
    right = is_right<double>(evaluation, name) && right;
  }
  return right ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "cuda_smoke: %s\n", error.what());
  return 1;
}
