// Half the curl of displacement fields at vertices.
#include <string>

#include "core/base/thread_pool.hpp"
#include "core/elements/quadrature.hpp"
#include "core/elements/vectors.hpp"
#include "quartic/error.hpp"
#include "quartic/warping.hpp"

namespace quartic {
namespace {

/// Gradients of an element's shape functions at its own vertices, and its volume.
class VertexGradients {
 public:
  explicit VertexGradients(const ElementBlock& block)
      : table_(element_table(block.type)),
        volume_(table_, stiffness_rule(block)),
        corners_(table_, {table_.corners, std::vector<double>(table_.corners.size(), 1.0)}) {}

  /// @throws InputError for an element that is inverted at a vertex or a quadrature point
  void compute(const VolumeMesh& mesh, std::span<const std::int32_t> element) {
    std::array<std::array<double, 3>, 20> x;
    gather_positions(mesh, element, x);
    volume = 0;
    for (std::size_t p = 0; p < volume_.weights.size(); ++p) {
      point_geometry(x, volume_, p, at_vertex[0]);
      require_positive(at_vertex[0].weight);
      volume += at_vertex[0].weight;
    }
    for (std::size_t p = 0; p < corners_.weights.size(); ++p) {
      point_geometry(x, corners_, p, at_vertex[p]);
      require_positive(at_vertex[p].weight);
    }
  }

  double volume = 0;                             // [m^3]
  std::array<PointGeometry, 20> at_vertex = {};  // of each vertex of the element

 private:
  static void require_positive(double weight) {
    if (!(weight > 0))
      throw InputError(
          "an element is inverted or flat at one of its vertices; mend the mesh (`prepare_mesh` turns "
          "inverted ones round)");
  }

  const ElementTable& table_;
  TabulatedRule volume_, corners_;
};

// Sum of g_a x u_a: the curl at one point.
std::array<double, 3> curl_at(const PointGeometry& point, std::span<const std::int32_t> element, const double* field) {
  std::array<double, 3> curl{};
  for (std::size_t a = 0; a < element.size(); ++a) {
    const double* u = field + 3 * static_cast<std::ptrdiff_t>(element[a]);
    const std::array<double, 3> part = cross(point.gradient[a], {u[0], u[1], u[2]});
    for (std::size_t c = 0; c < 3; ++c) curl[c] += part[c];
  }
  return curl;
}

// Adds volume times half the curl of each element to its vertices, and the volumes themselves.
void add_block(const VolumeMesh& mesh, const ElementBlock& block, const double* field, double* rotation,
               std::vector<double>& volumes) {
  VertexGradients gradients(block);
  for (std::int64_t e = 0; e < block.count(); ++e) {
    const auto element = block.element(e);
    gradients.compute(mesh, element);
    for (std::size_t a = 0; a < element.size(); ++a) {
      const std::array<double, 3> curl = curl_at(gradients.at_vertex[a], element, field);
      const auto vertex = static_cast<std::size_t>(element[a]);
      volumes[vertex] += gradients.volume;
      for (std::size_t c = 0; c < 3; ++c) rotation[3 * vertex + c] += gradients.volume / 2 * curl[c];
    }
  }
}

}  // namespace

Matrix modal_rotation(const VolumeMesh& mesh, MatrixRef fields) {
  require_indices(mesh);
  if (fields.rows() != 3 * mesh.vertex_count())
    throw InputError("fields have three rows per vertex, " + std::to_string(3 * mesh.vertex_count()) +
                     " for this mesh, but these have " + std::to_string(fields.rows()));
  Matrix rotation(fields.rows(), fields.cols());
  parallel_for(fields.cols(), [&](std::int64_t i) {
    std::vector<double> volumes(static_cast<std::size_t>(mesh.vertex_count()));
    const std::span<double> column = rotation.col(i);
    const double* field = fields.data() + i * fields.outerStride();
    for (const ElementBlock& block : mesh.blocks) add_block(mesh, block, field, column.data(), volumes);
    for (std::size_t v = 0; v < volumes.size(); ++v)
      for (std::size_t c = 0; c < 3 && volumes[v] > 0; ++c) column[3 * v + c] /= volumes[v];
  });
  return rotation;
}

}  // namespace quartic
