// With the bodies of a tile in lanes, block by block of points_at_once points: F = I + A q (9 r multiply-adds per
// point), P and C, R += w A^T P (9 r), C A (81 r) into memory, and K += A^T C A (4.5 r (r + 1)) in squares of registers
// over the block's rows. Points are summed up in the order of storage, whatever the lanes.
#include "cpu/energy/cubature_kernels.hpp"

#include <algorithm>

#include "core/base/instruction_set.hpp"
#include "core/energy/cubature.hpp"
#include "core/energy/quartic_polynomial.hpp"
#include "core/laws/point_law.hpp"
#include "core/laws/projected_tangent.hpp"
#include "cpu/energy/tile_operations.hpp"

namespace quartic::cpu {
namespace {

template <class T>
[[nodiscard]] LawConstants<T> constants_in(const PointMaterial& m) {
  return law_constants(m.law, static_cast<T>(m.lambda), static_cast<T>(m.mu), static_cast<T>(m.mooney_share));
}

// C without its negative eigenvalues, lane by lane.
template <class T, class V>
[[gnu::always_inline]] inline void projected(const PointMaterial& m, const V* a, V* c) {
  const Material material = material_of(m);
  point_law_details::by_lanes<45>(
      constants_in<T>(m), a, c,
      [&](const LawConstants<double>&, const double* from, double* to) { projected_tangent(material, from, to); });
}

// P - P_0 and C - C_0 times the point's weight and volume.
template <class T, class V>
[[gnu::always_inline]] inline void respond(const CubatureCoefficients<T>& c, std::size_t point, const V* a, V* p,
                                           V* k) {
  const PointMaterial& material = c.materials[point];
  const LawConstants<T> constants = constants_in<T>(material);
  const T scale = c.scales[point];
  law_stress(material.law, constants, a, p);
  if (c.tangent == LawTangent::projected)
    projected<T>(material, a, k);
  else
    law_tangent(material.law, constants, a, k);
  V base[45];
  if (c.base == ControlVariate::stvk) {
    stvk_stress(constants, a, base);
    for (int n = 0; n < 9; ++n) p[n] -= base[n];
    stvk_tangent(constants, a, base);
    for (int n = 0; n < 45; ++n) k[n] -= base[n];
  } else if (c.base == ControlVariate::stiffness) {
    linear_stress(constants, a, base);
    for (int n = 0; n < 9; ++n) p[n] -= base[n];
    for (int row = 0; row < 9; ++row)
      for (int column = row; column < 9; ++column) k[packed(row, column)] -= linear_tangent(constants, row, column);
  }
  for (int n = 0; n < 9; ++n) p[n] *= scale;
  for (int n = 0; n < 45; ++n) k[n] *= scale;
}

// One point's part of R, and its rows of C A.
template <class T, int bytes>
[[gnu::always_inline]] inline void add_force(const CubatureCoefficients<T>& c, std::size_t point, const T* q, T* force,
                                             T* product) {
  using R = tile_operations::Row<T, bytes>;
  using V = typename R::Vector;
  const T* gradients = c.gradients.data() + static_cast<std::int64_t>(point) * 9 * c.columns;
  for (int part = 0; part < R::parts; ++part) {
    V a[9] = {}, p[9], k[45];
    for (int i = 0; i < c.rank; ++i) {
      const V qi = R::at(q, i)[part];
      for (int n = 0; n < 9; ++n) a[n] += gradients[n * c.columns + i] * qi;
    }
    respond<T>(c, point, a, p, k);
    for (int i = 0; i < c.rank; ++i) {
      V sum = R::at(force, i)[part];
      for (int n = 0; n < 9; ++n) sum += gradients[n * c.columns + i] * p[n];
      R::at(force, i)[part] = sum;
    }
    for (int n = 0; n < 9; ++n)
      for (std::int64_t i = 0; i < c.columns; i += tile_columns) {
        V sum[tile_columns] = {};
        for (int m = 0; m < 9; ++m) {
          const V entry = k[n < m ? packed(n, m) : packed(m, n)];
          for (int j = 0; j < tile_columns; ++j) sum[j] += gradients[m * c.columns + i + j] * entry;
        }
        for (int j = 0; j < tile_columns; ++j) R::at(product, n * c.columns + i + j)[part] = sum[j];
      }
  }
}

// K_ij += sum over `rows` rows of A_i (C A)_j, in a square at (i, j), i <= j both multiples of tile_columns.
template <class T, int bytes>
[[gnu::always_inline]] inline void add_square(const CubatureCoefficients<T>& c, const T* gradients, const T* product,
                                              std::int64_t rows, std::int64_t i, std::int64_t j, T* k) {
  using R = tile_operations::Row<T, bytes>;
  using V = typename R::Vector;
  for (int part = 0; part < R::parts; ++part) {
    V sum[tile_columns][tile_columns] = {};
    for (std::int64_t row = 0; row < rows; ++row) {
      const T* left = gradients + row * c.columns + i;
      V right[tile_columns];
      for (int n = 0; n < tile_columns; ++n) right[n] = R::at(product, row * c.columns + j + n)[part];
      for (int m = 0; m < tile_columns; ++m)
        for (int n = 0; n < tile_columns; ++n) sum[m][n] += left[m] * right[n];
    }
    for (std::int64_t m = 0; m < tile_columns && i + m < c.rank; ++m) {
      T* row = k + (LaneSystem<T>::diagonal_row(c.rank, i + m) - (i + m)) * lanes<T>;
      for (std::int64_t n = 0; n < tile_columns && j + n < c.rank; ++n)
        if (i + m <= j + n) R::at(row, j + n)[part] += sum[m][n];
    }
  }
}

// V_0's K and R.
template <class T, int bytes>
[[gnu::always_inline]] inline void set_base(const CubatureCoefficients<T>& c, const T* q, T* h) {
  using R = tile_operations::Row<T, bytes>;
  T* force = h + c.stiffness_rows() * lanes<T>;
  if (c.base == ControlVariate::stvk) {  // from H_i0 that `evaluate` has left: R = (H_i0 + K q) / 3
    T* product = h;
    for (int i = 0; i < c.rank; ++i) {
      for (int j = i; j < c.rank; ++j)
        for (int part = 0; part < R::parts; ++part) {
          const auto entry = R::at(product, j - i)[part];
          R::at(force, i)[part] += entry * R::at(q, j)[part];
          if (j != i) R::at(force, j)[part] += entry * R::at(q, i)[part];
        }
      product += std::int64_t{c.rank - i} * lanes<T>;
    }
    for (std::int64_t n = 0; n < std::int64_t{c.rank} * lanes<T>; ++n) force[n] /= 3;
    return;
  }
  for (std::int64_t row = 0; row < c.stiffness_rows(); ++row)
    for (int l = 0; l < lanes<T>; ++l)
      h[row * lanes<T> + l] = c.base == ControlVariate::stiffness ? c.stiffness.data()[row] : T{0};
  tile_operations::multiply<T, bytes>(c.rank, h, q, force);
}

template <class T, int bytes>
[[gnu::always_inline]] inline void evaluate(const CubatureCoefficients<T>& c, const T* q, const T* pressures,
                                            T* workspace, T* h) {
  if (!c.polynomial.empty())
    PackedCoefficients<T>::kernels().evaluate(c.polynomial.front(), q, pressures, workspace, h);
  set_base<T, bytes>(c, q, h);
  T* force = h + c.stiffness_rows() * lanes<T>;
  for (std::int64_t first = 0; first < c.count; first += points_at_once) {
    const std::int64_t points = std::min(points_at_once, c.count - first);
    for (std::int64_t n = 0; n < points; ++n)
      add_force<T, bytes>(c, static_cast<std::size_t>(first + n), q, force, workspace + 9 * n * c.columns * lanes<T>);
    for (std::int64_t i = 0; i < c.columns; i += tile_columns)
      for (std::int64_t j = i; j < c.columns; j += tile_columns)
        add_square<T, bytes>(c, c.gradients.data() + first * 9 * c.columns, workspace, 9 * points, i, j, h);
  }
}

template <class T, int bytes>
[[gnu::always_inline]] inline void apply(const CubatureCoefficients<T>& c, T weight, const T* h, const T* x, T* y) {
  tile_operations::multiply<T, bytes>(c.rank, h, x, y);
  tile_operations::add<T, bytes>(c.rank, weight, h + c.stiffness_rows() * lanes<T>, y);
}

template <class T>
using Kernels = EvaluatorKernels<T, CubatureCoefficients<T>>;

template <class T>
struct PortableCubature {
  static void evaluate(const CubatureCoefficients<T>& c, const T* q, const T* pressures, T* workspace, T* h) {
    cpu::evaluate<T, 16>(c, q, pressures, workspace, h);
  }
  static void apply(const CubatureCoefficients<T>& c, T weight, const T*, const T*, T*, const T* h, T* x, T* y) {
    cpu::apply<T, 16>(c, weight, h, x, y);
  }
};

#if defined(__x86_64__)
template <class T>
struct Avx2Cubature {
  [[gnu::target(QUARTIC_TARGET_AVX2)]] static void evaluate(const CubatureCoefficients<T>& c, const T* q,
                                                            const T* pressures, T* workspace, T* h) {
    cpu::evaluate<T, 32>(c, q, pressures, workspace, h);
  }
  [[gnu::target(QUARTIC_TARGET_AVX2)]] static void apply(const CubatureCoefficients<T>& c, T weight, const T*, const T*,
                                                         T*, const T* h, T* x, T* y) {
    cpu::apply<T, 32>(c, weight, h, x, y);
  }
};
template <class T>
struct Avx512Cubature {
  [[gnu::target(QUARTIC_TARGET_AVX512)]] static void evaluate(const CubatureCoefficients<T>& c, const T* q,
                                                              const T* pressures, T* workspace, T* h) {
    cpu::evaluate<T, 64>(c, q, pressures, workspace, h);
  }
  [[gnu::target(QUARTIC_TARGET_AVX512)]] static void apply(const CubatureCoefficients<T>& c, T weight, const T*,
                                                           const T*, T*, const T* h, T* x, T* y) {
    cpu::apply<T, 64>(c, weight, h, x, y);
  }
};
#endif

template <class T>
Kernels<T> fastest_cubature() {
#if defined(__x86_64__)
  if (instruction_set() == InstructionSet::avx512) return {Avx512Cubature<T>::evaluate, Avx512Cubature<T>::apply};
  if (instruction_set() == InstructionSet::avx2) return {Avx2Cubature<T>::evaluate, Avx2Cubature<T>::apply};
#endif
  return {PortableCubature<T>::evaluate, PortableCubature<T>::apply};
}

}  // namespace

template <class T>
CubatureCoefficients<T>::CubatureCoefficients(const Cubature& cubature)
    : rank(cubature.rank),
      columns((cubature.rank + tile_columns - 1) / tile_columns * tile_columns),
      base(cubature.base),
      tangent(cubature.tangent) {
  std::vector<std::size_t> kept;  // a weight of 0 adds nothing
  for (std::size_t p = 0; p < cubature.weights.size(); ++p)
    if (cubature.weights[p] != 0) kept.push_back(p);
  count = std::ssize(kept);
  gradients = AlignedArray<T>(count * 9 * columns);
  T* to = gradients.data();
  for (const std::size_t p : kept) {
    scales.push_back(rounded_coefficient<T>(cubature.weights[p] * cubature.volumes[p]));
    materials.push_back(cubature.materials[p]);
    static_cast<void>(rounded_coefficient<T>(9 * (cubature.materials[p].lambda + 2 * cubature.materials[p].mu)));
    const double* from = cubature.gradients.data() + 9 * p * static_cast<std::size_t>(rank);
    for (int n = 0; n < 9; ++n, from += rank, to += columns)
      std::transform(from, from + rank, to, [](double value) { return rounded_coefficient<T>(value); });
  }
  if (base == ControlVariate::stvk) polynomial.emplace_back(cubature.base_energy);
  if (base != ControlVariate::stiffness) return;
  stiffness = AlignedArray<T>(stiffness_rows());
  T* entry = stiffness.data();
  for (int i = 0; i < rank; ++i)
    for (int j = i; j < rank; ++j) *entry++ = rounded_coefficient<T>(cubature.stiffness(i, j));
}

template <class T>
const EvaluatorKernels<T, CubatureCoefficients<T>>& CubatureCoefficients<T>::kernels() {
  static const EvaluatorKernels<T, CubatureCoefficients> kernels = fastest_cubature<T>();
  return kernels;
}

template struct CubatureCoefficients<float>;
template struct CubatureCoefficients<double>;

}  // namespace quartic::cpu
