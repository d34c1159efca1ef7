// The products of one body by its block alone, for bodies that need more rounds than others.
#pragma once

#include "cuda/contact/near_body.cuh"
#include "cuda/contact/near_energy.cuh"

namespace quartic::cuda {

/// Of the state that `move` makes, as near_products.cu but for the order of sums. Ends with a barrier.
template <class T>
__device__ void multiply_alone(const NearBody<T>& b) {
  __syncthreads();
  b.move();
  double *point = b.values + b.memory.scratch, *monomials = point + b.r + 1;
  for_each_index(b.r + 1, [&](int i) { point[i] = i == 0 ? 1 : b.next_q()[i - 1]; });
  const NearProducts places(b.r, b.flies());
  evaluate_h(b.model, point, monomials, b.products + places.first[near_h]);
  if (!b.flies()) return;
  b.evaluate_forms(b.next_q(), b.products + places.first[near_forms]);
  for_each_index(3 * b.r, [&](int e) {
    double sum = 0;
    for (int p = 0; p < b.r; ++p)
      sum = fma(b.affine_form(e / 3, p + 1)[b.packed_entry(b.symmetric_count + e % 3)], b.next_velocity()[p], sum);
    b.products[places.first[near_turned] + e] = sum;
  });
  for_each_index(b.r * b.r, [&](int e) {
    const double* form = b.affine_form(e / b.r, e % b.r + 1);
    double sum = 0;
    for (int k = 0; k < inertia_factors; ++k)
      sum = fma(form[b.packed_entry(k < 3 ? b.symmetric_count + k : k - 3)], b.inertia_factor(k), sum);
    b.products[places.first[near_inertia] + e] = sum;
  });
  __syncthreads();
}

}  // namespace quartic::cuda
