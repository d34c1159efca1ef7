// Editing of materials, coordinates and basis vectors against reducing the edited mesh anew.
#include "quartic/editing.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "quartic/error.hpp"
#include "quartic/procedural.hpp"
#include "support/batch_states.hpp"
#include "support/dense.hpp"
#include "support/meshes.hpp"
#include "support/sample_energies.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// A beam of three regions, along its length if it is of bricks.
ProceduralMesh three_regions(ElementType type = ElementType::hex8) {
  ProceduralMesh body =
      make_box({.length = 1, .width = 0.2, .height = 0.15, .cells_x = 6, .cells_y = 2, .cells_z = 2, .type = type});
  const Material root = *body.mesh.regions[0].material;
  body.mesh.regions.push_back({"middle", Material{.youngs_modulus = 3e6, .poissons_ratio = 0.4, .density = 700}});
  body.mesh.regions.push_back({"tip", Material{.youngs_modulus = 2e7, .poissons_ratio = -0.2, .density = 1900}});
  body.mesh.regions[0].material = root;
  for (std::size_t e = 0; e < body.mesh.element_region.size(); ++e)
    body.mesh.element_region[e] = static_cast<std::int32_t>(e % 6 / 2);
  return body;
}

std::vector<Material> materials_of(const VolumeMesh& mesh) {
  std::vector<Material> materials;
  for (const Region& region : mesh.regions) materials.push_back(*region.material);
  return materials;
}

void set_materials(VolumeMesh& mesh, const std::vector<Material>& materials) {
  for (std::size_t g = 0; g < materials.size(); ++g) mesh.regions[g].material = materials[g];
}

std::vector<Material> softer() {
  return {{.youngs_modulus = 4e6, .poissons_ratio = 0.45, .density = 1000},
          {.youngs_modulus = 5e6, .poissons_ratio = -0.5, .density = 700},
          {.youngs_modulus = 1e5, .poissons_ratio = 0.1, .density = 1900}};
}

std::vector<Material> denser() {
  auto materials = softer();
  materials[0].density = 400;
  materials[1].density = 3000;
  return materials;
}

const ReducedModel& model() {
  static const ReducedModel once = [] {
    const ProceduralMesh body = three_regions();
    return reduce(body.mesh, body.fixed_vertices, {.modes = 5, .rank = 10, .region_parts = true});
  }();
  return once;
}

auto vector(const std::vector<double>& values) {
  return Eigen::Map<const VectorXd>(values.data(), std::ssize(values));
}

// Largest difference relative to the largest coefficient.
double difference(const QuarticEnergy& a, const QuarticEnergy& b) {
  EXPECT_EQ(a.rank, b.rank);
  return (vector(a.coefficients) - vector(b.coefficients)).cwiseAbs().maxCoeff() /
         vector(b.coefficients).cwiseAbs().maxCoeff();
}

std::vector<double> random_q(int rank, unsigned seed, double scale = 0.3) {
  const VectorXd q = test::random_vector(rank, seed, scale);
  return {q.begin(), q.end()};
}

VectorXd eigenvalues_of(const ReducedModel& m) {
  const auto rest = evaluate(m.energy, std::vector<double>(static_cast<std::size_t>(m.rank())));
  return test::eigenvalues(rest.stiffness.map());
}

// ---- transform_energy ----------------------------------------------------------------------------------------

TEST(TransformEnergy, IsTheEnergyAtTransformedCoordinates) {
  for (const auto& [rank, columns] : {std::pair{1, 1}, {2, 5}, {7, 7}, {9, 4}, {30, 30}}) {
    const QuarticEnergy energy = test::random_squares(rank, static_cast<unsigned>(rank)).energy();
    Matrix t(rank, columns);
    t.values = test::random_numbers(t.values.size(), 3);
    const QuarticEnergy transformed = transform_energy(energy, t.map());
    ASSERT_EQ(transformed.rank, columns);
    const std::vector<double> q = random_q(columns, 5);
    const VectorXd old = t.map() * vector(q);
    const ReducedForces actual = evaluate(transformed, q);
    const ReducedForces expected = evaluate(energy, {old.data(), static_cast<std::size_t>(rank)});
    // Sums of r^4 terms of both signs.
    EXPECT_NEAR(actual.energy, expected.energy, 1e-12 * expected.energy) << rank << ' ' << columns;
    const VectorXd force = t.map().transpose() * vector(expected.force);
    EXPECT_LT((vector(actual.force) - force).norm(), 1e-12 * force.norm());
    const MatrixXd stiffness = t.map().transpose() * expected.stiffness.map() * t.map();
    EXPECT_LT((actual.stiffness.map() - stiffness).norm(), 1e-12 * stiffness.norm());
  }
}

// S'_abcd = T_ea T_fb T_gc T_hd S_efgh term by term.
TEST(TransformEnergy, EqualsThePlainSumOverAllIndices) {
  constexpr int rank = 3, columns = 2;
  QuarticEnergy energy{rank, test::random_numbers(35, 1)};
  Matrix t(rank, columns);
  t.values = test::random_numbers(t.values.size(), 2);
  MatrixXd hat = MatrixXd::Zero(rank + 1, columns + 1);
  hat(0, 0) = 1;
  hat.bottomRightCorner(rank, columns) = t.map();
  std::vector<double> full(256);  // S_efgh for all indices
  std::size_t next = 0;
  for (std::size_t a = 0; a < 4; ++a)
    for (std::size_t b = a; b < 4; ++b)
      for (std::size_t c = b; c < 4; ++c)
        for (std::size_t d = c; d < 4; ++d, ++next) {
          std::array<std::size_t, 4> i = {a, b, c, d};
          do full[((i[0] * 4 + i[1]) * 4 + i[2]) * 4 + i[3]] = energy.coefficients[next];
          while (std::ranges::next_permutation(i).found);
        }
  const QuarticEnergy transformed = transform_energy(energy, t.map());
  next = 0;
  for (Index a = 0; a <= columns; ++a)
    for (Index b = a; b <= columns; ++b)
      for (Index c = b; c <= columns; ++c)
        for (Index d = c; d <= columns; ++d) {
          double sum = 0;
          for (Index i = 0; i < 256; ++i)
            sum += full[static_cast<std::size_t>(i)] * hat(i / 64, a) * hat(i / 16 % 4, b) * hat(i / 4 % 4, c) *
                   hat(i % 4, d);
          EXPECT_NEAR(transformed.coefficients[next++], sum, 1e-14);
        }
}

TEST(TransformEnergy, RefusesWhatDoesNotFit) {
  const QuarticEnergy energy = test::random_squares(3, 1).energy();
  EXPECT_THROW((void)transform_energy(energy, MatrixXd::Identity(2, 2)), InputError);
  EXPECT_THROW((void)transform_energy(energy, MatrixXd(3, 0)), InputError);
  MatrixXd t = MatrixXd::Identity(3, 3);
  t(1, 2) = std::numeric_limits<double>::infinity();
  EXPECT_THROW((void)transform_energy(energy, t), InputError);
  EXPECT_THROW((void)transform_energy({3, {1, 2}}, MatrixXd::Identity(3, 3)), InputError);
}

// ---- materials -----------------------------------------------------------------------------------------------

TEST(EditMaterials, ElasticConstantsGiveTheEnergyOfTheEditedMesh) {
  VolumeMesh mesh = model().mesh;
  for (const auto& materials : {softer(), materials_of(mesh)}) {
    const MaterialEdit edit = edit_materials(model(), materials);
    EXPECT_EQ(edit.transform.map(), MatrixXd::Identity(10, 10));
    EXPECT_EQ(edit.unit_acceleration.values, model().unit_acceleration.values);
    set_materials(mesh, materials);
    EXPECT_LT(difference(edit.energy, reduce_energy(mesh, model().basis.map())), 1e-12);
  }
  EXPECT_EQ(edit_materials(model(), materials_of(model().mesh)).energy.coefficients, model().energy.coefficients);
}

TEST(EditMaterials, DensitiesGiveTheEnergyOfTheEditedMeshInNewCoordinates) {
  VolumeMesh mesh = model().mesh;
  set_materials(mesh, denser());
  const MaterialEdit edit = edit_materials(model(), denser());
  const MatrixXd basis = model().basis.map() * edit.transform.map();
  const SparseMatrix mass = mass_matrix(mesh);
  EXPECT_LT(orthonormality_error(basis, mass), 1e-12);
  EXPECT_TRUE(edit.transform.map().isUpperTriangular(0));
  EXPECT_LT(difference(edit.energy, reduce_energy(mesh, basis)), 1e-12);
  MatrixXd unit = MatrixXd::Zero(basis.rows(), 3);
  for (Index i = 0; i < unit.rows(); ++i) unit(i, i % 3) = 1;
  const MatrixXd expected = basis.transpose() * (mass.map() * unit);
  EXPECT_LT((edit.unit_acceleration.map() - expected).norm(), 1e-12 * expected.norm());

  // V'(q') = V(T q') with the new elastic constants alone.
  std::vector<Material> elastic = denser();
  for (std::size_t g = 0; g < elastic.size(); ++g) elastic[g].density = model().mesh.regions[g].material->density;
  const std::vector<double> q = random_q(10, 1, 0.1);
  const VectorXd old = edit.transform.map() * vector(q);
  const double before = evaluate(edit_materials(model(), elastic).energy, {old.data(), 10}).energy;
  EXPECT_NEAR(evaluate(edit.energy, q).energy, before, 1e-12 * before);
}

// Quadratic elements scale their diagonal one by one, so that regions still add up.
TEST(EditMaterials, LumpedMassAndOtherElementsToo) {
  for (const ElementType type : {ElementType::hex8, ElementType::tet10})
    for (const MassMatrix kind : {MassMatrix::consistent, MassMatrix::lumped}) {
      const ProceduralMesh body = three_regions(type);
      const ReducedModel old =
          reduce(body.mesh, body.fixed_vertices, {.modes = 3, .rank = 6, .region_parts = true, .mass_matrix = kind});
      const ReducedModel edited = with_materials(old, denser());
      EXPECT_LT(orthonormality_error(edited.basis.map(), mass_matrix(edited.mesh, kind)), 1e-12);
      EXPECT_LT(difference(edited.energy, reduce_energy(edited.mesh, edited.basis.map())), 1e-12);
    }
}

// The edited model and one reduced anew in the same space are the same model in other coordinates.
TEST(EditMaterials, FrequenciesAreThoseOfReducingAnew) {
  VolumeMesh mesh = model().mesh;
  set_materials(mesh, denser());
  const ReducedModel anew = reduce_with_basis(mesh, model().fixed_vertices, model().basis.map());
  const VectorXd expected = eigenvalues_of(anew), actual = eigenvalues_of(with_materials(model(), denser()));
  for (Index i = 0; i < 10; ++i) EXPECT_NEAR(actual[i] / expected[i], 1, 1e-11) << i;
  const VectorXd old = eigenvalues_of(model());
  EXPECT_GT(std::abs(actual[0] / old[0] - 1), 0.01) << "the edit does something";
}

TEST(EditMaterials, EditsOfEditsAreEditsOfTheModel) {
  ReducedModel step = with_materials(with_materials(model(), denser()), softer());
  const ReducedModel at_once = with_materials(model(), softer());
  const VectorXd a = eigenvalues_of(step), b = eigenvalues_of(at_once);
  for (Index i = 0; i < 10; ++i) EXPECT_NEAR(a[i] / b[i], 1, 1e-11) << i;
  // All the way back: products of upper triangular transforms are such, and Cholesky factors are unique.
  step = with_materials(step, materials_of(model().mesh));
  EXPECT_LT(difference(step.energy, model().energy), 1e-12);
  EXPECT_LT((step.basis.map() - model().basis.map()).norm(), 1e-12 * model().basis.map().norm());
  EXPECT_LT((step.unit_acceleration.map() - model().unit_acceleration.map()).norm(),
            1e-12 * model().unit_acceleration.map().norm());
}

TEST(EditMaterials, EditedModelsAreSavedLoadedAndEditedAgain) {
  const test::TemporaryFolder folder;
  const ReducedModel edited = with_materials(model(), denser());
  EXPECT_TRUE(edited.eigenvalues.empty());
  EXPECT_EQ(edited.linear_modes.cols, 0);
  save_model(edited, folder / "edited.qrt");
  const ReducedModel loaded = load_model(folder / "edited.qrt");
  EXPECT_EQ(loaded.energy.coefficients, edited.energy.coefficients);
  EXPECT_EQ(loaded.created_by, edited.created_by);
  ASSERT_EQ(loaded.region_unit_acceleration.size(), 3U);
  for (std::size_t g = 0; g < 3; ++g) {
    EXPECT_EQ(loaded.region_unit_acceleration[g].values, edited.region_unit_acceleration[g].values);
    EXPECT_EQ(loaded.mesh.regions[g].material->density, denser()[g].density);
  }
  EXPECT_EQ(edit_materials(loaded, softer()).energy.coefficients, edit_materials(edited, softer()).energy.coefficients);
}

// A file of an older program lacks the unit accelerations per region; the mesh has them.
TEST(EditMaterials, MissingUnitAccelerationsComeFromTheMesh) {
  ReducedModel old = model();
  old.region_unit_acceleration.clear();
  const MatrixXd expected = edit_materials(model(), denser()).unit_acceleration.map();
  EXPECT_LT((edit_materials(old, denser()).unit_acceleration.map() - expected).norm(), 1e-14 * expected.norm());
  EXPECT_EQ(with_materials(old, denser()).region_unit_acceleration.size(), 3U);
}

TEST(EditMaterials, UnchangedMaterialsChangeNothing) {
  const ReducedModel same = with_materials(model(), materials_of(model().mesh));
  EXPECT_EQ(same.eigenvalues, model().eigenvalues);
  EXPECT_EQ(same.energy.coefficients, model().energy.coefficients);
}

// 2005 paper, section 6.5: the space of modes and modal derivatives is the same for a body of another stiffness or
// density throughout. Exactly so in the scaled basis, since eq. 16 has ratios of eigenvalues only.
TEST(EditMaterials, TheBasisIsInvariantUnderUniformScaling) {
  const ProceduralMesh body = three_regions();
  for (const auto& [stiffness, density] : {std::pair{7.0, 1.0}, {1.0, 0.3}, {0.02, 5.0}}) {
    VolumeMesh mesh = body.mesh;
    for (Region& region : mesh.regions) {
      region.material->youngs_modulus *= stiffness;
      region.material->density *= density;
    }
    const ReducedModel scaled = reduce(mesh, body.fixed_vertices, {.modes = 5, .rank = 10});
    const ReducedModel edited = with_materials(model(), materials_of(mesh));
    const MatrixXd mass_basis = mass_matrix(mesh).map() * MatrixXd(edited.basis.map());
    const MatrixXd rest = scaled.basis.map() - edited.basis.map() * (mass_basis.transpose() * scaled.basis.map());
    const MatrixXd mass_rest = mass_matrix(mesh).map() * rest;
    // The sine of the largest principal angle; errors of modes, 1e-12, over the gap of singular values at the cut.
    EXPECT_LT(std::sqrt((rest.transpose() * mass_rest).norm()), 1e-8) << stiffness << ' ' << density;
    for (Index i = 0; i < 10; ++i)
      EXPECT_NEAR(eigenvalues_of(edited)[i], stiffness / density * eigenvalues_of(model())[i],
                  1e-11 * eigenvalues_of(edited)[i]);
  }
}

// A free body's fields lose their translation, so that gravity does nothing to them whatever the densities are.
TEST(EditMaterials, GravityDoesNothingToAFreeBody) {
  const ProceduralMesh body = three_regions();
  const ReducedModel free = reduce(body.mesh, {}, {.modes = 4, .rank = 8, .region_parts = true});
  auto materials = materials_of(free.mesh);
  for (Material& material : materials) material.density *= 2.5;
  materials[0].density *= 2;
  const MaterialEdit edit = edit_materials(free, materials);
  EXPECT_EQ(edit.unit_acceleration.map().norm(), 0);
  const ReducedModel edited = with_materials(free, materials);
  const SparseMatrix mass = mass_matrix(edited.mesh);
  EXPECT_LT(orthonormality_error(edited.basis.map(), mass), 1e-12);
  MatrixXd unit = MatrixXd::Zero(mass.rows, 3);
  for (Index i = 0; i < unit.rows(); ++i) unit(i, i % 3) = 1;
  const double size = std::sqrt(*check_mesh(edited.mesh).mass);  // of a field that does feel it
  EXPECT_LT((edited.basis.map().transpose() * (mass.map() * unit)).norm(), 1e-12 * size);
  EXPECT_LT(difference(edited.energy, reduce_energy(edited.mesh, edited.basis.map())), 1e-12);
}

double moment_difference(const FrameMoments& a, const FrameMoments& b) {
  const auto apart = [](const Matrix& x, const Matrix& y) { return (x.map() - y.map()).norm() / y.map().norm(); };
  double worst = std::max(std::abs(a.mass / b.mass - 1), apart(a.moment0, b.moment0));
  for (std::size_t c = 0; c < 3; ++c) worst = std::max(worst, std::abs(a.origin[c] - b.origin[c]));
  return std::max({worst, apart(a.moment1, b.moment1), apart(a.moment2, b.moment2)});
}

// Moments by the parts of regions, without the mesh, against those of the edited mesh: of free bodies, held ones and of
// models whose files are older than moments; of edits, edited models, and edits of those.
TEST(EditMaterials, MomentsAreThoseOfTheEditedMesh) {
  const ProceduralMesh body = three_regions();
  for (const bool held : {false, true}) {
    const ReducedModel old = held ? model() : reduce(body.mesh, {}, {.modes = 4, .rank = 8, .region_parts = true});
    ReducedModel older = old;
    older.frame_moments.reset();
    older.region_moments.clear();
    for (const ReducedModel* from : {&old, &std::as_const(older)}) {
      if (held && from == &older) continue;
      const ReducedModel edited = with_materials(*from, denser());
      ReducedModel bare = edited;
      bare.frame_moments.reset();
      EXPECT_LT(moment_difference(*edited.frame_moments, frame_moments(bare)), 1e-12) << held;
      EXPECT_LT(moment_difference(*edit_materials(*from, denser()).moments, *edited.frame_moments), 1e-14) << held;
      const ReducedModel twice = with_materials(edited, materials_of(body.mesh));
      EXPECT_LT(moment_difference(*twice.frame_moments, *old.frame_moments), 1e-11) << held;
      EXPECT_LT((twice.basis.map() - old.basis.map()).norm(), 1e-11 * old.basis.map().norm()) << held;
      for (std::size_t g = 0; g < 3; ++g)
        EXPECT_LT(moment_difference(twice.region_moments[g], old.region_moments[g]), 1e-11) << held;
    }
  }
}

// Several components have no frame in common: as of old, their basis is orthogonal to translations in the old M alone.
TEST(EditMaterials, ComponentsKeepTheirTranslations) {
  const ProceduralMesh one = three_regions();
  ProceduralMesh two = one;
  test::append_copy(two, one, {0, 1, 0});
  const ReducedModel free = reduce(two.mesh, {}, {.modes = 4, .rank = 6, .region_parts = true});
  ASSERT_EQ(free.rigid_modes, 12);
  const MaterialEdit edit = edit_materials(free, denser());
  EXPECT_GT(edit.unit_acceleration.map().norm(), 1e-3);
  EXPECT_EQ(edit.translation.map().norm(), 0);
}

TEST(EditMaterials, RefuseWhatDoesNotFit) {
  EXPECT_THROW((void)edit_materials(model(), {}), InputError);
  auto materials = softer();
  materials.pop_back();
  EXPECT_THROW((void)edit_materials(model(), materials), InputError);
  for (const Material bad : {Material{-1, 0.3, 1}, Material{1, 0.5, 1}, Material{1, 0.3, 0}}) {
    materials = softer();
    materials[1] = bad;
    EXPECT_THROW((void)edit_materials(model(), materials), InputError);
    EXPECT_THROW((void)with_materials(model(), materials), InputError);
  }
  ReducedModel without = model();
  without.region_energy.clear();
  EXPECT_THROW((void)edit_materials(without, softer()), InputError);
  without = model();
  without.region_mass.clear();
  EXPECT_NO_THROW((void)edit_materials(without, softer())) << "densities stay";
  EXPECT_THROW((void)edit_materials(without, denser()), InputError);
  without = model();
  without.region_unit_acceleration.pop_back();
  EXPECT_THROW((void)edit_materials(without, denser()), InputError);
  ReducedModel modes_only = model();
  modes_only.basis = {};
  modes_only.energy = {};
  EXPECT_THROW((void)edit_materials(modes_only, softer()), InputError);
}

// ---- dropping ------------------------------------------------------------------------------------------------

TEST(KeepBasisVectors, EqualsReducingWithTheseColumns) {
  for (const std::vector<int>& kept : {std::vector{0, 1, 2}, {9}, {7, 2, 5, 0}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}) {
    const ReducedModel part = keep_basis_vectors(model(), kept);
    ASSERT_EQ(part.rank(), std::ssize(kept));
    const MatrixXd basis = MatrixXd(model().basis.map())(Eigen::all, kept);
    EXPECT_EQ(part.basis.map(), basis);
    EXPECT_LT(difference(part.energy, reduce_energy(model().mesh, basis)), 1e-12);
    ReducedModel bare = part;
    bare.frame_moments.reset();
    EXPECT_LT(moment_difference(*part.frame_moments, frame_moments(bare)), 1e-13);
    const auto region_parts = reduce_region_energy(model().mesh, basis);
    for (std::size_t g = 0; g < 3; ++g) {
      EXPECT_LT(difference(part.region_energy[g].lambda_part, region_parts[g].lambda_part), 1e-12);
      EXPECT_LT(difference(part.region_energy[g].mu_part, region_parts[g].mu_part), 1e-12);
    }
    for (std::size_t i = 0; i < kept.size(); ++i)
      for (std::int64_t axis = 0; axis < 3; ++axis)
        EXPECT_EQ(part.unit_acceleration(static_cast<std::int64_t>(i), axis), model().unit_acceleration(kept[i], axis));
    // What is left can be edited and saved.
    const ReducedModel edited = with_materials(part, denser());
    EXPECT_LT(orthonormality_error(edited.basis.map(), mass_matrix(edited.mesh)), 1e-12);
    EXPECT_LT(difference(edited.energy, reduce_energy(edited.mesh, edited.basis.map())), 1e-12);
    const test::TemporaryFolder folder;
    save_model(edited, folder / "part.qrt");
    EXPECT_EQ(load_model(folder / "part.qrt").energy.coefficients, edited.energy.coefficients);
  }
}

TEST(KeepBasisVectors, TheEnergyIsThatOfTheOthersBeingZero) {
  const QuarticEnergy energy = test::random_squares(6, 2).energy();
  const std::vector<int> kept = {4, 1, 3};
  const std::vector<double> q = {0.2, -0.5, 0.9};
  std::vector<double> whole(6);
  for (std::size_t i = 0; i < 3; ++i) whole[static_cast<std::size_t>(kept[i])] = q[i];
  const ReducedForces part = evaluate(keep_coordinates(energy, kept), q), expected = evaluate(energy, whole);
  EXPECT_NEAR(part.energy, expected.energy, 1e-13 * expected.energy);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(part.force[i], expected.force[static_cast<std::size_t>(kept[i])],
                1e-13 * vector(expected.force).norm());
}

TEST(KeepBasisVectors, RefuseWhatIsNotASubset) {
  for (const std::vector<int>& bad : {std::vector<int>{}, {-1}, {10}, {0, 3, 0}}) {
    EXPECT_THROW((void)keep_basis_vectors(model(), bad), InputError);
    EXPECT_THROW((void)keep_coordinates(model().energy, bad), InputError);
  }
  EXPECT_THROW((void)keep_basis_vectors(ReducedModel{}, std::vector{0}), InputError);
}

// ---- running batches -----------------------------------------------------------------------------------------

template <class T>
class EditedBatch : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(EditedBatch, Precisions);

// Bodies that swing, are edited and go on, against a batch that starts on the edited model at the same place.
TYPED_TEST(EditedBatch, GoesOnLikeOneFromScratch) {
  using T = TypeParam;
  const double eps = std::numeric_limits<T>::epsilon();
  Batch<T> batch(model().energy, {.bodies = 3, .rayleigh_mass = 0.5});
  for (std::int64_t b = 0; b < 3; ++b)
    test::set_body(batch.force(), b,
                   VectorXd(-9.81 * static_cast<double>(b + 1) * model().unit_acceleration.map().col(2)));
  batch.step(0.1, 20);
  const MaterialEdit edits[] = {edit_materials(model(), denser()), edit_materials(model(), softer()),
                                edit_materials(model(), materials_of(model().mesh))};
  const MaterialEdit* previous = nullptr;
  for (const MaterialEdit& edit : edits) {
    const MatrixXd t_old = previous ? MatrixXd(previous->transform.map()) : MatrixXd::Identity(10, 10);
    const MatrixXd t_new = edit.transform.map();
    const VectorXd q = test::get_body<T>(batch.q(), 1), v = test::get_body<T>(batch.velocity(), 1);
    const VectorXd a = test::get_body<T>(batch.acceleration(), 1), f = test::get_body<T>(batch.force(), 1);
    apply_edit(batch, edit, previous);
    // Displacement and velocity of the body itself are continuous, and so is the work of the force.
    const auto near = [&](const VectorXd& actual, const VectorXd& expected) {
      EXPECT_LT((actual - expected).norm(), 50 * eps * expected.norm());
    };
    near(t_new * test::get_body<T>(batch.q(), 1), t_old * q);
    near(t_new * test::get_body<T>(batch.velocity(), 1), t_old * v);
    near(t_new * test::get_body<T>(batch.acceleration(), 1), t_old * a);
    near(test::solve(t_new.transpose(), test::get_body<T>(batch.force(), 1)), test::solve(t_old.transpose(), f));

    Batch<T> scratch(edit.energy, {.bodies = 1, .rayleigh_mass = 0.5});
    const auto copy = [](StateView<T> to, StateView<const T> from) {
      for (int i = 0; i < 10; ++i) to(i, 0) = from(i, 1);
    };
    copy(scratch.q(), batch.q());
    copy(scratch.velocity(), batch.velocity());
    copy(scratch.acceleration(), batch.acceleration());
    copy(scratch.force(), batch.force());
    batch.step(0.1, 20);
    scratch.step(0.1, 20);
    EXPECT_EQ(test::full_state(batch, 1), test::full_state(scratch, 0));
    previous = &edit;
  }
}

// Elastic energy in old and new coordinates is the same when only densities change; kinetic energy is that of the new
// masses at the old velocity.
TEST(EditedBatchEnergy, IsThatOfTheNewMasses) {
  auto materials = materials_of(model().mesh);
  materials[0].density *= 3;
  materials[2].density *= 0.1;
  const MaterialEdit edit = edit_materials(model(), materials);
  Batch<double> batch(model().energy);
  test::set_body(batch.q(), 0, test::random_vector(10, 1, 0.1));
  const VectorXd v = test::random_vector(10, 2, 1);
  test::set_body(batch.velocity(), 0, v);
  const double elastic = batch.elastic_energy()[0];
  apply_edit(batch, edit);
  MatrixXd mass = MatrixXd::Zero(10, 10);
  for (std::size_t g = 0; g < 3; ++g) mass += materials[g].density * model().region_mass[g].map();
  EXPECT_NEAR(batch.elastic_energy()[0], elastic, 1e-12 * elastic);
  const double kinetic = 0.5 * v.dot(mass * v);
  EXPECT_NEAR(batch.kinetic_energy()[0], kinetic, 1e-13 * kinetic);
}

TEST(EditedBatchGroups, OnlyTheGroupChanges) {
  const ReducedModel small = keep_basis_vectors(model(), std::vector{0, 1, 2, 3});
  Batch<double> batch({{model().energy, 2}, {small.energy, 3}}, {});
  for (std::int64_t b = 0; b < 5; ++b)
    for (int i = 0; i < (b < 2 ? 10 : 4); ++i) batch.q()(i, b) = 0.01 * static_cast<double>(1 + i);
  apply_edit(batch, edit_materials(small, denser()), nullptr, 1);
  EXPECT_EQ(batch.q()(3, 1), 0.04);
  EXPECT_NE(batch.q()(3, 2), 0.04);
  EXPECT_EQ(batch.energy(0).coefficients, model().energy.coefficients);
}

TEST(EditedBatchErrors, LeaveTheBatchAlone) {
  Batch<double> batch(model().energy);
  test::set_body(batch.q(), 0, test::random_vector(10, 1, 0.1));
  const auto before = test::full_state(batch, 0);
  const ReducedModel small = keep_basis_vectors(model(), std::vector{0, 1});
  EXPECT_THROW(apply_edit(batch, edit_materials(small, denser())), InputError);
  EXPECT_THROW(apply_edit(batch, edit_materials(model(), denser()), nullptr, 1), InputError);
  MaterialEdit singular = edit_materials(model(), denser());
  singular.transform.map().col(3).setZero();
  EXPECT_THROW(apply_edit(batch, singular), InputError);
  singular.transform.values[4] = std::nan("");
  EXPECT_THROW(apply_edit(batch, singular), InputError);
  EXPECT_THROW(transform_state(MatrixXd::Zero(10, 10), batch.q()), InputError);
  EXPECT_THROW(transform_force(MatrixXd::Identity(9, 9), batch.force()), InputError);
  EXPECT_EQ(test::full_state(batch, 0), before);
  EXPECT_EQ(batch.energy().coefficients, model().energy.coefficients);
}

}  // namespace
}  // namespace quartic
