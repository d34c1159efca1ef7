// Shared memory of the block that steps a body with contacts, in values of double.
#pragma once

#include <cstddef>

#include "cuda/energy/model_image.hpp"

namespace quartic::cuda {

/// Contacts whose rows are in shared memory at once.
inline constexpr int near_contacts = 4;
/// Vectors of coordinates.
inline constexpr int near_vectors = 13;
/// A contact's derivatives by q and by the rigid motion, its place and its arm.
inline constexpr int contact_terms = 24;

/// Where what is. @param rank of the body; n unknowns, 6 more than that for a body that flies
struct NearMemory {
  int h, monomials, point, forms, turned, vectors, residual, correction, matrix, terms, left, right, size;

  __host__ __device__ constexpr NearMemory(int rank, bool flies)
      : h(0),
        monomials(h + stiffness_rows(rank) + rank),
        point(monomials + monomial_count<double>(rank)),
        forms(point + rank + 1),
        turned(forms + (flies ? 12 * rank : 0)),
        vectors(turned + (flies ? 3 * rank : 0)),
        residual(vectors + near_vectors * rank),
        correction(residual + unknowns(rank, flies)),
        matrix(correction + unknowns(rank, flies)),
        terms(matrix + unknowns(rank, flies) * pitch(rank, flies)),
        left(terms + near_contacts * contact_terms),
        right(left + 3 * near_contacts * unknowns(rank, flies)),
        size(right + 3 * near_contacts * unknowns(rank, flies)) {}

  [[nodiscard]] static __host__ __device__ constexpr int unknowns(int rank, bool flies) {
    return rank + (flies ? 6 : 0);
  }
  /// Of the matrix' rows: odd, so that columns lie in different banks.
  [[nodiscard]] static __host__ __device__ constexpr int pitch(int rank, bool flies) {
    return unknowns(rank, flies) | 1;
  }
};

}  // namespace quartic::cuda
