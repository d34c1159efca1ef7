// Takes matrices, vectors, exceptions and owners from the library and gives them back to it. A result whose layout or
// allocation depended on compiler flags would crash or come out wrong here.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <quartic/quartic.hpp>
#include <utility>
#include <vector>

namespace {

void check(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "consumer: %s\n", what);
  std::exit(1);
}

quartic::ProceduralMesh small_box() {
  return quartic::make_box({.length = 1, .cells_x = 6, .cells_y = 2, .cells_z = 2});
}

/// Sparse matrices, the factorisation, modes: each made there, used here, freed here.
void use_stages() {
  const auto [mesh, fixed_vertices] = small_box();
  const quartic::SparseMatrix stiffness = quartic::stiffness_matrix(mesh);
  const quartic::SparseMatrix mass = quartic::mass_matrix(mesh);
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(mass.rows);
  const double total = ones.dot(mass.map() * ones) / 3;
  check(std::abs(total - 10) < 1e-12 * 10, "the mass isn't volume times density: 1 m x 0.1 m x 0.1 m x 1000 kg/m^3");
  check((stiffness.map() * ones).cwiseAbs().maxCoeff() < 1e-6, "a translation meets resistance");

  // Our own Eigen objects go in: a block of a larger matrix, an expression, a plain matrix.
  Eigen::SparseMatrix<double> own = stiffness.map();
  for (int i = 0; i < own.rows(); ++i) own.coeffRef(i, i) += 1e9;
  const quartic::Factorization factor(quartic::to_sparse_matrix(own));
  Eigen::MatrixXd solution = Eigen::MatrixXd::Random(own.rows(), 3);
  const Eigen::MatrixXd right_side = own * solution;
  Eigen::MatrixXd x = right_side;
  factor.solve(x);
  check((x - solution).norm() < 1e-9 * solution.norm(), "the factorisation doesn't solve");

  quartic::ElasticSystem system(mesh, fixed_vertices);
  const quartic::ElasticSystem moved = std::move(system);
  const quartic::LinearModes modes = quartic::linear_modes(moved, {.count = 4});
  check(modes.vectors.cols == 4, "not four modes");
  const quartic::Basis basis = quartic::mass_pca(quartic::to_matrix(modes.vectors.map() * 2.0), mass, 3);
  check(quartic::orthonormality_error(basis.vectors.map(), mass) < 1e-12, "the basis isn't orthonormal");
  const quartic::Matrix mine = quartic::mass_orthonormalize(modes.vectors.map().leftCols(2).eval(), mass);
  check(mine.cols == 2, "not two fields");
}

template <class T>
void use_batch(const quartic::ReducedModel& model) {
  quartic::Batch<T> batch(model.energy, {.bodies = 5, .rayleigh_mass = 0.1, .threads = 2});
  const std::vector<quartic::VertexForce> push = {{.body = 3, .vertex = 10, .force = {0, 0, -20}}};
  quartic::add_vertex_forces<T>(model.basis.map(), push, batch.force());
  batch.step(0.01, 4);
  quartic::Batch<T> moved = std::move(batch);
  moved.step(0.01);
  check(moved.elastic_energy()[3] > 0, "the pushed body doesn't deform");
  check(moved.elastic_energy()[0] == 0, "a body that nobody touched deforms");
  std::vector<T> displacement(static_cast<std::size_t>(5 * model.basis.rows));
  quartic::vertex_displacements<T>(model.basis.map(), moved.q(), {}, displacement);
  for (const T u : displacement) check(std::isfinite(u), "a displacement isn't finite");
}

/// A whole model, its value at one point against the mesh's, and exceptions that are caught by type.
void use_model() {
  auto [mesh, fixed_vertices] = small_box();
  quartic::ReduceReport report;
  quartic::ReducedModel model = quartic::reduce(mesh, fixed_vertices, {.modes = 4, .rank = 6}, &report);
  check(model.rank() == 6 && !report.stages.empty(), "the model isn't complete");
  const std::vector<double> q(6, 0.01);
  const quartic::ReducedForces forces = quartic::evaluate(model.energy, q);
  const Eigen::VectorXd u = model.basis.map() * Eigen::Map<const Eigen::VectorXd>(q.data(), 6);
  const double energy = quartic::strain_energy(model.mesh, {u.data(), static_cast<std::size_t>(u.size())});
  check(std::abs(forces.energy - energy) < 1e-11 * energy, "the reduced energy isn't the mesh's");

  const Eigen::MatrixXd two = model.basis.map().leftCols(2);
  const quartic::ReducedModel own = quartic::reduce_with_basis(mesh, fixed_vertices, two);
  check(own.rank() == 2, "the own basis doesn't keep its rank");

  use_batch<double>(model);
  use_batch<float>(model);
  try {
    quartic::Batch<double>(model.energy, {.bodies = 0});
    check(false, "no bodies, no exception");
  } catch (const quartic::InputError&) {
  }
}

}  // namespace

int main() {
  use_stages();
  use_model();
  std::printf("quartic %s: the outside project works\n", quartic::version);
}
