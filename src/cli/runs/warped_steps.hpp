// Steps of modal bodies whose loads act on the warped shape.
#pragma once

#include <vector>

#include "cli/options/loads.hpp"
#include "quartic/modal_batch.hpp"
#include "quartic/model.hpp"
#include "quartic/warping.hpp"

namespace quartic::cli {

/// Loads keep their directions, and act on vertices where modal warping shows them: their force on the modes, J(q)^T f,
/// changes with q. A step holds it, and then corrects by how far it changed: second order, and exact where it doesn't
/// change (Cox & Matthews 2002, "Exponential time differencing for stiff systems", ETD2RK).
template <class T>
class WarpedSteps {
 public:
  /// Batch and loads must outlive this object. @param model of `modal_model`
  WarpedSteps(ModalBatch<T>& batch, const ReducedModel& model, const Scene& scene, double step);

  /// One step.
  void advance();
  /// Of all times so far, and of now, the largest rotation of a vertex [rad].
  [[nodiscard]] double largest_rotation() const { return largest_rotation_; }
  /// Takes the present state into account.
  void look();

 private:
  /// The force on the modes where the bodies are, into the batch.
  void set_force(double time);

  ModalBatch<T>& batch_;
  ModalWarp warp_;
  VertexLoadProgram loads_;
  bool loaded_;
  double step_;
  std::vector<ModalPropagator> propagators_;
  std::vector<double> vertex_force_;  // shape (3n)
  std::vector<std::int32_t> loaded_vertices_;
  std::vector<T> loaded_force_;  // on these, shape (vertices, 3)
  std::vector<T> before_;        // the force at the step's start, shape (k, B)
  double largest_rotation_ = 0;
};

}  // namespace quartic::cli
