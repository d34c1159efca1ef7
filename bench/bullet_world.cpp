#include "bullet_world.hpp"

#include <BulletSoftBody/btSoftBodyHelpers.h>

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

BulletWorld::BulletWorld(const btVector3& gravity)
    : dispatcher_(&configuration_), world_(&dispatcher_, &broadphase_, &solver_, &configuration_, &deformable_) {
  solver_.setDeformableSolver(&deformable_);
  world_.setGravity(gravity);
  deformable_.setGravity(gravity);
  world_.getWorldInfo().m_gravity = gravity;
  world_.setImplicit(false);
  world_.setLineSearch(false);
  world_.setUseProjection(false);
}

BulletWorld::BulletWorld(const std::filesystem::path& folder, int modes, int count, const btVector3& spin)
    : BulletWorld(btVector3(0, 0, 0)) {
  for (int n = 0; n < count; ++n)
    add(folder, modes, btTransform(btQuaternion(0, 0, 0), btVector3(static_cast<btScalar>(10 * n), 0, 0)))
        .setRigidAngularVelocity(spin);
}

btReducedDeformableBody& BulletWorld::add(const std::filesystem::path& folder, int modes, const btTransform& pose) {
  btReducedDeformableBody* body = btReducedDeformableBodyHelpers::createReducedDeformableObject(
      world_.getWorldInfo(), folder.string() + '/', "mesh.vtk", modes, false);
  world_.addSoftBody(body);
  body->transformTo(pose);
  body->setDamping(0, 0);
  body->m_sleepingThreshold = 0;
  body->setRigidVelocity(btVector3(0, 0, 0));
  body->setRigidAngularVelocity(btVector3(0, 0, 0));
  bodies_.push_back(body);
  return *body;
}

void BulletWorld::add_ground() {
  ground_shape_ = std::make_unique<btBoxShape>(btVector3(100, 1, 100));
  ground_ = std::make_unique<btRigidBody>(btRigidBody::btRigidBodyConstructionInfo(0, nullptr, ground_shape_.get()));
  btTransform pose;
  pose.setIdentity();
  pose.setOrigin(btVector3(0, -1, 0));
  ground_->setWorldTransform(pose);
  ground_->setFriction(btScalar(0.5));
  world_.addRigidBody(ground_.get());
}

// Settings as the authors' examples have them.
std::unique_ptr<BulletWorld> BulletWorld::over_ground(const std::filesystem::path& folder, int modes, int count,
                                                      double height, double apart) {
  std::unique_ptr<BulletWorld> world(new BulletWorld(btVector3(0, -10, 0)));
  world->world_.getWorldInfo().m_sparsesdf.setDefaultVoxelsz(btScalar(0.25));
  world->world_.getWorldInfo().m_sparsesdf.Reset();
  btContactSolverInfo& info = world->world_.getSolverInfo();
  info.m_deformable_erp = btScalar(0.2);
  info.m_deformable_cfm = btScalar(0.2);
  info.m_deformable_maxErrorReduction = 200;
  info.m_leastSquaresResidualThreshold = btScalar(1e-3);
  info.m_splitImpulse = false;
  info.m_numIterations = 100;
  world->add_ground();
  for (int n = 0; n < count; ++n) {
    const btVector3 place(static_cast<btScalar>(apart * n), static_cast<btScalar>(height), 0);
    btReducedDeformableBody& body = world->add(folder, modes, btTransform(btQuaternion(0, -SIMD_HALF_PI, 0), place));
    body.getCollisionShape()->setMargin(btScalar(0.01));
    body.m_cfg.kKHR = 1;
    body.m_cfg.kCHR = 1;
    body.m_cfg.kDF = btScalar(0.5);
    body.m_cfg.collisions = btSoftBody::fCollision::SDF_RD | btSoftBody::fCollision::SDF_RDN;
    btSoftBodyHelpers::generateBoundaryFaces(&body);
  }
  return world;
}

BulletWorld::~BulletWorld() {
  for (btReducedDeformableBody* body : bodies_) {
    world_.removeSoftBody(body);
    delete body;
  }
  if (ground_) world_.removeRigidBody(ground_.get());
}

double BulletWorld::height() const {
  double sum = 0;
  for (btReducedDeformableBody* body : bodies_) sum += static_cast<double>(body->getRigidTransform().getOrigin().y());
  return sum / static_cast<double>(bodies_.size());
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
