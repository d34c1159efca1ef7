// Nodal forces of the stress that is quadratic in displacements: at a quadrature point, with A a field's gradient and
// S(E) = lambda tr(E) I + 2 mu E, vertex a gets w S(A^T A / 2) g_a.
//
// A task takes a few fields through all elements, one element per SIMD lane: a column is summed in the order of the
// elements.
#include <algorithm>

#include "core/base/thread_pool.hpp"
#include "cpu/fem/cpu_fem.hpp"
#include "cpu/fem/element_lanes.hpp"

namespace quartic::cpu {
namespace {

constexpr std::int64_t fields_per_task = 4;

// A^T A / 2.
void quadratic_strain(const LaneMatrix& a, LaneMatrix& e) {
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t l = 0; l < lanes; ++l)
        e[3 * r + c][l] = 0.5 * (a[r][l] * a[c][l] + a[3 + r][l] * a[3 + c][l] + a[6 + r][l] * a[6 + c][l]);
}

// Fields [first, last).
void add_fields(const BlockLoop& loop, const MatrixRef& fields, std::int64_t first, std::int64_t last, Matrix& result) {
  const auto corners = static_cast<std::size_t>(loop.rule.vertex_count);
  const std::int64_t elements = loop.block.count();
  std::vector<std::int32_t> vertices;
  LanePoint point;
  LaneMatrix a, e, s;
  std::vector<Lane> forces(static_cast<std::size_t>(last - first) * 3 * corners);
  for (std::int64_t begin = 0; begin < elements; begin += lanes) {
    const auto count = static_cast<std::size_t>(std::min<std::int64_t>(lanes, elements - begin));
    loop.gather_vertices(begin, count, vertices);
    std::fill(forces.begin(), forces.end(), Lane{});
    const auto force_of = [&](std::int64_t f) { return &forces[static_cast<std::size_t>(f - first) * 3 * corners]; };
    for (std::size_t p = 0; p < loop.rule.weights.size(); ++p) {
      loop.gather_point(begin, count, p, point);
      for (std::int64_t f = first; f < last; ++f) {
        field_gradient(fields.col(f).data(), vertices, corners, point, a);
        quadratic_strain(a, e);
        weighted_stress(point, e, s);
        add_forces(point, s, corners, force_of(f));
      }
    }
    for (std::int64_t f = first; f < last; ++f)
      scatter_forces(vertices, corners, count, force_of(f), result.col(f).data());
  }
}

}  // namespace

Matrix quadratic_forces(const PreparedMesh& prepared, const MatrixRef& fields) {
  Matrix result(fields.rows(), fields.cols());
  const std::int64_t tasks = (fields.cols() + fields_per_task - 1) / fields_per_task;
  std::int64_t first_element = 0;
  for (const ElementBlock& block : prepared.mesh().blocks) {
    const TabulatedRule rule(element_table(block.type), stiffness_rule(block));
    const BlockLoop loop{prepared.mesh(), block, prepared.materials(), rule, first_element};
    parallel_for(tasks, [&](std::int64_t task) {
      const std::int64_t first = task * fields_per_task;
      add_fields(loop, fields, first, std::min(fields.cols(), first + fields_per_task), result);
    });
    first_element += block.count();
  }
  return result;
}

}  // namespace quartic::cpu
