// Written once and compiled for the instruction sets that a machine may have.
#include "cpu/frame/frame_kernels.hpp"

#include "core/base/instruction_set.hpp"
#include "cpu/energy/tile_operations.hpp"

namespace quartic::cpu {
namespace {

// ---- tiles: products row block by row block, as those of the energy's coefficients

template <class T, int bytes>
[[gnu::always_inline]] inline void add_inertia(int rank, const T* rest, const T* first, const T* point, const T* forms,
                                               T* inertia) {
  using R = tile_operations::Row<T, bytes>;
  typename R::Vector sum[symmetric_entries][R::parts] = {};
  for (int i = 0; i < rank; ++i)
    for (int e = 0; e < symmetric_entries; ++e)
      for (int p = 0; p < R::parts; ++p)
        sum[e][p] +=
            R::at(point, i + 1)[p] * (R::at(forms, symmetric_entries * i + e)[p] + first[symmetric_entries * i + e]);
  for (int e = 0; e < symmetric_entries; ++e)
    for (int p = 0; p < R::parts; ++p) R::at(inertia, e)[p] = T{0.5} * sum[e][p] + rest[e];
}

template <class T, int bytes>
[[gnu::always_inline]] inline void evaluate_tile(const FrameCoefficients<LaneSystem<T>>& c, const T* point, T* forms,
                                                 T* inertia) {
  using Coefficients = FrameCoefficients<LaneSystem<T>>;
  tile_operations::multiply_blocks<T, bytes>(c.values.data(), Coefficients::form_rows(c.rank) / row_block, c.rank + 1,
                                             point, forms);
  add_inertia<T, bytes>(c.rank, c.rest, c.first.data(), point, forms, inertia);
}

template <class T, int bytes>
[[gnu::always_inline]] inline void turn_tile(const FrameCoefficients<LaneSystem<T>>& c, const T* point, T* turned) {
  using Coefficients = FrameCoefficients<LaneSystem<T>>;
  tile_operations::multiply_blocks<T, bytes>(c.values.data() + Coefficients::axial_begin(c.rank) * (c.rank + 1),
                                             Coefficients::axial_rows(c.rank) / row_block, c.rank + 1, point, turned);
}

template <class T, int bytes>
[[gnu::always_inline]] inline void subtract_tile(int rank, const T* b, T* k) {
  using R = tile_operations::Row<T, bytes>;
  std::int64_t row = 0;
  for (int i = 0; i < rank; ++i)
    for (int j = i; j < rank; ++j, ++row)
      for (int p = 0; p < R::parts; ++p) {
        typename R::Vector entry = R::at(k, row)[p];
        for (int axis = 0; axis < 3; ++axis)
          entry -= R::at(b, std::int64_t{axis} * rank + i)[p] * R::at(b, std::int64_t{axis} * rank + j)[p];
        R::at(k, row)[p] = entry;
      }
}

// ---- one body: vectors run along rows

// `vectors` vectors of rows of A x. @param a A's first column from these rows on, the next a pitch behind
template <class T, int vectors>
[[gnu::always_inline]] inline void multiply_vectors(const T* a, std::int64_t pitch, std::int64_t columns, const T* x,
                                                    T* y) {
  typedef T Vector
      __attribute__((vector_size(32), aligned(sizeof(T)), may_alias));  // NOLINT: as in tile_operations.hpp
  Vector sum[vectors] = {};
  for (std::int64_t c = 0; c < columns; ++c, a += pitch)
    for (int v = 0; v < vectors; ++v) sum[v] += x[c] * reinterpret_cast<const Vector*>(a)[v];
  for (int v = 0; v < vectors; ++v) reinterpret_cast<Vector*>(y)[v] = sum[v];
}

// @param rows whole groups of `row_unit`
template <class T>
[[gnu::always_inline]] inline void multiply_columns(const T* values, std::int64_t pitch, std::int64_t rows,
                                                    std::int64_t columns, const T* x, T* y) {
  constexpr std::int64_t length = vector_length<T>;
  constexpr int most = 8;  // sums: enough to keep the multiply-adds busy
  std::int64_t row = 0;
  for (; row + most * length <= rows; row += most * length)
    multiply_vectors<T, most>(values + row, pitch, columns, x, y + row);
  for (; row < rows; row += length) multiply_vectors<T, 1>(values + row, pitch, columns, x, y + row);
}

template <class T>
[[gnu::always_inline]] inline void evaluate_body(const FrameCoefficients<BodySystem<T>>& c, const T* point, T* forms,
                                                 T* inertia) {
  using Coefficients = FrameCoefficients<BodySystem<T>>;
  const std::int64_t rows = Coefficients::form_rows(c.rank);
  multiply_columns<T>(c.values.data(), rows, rows, c.rank + 1, point, forms);
  T sum[symmetric_entries] = {};
  for (int i = 0; i < c.rank; ++i)
    for (int e = 0; e < symmetric_entries; ++e) {
      const int row = symmetric_entries * i + e;
      sum[e] += point[i + 1] * (forms[row] + c.first.data()[row]);
    }
  for (int e = 0; e < symmetric_entries; ++e) inertia[e] = T{0.5} * sum[e] + c.rest[e];
}

template <class T>
[[gnu::always_inline]] inline void turn_body(const FrameCoefficients<BodySystem<T>>& c, const T* point, T* turned) {
  using Coefficients = FrameCoefficients<BodySystem<T>>;
  multiply_columns<T>(c.values.data() + Coefficients::axial_begin(c.rank), Coefficients::form_rows(c.rank),
                      Coefficients::axial_rows(c.rank), c.rank + 1, point, turned);
}

template <class T>
[[gnu::always_inline]] inline void subtract_body(int rank, const T* b, T* k) {
  const std::int64_t pitch = BodySystem<T>::array_rows(rank);
  for (int i = 0; i < rank; ++i)
    for (int j = 0; j <= i; ++j)
      k[i * pitch + j] -= b[i] * b[j] + b[rank + i] * b[rank + j] + b[2 * rank + i] * b[2 * rank + j];
}

// ---- instruction sets

template <class T>
void evaluate_portable(const FrameCoefficients<LaneSystem<T>>& c, const T* point, T* forms, T* inertia) {
  evaluate_tile<T, 16>(c, point, forms, inertia);
}
template <class T>
void turn_portable(const FrameCoefficients<LaneSystem<T>>& c, const T* point, T* turned) {
  turn_tile<T, 16>(c, point, turned);
}
template <class T>
void subtract_portable(int rank, const T* b, T* k) {
  subtract_tile<T, 16>(rank, b, k);
}
template <class T>
void evaluate_portable(const FrameCoefficients<BodySystem<T>>& c, const T* point, T* forms, T* inertia) {
  evaluate_body<T>(c, point, forms, inertia);
}
template <class T>
void turn_portable(const FrameCoefficients<BodySystem<T>>& c, const T* point, T* turned) {
  turn_body<T>(c, point, turned);
}
template <class T>
void subtract_body_portable(int rank, const T* b, T* k) {
  subtract_body<T>(rank, b, k);
}
template <class T>
constexpr FrameKernels<LaneSystem<T>> portable_tiles = {evaluate_portable<T>, turn_portable<T>, subtract_portable<T>};
template <class T>
constexpr FrameKernels<BodySystem<T>> portable_bodies = {evaluate_portable<T>, turn_portable<T>,
                                                         subtract_body_portable<T>};

#if defined(__x86_64__)
template <class T>
struct Avx2 {
  using Tiles = FrameCoefficients<LaneSystem<T>>;
  using Bodies = FrameCoefficients<BodySystem<T>>;
  [[gnu::target(QUARTIC_TARGET_AVX2)]] static void evaluate(const Tiles& c, const T* point, T* forms, T* inertia) {
    evaluate_tile<T, 32>(c, point, forms, inertia);
  }
  [[gnu::target(QUARTIC_TARGET_AVX2)]] static void turn(const Tiles& c, const T* point, T* turned) {
    turn_tile<T, 32>(c, point, turned);
  }
  [[gnu::target(QUARTIC_TARGET_AVX2)]] static void subtract(int rank, const T* b, T* k) {
    subtract_tile<T, 32>(rank, b, k);
  }
  [[gnu::target(QUARTIC_TARGET_AVX2)]] static void evaluate_one(const Bodies& c, const T* point, T* forms, T* inertia) {
    evaluate_body<T>(c, point, forms, inertia);
  }
  [[gnu::target(QUARTIC_TARGET_AVX2)]] static void turn_one(const Bodies& c, const T* point, T* turned) {
    turn_body<T>(c, point, turned);
  }
  [[gnu::target(QUARTIC_TARGET_AVX2)]] static void subtract_one(int rank, const T* b, T* k) {
    subtract_body<T>(rank, b, k);
  }
  static constexpr FrameKernels<LaneSystem<T>> tiles = {evaluate, turn, subtract};
  static constexpr FrameKernels<BodySystem<T>> bodies = {evaluate_one, turn_one, subtract_one};
};

template <class T>
struct Avx512 {
  using Tiles = FrameCoefficients<LaneSystem<T>>;
  [[gnu::target(QUARTIC_TARGET_AVX512)]] static void evaluate(const Tiles& c, const T* point, T* forms, T* inertia) {
    evaluate_tile<T, 64>(c, point, forms, inertia);
  }
  [[gnu::target(QUARTIC_TARGET_AVX512)]] static void turn(const Tiles& c, const T* point, T* turned) {
    turn_tile<T, 64>(c, point, turned);
  }
  [[gnu::target(QUARTIC_TARGET_AVX512)]] static void subtract(int rank, const T* b, T* k) {
    subtract_tile<T, 64>(rank, b, k);
  }
  static constexpr FrameKernels<LaneSystem<T>> tiles = {evaluate, turn, subtract};
};
#endif

// Where the entry of a row and a column of the forms is.
template <class System>
std::int64_t place_of(std::int64_t row, std::int64_t column, std::int64_t rows, std::int64_t columns) {
  if constexpr (System::lanes == 1)
    return column * rows + row;
  else
    return (row / row_block * columns + column) * row_block + row % row_block;
}

}  // namespace

template <class System>
FrameCoefficients<System>::FrameCoefficients(const InertiaForms& forms)
    : rank(forms.rank),
      mass(static_cast<T>(forms.mass)),
      first(axial_begin(forms.rank)),
      values(form_rows(forms.rank) * (forms.rank + 1) + row_unit),  // a body's products read whole vectors
      unit_acceleration(3 * std::int64_t{forms.rank}) {
  for (std::int64_t i = 0; i < rank; ++i)
    for (std::int64_t c = 0; c < 3; ++c)
      unit_acceleration.data()[3 * i + c] = static_cast<T>(forms.unit_acceleration(i, c));
  for (int e = 0; e < symmetric_entries; ++e) rest[e] = static_cast<T>(forms.rest[e]);
  for (std::int64_t row = 0; row < axial_begin(rank); ++row) first.data()[row] = static_cast<T>(forms.affine(row, 0));
  for (std::int64_t column = 0; column <= rank; ++column)
    for (std::int64_t row = 0; row < forms.affine.rows; ++row)
      values.data()[place_of<System>(row, column, form_rows(rank), rank + 1)] =
          static_cast<T>(forms.affine(row, column));
}

template <class System>
const FrameKernels<System>& FrameCoefficients<System>::kernels() {
  constexpr bool tiles = System::lanes > 1;
#if defined(__x86_64__)
  if constexpr (tiles) {
    if (instruction_set() == InstructionSet::avx512) return Avx512<T>::tiles;
    if (instruction_set() == InstructionSet::avx2) return Avx2<T>::tiles;
  } else {
    if (instruction_set() >= InstructionSet::avx2) return Avx2<T>::bodies;
  }
#endif
  if constexpr (tiles)
    return portable_tiles<T>;
  else
    return portable_bodies<T>;
}

template struct FrameCoefficients<LaneSystem<float>>;
template struct FrameCoefficients<LaneSystem<double>>;
template struct FrameCoefficients<BodySystem<float>>;
template struct FrameCoefficients<BodySystem<double>>;

}  // namespace quartic::cpu
