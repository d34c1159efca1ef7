// Steps of the bodies of one group, tile by tile, whatever its force model.
#pragma once

#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "core/batch/batch_impl.hpp"
#include "core/batch/time_stepping.hpp"
#include "cpu/batch/tile.hpp"
#include "cpu/energy/evaluator.hpp"
#include "cpu/energy/system.hpp"

namespace quartic::cpu {

/// The force models of a batch, by the layout of their tiles.
template <class T>
struct BatchEvaluators {
  std::vector<const Evaluator<LaneSystem<T>>*> lanes;
  std::vector<const Evaluator<BodySystem<T>>*> bodies;
};

/// What one thread works in.
template <class T>
struct Workspace {
  explicit Workspace(const BatchEvaluators<T>& evaluators) : lanes(evaluators.lanes), body(evaluators.bodies) {}

  template <class System>
  [[nodiscard]] Tile<System>& tile() {
    if constexpr (std::is_same_v<System, LaneSystem<T>>)
      return lanes;
    else
      return body;
  }

  Tile<LaneSystem<T>> lanes;
  Tile<BodySystem<T>> body;
};

/// A call of Batch::step.
template <class T>
struct StepCall {
  const BatchArrays<T>& arrays;
  const BodyParameters<T>& parameters;
  std::span<BodyStatus> status;
  std::span<BodyFlags> flags;
  Integrator integrator;
  StepSettings<T> settings;
  double time, dt;
  int substeps;
};

template <class T>
class GroupStepper {
 public:
  virtual ~GroupStepper() = default;

  [[nodiscard]] virtual int lanes() const = 0;  ///< bodies in a tile
  virtual void add_to(BatchEvaluators<T>& evaluators) const = 0;
  /// All substeps of a tile's bodies.
  virtual void step(const StepCall<T>& call, const TileRange& range, Workspace<T>& workspace) const = 0;
  /// V of one body. @param point (1, q), shape (rank + 1)
  [[nodiscard]] virtual double elastic_energy(const double* point) const = 0;
};

/// With tiles as the batch's order of summation and the force model want them. @throws InputError if a coefficient is
/// too large for T
template <class T>
[[nodiscard]] std::unique_ptr<GroupStepper<T>> make_group_stepper(const SharedModel& model, Evaluation evaluation);

}  // namespace quartic::cpu
