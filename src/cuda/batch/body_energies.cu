// Energies, one thread per body: C(r+4,4) multiply-adds for the elastic one. All lanes read the same coefficient.
#include "core/energy/elastic_energy.hpp"
#include "cuda/batch/body_energies.hpp"

namespace quartic::cuda {
namespace {

constexpr int threads = 128;

template <class T>
__global__ void __launch_bounds__(threads) elastic(const double* coefficients, int rank, const T* q, std::int64_t pitch,
                                                   std::int64_t bodies, const T* stiffness_scale, double* result) {
  const std::int64_t body = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (body >= bodies) return;
  const auto x = [&](std::size_t a) {
    return a == 0 ? 1.0 : static_cast<double>(q[static_cast<std::int64_t>(a - 1) * pitch + body]);
  };
  result[body] =
      static_cast<double>(stiffness_scale[body]) * elastic_energy(coefficients, static_cast<std::size_t>(rank) + 1, x);
}

template <class T>
__global__ void __launch_bounds__(threads)
    kinetic(int rank, const T* velocity, std::int64_t pitch, std::int64_t bodies, double* result) {
  const std::int64_t body = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (body >= bodies) return;
  double sum = 0;
  for (int i = 0; i < rank; ++i) {
    const double v = static_cast<double>(velocity[i * pitch + body]);
    sum += 0.5 * v * v;
  }
  result[body] = sum;
}

LaunchShape shape(std::int64_t bodies) {
  return {dim3(static_cast<unsigned>((bodies + threads - 1) / threads)), dim3(threads)};
}

}  // namespace

template <class T>
void elastic_energies(const double* coefficients, int rank, const T* q, std::int64_t pitch, std::int64_t bodies,
                      const T* stiffness_scale, double* result, cudaStream_t stream) {
  launch(elastic<T>, shape(bodies), stream, coefficients, rank, q, pitch, bodies, stiffness_scale, result);
}

template <class T>
void kinetic_energies(int rank, const T* velocity, std::int64_t pitch, std::int64_t bodies, double* result,
                      cudaStream_t stream) {
  launch(kinetic<T>, shape(bodies), stream, rank, velocity, pitch, bodies, result);
}

template void elastic_energies(const double*, int, const float*, std::int64_t, std::int64_t, const float*, double*,
                               cudaStream_t);
template void elastic_energies(const double*, int, const double*, std::int64_t, std::int64_t, const double*, double*,
                               cudaStream_t);
template void kinetic_energies(int, const float*, std::int64_t, std::int64_t, double*, cudaStream_t);
template void kinetic_energies(int, const double*, std::int64_t, std::int64_t, double*, cudaStream_t);

}  // namespace quartic::cuda
