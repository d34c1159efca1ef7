// A block per pair a <= b, a warp per c, lanes along d: results lie side by side. Three entries of the Gram matrix are
// read per result, out of the cache.
#include "core/energy/symmetric_tensor.hpp"
#include "cuda/base/runtime.hpp"
#include "cuda/reduction/quartic_tensor.hpp"

namespace quartic::cuda {
namespace {

constexpr int threads = 256, lanes = 32;

__global__ void __launch_bounds__(threads) pack(int rank, const double* gram, double* coefficients) {
  const unsigned a = blockIdx.y, b = blockIdx.x, last = static_cast<unsigned>(rank);
  if (b < a) return;
  const std::size_t size = pair_index(last, last, last + 1);
  const auto entry = [&](std::size_t row, std::size_t column) { return gram[column * size + row]; };
  for (unsigned c = b + threadIdx.y; c <= last; c += threads / lanes)
    for (unsigned d = c + threadIdx.x; d <= last; d += lanes)
      coefficients[sorted_index(a, b, c, d, last)] = symmetric_entry(entry, a, b, c, d, last);
}

}  // namespace

void symmetrise(int rank, const double* gram, double* coefficients, cudaStream_t stream) {
  const auto fields = static_cast<unsigned>(rank + 1);
  launch(pack, {dim3(fields, fields), dim3(lanes, threads / lanes)}, stream, rank, gram, coefficients);
}

}  // namespace quartic::cuda
