#include "bullet_world.hpp"

#include <cstdint>
#include <fstream>
#include <string>

#include "quartic/fem.hpp"

namespace quartic::bench {
namespace {

// A count, then the numbers.
void write_numbers(const std::filesystem::path& path, const std::vector<double>& numbers) {
  std::ofstream file(path, std::ios::binary);
  const auto count = static_cast<std::int32_t>(numbers.size());
  file.write(reinterpret_cast<const char*>(&count), sizeof count);
  file.write(reinterpret_cast<const char*>(numbers.data()),
             static_cast<std::streamsize>(numbers.size() * sizeof(double)));
}

void write_mesh(const std::filesystem::path& path, const VolumeMesh& mesh) {
  std::ofstream file(path);
  file.precision(9);
  file << "# vtk DataFile Version 2.0\nmesh\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS " << mesh.vertex_count()
       << " double\n";
  for (std::size_t n = 0; n < mesh.vertices.size(); n += 3)
    file << mesh.vertices[n] << ' ' << mesh.vertices[n + 1] << ' ' << mesh.vertices[n + 2] << '\n';
  const ElementBlock& block = mesh.blocks.front();
  file << "\nCELLS " << block.count() << ' ' << 5 * block.count() << '\n';
  for (std::int64_t e = 0; e < block.count(); ++e) {
    file << 4;
    for (std::size_t a = 0; a < 4; ++a) file << ' ' << block.element(e)[a];
    file << '\n';
  }
  file << "\nCELL_TYPES " << block.count() << '\n';
  for (std::int64_t e = 0; e < block.count(); ++e) file << "10\n";
}

}  // namespace

void write_bullet_files(const ReducedModel& model, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  write_mesh(folder / "mesh.vtk", model.mesh);
  write_numbers(folder / "eigenvalues.bin", model.eigenvalues);
  write_numbers(folder / "K_r_diag_mat.bin", model.eigenvalues);
  write_numbers(folder / "modes.bin", model.linear_modes.values);
  const SparseMatrix mass = mass_matrix(model.mesh, MassMatrix::lumped);
  std::vector<double> masses;
  for (std::size_t row = 0; row < mass.values.size(); row += 3) masses.push_back(mass.values[row]);
  write_numbers(folder / "M_diag_mat.bin", masses);
}

BulletWorld::BulletWorld(const std::filesystem::path& folder, int modes, int count, const btVector3& spin)
    : dispatcher_(&configuration_), world_(&dispatcher_, &broadphase_, &solver_, &configuration_, &deformable_) {
  solver_.setDeformableSolver(&deformable_);
  const btVector3 none(0, 0, 0);
  world_.setGravity(none);
  deformable_.setGravity(none);
  world_.getWorldInfo().m_gravity = none;
  world_.setImplicit(false);
  world_.setLineSearch(false);
  world_.setUseProjection(false);
  for (int n = 0; n < count; ++n) {
    btReducedDeformableBody* body = btReducedDeformableBodyHelpers::createReducedDeformableObject(
        world_.getWorldInfo(), folder.string() + '/', "mesh.vtk", modes, false);
    world_.addSoftBody(body);
    btTransform pose;
    pose.setIdentity();
    pose.setOrigin(btVector3(static_cast<btScalar>(10 * n), 0, 0));
    body->transformTo(pose);
    body->setDamping(0, 0);
    body->m_sleepingThreshold = 0;
    body->setRigidVelocity(none);
    body->setRigidAngularVelocity(spin);
    bodies_.push_back(body);
  }
}

BulletWorld::~BulletWorld() {
  for (btReducedDeformableBody* body : bodies_) {
    world_.removeSoftBody(body);
    delete body;
  }
}

void BulletWorld::step(double dt) {
  const auto step = static_cast<btScalar>(dt);
  world_.stepSimulation(step, 1, step);
}

btVector3 BulletWorld::angular_momentum(double dt) {
  const btReducedDeformableBody& body = *bodies_.front();
  btVector3 centre(0, 0, 0), sum(0, 0, 0);
  btScalar mass = 0;
  std::vector<btVector3> now;
  for (int i = 0; i < body.m_nodes.size(); ++i) {
    now.push_back(body.m_nodes[i].m_x);
    centre += body.m_nodalMass[i] * now.back();
    mass += body.m_nodalMass[i];
  }
  centre /= mass;
  for (std::size_t i = 0; i < last_.size(); ++i) {
    const btVector3 velocity = (now[i] - last_[i]) / static_cast<btScalar>(dt);
    const btVector3 arm = (now[i] + last_[i]) / 2 - centre;
    sum += body.m_nodalMass[static_cast<int>(i)] * arm.cross(velocity);
  }
  last_ = now;
  return sum;
}

}  // namespace quartic::bench
