// Relaxed models: the pipeline, edits against reducing anew, and files.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>

#include "quartic/batch.hpp"
#include "quartic/editing.hpp"
#include "quartic/embedding.hpp"
#include "quartic/error.hpp"
#include "quartic/model.hpp"
#include "quartic/procedural.hpp"
#include "quartic/statics.hpp"
#include "quartic/unreduced.hpp"
#include "support/files.hpp"
#include "support/safetensors_header.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// A plate of two regions, which locks.
ProceduralMesh plate() {
  ProceduralMesh body = make_box({.length = 1, .width = 0.5, .height = 0.05, .cells_x = 6, .cells_y = 2, .cells_z = 1});
  body.mesh.regions.push_back({"far", Material{.youngs_modulus = 4e6, .poissons_ratio = 0.4, .density = 700}});
  for (std::size_t e = 0; e < body.mesh.element_region.size(); ++e) body.mesh.element_region[e] = e % 6 > 3 ? 1 : 0;
  return body;
}

ReducedModel relaxed_plate(double share, bool region_parts, int rank = 6) {
  const ProceduralMesh body = plate();
  return reduce(body.mesh, body.fixed_vertices,
                {.modes = 4, .rank = rank, .region_parts = region_parts, .relax = {.share = share}});
}

std::vector<Material> materials_of(const ReducedModel& model) {
  std::vector<Material> materials;
  for (const Region& region : model.mesh.regions) materials.push_back(*region.material);
  return materials;
}

std::vector<double> state(const ReducedModel& model, unsigned seed) {
  const std::vector<double> rest(static_cast<std::size_t>(model.rank()));
  const Matrix stiffness = evaluate(model.energy, rest).stiffness;
  std::vector<double> q = test::random_numbers(rest.size(), seed);
  for (std::size_t i = 0; i < q.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    q[i] *= 3 / std::sqrt(stiffness(at, at));
  }
  return q;
}

double energy_at(const QuarticEnergy& energy, std::span<const double> q) {
  return evaluate(energy, q).energy;
}

// ---- the pipeline -------------------------------------------------------------------------------------------------

TEST(ReduceRelaxed, TakesTheShareOutOfTheEnergyAndNothingElse) {
  const ProceduralMesh body = plate();
  const ReducedModel whole = reduce(body.mesh, body.fixed_vertices, {.modes = 4, .rank = 6});
  const ReducedModel model = relaxed_plate(0.9, false);
  ASSERT_TRUE(model.relaxation);
  EXPECT_FALSE(whole.relaxation);
  EXPECT_EQ(model.basis.values, whole.basis.values);
  EXPECT_EQ(model.eigenvalues, whole.eigenvalues);
  EXPECT_EQ(model.energy.coefficients, relaxed(whole.energy, *model.relaxation).coefficients);
  EXPECT_GT(model.relaxation->reach, 0);
  EXPECT_EQ(relaxed_plate(0, false).energy.coefficients, whole.energy.coefficients);
}

TEST(ReduceRelaxed, TellsHowFarAStateCanBeTrusted) {
  const ReducedModel model = relaxed_plate(0.9, false);
  std::vector<double> q = state(model, 3);
  const double size = std::sqrt(model.relaxation->reach / linear_energy(model.energy, q));
  for (const double scale : {0.999, 1.001}) {
    std::vector<double> scaled = q;
    for (double& x : scaled) x *= scale * size;
    const ModelForces forces = evaluate(model, scaled);
    EXPECT_EQ(forces.force, evaluate(model.energy, scaled).force);
    ASSERT_TRUE(forces.trust);
    EXPECT_EQ(forces.trust->relaxable_share, relaxable_share(model.energy, *model.relaxation, scaled));
    EXPECT_NEAR(forces.trust->linear_energy, scale * scale * model.relaxation->reach, 1e-12 * model.relaxation->reach);
    EXPECT_EQ(forces.trust->beyond_reach, scale > 1);
  }
  ReducedModel locked = model;
  locked.relaxation.reset();
  EXPECT_FALSE(evaluate(locked, q).trust);
}

// The error at rest under four times gravity, relative to the unreduced body's displacement.
double error_at_rest(const ReducedModel& model) {
  const std::vector<double> force = gravity_force(mass_matrix(model.mesh), std::array<double, 3>{0, 0, -40});
  StaticSolver solver(model.mesh, model.fixed_vertices);
  const Equilibrium whole = solver.solve(force);
  const VectorXd reduced_force = model.basis.map().transpose() * VectorXd::Map(force.data(), std::ssize(force));
  const Equilibrium reduced =
      reduced_equilibrium(model.energy, {reduced_force.data(), static_cast<std::size_t>(reduced_force.size())});
  EXPECT_TRUE(whole.converged && reduced.converged);
  const VectorXd u = VectorXd::Map(whole.solution.data(), std::ssize(whole.solution));
  const VectorXd v = model.basis.map() * VectorXd::Map(reduced.solution.data(), model.rank());
  return (u - v).norm() / u.norm();
}

TEST(ReduceRelaxed, LocksLess) {
  const ProceduralMesh body = make_beam(10);
  const auto error = [&](double share) {
    return error_at_rest(reduce(body.mesh, body.fixed_vertices, {.modes = 4, .rank = 8, .relax = {.share = share}}));
  };
  EXPECT_LT(error(0.9), 0.5 * error(0));
}

TEST(ReduceRelaxed, RelaxesOwnBases) {
  const ReducedModel model = relaxed_plate(0.9, false);
  const ReducedModel own =
      reduce_with_basis(model.mesh, model.fixed_vertices, model.basis.map(), {.relax = {.share = 0.9}});
  ASSERT_TRUE(own.relaxation);
  for (unsigned seed = 1; seed < 10; ++seed) {
    const std::vector<double> q = state(model, seed);
    EXPECT_NEAR(energy_at(own.energy, q), energy_at(model.energy, q), 1e-9 * energy_at(model.energy, q));
  }
}

TEST(ReduceRelaxed, RelaxesFreeBodies) {
  const ReducedModel model = reduce(plate().mesh, {}, {.modes = 4, .rank = 6, .relax = {.share = 0.9}});
  ASSERT_TRUE(model.relaxation);
  EXPECT_GT(model.relaxation->field_count(), 0);
  EXPECT_GT(relaxable_share(model.energy, *model.relaxation, state(model, 1)), 0);
}

TEST(ReduceRelaxed, TheConservingIntegratorKeepsTheEnergy) {
  const ReducedModel model = relaxed_plate(0.9, false);
  Batch<double> batch(model.energy, {.integrator = Integrator::energy_conserving});
  for (int i = 0; i < model.rank(); ++i) batch.velocity()(i, 0) = 0.05 / (1 + i);
  const auto energy = [&] { return batch.elastic_energy()[0] + batch.kinetic_energy()[0]; };
  const double before = energy();
  const double period = 2 * std::numbers::pi / std::sqrt(model.eigenvalues[0]);
  batch.step(10 * period, 2000);
  EXPECT_NEAR(energy(), before, 1e-9 * before);
}

TEST(ReduceRelaxed, RefusesSharesThatArentAny) {
  EXPECT_THROW(static_cast<void>(relaxed_plate(1.5, false)), InputError);
  const ProceduralMesh body = plate();
  RelaxOptions relax{.automatic = true, .loads = Matrix(3, 1)};
  EXPECT_THROW(static_cast<void>(reduce(body.mesh, body.fixed_vertices, {.modes = 2, .rank = 2, .relax = relax})),
               InputError);
}

// ---- calibration --------------------------------------------------------------------------------------------------

TEST(CalibratedShare, GainsOnItsLoads) {
  const ProceduralMesh body = plate();
  ReduceReport report;
  const ReducedModel model =
      reduce(body.mesh, body.fixed_vertices, {.modes = 4, .rank = 10, .relax = {.automatic = true}}, &report);
  ASSERT_TRUE(model.relaxation);
  ASSERT_EQ(model.relaxation->calibration.size(), 16U);
  double gain = 0;
  for (const CalibrationLoad& load : model.relaxation->calibration)
    if (load.use == CalibrationUse::used) gain += std::log(load.relaxed_error / load.unrelaxed_error);
  EXPECT_LT(gain, 0);
  EXPECT_GT(model.relaxation->share, 0);
  EXPECT_LE(model.relaxation->share, 0.95);
  EXPECT_TRUE(report.warnings.empty());
}

TEST(CalibratedShare, TakesTheCallersLoadsFirst) {
  const ProceduralMesh body = plate();
  Matrix loads(3 * body.mesh.vertex_count(), 2);
  loads(loads.rows - 1, 0) = 1;
  loads(loads.rows - 1, 1) = -4;
  const ReducedModel model =
      reduce(body.mesh, body.fixed_vertices, {.modes = 3, .rank = 6, .relax = {.automatic = true, .loads = loads}});
  const std::vector<CalibrationLoad>& calibration = model.relaxation->calibration;
  ASSERT_EQ(calibration.size(), 16U);
  EXPECT_NEAR(calibration[1].amplitude, 4 * calibration[0].amplitude, 1e-10 * calibration[1].amplitude);
  EXPECT_EQ(calibration[0].use, CalibrationUse::used);
}

TEST(CalibratedShare, IsZeroForFreeBodiesAndSaysSo) {
  ReduceReport report;
  const ReducedModel model = reduce(plate().mesh, {}, {.modes = 3, .rank = 4, .relax = {.automatic = true}}, &report);
  EXPECT_EQ(model.relaxation->share, 0);
  ASSERT_FALSE(report.warnings.empty());
  EXPECT_NE(report.warnings.back().find("free"), std::string::npos) << report.warnings.back();
}

// ---- edits --------------------------------------------------------------------------------------------------------

TEST(RelaxedEdit, CarriesTheFieldsToOtherMaterialsAndDensities) {
  const ReducedModel model = relaxed_plate(0.9, true);
  std::vector<Material> materials = materials_of(model);
  materials[0] = {.youngs_modulus = 5e6, .poissons_ratio = 0.1, .density = 2000};
  materials[1].density = 300;
  const MaterialEdit edit = edit_materials(model, materials);
  ASSERT_TRUE(edit.relaxation);
  EXPECT_TRUE(edit.notices.empty());
  std::vector<Material> constants = materials;  // without the densities
  for (std::size_t g = 0; g < 2; ++g) constants[g].density = model.mesh.regions[g].material->density;
  const MaterialEdit elastic = edit_materials(model, constants);
  for (unsigned seed = 1; seed < 10; ++seed) {
    const std::vector<double> there = state(model, seed);
    const VectorXd q = edit.transform.map() * VectorXd::Map(there.data(), model.rank());
    const std::span<const double> here(q.data(), static_cast<std::size_t>(q.size()));
    EXPECT_NEAR(energy_at(edit.energy, there), energy_at(elastic.energy, here),
                1e-12 * energy_at(elastic.energy, here));
    EXPECT_NEAR(relaxable_share(edit.energy, *edit.relaxation, there),
                relaxable_share(elastic.energy, *elastic.relaxation, here), 1e-10);
  }
  // Edited twice, back to where it was.
  const ReducedModel back = with_materials(with_materials(model, constants), materials_of(model));
  for (unsigned seed = 1; seed < 10; ++seed) {
    const std::vector<double> q = state(model, seed);
    EXPECT_NEAR(energy_at(back.energy, q), energy_at(model.energy, q), 1e-11 * energy_at(model.energy, q));
  }
}

TEST(RelaxedEdit, GoesBackToTheUnrelaxedEnergyWhereItMust) {
  ReducedModel model = relaxed_plate(0.9, true);
  model.relaxation->regions.clear();
  std::vector<Material> materials = materials_of(model);
  materials[0].youngs_modulus *= 2;
  const MaterialEdit edit = edit_materials(model, materials);
  EXPECT_FALSE(edit.relaxation);
  ASSERT_EQ(edit.notices.size(), 1U);
  EXPECT_EQ(edit.energy.coefficients, combine_region_energy(model.region_energy, materials).coefficients);
  const ReducedModel edited = with_materials(model, materials);
  EXPECT_FALSE(edited.relaxation);
  EXPECT_EQ(edited.notices, edit.notices);
  materials[1].youngs_modulus *= 2;  // all alike
  EXPECT_TRUE(edit_materials(model, materials).relaxation);
}

TEST(RelaxedEdit, OfAShareOfZeroTellsThatNoMore) {
  ReducedModel model = relaxed_plate(0, true);
  model.relaxation->regions.clear();
  std::vector<Material> materials = materials_of(model);
  materials[0].youngs_modulus *= 2;
  const MaterialEdit edit = edit_materials(model, materials);
  ASSERT_EQ(edit.notices.size(), 1U);
  EXPECT_EQ(edit.notices[0].find("what could be relaxed isn't known any more"), 0U) << edit.notices[0];
}

TEST(RelaxedEdit, DropsCoordinatesFromPartsToo) {
  const ReducedModel model = relaxed_plate(0.9, true);
  const std::vector<int> kept = {0, 2, 5};
  const ReducedModel fewer = keep_basis_vectors(model, kept);
  std::vector<Material> materials = materials_of(model);
  materials[1].youngs_modulus *= 3;
  const MaterialEdit all = edit_materials(model, materials), some = edit_materials(fewer, materials);
  ASSERT_TRUE(some.relaxation);
  const QuarticEnergy expected = keep_coordinates(all.energy, kept);
  for (std::size_t i = 0; i < expected.coefficients.size(); ++i)
    EXPECT_NEAR(some.energy.coefficients[i], expected.coefficients[i],
                1e-11 * std::abs(expected.coefficients[i]) + 1e-11);
}

// ---- files --------------------------------------------------------------------------------------------------------

class RelaxedFile : public testing::Test {
 protected:
  std::string saved(const ReducedModel& model) {
    save_model(model, folder_ / "m.qrt");
    return test::file_text(folder_ / "m.qrt");
  }
  ReducedModel loaded(const std::string& content) {
    std::ofstream(folder_ / "other.qrt", std::ios::binary) << content;
    return load_model(folder_ / "other.qrt");
  }
  void expect_refused(const std::string& content, const std::string& part) {
    try {
      static_cast<void>(loaded(content));
      ADD_FAILURE() << "accepted; expected: " << part;
    } catch (const ParseError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what() << "\nlacks: " << part;
    }
  }
  test::TemporaryFolder folder_;
};

TEST_F(RelaxedFile, RoundTripKeepsEveryBit) {
  ReducedModel model = relaxed_plate(0.9, true);
  model.relaxation->calibration = {{0.1, 0.25, 0.125, CalibrationUse::used},
                                   {0.8, 0, 0, CalibrationUse::no_equilibrium}};
  const std::string content = saved(model);
  const ReducedModel again = loaded(content);
  EXPECT_TRUE(again.notices.empty());
  ASSERT_TRUE(again.relaxation);
  EXPECT_EQ(again.energy.coefficients, model.energy.coefficients);
  EXPECT_EQ(again.relaxation->products.values, model.relaxation->products.values);
  EXPECT_EQ(again.relaxation->share, 0.9);
  EXPECT_EQ(again.relaxation->reach, model.relaxation->reach);
  EXPECT_EQ(again.relaxation->calibration.size(), 2U);
  EXPECT_EQ(again.relaxation->calibration[1].use, CalibrationUse::no_equilibrium);
  ASSERT_EQ(again.relaxation->regions.size(), 2U);
  EXPECT_EQ(again.relaxation->regions[1].mu_part.forces.values, model.relaxation->regions[1].mu_part.forces.values);
  EXPECT_EQ(saved(again), content);
  EXPECT_EQ(test::header_of(content)["__metadata__"]["quartic_schema"], "1");
}

TEST_F(RelaxedFile, LeavesOutWhatIsOfAnotherEnergy) {
  ReducedModel model = relaxed_plate(0.9, false);
  const std::string content = saved(model);
  const ReducedModel other = loaded(test::with_metadata(content, "relaxation_of", "0123456789abcdef"));
  EXPECT_FALSE(other.relaxation);
  ASSERT_EQ(other.notices.size(), 1U);
  EXPECT_EQ(other.energy.coefficients, model.energy.coefficients);
}

TEST_F(RelaxedFile, RefusesDamage) {
  const std::string content = saved(relaxed_plate(0.9, true));
  expect_refused(test::with_metadata(content, "relaxation_share", "1.5"), "[0, 1]");
  expect_refused(test::with_metadata(content, "relaxation_share", "much"), "is no number");
  expect_refused(test::with_metadata(content, "relaxation_reach", "-1"), "reach");
  expect_refused(test::with_metadata(content, "relaxation_share", nullptr), "relaxation_share");
  expect_refused(test::with_metadata(content, "relaxation_of", nullptr), "relaxation_of");
  nlohmann::json header = test::header_of(content);
  auto& shape = header["relaxation"]["shape"];
  shape = {int{shape[0]} * int{shape[1]}, 1};
  expect_refused(test::with_header(content, header), "relaxation");
  header = test::header_of(content);
  header["region_relaxation_forces"]["shape"] = {1, 4, header["region_relaxation_forces"]["shape"][2], 21};
  expect_refused(test::with_header(content, header), "region_relaxation_forces");
}

TEST_F(RelaxedFile, DamagedBytesAreFoundOrHarmless) {
  const std::string content = saved(relaxed_plate(0.9, true));
  std::mt19937_64 engine(5);
  for (int n = 0; n < 300; ++n) {
    std::string damaged = content;
    const std::size_t header = test::header_text(content).size() + 8;
    const std::size_t end = n % 2 == 0 ? header : content.size();
    damaged[engine() % end] = static_cast<char>(engine());
    try {
      const ReducedModel model = loaded(damaged);
      if (model.relaxation) {
        const std::vector<double> q(static_cast<std::size_t>(model.rank()), 1e-3);
        static_cast<void>(relaxable_share(model.energy, *model.relaxation, q));
      }
    } catch (const Error&) {
    }
  }
}

}  // namespace
}  // namespace quartic
