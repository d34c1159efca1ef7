// What a backend does for `Batch`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/batch/state_layout.hpp"
#include "core/energy/strain_damping.hpp"
#include "quartic/batch.hpp"
#include "quartic/force_model.hpp"

namespace quartic {

using SharedModel = std::shared_ptr<const ForceModel>;
using SharedFrame = std::shared_ptr<const FrameMoments>;

/// What a body has of its own beside its state. A backend that keeps copies is told when something changes.
template <class T>
struct BodyParameters {
  std::vector<T> rayleigh_mass, rayleigh_stiffness;  // shape (B)
  std::vector<T> stiffness_scale;                    // of the elastic R and K, shape (B)
  std::vector<T> pressure;                           // shape (chambers, B)
  std::vector<double> gas;                           // p V in each chamber [J], likewise; empty where there is none
  double atmosphere = 0;                             // outside of chambers with a gas [Pa]
  std::vector<T> strain_damping;                     // tau [s], shape (B); empty where no body has any
  std::vector<LoadCurve> curves;
  std::vector<std::int32_t> curve_of_body;  // shape (B), -1 for none; empty if no body has any
};

/// The state of a batch and the work on it. Whoever calls has checked the arguments.
template <class T>
class BatchImpl {
 public:
  /// @param groups each with the energy and, where forces come from it, the strain form; without a `force_model`
  /// @param options `bodies` is the sum of all groups
  BatchImpl(std::vector<BodyGroup> groups, const BatchOptions& options) : options_(options) {
    for (BodyGroup& group : groups) {
      const std::int64_t first = ranges_.empty() ? 0 : ranges_.back().first_body + ranges_.back().bodies;
      ranges_.push_back({first, group.bodies, group.energy.rank});
      rank_ = std::max(rank_, group.energy.rank);
      chamber_count_ = std::max(chamber_count_, static_cast<int>(group.chambers.size()));
      auto model = std::make_shared<ForceModel>(std::move(group.energy), std::move(group.strain_form),
                                                std::move(group.chambers));
      model->cubature = std::move(group.cubature);
      models_.push_back(std::move(model));
      model_ranges_.push_back(std::move(group.range));
      motions_.push_back(group.motion);
      dampings_.push_back(std::move(group.damping));
      driven_.push_back(group.driven);
      strain_dampings_.push_back(nullptr);
      frames_.push_back(group.frame ? std::make_shared<FrameMoments>(*std::move(group.frame)) : nullptr);
      has_frames_ |= frames_.back() != nullptr;
    }
    const auto bodies = static_cast<std::size_t>(options.bodies);
    parameters_.rayleigh_mass.assign(bodies, static_cast<T>(options.rayleigh_mass));
    parameters_.rayleigh_stiffness.assign(bodies, static_cast<T>(options.rayleigh_stiffness));
    parameters_.stiffness_scale.assign(bodies, T{1});
    parameters_.pressure.assign(bodies * static_cast<std::size_t>(chamber_count_), T{0});
  }
  virtual ~BatchImpl() = default;
  BatchImpl(const BatchImpl&) = delete;
  BatchImpl& operator=(const BatchImpl&) = delete;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int chamber_count() const { return chamber_count_; }  ///< the most of any group
  [[nodiscard]] const BatchOptions& options() const { return options_; }
  [[nodiscard]] const std::vector<GroupRange>& ranges() const { return ranges_; }
  [[nodiscard]] StateLayout layout() const { return has_frames_ ? StateLayout(free_state) : reduced_state; }
  [[nodiscard]] const std::vector<SharedModel>& models() const { return models_; }
  [[nodiscard]] const ForceModel& model(std::size_t group) const { return *models_[group]; }
  [[nodiscard]] const QuarticEnergy& energy(std::size_t group) const { return models_[group]->energy; }
  [[nodiscard]] const std::vector<ModelRange>& model_ranges() const { return model_ranges_; }  ///< by group
  /// Whether any group has a frame.
  [[nodiscard]] bool has_frames() const { return has_frames_; }
  /// Null where the group has none.
  [[nodiscard]] const std::vector<SharedFrame>& frames() const { return frames_; }
  [[nodiscard]] const std::vector<FrameMotion>& motions() const { return motions_; }  ///< of the frames
  [[nodiscard]] const std::vector<Matrix>& dampings() const { return dampings_; }     ///< by group; empty for none
  [[nodiscard]] const std::vector<int>& driven() const { return driven_; }            ///< coordinates, by group
  [[nodiscard]] const std::vector<SharedStrainDamping>& strain_dampings() const {     ///< by group; null for none
    return strain_dampings_;
  }
  [[nodiscard]] const BodyParameters<T>& parameters() {
    fetch_parameters(parameters_);
    return parameters_;
  }
  [[nodiscard]] virtual double time() const { return time_; }
  virtual void set_time(double time) { time_ = time; }
  [[nodiscard]] double last_step() const { return last_step_; }  ///< [s], 0 before the first
  void note_step(double dt) { last_step_ = dt; }

  /// Of the same rank, with a strain form if the group's has one, and with as many chambers.
  void set_model(std::size_t group, ForceModel model) {
    SharedModel shared = std::make_shared<ForceModel>(std::move(model));
    take_model(group, shared);
    models_[group] = std::move(shared);
  }
  /// Of the group's rank, or none.
  void set_model_range(std::size_t group, ModelRange range) {
    take_model_range(group, range);
    model_ranges_[group] = std::move(range);
  }
  /// Of the same rank, for a group that has a frame.
  void set_frame(std::size_t group, FrameMoments frame) {
    SharedFrame shared = std::make_shared<FrameMoments>(std::move(frame));
    take_frame(group, shared);
    frames_[group] = std::move(shared);
  }
  /// Of the group's rank, or none.
  void set_damping(std::size_t group, Matrix damping) {
    take_damping(group, damping);
    dampings_[group] = std::move(damping);
  }
  /// @param forms by group, of its rank, or null
  /// @param time of each body, above 0 only where its group has a form; or empty
  void set_strain_damping(std::vector<SharedStrainDamping> forms, std::vector<T> time) {
    take_strain_dampings(forms, time);
    strain_dampings_ = std::move(forms);
    parameters_.strain_damping = std::move(time);
  }
  void set_parameters(BodyParameters<T> parameters) {
    take_parameters(parameters);
    parameters_ = std::move(parameters);
  }
  /// Of all bodies, in one of the chambers. Before each step, so that nothing else is copied.
  void set_pressure(std::size_t chamber, std::span<const double> pressure) {
    const std::span<T> own = std::span(parameters_.pressure).subspan(chamber * pressure.size(), pressure.size());
    std::ranges::transform(pressure, own.begin(), [](double value) { return static_cast<T>(value); });
    take_pressure(chamber, own);
  }

  /// What the state is read and written by, on the host; always up to date while no step runs.
  [[nodiscard]] virtual StateView<T> state(StateArray which) = 0;
  /// The same for a caller who only reads.
  [[nodiscard]] virtual StateView<const T> read_state(StateArray which) { return state(which); }
  /// `substeps` steps of `dt` each; moves the time on.
  virtual void step(double dt, int substeps) = 0;
  [[nodiscard]] virtual std::span<const BodyStatus> status() const = 0;
  virtual void set_status(std::span<const BodyStatus> status) = 0;
  virtual void reset_status() = 0;
  [[nodiscard]] virtual std::span<const BodyFlags> flags() const = 0;
  virtual void set_flags(std::span<const BodyFlags> flags) = 0;
  /// The flags that hold for the present state, which are added to `flags()`.
  virtual std::span<const BodyFlags> check_range() = 0;
  virtual void elastic_energy(std::span<double> result) = 0;
  virtual void kinetic_energy(std::span<double> result) = 0;

 private:
  /// Derives what steps want of a group's new force model. @throws InputError; nothing is changed then
  virtual void take_model(std::size_t group, const SharedModel& model) = 0;
  /// Derives what `check_range` wants of it.
  virtual void take_model_range(std::size_t group, const ModelRange& range) = 0;
  /// The same of a group's new moments.
  virtual void take_frame(std::size_t /*group*/, const SharedFrame& /*frame*/) {}
  /// The same of a group's new damping, which may be refused.
  virtual void take_damping(std::size_t /*group*/, const Matrix& /*damping*/) {}
  /// What `set_strain_damping` is given. @throws InputError; nothing is changed then
  virtual void take_strain_dampings(const std::vector<SharedStrainDamping>& /*forms*/, std::span<const T> /*time*/) {}
  virtual void take_parameters(const BodyParameters<T>& /*parameters*/) {}
  virtual void take_pressure(std::size_t /*chamber*/, std::span<const T> /*pressure*/) {}
  /// Brings up to date what the backend has changed by itself.
  virtual void fetch_parameters(BodyParameters<T>& /*parameters*/) {}

  std::vector<SharedModel> models_;
  std::vector<ModelRange> model_ranges_;
  std::vector<SharedFrame> frames_;
  std::vector<FrameMotion> motions_;
  std::vector<Matrix> dampings_;
  std::vector<int> driven_;
  std::vector<SharedStrainDamping> strain_dampings_;
  bool has_frames_ = false;
  std::vector<GroupRange> ranges_;
  int rank_ = 0, chamber_count_ = 0;
  BatchOptions options_;
  BodyParameters<T> parameters_;
  double time_ = 0, last_step_ = 0;
};

}  // namespace quartic
