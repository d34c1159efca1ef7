// Your own displacement fields as the basis, and your own K and M as the source of modes.
//
// build:    g++ -std=c++20 own_basis.cpp -I/usr/include/eigen3 -lquartic -o own_basis
// run:      ./own_basis
// prints:
//   rank 6, orthonormal: yes
//   first frequency from sketched fields: 1.518 Hz
//   first frequency from K and M:         1.325 Hz
#include <Eigen/Eigenvalues>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <quartic/quartic.hpp>
#include <vector>

// Fields that vanish at x = 0: bending along z with the tilt of the cross sections, and stretching along x.
quartic::Matrix sketch_fields(const quartic::VolumeMesh& mesh) {
  constexpr double height = 0.08;
  quartic::Matrix fields(3 * mesh.vertex_count(), 6);
  for (std::int64_t v = 0; v < mesh.vertex_count(); ++v) {
    const double* x = &mesh.vertices[static_cast<std::size_t>(3 * v)];
    for (int k = 0; k < 4; ++k) {
      const int power = k + 2;
      fields(3 * v + 2, k) = std::pow(x[0], power);
      fields(3 * v, k) = -power * std::pow(x[0], power - 1) * (x[2] - height / 2);
    }
    for (int k = 0; k < 2; ++k) fields(3 * v, 4 + k) = std::pow(x[0], k + 1);
  }
  return fields;
}

double hertz(double eigenvalue) {
  return std::sqrt(eigenvalue) / (2 * std::numbers::pi);
}

int main() {
  const auto [mesh, fixed_vertices] = quartic::make_beam();

  // The fields are made mass-orthonormal; energy and the rest are computed on them. A field that is poor shows at once
  // in the frequency: never below the true one, and as much above as the fields are wrong.
  const quartic::ReducedModel model = quartic::reduce_with_basis(mesh, fixed_vertices, sketch_fields(mesh).map());
  const std::vector<double> rest(static_cast<std::size_t>(model.rank()));
  const quartic::ReducedForces at_rest = quartic::evaluate(model.energy, rest);
  const Eigen::VectorXd eigenvalues =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(at_rest.stiffness.map()).eigenvalues();

  // K and M from anywhere, here from quartic's own elements, with their null space told of (none: the beam is held).
  const quartic::SparseMatrix stiffness = quartic::stiffness_matrix(mesh), mass = quartic::mass_matrix(mesh);
  const quartic::ElasticSystem system(stiffness, mass, fixed_vertices);
  const quartic::LinearModes modes = quartic::linear_modes(system, {.count = 2});

  std::printf("rank %d, orthonormal: %s\n", model.rank(),
              quartic::orthonormality_error(model.basis.map(), mass) < 1e-12 ? "yes" : "no");
  std::printf("first frequency from sketched fields: %.3f Hz\n", hertz(eigenvalues[0]));
  std::printf("first frequency from K and M:         %.3f Hz\n", hertz(modes.eigenvalues[0]));
}
