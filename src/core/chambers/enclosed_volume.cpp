#include <Eigen/SparseCore>
#include <string>

#include "core/chambers/face_triples.hpp"
#include "core/elements/dof_vector_check.hpp"
#include "core/elements/vectors.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

ChamberVolume checked_volume(const VolumeMesh& mesh, const Chamber& chamber, std::span<const double> u) {
  if (!u.empty()) require_dof_vector(u, 3 * mesh.vertex_count(), "the displacement");
  return {mesh, chamber};
}

}  // namespace

std::vector<std::array<double, 3>> ChamberVolume::positions(std::span<const double> u) const {
  std::vector<std::array<double, 3>> x(triples_.vertices.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t c = 0; c < 3; ++c)
      x[i][c] = triples_.rest[3 * i + c] + (u.empty() ? 0 : u[3 * static_cast<std::size_t>(triples_.vertices[i]) + c]);
  return x;
}

double ChamberVolume::volume(std::span<const double> u) const {
  const auto x = positions(u);
  double sum = 0;
  for (const PositionTriple& term : triples_.triples) {
    const auto& [a, b, c] = term.places;
    sum += term.weight *
           dot(x[static_cast<std::size_t>(a)], cross(x[static_cast<std::size_t>(b)], x[static_cast<std::size_t>(c)]));
  }
  return sum;
}

void ChamberVolume::add_gradient(double scale, std::span<const double> u, std::span<double> gradient) const {
  const auto x = positions(u);
  for (const PositionTriple& term : triples_.triples)
    for (std::size_t k = 0; k < 3; ++k) {
      const auto area = cross(x[static_cast<std::size_t>(term.places[(k + 1) % 3])],
                              x[static_cast<std::size_t>(term.places[(k + 2) % 3])]);
      const auto vertex = static_cast<std::size_t>(triples_.vertices[static_cast<std::size_t>(term.places[k])]);
      for (std::size_t c = 0; c < 3; ++c) gradient[3 * vertex + c] += scale * term.weight * area[c];
    }
}

double enclosed_volume(const VolumeMesh& mesh, const Chamber& chamber, std::span<const double> u) {
  return checked_volume(mesh, chamber, u).volume(u);
}

std::vector<double> enclosed_volume_gradient(const VolumeMesh& mesh, const Chamber& chamber,
                                             std::span<const double> u) {
  std::vector<double> gradient(mesh.vertices.size());
  checked_volume(mesh, chamber, u).add_gradient(1, u, gradient);
  return gradient;
}

SparseMatrix enclosed_volume_hessian(const VolumeMesh& mesh, const Chamber& chamber, std::span<const double> u) {
  std::vector<Eigen::Triplet<double, std::int32_t>> entries;
  checked_volume(mesh, chamber, u)
      .for_each_hessian_block(u, [&](std::int32_t a, std::int32_t b, const std::array<double, 9>& block) {
        for (std::int32_t i = 0; i < 3; ++i)
          for (std::int32_t j = 0; j < 3; ++j)
            if (i != j) entries.emplace_back(3 * a + i, 3 * b + j, block[static_cast<std::size_t>(3 * i + j)]);
      });
  const auto size = static_cast<Eigen::Index>(mesh.vertices.size());
  Eigen::SparseMatrix<double, Eigen::RowMajor, std::int32_t> matrix(size, size);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return to_sparse_matrix(matrix);
}

}  // namespace quartic
