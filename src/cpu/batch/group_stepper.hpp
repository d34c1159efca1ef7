// Steps of the bodies of one group, tile by tile, whatever its force model.
#pragma once

#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "core/batch/batch_impl.hpp"
#include "core/batch/time_stepping.hpp"
#include "cpu/batch/base_tile.hpp"
#include "cpu/batch/frame_tile.hpp"
#include "cpu/batch/tile.hpp"
#include "cpu/energy/evaluator.hpp"
#include "cpu/energy/system.hpp"

namespace quartic::cpu {

/// The force models of a batch, by the layout of their tiles.
template <class T>
struct BatchEvaluators {
  std::vector<const Evaluator<LaneSystem<T>>*> lanes;
  std::vector<const Evaluator<BodySystem<T>>*> bodies;
  std::vector<const FrameCoefficients<LaneSystem<T>>*> lane_frames;  // of groups of free bodies
  std::vector<const FrameCoefficients<BodySystem<T>>*> body_frames;
  std::vector<const FrameCoefficients<LaneSystem<T>>*> lane_bases;  // of groups on bases
  std::vector<const FrameCoefficients<BodySystem<T>>*> body_bases;
};

/// What one thread works in.
template <class T>
struct Workspace {
  explicit Workspace(const BatchEvaluators<T>& evaluators)
      : lanes(evaluators.lanes),
        body(evaluators.bodies),
        lane_frames(evaluators.lane_frames),
        body_frame(evaluators.body_frames),
        lane_bases(evaluators.lane_bases),
        body_base(evaluators.body_bases) {}

  template <class System>
  [[nodiscard]] Tile<System>& tile() {
    if constexpr (std::is_same_v<System, LaneSystem<T>>)
      return lanes;
    else
      return body;
  }

  template <class System>
  [[nodiscard]] FrameTile<System>& frame() {
    if constexpr (std::is_same_v<System, LaneSystem<T>>)
      return lane_frames;
    else
      return body_frame;
  }

  template <class System>
  [[nodiscard]] BaseTile<System>& base() {
    if constexpr (std::is_same_v<System, LaneSystem<T>>)
      return lane_bases;
    else
      return body_base;
  }

  /// Room for damping by strain rates, of bodies of up to this rank.
  void reserve_strain_damping(std::int64_t rank) {
    lanes.reserve_strain_damping(rank);
    body.reserve_strain_damping(rank);
  }

  Tile<LaneSystem<T>> lanes;
  Tile<BodySystem<T>> body;
  FrameTile<LaneSystem<T>> lane_frames;
  FrameTile<BodySystem<T>> body_frame;
  BaseTile<LaneSystem<T>> lane_bases;
  BaseTile<BodySystem<T>> body_base;
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
  SpinSettings<T> spin;  // for groups with a frame
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

/// What a group has beside its force model.
struct GroupTerms {
  const SharedFrame& frame;                   // null for bodies without one
  FrameMotion motion;                         // of the frame
  const Matrix& damping;                      // empty for none
  const SharedStrainDamping& strain_damping;  // null for none
  int driven;                                 // coordinates
};

/// With tiles as the batch's order of summation and the force model want them. @throws InputError if a coefficient is
/// too large for T
template <class T>
[[nodiscard]] std::unique_ptr<GroupStepper<T>> make_group_stepper(const SharedModel& model, const GroupTerms& terms,
                                                                  Evaluation evaluation);

}  // namespace quartic::cpu
