// Rotation-strain warping of volume meshes.
#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "core/base/thread_pool.hpp"
#include "core/elements/quadrature.hpp"
#include "core/fem/incidence.hpp"
#include "core/mesh/components.hpp"
#include "core/warping/rotation_map.hpp"
#include "quartic/error.hpp"
#include "quartic/fem.hpp"
#include "quartic/warping.hpp"

namespace quartic {
namespace {

using Point3 = frame::Vector3<double>;
constexpr std::int64_t elements_per_task = 256, vertices_per_warp_task = 2048;

/// A column of exp(w^) (I + e) - I: c of I + e is unit + strain.
Point3 target_column(const warping::RotationMap<double>& turn, const Point3& unit, const Point3& strain) {
  const Point3 turned = cross(turn.w, unit + strain);
  return strain + turn.x * turned + turn.y * cross(turn.w, turned);
}

/// The columns of F - I at a point, from the rows of the displacement's gradient A.
std::array<Point3, 3> target(const double (&a)[3][3]) {
  const Point3 w = {(a[2][1] - a[1][2]) / 2, (a[0][2] - a[2][0]) / 2, (a[1][0] - a[0][1]) / 2};
  const double xy = (a[0][1] + a[1][0]) / 2, yz = (a[1][2] + a[2][1]) / 2, xz = (a[0][2] + a[2][0]) / 2;
  const auto turn = warping::exponential_map(w);
  return {target_column(turn, {1, 0, 0}, {a[0][0], xy, xz}), target_column(turn, {0, 1, 0}, {xy, a[1][1], yz}),
          target_column(turn, {0, 0, 1}, {xz, yz, a[2][2]})};
}

// Sum of u_a g_a^T.
void gradient_of(const PointGeometry& point, std::span<const std::int32_t> element, std::span<const double> u,
                 double (&a)[3][3]) {
  for (auto& row : a) std::fill(row, row + 3, 0.0);
  for (std::size_t v = 0; v < element.size(); ++v)
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        a[i][j] += u[3 * static_cast<std::size_t>(element[v]) + i] * point.gradient[v][j];
}

/// Adds V g_a . g_b of all points.
void add_laplacian(const VolumeMesh& mesh, const ElementBlock& block, const TabulatedRule& rule,
                   const VertexGraph& graph, std::span<double> values) {
  for_each_point(mesh, block, rule, 0, block.count(),
                 [&](std::int64_t, std::span<const std::int32_t> element, const PointGeometry& point, std::size_t) {
                   for (std::size_t a = 0; a < element.size(); ++a)
                     for (std::size_t b = 0; b < element.size(); ++b) {
                       const auto& g = point.gradient;
                       const auto at = static_cast<std::size_t>(graph.offsets[static_cast<std::size_t>(element[a])]) +
                                       graph.find(element[a], element[b]);
                       values[at] += point.weight * (g[a][0] * g[b][0] + g[a][1] * g[b][1] + g[a][2] * g[b][2]);
                     }
                 });
}

SparseMatrix scalar_laplacian(const VolumeMesh& mesh, const std::vector<TabulatedRule>& rules,
                              const VertexGraph& graph) {
  SparseMatrix laplacian;
  laplacian.rows = laplacian.cols = mesh.vertex_count();
  laplacian.row_offsets.assign(graph.offsets.begin(), graph.offsets.end());
  laplacian.columns = graph.neighbours;
  laplacian.values.resize(graph.neighbours.size());
  for (std::size_t b = 0; b < rules.size(); ++b) add_laplacian(mesh, mesh.blocks[b], rules[b], graph, laplacian.values);
  return laplacian;
}

/// The rows and columns of some vertices. @param number of each vertex among them, or -1
SparseMatrix restricted(const SparseMatrix& matrix, std::span<const std::int32_t> number) {
  SparseMatrix part;
  part.row_offsets.push_back(0);
  for (std::size_t row = 0; row < number.size(); ++row) {
    if (number[row] < 0) continue;
    for (auto at = matrix.row_offsets[row]; at < matrix.row_offsets[row + 1]; ++at) {
      const std::int32_t column = number[static_cast<std::size_t>(matrix.columns[static_cast<std::size_t>(at)])];
      if (column < 0) continue;
      part.columns.push_back(column);
      part.values.push_back(matrix.values[static_cast<std::size_t>(at)]);
    }
    part.row_offsets.push_back(static_cast<std::int32_t>(part.columns.size()));
  }
  part.rows = part.cols = std::ssize(part.row_offsets) - 1;
  return part;
}

/// Vertices that move freely as a whole, and how their mass is spread.
struct FreePart {
  std::vector<std::int32_t> vertices;
  std::vector<double> share;  ///< of the mass, of each of them; sums to 1
};

/// Each vertex's integral of its shape function times the density: what the mass centre moves by.
std::vector<double> vertex_masses(const VolumeMesh& mesh) {
  const SparseMatrix mass = mass_matrix(mesh);
  std::vector<double> masses(static_cast<std::size_t>(mesh.vertex_count()));
  for (std::size_t v = 0; v < masses.size(); ++v)
    for (auto at = mass.row_offsets[3 * v]; at < mass.row_offsets[3 * v + 1]; ++at)
      masses[v] += mass.values[static_cast<std::size_t>(at)];
  return masses;
}

}  // namespace

struct RotationStrainWarp::Impl {
  VolumeMesh mesh;
  std::vector<TabulatedRule> rules;  // of each block
  std::vector<Incidence> incidences;
  SparseMatrix laplacian;
  std::vector<bool> used;            // vertices that elements have
  std::vector<std::int32_t> solved;  // number of each vertex in the system that is solved; -1: none
  std::vector<FreePart> free_parts;
  std::optional<Factorization> factor;  // none where nothing is free

  Impl(const VolumeMesh& whole, std::span<const std::int32_t> fixed, const FactorizationOptions& options)
      : mesh(whole), used(static_cast<std::size_t>(whole.vertex_count())) {
    require_indices(mesh);
    const std::vector<double> masses = vertex_masses(mesh);  // also checks elements and materials
    for (const ElementBlock& block : mesh.blocks) rules.emplace_back(element_table(block.type), stiffness_rule(block));
    incidences = incidences_of(mesh);
    laplacian = scalar_laplacian(mesh, rules, VertexGraph(mesh, incidences));
    choose_solved(fixed, masses);
    const SparseMatrix system = restricted(laplacian, solved);
    if (system.rows > 0) factor.emplace(system, options);
  }

  // All used vertices but the fixed ones and, of each component that has none of these, one.
  void choose_solved(std::span<const std::int32_t> fixed, const std::vector<double>& masses) {
    std::vector<bool> held(used.size());
    for (const std::int32_t v : fixed) {
      if (v < 0 || v >= mesh.vertex_count())
        throw InputError("fixed vertex " + std::to_string(v) + " isn't one of the mesh's " +
                         std::to_string(mesh.vertex_count()));
      held[static_cast<std::size_t>(v)] = true;
    }
    for (std::vector<std::int32_t>& part : connected_components(mesh)) {
      for (const std::int32_t v : part) used[static_cast<std::size_t>(v)] = true;
      if (std::ranges::any_of(part, [&](std::int32_t v) { return held[static_cast<std::size_t>(v)]; })) continue;
      held[static_cast<std::size_t>(part.front())] = true;
      add_free_part(std::move(part), masses);
    }
    solved.assign(used.size(), -1);
    std::int32_t count = 0;
    for (std::size_t v = 0; v < used.size(); ++v)
      if (used[v] && !held[v]) solved[v] = count++;
  }

  void add_free_part(std::vector<std::int32_t> part, const std::vector<double>& masses) {
    double sum = 0;
    std::vector<double> share;
    for (const std::int32_t v : part) sum += share.emplace_back(masses[static_cast<std::size_t>(v)]);
    for (double& s : share) s /= sum;
    free_parts.push_back({std::move(part), std::move(share)});
  }

  // Sum of V (F - I) g_a over an element's points, for each of its vertices.
  void element_loads(std::size_t block, std::int64_t begin, std::int64_t end, std::span<const double> u,
                     std::span<double> loads) const {
    for_each_point(mesh, mesh.blocks[block], rules[block], begin, end,
                   [&](std::int64_t e, std::span<const std::int32_t> element, const PointGeometry& point, std::size_t) {
                     double a[3][3];
                     gradient_of(point, element, u, a);
                     const std::array<Point3, 3> columns = target(a);
                     double* load = loads.data() + 3 * e * std::ssize(element);
                     for (std::size_t v = 0; v < element.size(); ++v, load += 3) {
                       const auto& g = point.gradient[v];
                       const Point3 f = point.weight * (g[0] * columns[0] + g[1] * columns[1] + g[2] * columns[2]);
                       load[0] += f.x;
                       load[1] += f.y;
                       load[2] += f.z;
                     }
                   });
  }

  // The right-hand sides, shape (solved, 3).
  [[nodiscard]] Eigen::MatrixXd loads_of(std::span<const double> u) const {
    Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(factor->rows(), 3);
    for (std::size_t b = 0; b < rules.size(); ++b) {
      const ElementBlock& block = mesh.blocks[b];
      std::vector<double> loads(3 * block.vertices.size());
      parallel_ranges(block.count(), elements_per_task,
                      [&](std::int64_t begin, std::int64_t end) { element_loads(b, begin, end, u, loads); });
      gather(incidences[b], loads, sums);
    }
    return sums;
  }

  void gather(const Incidence& incidence, const std::vector<double>& loads, Eigen::MatrixXd& sums) const {
    parallel_ranges(mesh.vertex_count(), vertices_per_warp_task, [&](std::int64_t begin, std::int64_t end) {
      for (auto v = static_cast<std::size_t>(begin); v < static_cast<std::size_t>(end); ++v) {
        if (solved[v] < 0) continue;
        for (auto at = incidence.offsets[v]; at < incidence.offsets[v + 1]; ++at)
          for (Eigen::Index c = 0; c < 3; ++c)
            sums(solved[v], c) += loads[3 * static_cast<std::size_t>(incidence.places[static_cast<std::size_t>(at)]) +
                                        static_cast<std::size_t>(c)];
      }
    });
  }

  /// One column.
  void warp(std::span<const double> u, std::span<double> warped) const {
    if (!std::ranges::all_of(u, [](double x) { return std::isfinite(x); })) {
      std::ranges::fill(warped, std::numeric_limits<double>::quiet_NaN());
      return;
    }
    Eigen::MatrixXd solution;
    if (factor) {
      solution = loads_of(u);
      factor->solve(solution);
    }
    for (std::size_t v = 0; v < used.size(); ++v)
      for (std::size_t c = 0; c < 3; ++c)
        warped[3 * v + c] = solved[v] >= 0 ? solution(solved[v], static_cast<Eigen::Index>(c))
                            : used[v]      ? 0
                                           : u[3 * v + c];
    for (const FreePart& part : free_parts) keep_centre(part, u, warped);
  }

  // The centre of the part's mass goes where the linear displacement takes it.
  static void keep_centre(const FreePart& part, std::span<const double> u, std::span<double> warped) {
    for (std::size_t c = 0; c < 3; ++c) {
      double shift = 0;
      for (std::size_t n = 0; n < part.vertices.size(); ++n) {
        const std::size_t at = 3 * static_cast<std::size_t>(part.vertices[n]) + c;
        shift += part.share[n] * (u[at] - warped[at]);
      }
      for (const std::int32_t v : part.vertices) warped[3 * static_cast<std::size_t>(v) + c] += shift;
    }
  }
};

RotationStrainWarp::RotationStrainWarp(const VolumeMesh& mesh, std::span<const std::int32_t> fixed_vertices,
                                       const FactorizationOptions& options)
    : impl_(std::make_unique<Impl>(mesh, fixed_vertices, options)) {}
RotationStrainWarp::RotationStrainWarp(RotationStrainWarp&&) noexcept = default;
RotationStrainWarp& RotationStrainWarp::operator=(RotationStrainWarp&&) noexcept = default;
RotationStrainWarp::~RotationStrainWarp() = default;

std::int64_t RotationStrainWarp::vertex_count() const {
  return impl_->mesh.vertex_count();
}

const SparseMatrix& RotationStrainWarp::laplacian() const {
  return impl_->laplacian;
}

Matrix RotationStrainWarp::warp(MatrixRef displacements) const {
  if (displacements.rows() != 3 * vertex_count())
    throw InputError("displacements have three rows per vertex, " + std::to_string(3 * vertex_count()) +
                     " for this mesh, but these have " + std::to_string(displacements.rows()));
  Matrix warped(displacements.rows(), displacements.cols());
  for (std::int64_t column = 0; column < warped.cols; ++column) {  // by itself each, so that bits depend on no other
    const double* u = displacements.data() + column * displacements.outerStride();
    impl_->warp({u, static_cast<std::size_t>(warped.rows)}, warped.col(column));
  }
  return warped;
}

}  // namespace quartic
