// Worlds of Bullet's reduced deformable bodies, in free flight or on the ground, made of a model of quartic's.
#pragma once

#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <BulletCollision/CollisionShapes/btBoxShape.h>
#include <BulletDynamics/ConstraintSolver/btSequentialImpulseConstraintSolver.h>
#include <BulletDynamics/Dynamics/btRigidBody.h>
#include <BulletSoftBody/BulletReducedDeformableBody/btReducedDeformableBodyHelpers.h>
#include <BulletSoftBody/BulletReducedDeformableBody/btReducedDeformableBodySolver.h>
#include <BulletSoftBody/btDeformableMultiBodyConstraintSolver.h>
#include <BulletSoftBody/btDeformableMultiBodyDynamicsWorld.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>

#include <filesystem>
#include <memory>
#include <vector>

#include "quartic/model.hpp"

namespace quartic::bench {

/// Writes what Bullet reads a body from: mesh, lumped masses, linear modes and their eigenvalues.
/// @param model of tet4, with lumped masses
void write_bullet_files(const ReducedModel& model, const std::filesystem::path& folder);

class BulletWorld {
 public:
  /// `count` bodies far from each other, without gravity or damping, that spin [rad/s].
  BulletWorld(const std::filesystem::path& folder, int modes, int count, const btVector3& spin);
  /// `count` bodies over the ground y = 0, with friction 1/2 and gravity 10 along -y, the mesh's z axis up; `apart` [m]
  /// from each other.
  static std::unique_ptr<BulletWorld> over_ground(const std::filesystem::path& folder, int modes, int count,
                                                  double height, double apart);
  ~BulletWorld();
  BulletWorld(const BulletWorld&) = delete;
  BulletWorld& operator=(const BulletWorld&) = delete;

  void step(double dt);
  /// The mean height of the bodies' frames [m].
  [[nodiscard]] double height() const;

  /// Of body 0 between two calls of this, `dt` apart: from the positions of its nodes alone. Zero at the first call.
  [[nodiscard]] btVector3 angular_momentum(double dt);

 private:
  explicit BulletWorld(const btVector3& gravity);
  btReducedDeformableBody& add(const std::filesystem::path& folder, int modes, const btTransform& pose);
  void add_ground();

  btSoftBodyRigidBodyCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broadphase_;
  btReducedDeformableBodySolver deformable_;
  btDeformableMultiBodyConstraintSolver solver_;
  btDeformableMultiBodyDynamicsWorld world_;
  std::unique_ptr<btBoxShape> ground_shape_;
  std::unique_ptr<btRigidBody> ground_;
  std::vector<btReducedDeformableBody*> bodies_;
  std::vector<btVector3> last_;
};

}  // namespace quartic::bench
