// Shared memory of the block that steps a body with contacts, in values of double.
#pragma once

#include <cstddef>

#include "cuda/contact/near_state.hpp"
#include "cuda/contact/near_view.hpp"
#include "cuda/energy/model_image.hpp"

namespace quartic::cuda {

inline constexpr int near_warps = 4, near_threads = near_warps * warp_size;
/// Vectors of coordinates: those that are kept from round to round, then those of an iterate.
inline constexpr int near_kept_vectors = 6, near_vectors = 7;
/// Contacts whose rows are in shared memory at once for the matrix, and the rows: whole steps of a matrix instruction.
inline constexpr int near_contacts = 8, near_contact_rows = 3 * near_contacts;
/// A contact's derivatives by q and by the rigid motion, its place and its arm.
inline constexpr int contact_terms = 24;
/// Sums of squares and the like.
inline constexpr int near_sums = 9;

/// Candidates whose fields a warp has in shared memory at once; a candidate has 32 / so many lanes.
[[nodiscard]] __host__ __device__ constexpr int near_chunk(int rank) {
  return rank <= 12 ? 16 : rank <= 64 ? 8 : 4;
}
/// Of a candidate's field there: odd, so that lanes meet in no bank.
[[nodiscard]] __host__ __device__ constexpr int near_field_pitch(int rank) {
  return 3 * rank | 1;
}
/// Of what a warp has: fields, forces, their sum on the coordinates, force and torque.
[[nodiscard]] __host__ __device__ constexpr int near_warp_size(int rank) {
  return near_chunk(rank) * (near_field_pitch(rank) + 3) + rank + 6;
}

/// Where what is. @param rank of the body; n unknowns, 6 more than that for a body that flies
struct NearMemory {
  int rigid, search, kept_vectors, correction, kept;  // `kept`: how many are kept from round to round
  int vectors, residual, sums, forms, turned, matrix, scratch;
  int terms, axes, chosen, left, right, size;

  __host__ __device__ constexpr NearMemory(int rank, bool flies)
      : rigid(0),
        search(rigid + doubles(sizeof(RigidMotion))),
        kept_vectors(search + doubles(sizeof(NearSearch))),
        correction(kept_vectors + near_kept_vectors * rank),
        kept(correction + unknowns(rank, flies)),
        vectors(kept),
        residual(vectors + near_vectors * rank),
        sums(residual + unknowns(rank, flies)),
        forms(sums + near_sums),
        turned(forms + (flies ? form_entries * rank : 0)),
        matrix(turned + (flies ? 3 * rank : 0)),
        scratch(matrix + unknowns(rank, flies) * pitch(rank, flies)),
        terms(scratch),
        axes(terms + warp_size * contact_terms),
        chosen(axes + 18),
        left(chosen + warp_size / 2),
        right(left + near_contact_rows * row_pitch(rank, flies)),
        size(largest(right + near_contact_rows * row_pitch(rank, flies), scratch + near_warps * near_warp_size(rank),
                     scratch + monomial_count<double>(rank) + rank + 1)) {}

  [[nodiscard]] static __host__ __device__ constexpr int unknowns(int rank, bool flies) {
    return rank + (flies ? 6 : 0);
  }
  /// Of the matrix' rows: odd, so that columns lie in different banks.
  [[nodiscard]] static __host__ __device__ constexpr int pitch(int rank, bool flies) {
    return unknowns(rank, flies) | 1;
  }
  /// Of contacts' rows: whole tiles of matrix instructions, and such that their lanes meet in no bank.
  [[nodiscard]] static __host__ __device__ constexpr int row_pitch(int rank, bool flies) {
    return (unknowns(rank, flies) + 15) / 16 * 16 + 4;
  }

 private:
  [[nodiscard]] static __host__ __device__ constexpr int doubles(std::size_t bytes) {
    return static_cast<int>((bytes + sizeof(double) - 1) / sizeof(double));
  }
  [[nodiscard]] static __host__ __device__ constexpr int largest(int a, int b, int c) {
    return a > b ? (a > c ? a : c) : (b > c ? b : c);
  }
};

}  // namespace quartic::cuda
