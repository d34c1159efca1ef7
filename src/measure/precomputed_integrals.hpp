// The classical evaluation of StVK forces on linear tetrahedra: integrals of products of shape-function gradients are
// worked out beforehand, and the linear, quadratic and cubic terms are summed over them (Capell et al. 2002; Barbic
// 2007, appendix C; VegaFEM). The baseline for
// unreduced forces. With A = sum_i u_i g_i^T, R_a = V (I + A) S g_a and
//   A_ab = V g_a g_b^T,  B_ab = V g_a . g_b,  C_abc = V g_a (g_b . g_c),  D_abcd = V (g_a . g_b) (g_c . g_d).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "quartic/matrix.hpp"
#include "quartic/mesh.hpp"

namespace quartic::measure {

class PrecomputedIntegrals {
 public:
  using Vector = std::array<double, 3>;
  using Block = std::array<Vector, 3>;

  /// @param mesh of tet4 in one region with a material
  /// @param pattern of the stiffness
  PrecomputedIntegrals(const VolumeMesh& mesh, const SparseMatrix& pattern);

  /// Force, shape (3n), and stiffness at displacement u.
  void evaluate(std::span<const double> u, std::span<double> force, SparseMatrix& stiffness) const;

 private:
  struct Tetrahedron {
    std::array<std::int32_t, 4> vertices;
    std::array<std::array<std::int32_t, 4>, 4> columns;  // of block (a, b) in the rows of vertex a
    std::array<std::array<Block, 4>, 4> a;
    std::array<std::array<double, 4>, 4> b;
    std::array<std::array<std::array<Vector, 4>, 4>, 4> c;
    std::array<std::array<std::array<std::array<double, 4>, 4>, 4>, 4> d;
  };
  void add_force(const Tetrahedron& t, const std::array<Vector, 4>& u, std::size_t a, Vector& force) const;
  [[nodiscard]] Block block(const Tetrahedron& t, const std::array<Vector, 4>& u, std::size_t a, std::size_t b) const;

  std::vector<Tetrahedron> tetrahedra_;
  double lambda_, mu_;
};

namespace detail {
inline double dot(const PrecomputedIntegrals::Vector& x, const PrecomputedIntegrals::Vector& y) {
  return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}
inline void add(PrecomputedIntegrals::Vector& to, double factor, const PrecomputedIntegrals::Vector& x) {
  for (std::size_t i = 0; i < 3; ++i) to[i] += factor * x[i];
}
inline void add_outer(PrecomputedIntegrals::Block& to, double factor, const PrecomputedIntegrals::Vector& x,
                      const PrecomputedIntegrals::Vector& y) {
  for (std::size_t i = 0; i < 3; ++i) add(to[i], factor * x[i], y);
}
inline void add_identity(PrecomputedIntegrals::Block& to, double factor) {
  for (std::size_t i = 0; i < 3; ++i) to[i][i] += factor;
}
}  // namespace detail

inline PrecomputedIntegrals::PrecomputedIntegrals(const VolumeMesh& mesh, const SparseMatrix& pattern)
    : lambda_(lame_lambda(*mesh.regions[0].material)), mu_(lame_mu(*mesh.regions[0].material)) {
  using detail::dot;
  const ElementBlock& block = mesh.blocks[0];
  for (std::int64_t e = 0; e < block.count(); ++e) {
    Tetrahedron& t = tetrahedra_.emplace_back();
    std::array<Vector, 4> x, g;
    for (std::size_t v = 0; v < 4; ++v) {
      t.vertices[v] = block.element(e)[v];
      for (std::size_t i = 0; i < 3; ++i) x[v][i] = mesh.vertices[3 * static_cast<std::size_t>(t.vertices[v]) + i];
    }
    double volume = 0;
    for (std::size_t v = 0; v < 4; ++v) {  // the gradient is normal to the opposite face, over the height
      const Vector &p = x[(v + 1) % 4], &q = x[(v + 2) % 4], &r = x[(v + 3) % 4];
      for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
        g[v][i] = (q[j] - p[j]) * (r[k] - p[k]) - (q[k] - p[k]) * (r[j] - p[j]);
      }
      const double six_volumes = dot(g[v], {x[v][0] - p[0], x[v][1] - p[1], x[v][2] - p[2]});
      for (double& entry : g[v]) entry /= six_volumes;
      volume = six_volumes < 0 ? -six_volumes / 6 : six_volumes / 6;
    }
    for (std::size_t a = 0; a < 4; ++a)
      for (std::size_t b = 0; b < 4; ++b) {
        const auto row = 3 * static_cast<std::size_t>(t.vertices[a]);
        std::int32_t column = pattern.row_offsets[row];
        while (pattern.columns[static_cast<std::size_t>(column)] != 3 * t.vertices[b]) ++column;
        t.columns[a][b] = column - pattern.row_offsets[row];
        for (std::size_t i = 0; i < 3; ++i)
          for (std::size_t j = 0; j < 3; ++j) t.a[a][b][i][j] = volume * g[a][i] * g[b][j];
        t.b[a][b] = volume * dot(g[a], g[b]);
        for (std::size_t c = 0; c < 4; ++c) {
          for (std::size_t i = 0; i < 3; ++i) t.c[a][b][c][i] = volume * g[a][i] * dot(g[b], g[c]);
          for (std::size_t d = 0; d < 4; ++d) t.d[a][b][c][d] = volume * dot(g[a], g[b]) * dot(g[c], g[d]);
        }
      }
  }
}

inline void PrecomputedIntegrals::add_force(const Tetrahedron& t, const std::array<Vector, 4>& u, std::size_t a,
                                            Vector& force) const {
  using namespace detail;
  for (std::size_t c = 0; c < 4; ++c) {
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) force[i] += (lambda_ * t.a[a][c][i][j] + mu_ * t.a[c][a][i][j]) * u[c][j];
    add(force, mu_ * t.b[a][c], u[c]);
    for (std::size_t d = 0; d < 4; ++d) {
      const double uu = dot(u[c], u[d]);
      add(force, 0.5 * lambda_ * uu, t.c[a][c][d]);
      add(force, mu_ * uu, t.c[c][d][a]);
      add(force, lambda_ * dot(u[c], t.c[c][d][a]) + mu_ * (dot(u[c], t.c[d][c][a]) + dot(u[c], t.c[a][c][d])), u[d]);
      for (std::size_t e = 0; e < 4; ++e)
        add(force, uu * (0.5 * lambda_ * t.d[c][d][a][e] + mu_ * t.d[c][e][d][a]), u[e]);
    }
  }
}

inline PrecomputedIntegrals::Block PrecomputedIntegrals::block(const Tetrahedron& t, const std::array<Vector, 4>& u,
                                                               std::size_t a, std::size_t b) const {
  using namespace detail;
  Block k{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) k[i][j] = lambda_ * t.a[a][b][i][j] + mu_ * t.a[b][a][i][j];
  double identity = mu_ * t.b[a][b];
  for (std::size_t c = 0; c < 4; ++c) {
    Vector left{}, right{};
    add(left, lambda_, t.c[a][b][c]);
    add(left, mu_, t.c[b][c][a]);
    add(left, mu_, t.c[c][b][a]);
    add(right, lambda_, t.c[b][c][a]);
    add(right, mu_, t.c[c][b][a]);
    add(right, mu_, t.c[a][b][c]);
    add_outer(k, 1, left, u[c]);
    add_outer(k, 1, u[c], right);
    identity += lambda_ * dot(u[c], t.c[c][b][a]) + mu_ * (dot(u[c], t.c[b][c][a]) + dot(u[c], t.c[a][c][b]));
    for (std::size_t d = 0; d < 4; ++d) {
      identity += dot(u[c], u[d]) * (0.5 * lambda_ * t.d[c][d][a][b] + mu_ * t.d[c][b][d][a]);
      const double factor =
          0.5 * lambda_ * (t.d[b][c][a][d] + t.d[c][b][a][d]) + mu_ * (t.d[b][d][c][a] + t.d[c][d][b][a]);
      add_outer(k, factor, u[d], u[c]);
    }
  }
  add_identity(k, identity);
  return k;
}

inline void PrecomputedIntegrals::evaluate(std::span<const double> u, std::span<double> force,
                                           SparseMatrix& stiffness) const {
  for (double& entry : force) entry = 0;
  for (double& entry : stiffness.values) entry = 0;
  for (const Tetrahedron& t : tetrahedra_) {
    std::array<Vector, 4> local;
    for (std::size_t v = 0; v < 4; ++v)
      for (std::size_t i = 0; i < 3; ++i) local[v][i] = u[3 * static_cast<std::size_t>(t.vertices[v]) + i];
    for (std::size_t a = 0; a < 4; ++a) {
      const std::size_t row = 3 * static_cast<std::size_t>(t.vertices[a]);
      Vector f{};
      add_force(t, local, a, f);
      for (std::size_t i = 0; i < 3; ++i) force[row + i] += f[i];
      for (std::size_t b = 0; b < 4; ++b) {
        const Block k = block(t, local, a, b);
        for (std::size_t i = 0; i < 3; ++i)
          for (std::size_t j = 0; j < 3; ++j)
            stiffness.values[static_cast<std::size_t>(stiffness.row_offsets[row + i] + t.columns[a][b]) + j] += k[i][j];
      }
    }
  }
}

}  // namespace quartic::measure
