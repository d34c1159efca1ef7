// The forces on flying bodies, which depend on where each of them is.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <vector>

#include "cli/options/loads.hpp"
#include "quartic/batch.hpp"
#include "quartic/model.hpp"

namespace quartic::cli {

/// Gravity g is the force m g, and nothing on q. A force f on a vertex, in world axes, is f on the whole body, the
/// torque R y x f about its mass centre, and U_v^T R^T f on q: y = X_v + U_v q is the vertex in body axes.
class FlyingLoads {
 public:
  /// @param frame of the model's bodies
  /// @throws InputError if a load's vertex isn't in the model, or for a base, which holds no flying body
  FlyingLoads(const ReducedModel& model, const FrameMoments& frame, const Scene& scene);

  /// True if the forces are the same at all times, wherever a body is.
  [[nodiscard]] bool constant() const { return places_.empty() && scene_.is_constant(); }

  /// Sets wrench and reduced force of all bodies as they are now, for a step that begins at `time` and is `step` long
  /// [s].
  template <class T>
  void apply(Batch<T>& batch, double time, double step) const;

 private:
  struct Place {
    std::size_t load;  // of the scene
    Eigen::Vector3d force;
    Eigen::Vector3d place;  // about the mass centre, at rest
    Eigen::MatrixXd rows;   // U_v, shape (3, r)
  };
  Scene scene_;
  Eigen::Vector3d weight_;  // m g
  std::vector<Place> places_;
};

}  // namespace quartic::cli
