#include "cpu/batch/group_stepper.hpp"

#include <optional>
#include <utility>

#include "cpu/batch/integrators.hpp"

namespace quartic::cpu {
namespace {

template <class System>
class TileStepper final : public GroupStepper<typename System::Number> {
 public:
  using T = typename System::Number;

  TileStepper(std::unique_ptr<Evaluator<System>> evaluator, const GroupTerms& terms)
      : evaluator_(std::move(evaluator)),
        coordinates_(terms.damping, terms.strain_damping, terms.driven),
        on_base_(terms.motion == FrameMotion::prescribed) {
    if (terms.frame != nullptr) frame_.emplace(InertiaForms(*terms.frame));
  }

  [[nodiscard]] int lanes() const override { return System::lanes; }
  void add_to(BatchEvaluators<T>& evaluators) const override {
    if constexpr (std::is_same_v<System, LaneSystem<T>>) {
      evaluators.lanes.push_back(evaluator_.get());
      if (frame_) (on_base_ ? evaluators.lane_bases : evaluators.lane_frames).push_back(&*frame_);
    } else {
      evaluators.bodies.push_back(evaluator_.get());
      if (frame_) (on_base_ ? evaluators.body_bases : evaluators.body_frames).push_back(&*frame_);
    }
  }
  void step(const StepCall<T>& call, const TileRange& range, Workspace<T>& workspace) const override;
  [[nodiscard]] double elastic_energy(const double* point) const override { return evaluator_->energy(point); }

 private:
  void step_free(const StepCall<T>& call, const TileRange& range, Tile<System>& tile, FrameTile<System>& frame) const;
  void step_on_base(const StepCall<T>& call, const TileRange& range, Tile<System>& tile, BaseTile<System>& base) const;

  std::unique_ptr<Evaluator<System>> evaluator_;
  CoordinateTerms<System> coordinates_;
  std::optional<FrameCoefficients<System>> frame_;  // of free bodies, and of those on a base
  bool on_base_;
};

template <class System>
void TileStepper<System>::step(const StepCall<T>& call, const TileRange& range, Workspace<T>& workspace) const {
  Tile<System>& tile = workspace.template tile<System>();
  tile.load(*evaluator_, coordinates_, call.arrays, call.parameters, range, call.status, call.flags);
  if (on_base_) return step_on_base(call, range, tile, workspace.template base<System>());
  if (frame_) return step_free(call, range, tile, workspace.template frame<System>());
  double time = call.time;
  for (int substep = 0; substep < call.substeps && tile.live() != 0; ++substep, time += call.dt) {
    tile.begin_step(time, time + call.dt);
    switch (call.integrator) {
      case Integrator::newmark:
      case Integrator::backward_euler:
        implicit_step(tile, call.settings);
        break;
      case Integrator::central_differences:
        central_differences_step(tile, call.settings, substep > 0);
        break;
      case Integrator::energy_conserving:
        energy_conserving_step(tile, call.settings);
        break;
    }
    tile.finish_step(call.arrays);
  }
  tile.store(call.arrays);
}

template <class System>
void TileStepper<System>::step_free(const StepCall<T>& call, const TileRange& range, Tile<System>& tile,
                                    FrameTile<System>& frame) const {
  frame.load(*frame_, call.arrays, range, tile.live());
  tile.set_stiffness_update(&frame);
  const bool conserving = call.integrator == Integrator::energy_conserving;
  const bool end_load = call.integrator == Integrator::backward_euler;
  double time = call.time;
  for (int substep = 0; substep < call.substeps && tile.live() != 0; ++substep, time += call.dt) {
    tile.begin_step(time, time + call.dt);
    frame.begin_step(tile, call.spin, end_load, substep > 0);
    if (conserving)
      free_energy_conserving_step(tile, frame, call.settings);
    else
      free_implicit_step(tile, frame, call.settings);
    frame.advance();
    frame.finish_step(call.arrays, tile.finish_step(call.arrays, frame.defective()));
  }
  tile.store(call.arrays);
  frame.store(call.arrays, tile.live());
}

template <class System>
void TileStepper<System>::step_on_base(const StepCall<T>& call, const TileRange& range, Tile<System>& tile,
                                       BaseTile<System>& base) const {
  base.load(*frame_, call.arrays, range, tile.live());
  double time = call.time;
  for (int substep = 0; substep < call.substeps && tile.live() != 0; ++substep, time += call.dt) {
    tile.begin_step(time, time + call.dt);
    base_implicit_step(tile, base, call.settings, call.integrator == Integrator::backward_euler);
    tile.finish_step(call.arrays);
  }
  tile.store(call.arrays);
}

}  // namespace

template <class T>
std::unique_ptr<GroupStepper<T>> make_group_stepper(const SharedModel& model, const GroupTerms& terms,
                                                    Evaluation evaluation) {
  // Bodies by themselves are for one or a few of a quartic energy.
  if (evaluation == Evaluation::latency && !model->has_strain_form() && !model->has_cubature())
    return std::make_unique<TileStepper<BodySystem<T>>>(make_evaluator<BodySystem<T>>(model), terms);
  return std::make_unique<TileStepper<LaneSystem<T>>>(make_evaluator<LaneSystem<T>>(model), terms);
}

template std::unique_ptr<GroupStepper<float>> make_group_stepper(const SharedModel&, const GroupTerms&, Evaluation);
template std::unique_ptr<GroupStepper<double>> make_group_stepper(const SharedModel&, const GroupTerms&, Evaluation);

}  // namespace quartic::cpu
