// Tiles of bodies, shared out among the threads of the batch.
#include "cpu/batch/batch.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/base/aligned_array.hpp"
#include "core/base/thread_pool.hpp"
#include "core/batch/time_stepping.hpp"
#include "cpu/batch/group_stepper.hpp"
#include "cpu/batch/range_check.hpp"

namespace quartic::cpu {
namespace {

template <class T>
class CpuBatch final : public BatchImpl<T> {
 public:
  CpuBatch(std::vector<BodyGroup> groups, const BatchOptions& options);

  StateView<T> state(StateArray which) override;
  void step(double dt, int substeps) override;
  [[nodiscard]] std::span<const BodyStatus> status() const override { return status_; }
  void set_status(std::span<const BodyStatus> status) override {
    std::copy(status.begin(), status.end(), status_.begin());
  }
  void reset_status() override { std::fill(status_.begin(), status_.end(), BodyStatus::ok); }
  [[nodiscard]] std::span<const BodyFlags> flags() const override { return flags_; }
  void set_flags(std::span<const BodyFlags> flags) override { std::copy(flags.begin(), flags.end(), flags_.begin()); }
  std::span<const BodyFlags> check_range() override;
  void elastic_energy(std::span<double> result) override;
  void kinetic_energy(std::span<double> result) override;

 private:
  void take_model(std::size_t group, const SharedModel& model) override {
    steppers_[group] =
        stepper(group, model, this->frames()[group], this->dampings()[group], this->strain_dampings()[group]);
  }
  void take_frame(std::size_t group, const SharedFrame& frame) override {
    steppers_[group] =
        stepper(group, this->models()[group], frame, this->dampings()[group], this->strain_dampings()[group]);
  }
  void take_damping(std::size_t group, const Matrix& damping) override {
    steppers_[group] =
        stepper(group, this->models()[group], this->frames()[group], damping, this->strain_dampings()[group]);
  }
  [[nodiscard]] std::unique_ptr<GroupStepper<T>> stepper(std::size_t group, const SharedModel& model,
                                                         const SharedFrame& frame, const Matrix& damping,
                                                         const SharedStrainDamping& strain_damping) const {
    return make_group_stepper<T>(model, {frame, this->motions()[group], damping, strain_damping, this->driven()[group]},
                                 this->options().evaluation);
  }
  [[nodiscard]] std::vector<std::unique_ptr<GroupStepper<T>>> make_steppers(
      const std::vector<SharedStrainDamping>& strain_dampings) const {
    std::vector<std::unique_ptr<GroupStepper<T>>> steppers;
    for (std::size_t g = 0; g < this->models().size(); ++g)
      steppers.push_back(stepper(g, this->models()[g], this->frames()[g], this->dampings()[g], strain_dampings[g]));
    return steppers;
  }
  void take_strain_dampings(const std::vector<SharedStrainDamping>& forms, std::span<const T> /*time*/) override {
    steppers_ = make_steppers(forms);
    for (Workspace<T>& workspace : workspaces_) workspace.reserve_strain_damping(this->rank());
  }
  void take_model_range(std::size_t group, const ModelRange& range) override { checks_[group] = RangeCheck<T>(range); }
  [[nodiscard]] std::int64_t bodies() const { return this->options().bodies; }

  std::vector<std::unique_ptr<GroupStepper<T>>> steppers_;  // by group
  std::vector<RangeCheck<T>> checks_;                       // likewise
  std::vector<TileRange> tiles_;
  BatchArrays<T> arrays_;
  std::vector<BodyStatus> status_;
  std::vector<BodyFlags> flags_, range_flags_;  // the second: of the last check, none before the first
  ThreadPool pool_;
  std::vector<Workspace<T>> workspaces_;     // one per thread
  std::vector<std::vector<double>> points_;  // (1, q) of a body: one per thread
};

// Tiles never mix groups.
template <class T>
std::vector<TileRange> cut_into_tiles(const std::vector<GroupRange>& groups,
                                      const std::vector<std::unique_ptr<GroupStepper<T>>>& steppers) {
  std::vector<TileRange> tiles;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const int lanes = steppers[g]->lanes();
    for (std::int64_t first = 0; first < groups[g].bodies; first += lanes)
      tiles.push_back(
          {g, groups[g].first_body + first, static_cast<int>(std::min<std::int64_t>(lanes, groups[g].bodies - first))});
  }
  return tiles;
}

int thread_count(const BatchOptions& options, std::int64_t tiles) {
  const int wanted = options.threads > 0 ? options.threads : default_thread_count();
  return static_cast<int>(std::min<std::int64_t>(wanted, tiles));
}

template <class T>
CpuBatch<T>::CpuBatch(std::vector<BodyGroup> groups, const BatchOptions& options)
    : BatchImpl<T>(std::move(groups), options),
      steppers_(make_steppers(this->strain_dampings())),
      tiles_(cut_into_tiles(this->ranges(), steppers_)),
      status_(static_cast<std::size_t>(options.bodies), BodyStatus::ok),
      flags_(status_.size(), BodyFlags::none),
      pool_(thread_count(options, std::ssize(tiles_))) {
  arrays_.pitch = padded<T>(options.bodies);
  for (const StateBlock& block : this->layout()) arrays_.blocks.emplace_back(block.rows(this->rank()) * arrays_.pitch);
  for (const ModelRange& range : this->model_ranges()) checks_.emplace_back(range);
  if (this->has_frames())  // no rotation
    std::fill_n(arrays_[StateArray::pose].data() + 6 * arrays_.pitch, arrays_.pitch, T{1});
  BatchEvaluators<T> evaluators;
  for (const auto& stepper : steppers_) stepper->add_to(evaluators);
  for (int i = 0; i < pool_.thread_count(); ++i) {
    workspaces_.emplace_back(evaluators);
    points_.emplace_back(static_cast<std::size_t>(this->rank()) + 1, 1.0);
  }
}

template <class T>
StateView<T> CpuBatch<T>::state(StateArray which) {
  return {arrays_[which].data(), this->layout()[index_of(which)].rows(this->rank()), bodies(), arrays_.pitch, 1};
}

template <class T>
void CpuBatch<T>::step(double dt, int substeps) {
  const StepCall<T> call{.arrays = arrays_,
                         .parameters = this->parameters(),
                         .status = status_,
                         .flags = flags_,
                         .integrator = this->options().integrator,
                         .settings = step_settings<T>(this->options(), dt),
                         .spin = this->has_frames() ? spin_settings<T>(this->options(), dt) : SpinSettings<T>{},
                         .time = this->time(),
                         .dt = dt,
                         .substeps = substeps};
  std::atomic<std::size_t> next{0};
  pool_.run(std::ssize(workspaces_), [&](std::int64_t workspace) {
    for (std::size_t index = next++; index < tiles_.size(); index = next++)
      steppers_[tiles_[index].group]->step(call, tiles_[index], workspaces_[static_cast<std::size_t>(workspace)]);
  });
  double time = this->time();
  for (int substep = 0; substep < substeps; ++substep) time += dt;
  this->set_time(time);
}

template <class T>
std::span<const BodyFlags> CpuBatch<T>::check_range() {
  range_flags_.assign(flags_.size(), BodyFlags::none);
  const T* q = arrays_[StateArray::q].data();
  for (std::size_t g = 0; g < checks_.size(); ++g) {
    const GroupRange& group = this->ranges()[g];
    const RangeCheck<T>& check = checks_[g];
    if (check.is_empty()) continue;
    constexpr std::int64_t piece = 16 * RangeCheck<T>::lanes;
    pool_.run((group.bodies + piece - 1) / piece, [&](std::int64_t n) {
      const std::int64_t first = group.first_body + n * piece;
      const auto count = static_cast<std::size_t>(std::min(piece, group.bodies - n * piece));
      check.flags(q + first, arrays_.pitch, std::span(range_flags_).subspan(static_cast<std::size_t>(first), count));
    });
  }
  for (std::size_t body = 0; body < flags_.size(); ++body) flags_[body] |= range_flags_[body];
  return range_flags_;
}

template <class T>
void CpuBatch<T>::elastic_energy(std::span<double> result) {
  const T* q = arrays_[StateArray::q].data();
  for (std::size_t g = 0; g < this->ranges().size(); ++g) {
    const GroupRange& group = this->ranges()[g];
    std::atomic<std::int64_t> next{0};
    pool_.run(std::ssize(points_), [&](std::int64_t workspace) {
      std::vector<double>& point = points_[static_cast<std::size_t>(workspace)];
      for (std::int64_t n = next++; n < group.bodies; n = next++) {
        const std::int64_t body = group.first_body + n;
        for (std::int64_t i = 0; i < group.rank; ++i)
          point[static_cast<std::size_t>(i) + 1] = double{q[i * arrays_.pitch + body]};
        const auto b = static_cast<std::size_t>(body);
        result[b] = double{this->parameters().stiffness_scale[b]} * steppers_[g]->elastic_energy(point.data());
      }
    });
  }
}

template <class T>
void CpuBatch<T>::kinetic_energy(std::span<double> result) {
  const T* velocity = arrays_[StateArray::velocity].data();
  std::fill(result.begin(), result.end(), 0.0);
  for (const GroupRange& group : this->ranges())
    for (std::int64_t i = 0; i < group.rank; ++i)
      for (std::int64_t body = group.first_body; body < group.first_body + group.bodies; ++body) {
        const double v{velocity[i * arrays_.pitch + body]};
        result[static_cast<std::size_t>(body)] += 0.5 * v * v;
      }
}

}  // namespace

template <class T>
std::unique_ptr<BatchImpl<T>> make_batch(std::vector<BodyGroup> groups, const BatchOptions& options) {
  return std::make_unique<CpuBatch<T>>(std::move(groups), options);
}

template std::unique_ptr<BatchImpl<float>> make_batch(std::vector<BodyGroup>, const BatchOptions&);
template std::unique_ptr<BatchImpl<double>> make_batch(std::vector<BodyGroup>, const BatchOptions&);

}  // namespace quartic::cpu
