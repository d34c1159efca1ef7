// Written once on the compilers' vector types and compiled for each instruction set, as tile_kernels.cpp is.
#include "cpu/fem/element_kernels.hpp"

#include <string>

#include "core/base/instruction_set.hpp"
#include "core/laws/point_law.hpp"
#include "quartic/error.hpp"

namespace quartic::cpu {
namespace {

template <int bytes>
struct VectorOf {
  typedef double Type __attribute__((vector_size(bytes), may_alias));  // NOLINT: no `using` with attributes in GCC 12
};

// Some of a group's lanes, as many as fit into a vector, from `lane` on.
template <int bytes>
struct Part {
  using Vector = typename VectorOf<bytes>::Type;
  std::int64_t lane = 0;

  [[gnu::always_inline]] const Vector& at(const double* rows, std::int64_t row) const {
    return *reinterpret_cast<const Vector*>(rows + row * element_lanes + lane);
  }
  [[gnu::always_inline]] Vector& at(double* rows, std::int64_t row) const {
    return *reinterpret_cast<Vector*>(rows + row * element_lanes + lane);
  }
};

// A quadrature point: w = weight times det J, gradients of the shape functions, A = grad u, F = I + A.
template <int vertices, class Vector>
struct Point {
  Vector w, g[vertices][3], a[3][3], f[3][3];
};

template <int vertices, int bytes, class Vector>
[[gnu::always_inline]] inline void set_geometry(const Part<bytes>& part, const ElementGroup& group, std::size_t p,
                                                Point<vertices, Vector>& point) {
  const double* reference = group.reference_gradients + std::int64_t{3} * vertices * static_cast<std::int64_t>(p);
  Vector j[3][3] = {};  // dx_r / dxi_d
  for (std::int64_t a = 0; a < vertices; ++a)
    for (std::int64_t r = 0; r < 3; ++r)
      for (std::int64_t d = 0; d < 3; ++d) j[r][d] += part.at(group.x, 3 * a + r) * reference[3 * a + d];
  Vector cofactor[3][3];
  for (std::int64_t r = 0; r < 3; ++r)
    for (std::int64_t d = 0; d < 3; ++d) {
      const std::int64_t r1 = (r + 1) % 3, r2 = (r + 2) % 3, d1 = (d + 1) % 3, d2 = (d + 2) % 3;
      cofactor[r][d] = j[r1][d1] * j[r2][d2] - j[r1][d2] * j[r2][d1];
    }
  const Vector determinant = j[0][0] * cofactor[0][0] + j[0][1] * cofactor[0][1] + j[0][2] * cofactor[0][2];
  const Vector inverse = 1.0 / determinant;
  for (auto& row : cofactor)
    for (Vector& entry : row) entry *= inverse;  // J^-T
  point.w = group.weights[p] * determinant;
  for (auto& row : point.a)
    for (Vector& entry : row) entry = Vector{};
  for (std::int64_t a = 0; a < vertices; ++a) {
    for (std::int64_t c = 0; c < 3; ++c)
      point.g[a][c] = cofactor[c][0] * reference[3 * a] + cofactor[c][1] * reference[3 * a + 1] +
                      cofactor[c][2] * reference[3 * a + 2];
    for (std::int64_t r = 0; r < 3; ++r)
      for (std::int64_t c = 0; c < 3; ++c) point.a[r][c] += part.at(group.u, 3 * a + r) * point.g[a][c];
  }
  for (std::int64_t r = 0; r < 3; ++r)
    for (std::int64_t c = 0; c < 3; ++c) point.f[r][c] = r == c ? 1.0 + point.a[r][c] : point.a[r][c];
}

// S = lambda tr(E) I + 2 mu E, and the energy density 1/2 S : E, of E = (A + A^T + A^T A) / 2, which keeps the digits
// of small strains as (F^T F - I) / 2 wouldn't.
template <class Vector>
[[gnu::always_inline]] inline void stress(const Vector (&a)[3][3], const Vector& lambda, const Vector& mu,
                                          Vector (&s)[3][3], Vector& density) {
  Vector e[3][3];
  for (std::int64_t i = 0; i < 3; ++i)
    for (std::int64_t j = 0; j < 3; ++j)
      e[i][j] = 0.5 * (a[i][j] + a[j][i] + a[0][i] * a[0][j] + a[1][i] * a[1][j] + a[2][i] * a[2][j]);
  const Vector pressure = lambda * (e[0][0] + e[1][1] + e[2][2]);
  density = Vector{};
  for (std::int64_t i = 0; i < 3; ++i)
    for (std::int64_t j = 0; j < 3; ++j) {
      s[i][j] = 2 * mu * e[i][j] + (i == j ? pressure : Vector{});
      density += 0.5 * s[i][j] * e[i][j];
    }
}

// f_a += p g_a.
template <int vertices, int bytes, class Vector>
[[gnu::always_inline]] inline void add_nodal_forces(const Part<bytes>& part, const Point<vertices, Vector>& point,
                                                    const Vector (&p)[3][3], double* force) {
  for (std::int64_t a = 0; a < vertices; ++a)
    for (std::int64_t r = 0; r < 3; ++r)
      part.at(force, 3 * a + r) += p[r][0] * point.g[a][0] + p[r][1] * point.g[a][1] + p[r][2] * point.g[a][2];
}

// f_a += w F S g_a.
template <int vertices, int bytes, class Vector>
[[gnu::always_inline]] inline void add_force(const Part<bytes>& part, const Point<vertices, Vector>& point,
                                             const Vector (&s)[3][3], double* force) {
  Vector p[3][3];
  for (std::int64_t r = 0; r < 3; ++r)
    for (std::int64_t c = 0; c < 3; ++c)
      p[r][c] = point.w * (point.f[r][0] * s[0][c] + point.f[r][1] * s[1][c] + point.f[r][2] * s[2][c]);
  add_nodal_forces(part, point, p, force);
}

// K_ab += w ((g_a . S g_b) I + lambda F g_a (F g_b)^T + mu F g_b (F g_a)^T + mu (g_a . g_b) F F^T), a <= b.
template <int vertices, int bytes, class Vector>
[[gnu::always_inline]] inline void add_stiffness(const Part<bytes>& part, const Point<vertices, Vector>& point,
                                                 const Vector (&s)[3][3], const Vector& lambda, const Vector& mu,
                                                 double* stiffness) {
  const Vector w_lambda = point.w * lambda, w_mu = point.w * mu;
  Vector ff[3][3], fg[vertices][3], sg[vertices][3];
  for (std::int64_t r = 0; r < 3; ++r)
    for (std::int64_t c = 0; c < 3; ++c)
      ff[r][c] = w_mu * (point.f[r][0] * point.f[c][0] + point.f[r][1] * point.f[c][1] + point.f[r][2] * point.f[c][2]);
  for (std::int64_t a = 0; a < vertices; ++a) {
    const auto& g = point.g[a];
    for (std::int64_t r = 0; r < 3; ++r) {
      fg[a][r] = point.f[r][0] * g[0] + point.f[r][1] * g[1] + point.f[r][2] * g[2];
      sg[a][r] = point.w * (s[r][0] * g[0] + s[r][1] * g[1] + s[r][2] * g[2]);
    }
  }
  std::int64_t block = 0;
  for (std::int64_t a = 0; a < vertices; ++a) {
    const auto& g = point.g[a];
    const Vector lambda_fg[3] = {w_lambda * fg[a][0], w_lambda * fg[a][1], w_lambda * fg[a][2]};
    const Vector mu_fg[3] = {w_mu * fg[a][0], w_mu * fg[a][1], w_mu * fg[a][2]};
    for (std::int64_t b = a; b < vertices; ++b, block += 9) {
      const Vector normal = g[0] * sg[b][0] + g[1] * sg[b][1] + g[2] * sg[b][2];
      const Vector shear = g[0] * point.g[b][0] + g[1] * point.g[b][1] + g[2] * point.g[b][2];
      for (std::int64_t r = 0; r < 3; ++r)
        for (std::int64_t c = 0; c < 3; ++c) {
          Vector entry = lambda_fg[r] * fg[b][c] + fg[b][r] * mu_fg[c] + shear * ff[r][c];
          if (r == c) entry += normal;
          part.at(stiffness, block + 3 * r + c) += entry;
        }
    }
  }
}

// The other laws, of which every kind of element has the same machine code: P, and C where it isn't null.
template <class Vector>
[[gnu::always_inline]] inline void respond(MaterialLaw law, const LawConstants<Vector>& k, const Vector* a, Vector* p,
                                           Vector* c) {
  law_stress(law, k, a, p);
  if (c != nullptr) law_tangent(law, k, a, c);
}

template <int bytes>
struct LawOfPart {
  using Vector = typename VectorOf<bytes>::Type;
  MaterialLaw law;
  LawConstants<double> lanes[bytes / 8];
  LawConstants<Vector> all = {};

  LawOfPart(const ElementGroup& group, std::int64_t first) : law(group.law) {
    for (std::int64_t l = 0; l < bytes / 8; ++l) {
      const std::int64_t lane = first + l;
      lanes[l] = law_constants(law, group.lambda[lane], group.mu[lane], group.mooney_share[lane]);
      all.lambda[l] = lanes[l].lambda;
      all.mu[l] = lanes[l].mu;
      all.shear[l] = lanes[l].shear;
      all.volume[l] = lanes[l].volume;
      all.logarithmic[l] = lanes[l].logarithmic;
      all.mooney[l] = lanes[l].mooney;
    }
  }
  // psi of each lane.
  void set_density(const Vector* a, Vector& result) const {
    for (int l = 0; l < bytes / 8; ++l) {
      double own[9];
      for (int n = 0; n < 9; ++n) own[n] = a[n][l];
      result[l] = law_energy(law, lanes[l], own);
    }
  }
};

// K_ab += w g_a C g_b, a <= b.
template <int vertices, int bytes, class Vector>
[[gnu::always_inline]] inline void add_tangent(const Part<bytes>& part, const Point<vertices, Vector>& point,
                                               const Vector* c, double* stiffness) {
  for (std::int64_t b = 0; b < vertices; ++b) {
    Vector cg[9][3];  // w C_iJ,kL g_bL
    for (int row = 0; row < 9; ++row)
      for (int k = 0; k < 3; ++k) {
        Vector sum = {};
        for (int l = 0; l < 3; ++l) {
          const int column = 3 * k + l;
          sum += c[row < column ? packed(row, column) : packed(column, row)] * point.g[b][l];
        }
        cg[row][k] = point.w * sum;
      }
    for (std::int64_t a = 0; a <= b; ++a) {
      const auto& g = point.g[a];
      const std::int64_t block = 9 * (a * (2 * vertices - a - 1) / 2 + b);
      for (std::int64_t i = 0; i < 3; ++i)
        for (std::int64_t k = 0; k < 3; ++k)
          part.at(stiffness, block + 3 * i + k) +=
              g[0] * cg[3 * i][k] + g[1] * cg[3 * i + 1][k] + g[2] * cg[3 * i + 2][k];
    }
  }
}

// What a point of another law than StVK adds.
template <int vertices, int bytes, class Respond, class Vector>
[[gnu::always_inline]] inline void add_point(const Part<bytes>& part, const LawOfPart<bytes>& law,
                                             const Point<vertices, Vector>& point, const ElementResults& results) {
  if (results.energy != nullptr) {
    Vector density = {};
    law.set_density(&point.a[0][0], density);
    part.at(results.energy, 0) += point.w * density;
  }
  if (results.force == nullptr && results.stiffness == nullptr) return;
  Vector p[3][3], c[45];
  Respond::respond(law.law, law.all, &point.a[0][0], &p[0][0], results.stiffness != nullptr ? c : nullptr);
  for (auto& row : p)
    for (Vector& entry : row) entry *= point.w;
  if (results.force != nullptr) add_nodal_forces(part, point, p, results.force);
  if (results.stiffness != nullptr) add_tangent(part, point, c, results.stiffness);
}

// @tparam Respond has the machine code of `respond` for this instruction set
template <int vertices, int bytes, class Respond>
[[gnu::always_inline]] inline void evaluate(const ElementGroup& group, const ElementResults& results) {
  using Vector = typename VectorOf<bytes>::Type;
  constexpr std::int64_t blocks = std::int64_t{vertices} * (vertices + 1) / 2;
  const auto clear = [](double* rows, std::int64_t count) {
    for (std::int64_t n = 0; rows != nullptr && n < count * element_lanes; ++n) rows[n] = 0;
  };
  clear(results.energy, 1);
  clear(results.force, std::int64_t{3} * vertices);
  clear(results.stiffness, 9 * blocks);
  for (std::int64_t lane = 0; lane < element_lanes; lane += bytes / 8) {
    const Part<bytes> part{lane};
    if (group.law != MaterialLaw::stvk) {
      const LawOfPart<bytes> law(group, lane);
      for (std::size_t p = 0; p < group.weights.size(); ++p) {
        Point<vertices, Vector> point;
        set_geometry(part, group, p, point);
        add_point<vertices, bytes, Respond>(part, law, point, results);
      }
      continue;
    }
    const Vector lambda = part.at(group.lambda, 0), mu = part.at(group.mu, 0);
    for (std::size_t p = 0; p < group.weights.size(); ++p) {
      Point<vertices, Vector> point;
      Vector s[3][3], density;
      set_geometry(part, group, p, point);
      stress(point.a, lambda, mu, s, density);
      if (results.energy != nullptr) part.at(results.energy, 0) += point.w * density;
      if (results.force != nullptr) add_force(part, point, s, results.force);
      if (results.stiffness == nullptr) continue;
      if (results.is_viscous)
        for (auto& row : s)
          for (Vector& entry : row) entry = Vector{};
      add_stiffness(part, point, s, lambda, mu, results.stiffness);
    }
  }
}

template <int bytes>
struct PortableLaw {
  using Vector = typename VectorOf<bytes>::Type;
  [[gnu::noinline]] static void respond(MaterialLaw law, const LawConstants<Vector>& k, const Vector* a, Vector* p,
                                        Vector* c) {
    cpu::respond(law, k, a, p, c);
  }
};
#if defined(__x86_64__)
struct Avx2Law {
  using Vector = typename VectorOf<32>::Type;
  [[gnu::noinline, gnu::target(QUARTIC_TARGET_AVX2)]] static void respond(MaterialLaw law,
                                                                          const LawConstants<Vector>& k,
                                                                          const Vector* a, Vector* p, Vector* c) {
    cpu::respond(law, k, a, p, c);
  }
};
struct Avx512Law {
  using Vector = typename VectorOf<64>::Type;
  [[gnu::noinline, gnu::target(QUARTIC_TARGET_AVX512)]] static void respond(MaterialLaw law,
                                                                            const LawConstants<Vector>& k,
                                                                            const Vector* a, Vector* p, Vector* c) {
    cpu::respond(law, k, a, p, c);
  }
};
#endif

template <int vertices>
EvaluateElements kernel_for() {
#if defined(__x86_64__)
  struct Avx2 {
    [[gnu::target(QUARTIC_TARGET_AVX2)]] static void run(const ElementGroup& group, const ElementResults& results) {
      evaluate<vertices, 32, Avx2Law>(group, results);
    }
  };
  struct Avx512 {
    [[gnu::target(QUARTIC_TARGET_AVX512)]] static void run(const ElementGroup& group, const ElementResults& results) {
      evaluate<vertices, 64, Avx512Law>(group, results);
    }
  };
  if (instruction_set() == InstructionSet::avx512) return Avx512::run;
  if (instruction_set() == InstructionSet::avx2) return Avx2::run;
#endif
  return evaluate<vertices, 16, PortableLaw<16>>;
}

}  // namespace

EvaluateElements element_kernel(int vertices) {
  switch (vertices) {
    case 4:
      return kernel_for<4>();
    case 6:
      return kernel_for<6>();
    case 8:
      return kernel_for<8>();
    case 10:
      return kernel_for<10>();
    case 15:
      return kernel_for<15>();
    case 20:
      return kernel_for<20>();
    default:
      throw InputError("there is no kernel for elements of " + std::to_string(vertices) + " vertices");
  }
}

}  // namespace quartic::cpu
