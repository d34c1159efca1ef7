// Products of a form's rows with monomials, one body per lane: each body's numbers depend on its own lane alone.
#include "core/exponential/exponential_operations.hpp"

#include <cstdint>

#include "core/base/kernel_variants.hpp"
#include "cpu/energy/tile_operations.hpp"

namespace quartic {
namespace cpu {
namespace {

static_assert(lanes<float> == exponential_lanes<float> && lanes<double> == exponential_lanes<double>);
static_assert(row_block == CubicForm<float>::block);

template <class T>
struct Expand {
  template <int bytes>
  [[gnu::always_inline]] static void run(int rank, const T* z, T* monomials) {
    using R = tile_operations::Row<T, bytes>;
    auto* next = R::at(monomials, 0);
    for (int b = 0; b < rank; ++b)
      for (int c = b; c < rank; ++c)
        for (int p = 0; p < R::parts; ++p) *next++ = R::at(z, b)[p] * R::at(z, c)[p];
    // z_b times the pairs from (b, b) on.
    const std::int64_t pairs = std::int64_t{rank} * (rank + 1) / 2;
    std::int64_t first = 0;
    for (int b = 0; b < rank; first += rank - b, ++b)
      for (std::int64_t pair = first; pair < pairs; ++pair)
        for (int p = 0; p < R::parts; ++p) *next++ = R::at(z, b)[p] * R::at(monomials, pair)[p];
  }
};

template <class T>
struct Multiply {
  template <int bytes>
  [[gnu::always_inline]] static void run(const CubicForm<T>& form, const T* monomials, T* n) {
    tile_operations::multiply_blocks<T, bytes>(form.values.data(), form.blocks(), form.monomials(), monomials, n);
  }
};

}  // namespace
}  // namespace cpu

template <class T>
const ExponentialOperations<T>& exponential_operations() {
  static const ExponentialOperations<T> operations = {
      .expand = cpu::KernelVariants<cpu::Expand<T>, int, const T*, T*>::chosen(),
      .multiply = cpu::KernelVariants<cpu::Multiply<T>, const CubicForm<T>&, const T*, T*>::chosen()};
  return operations;
}

template const ExponentialOperations<float>& exponential_operations<float>();
template const ExponentialOperations<double>& exponential_operations<double>();

}  // namespace quartic
