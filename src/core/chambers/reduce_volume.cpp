// The enclosed volume on a basis. With the fields F_0 = X (positions at rest), F_i = U_i, a position is q^_a F_a, and
//   T_abc = F_a . G(F_b, F_c),   G(v, w) the second derivative of dV/dx along v and w, a field on the chamber's
//   vertices.
#include <Eigen/Geometry>
#include <string>
#include <vector>

#include "core/base/thread_pool.hpp"
#include "core/chambers/face_triples.hpp"
#include "core/energy/symmetric_tensor.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

// X and U at the chamber's vertices, shape (3 vertices, r + 1).
MatrixXd chamber_fields(const ChamberTriples& chamber, MatrixRef basis) {
  MatrixXd fields(std::ssize(chamber.rest), basis.cols() + 1);
  fields.col(0) = VectorXd::Map(chamber.rest.data(), std::ssize(chamber.rest));
  for (std::size_t i = 0; i < chamber.vertices.size(); ++i)
    fields.block(3 * static_cast<Index>(i), 1, 3, basis.cols()) = basis.middleRows(3 * Index{chamber.vertices[i]}, 3);
  return fields;
}

VectorXd second_derivative(const ChamberTriples& chamber, const VectorXd& v, const VectorXd& w) {
  VectorXd g = VectorXd::Zero(v.size());
  for (const PositionTriple& term : chamber.triples)
    for (std::size_t k = 0; k < 3; ++k) {
      const Index a = 3 * Index{term.places[k]}, b = 3 * Index{term.places[(k + 1) % 3]},
                  c = 3 * Index{term.places[(k + 2) % 3]};
      const Vector3d vb = v.segment<3>(b), vc = v.segment<3>(c), wb = w.segment<3>(b), wc = w.segment<3>(c);
      g.segment<3>(a) += term.weight * (vb.cross(wc) + wb.cross(vc));
    }
  return g;
}

}  // namespace

EnclosedVolume reduce_volume(const VolumeMesh& mesh, const Chamber& chamber, MatrixRef basis) {
  if (basis.rows() != 3 * mesh.vertex_count() || basis.cols() < 1)
    throw InputError("the basis must have " + std::to_string(3 * mesh.vertex_count()) +
                     " rows, three per vertex, and a column at least, not " + std::to_string(basis.rows()) + " x " +
                     std::to_string(basis.cols()));
  const ChamberTriples triples = chamber_triples(mesh, chamber);
  const MatrixXd fields = chamber_fields(triples, basis);
  const auto n = static_cast<std::size_t>(fields.cols());
  EnclosedVolume result{static_cast<int>(basis.cols()), {}};
  result.coefficients.resize(static_cast<std::size_t>(cubic_coefficient_count(basis.cols())));
  parallel_for(static_cast<std::int64_t>(n), [&](std::int64_t last) {
    const auto c = static_cast<std::size_t>(last);
    for (std::size_t b = 0; b <= c; ++b) {
      const VectorXd g = second_derivative(triples, fields.col(static_cast<Index>(b)), fields.col(last));
      for (std::size_t a = 0; a <= b; ++a)
        result.coefficients[triple_index(a, b, c, n)] = fields.col(static_cast<Index>(a)).dot(g);
    }
  });
  return result;
}

}  // namespace quartic
