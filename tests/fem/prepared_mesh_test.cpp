// A mesh is checked when it is prepared, and nowhere inside: what takes a PreparedMesh works on although the mesh has
// become one that every check refuses.
#include "core/fem/prepared_mesh.hpp"

#include <gtest/gtest.h>

#include <array>
#include <thread>
#include <type_traits>
#include <vector>

#include "core/fem/fem_operations.hpp"
#include "core/fem/internal_forces.hpp"
#include "core/fem/rigid_motions.hpp"
#include "core/modes/elastic_system.hpp"
#include "core/modes/mesh_derivatives.hpp"
#include "core/reduction/mesh_energy.hpp"
#include "quartic/energy.hpp"
#include "quartic/error.hpp"
#include "quartic/procedural.hpp"

namespace {

using namespace quartic;

const std::vector<std::array<int, 2>> pairs = {{0, 0}, {0, 1}, {1, 2}};

class PreparedMeshTest : public testing::Test {
 protected:
  // No check accepts a region without material.
  void spoil() {
    mesh.regions.front().material.reset();
    ASSERT_THROW(PreparedMesh{mesh}, InputError);
  }

  const ProceduralMesh beam = make_beam(6);
  VolumeMesh mesh = beam.mesh;
  const PreparedMesh prepared{mesh};
};

TEST_F(PreparedMeshTest, RefusesWhatCannotBeUsed) {
  VolumeMesh inverted = mesh;
  std::swap(inverted.blocks[0].vertices[0], inverted.blocks[0].vertices[1]);
  EXPECT_THROW(PreparedMesh{inverted}, InputError);
  VolumeMesh without_region = mesh;
  without_region.element_region[3] = -1;
  EXPECT_THROW(PreparedMesh{without_region}, InputError);
  const VolumeMesh empty;
  EXPECT_THROW(PreparedMesh{empty}, InputError);
  static_assert(!std::is_constructible_v<PreparedMesh, VolumeMesh>);  // the mesh must outlive it
}

TEST_F(PreparedMeshTest, FiniteElementsDontCheckAgain) {
  const SparseMatrix stiffness = stiffness_matrix(mesh), consistent = mass_matrix(mesh),
                     lumped = mass_matrix(mesh, MassMatrix::lumped);
  Matrix fields(stiffness.rows, 3);
  for (std::size_t i = 0; i < fields.values.size(); ++i) fields.values[i] = static_cast<double>(i % 7) - 3;
  const Matrix hessian = force_hessian(mesh, fields.map(), pairs);
  const Matrix rigid = rigid_modes(mesh, consistent, {});
  const double energy = strain_energy(mesh, fields.col(0));
  spoil();
  const FemOperations& operations = fem_operations(Backend::cpu);
  EXPECT_EQ(operations.stiffness(prepared).values, stiffness.values);
  EXPECT_EQ(operations.mass(prepared, MassMatrix::consistent).values, consistent.values);
  EXPECT_EQ(operations.mass(prepared, MassMatrix::lumped).values, lumped.values);
  EXPECT_EQ(operations.force_hessian(prepared, fields.map(), pairs).values, hessian.values);
  EXPECT_EQ(rigid_modes(prepared, consistent, {}).values, rigid.values);
  EXPECT_EQ(make_internal_forces(prepared).energy(fields.col(0)), energy);
}

TEST_F(PreparedMeshTest, NoStageOfAReductionChecksAgain) {
  spoil();
  auto impl = assemble_system(prepared, beam.fixed_vertices, MassMatrix::consistent, Backend::cpu, nullptr);
  factorize_system(*impl, prepared, {});
  const ElasticSystem system(std::move(impl));
  const LinearModes modes = linear_modes(system, {.count = 3});
  for (const DerivativeKind kind : {DerivativeKind::statics, DerivativeKind::inertial})
    EXPECT_NO_THROW(static_cast<void>(modal_derivatives(prepared, system, modes.vectors.map(), {.kind = kind})));
  const QuarticEnergy energy = reduce_energy(prepared, modes.vectors.map(), {});
  EXPECT_EQ(energy.rank, 3);
  EXPECT_EQ(reduce_region_energy(prepared, modes.vectors.map(), {}).size(), 1u);
}

TEST_F(PreparedMeshTest, PartsAreMadeOnceForAllThreads) {
  constexpr std::size_t count = 4;
  std::array<std::array<const void*, 3>, count> seen{};
  std::vector<std::thread> threads;
  for (auto& mine : seen)
    threads.emplace_back([&] { mine = {&prepared.graph(), &prepared.incidences(), &prepared.image()}; });
  for (std::thread& thread : threads) thread.join();
  for (const auto& other : seen) EXPECT_EQ(other, seen[0]);
  EXPECT_EQ(prepared.incidences().size(), mesh.blocks.size());
}

}  // namespace
