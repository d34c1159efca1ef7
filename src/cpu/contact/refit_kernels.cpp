#include "cpu/contact/refit_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/base/instruction_set.hpp"
#include "core/frame/stretch_bound.hpp"

namespace quartic::cpu {
namespace {

// A vector of `bytes` bytes of bodies: lanes that aren't bodies hold zeros.
template <class T, int bytes>
struct Lanes {
  typedef T Vector __attribute__((vector_size(bytes), may_alias));  // NOLINT: no `using` with attributes in GCC 12
  static constexpr int count = bytes / static_cast<int>(sizeof(T));

  // Vectors of r coordinates q, then of their absolute values.
  [[gnu::always_inline]] static void load(const StateView<const T>& q, std::int64_t first, std::int64_t bodies,
                                          T* coordinates) {
    for (std::int64_t j = 0; j < q.rank; ++j)
      for (int l = 0; l < count; ++l) {
        const T value = l < bodies ? q(j, first + l) : T{0};
        coordinates[j * count + l] = value;
        coordinates[(q.rank + j) * count + l] = std::abs(value);
      }
  }

  [[gnu::always_inline]] static const Vector* at(const T* coordinates, std::int64_t row) {
    return reinterpret_cast<const Vector*>(coordinates + row * count);
  }

  [[gnu::always_inline]] static void fit(const PackedTree<T>& tree, const T* coordinates, std::int64_t bodies,
                                         T* spheres) {
    Vector slack = Vector{} + tree.sizes.data()[0];  // for what rounding may do
    for (std::int64_t j = 0; j < tree.rank; ++j) slack += tree.sizes.data()[j + 1] * *at(coordinates, tree.rank + j);
    const T* field = tree.fields.data();
    for (std::int64_t n = 0; n < tree.nodes; ++n) {
      const T* rest = tree.rest_spheres.data() + 4 * n;
      Vector sums[node_field_rows] = {};
      for (int row = 0; row < 3; ++row) sums[row] += rest[row], sums[3 + 4 * row] += T{1};
      for (std::int64_t j = 0; j < tree.rank; ++j, field += node_field_rows) {
        const Vector x = *at(coordinates, j);
#pragma GCC unroll 12  // so that sums stay in registers whatever the optimisation
        for (int row = 0; row < node_field_rows - 1; ++row) sums[row] += field[row] * x;
        sums[node_field_rows - 1] += field[node_field_rows - 1] * *at(coordinates, tree.rank + j);
      }
      T radii[count];
#pragma GCC ivdep
      for (int l = 0; l < count; ++l) {
        T affine[9];
        for (int e = 0; e < 9; ++e) affine[e] = sums[3 + e][l];
        radii[l] = stretch_bound(affine) * rest[3];
      }
      for (int l = 0; l < bodies; ++l) {
        T* sphere = spheres + (l * tree.nodes + n) * 4;
        for (int row = 0; row < 3; ++row) sphere[row] = sums[row][l];
        sphere[3] = radii[l] + sums[node_field_rows - 1][l] + slack[l];
      }
    }
  }
};

template <class T, int bytes>
[[gnu::always_inline]] inline void refit_by(const PackedTree<T>& tree, const StateView<const T>& q, T* spheres) {
  using Body = Lanes<T, bytes>;
  alignas(64) T coordinates[2 * largest_tree_rank * Body::count];
  for (std::int64_t first = 0; first < q.bodies; first += Body::count) {
    const std::int64_t bodies = std::min<std::int64_t>(Body::count, q.bodies - first);
    Body::load(q, first, bodies, coordinates);
    Body::fit(tree, coordinates, bodies, spheres + first * tree.nodes * 4);
  }
}

template <class T>
void portable(const PackedTree<T>& tree, const StateView<const T>& q, T* spheres) {
  refit_by<T, 16>(tree, q, spheres);
}

#if defined(__x86_64__)
template <class T>
[[gnu::target(QUARTIC_TARGET_AVX2)]] void avx2(const PackedTree<T>& tree, const StateView<const T>& q, T* spheres) {
  refit_by<T, 32>(tree, q, spheres);
}

template <class T>
[[gnu::target(QUARTIC_TARGET_AVX512)]] void avx512(const PackedTree<T>& tree, const StateView<const T>& q, T* spheres) {
  refit_by<T, 64>(tree, q, spheres);
}
#endif

}  // namespace

template <class T>
void refit(const PackedTree<T>& tree, const StateView<const T>& q, T* spheres) {
#if defined(__x86_64__)
  if (instruction_set() == InstructionSet::avx512) return avx512<T>(tree, q, spheres);
  if (instruction_set() == InstructionSet::avx2) return avx2<T>(tree, q, spheres);
#endif
  portable<T>(tree, q, spheres);
}

template void refit(const PackedTree<float>&, const StateView<const float>&, float*);
template void refit(const PackedTree<double>&, const StateView<const double>&, double*);

}  // namespace quartic::cpu
