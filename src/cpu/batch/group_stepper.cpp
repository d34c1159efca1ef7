#include "cpu/batch/group_stepper.hpp"

#include <utility>

#include "cpu/batch/integrators.hpp"

namespace quartic::cpu {
namespace {

template <class System>
class TileStepper final : public GroupStepper<typename System::Number> {
 public:
  using T = typename System::Number;

  explicit TileStepper(std::unique_ptr<Evaluator<System>> evaluator) : evaluator_(std::move(evaluator)) {}

  [[nodiscard]] int lanes() const override { return System::lanes; }
  void add_to(BatchEvaluators<T>& evaluators) const override {
    if constexpr (std::is_same_v<System, LaneSystem<T>>)
      evaluators.lanes.push_back(evaluator_.get());
    else
      evaluators.bodies.push_back(evaluator_.get());
  }
  void step(const StepCall<T>& call, const TileRange& range, Workspace<T>& workspace) const override;
  [[nodiscard]] double elastic_energy(const double* point) const override { return evaluator_->energy(point); }

 private:
  std::unique_ptr<Evaluator<System>> evaluator_;
};

template <class System>
void TileStepper<System>::step(const StepCall<T>& call, const TileRange& range, Workspace<T>& workspace) const {
  Tile<System>& tile = workspace.template tile<System>();
  tile.load(*evaluator_, call.arrays, call.parameters, range, call.status, call.flags);
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

}  // namespace

template <class T>
std::unique_ptr<GroupStepper<T>> make_group_stepper(const SharedModel& model, Evaluation evaluation) {
  // Bodies by themselves are for one or a few of a quartic energy.
  if (evaluation == Evaluation::latency && !model->has_strain_form())
    return std::make_unique<TileStepper<BodySystem<T>>>(make_evaluator<BodySystem<T>>(model));
  return std::make_unique<TileStepper<LaneSystem<T>>>(make_evaluator<LaneSystem<T>>(model));
}

template std::unique_ptr<GroupStepper<float>> make_group_stepper(const SharedModel&, Evaluation);
template std::unique_ptr<GroupStepper<double>> make_group_stepper(const SharedModel&, Evaluation);

}  // namespace quartic::cpu
