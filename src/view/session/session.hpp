// Bodies that move while somebody pulls at them and changes what they are made of. Knows neither threads nor clocks.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "quartic/editing.hpp"
#include "quartic/model.hpp"
#include "quartic/sketch.hpp"
#include "view/session/bodies.hpp"
#include "view/session/flight.hpp"
#include "view/session/pull_spring.hpp"
#include "view/session/view_surface.hpp"

namespace quartic::view {

struct SessionOptions {
  BatchOptions batch = {};
  Precision precision = Precision::double_precision;
  double step_length = 1e-3;           ///< [s]
  std::array<double, 3> gravity = {};  ///< [m/s^2]
  /// U^T f of further forces for a step that begins at `time` and is `step` long [s], shape (r); null: none. Those of
  /// flying bodies are the flight's.
  std::function<std::span<const double>(double time, double step)> loads = {};
  std::vector<double> load_scales = {};      ///< of gravity and loads, shape (B); empty: 1
  ModelRange range = {};                     ///< that bodies are watched by; rank 0: they aren't
  std::optional<FlightOptions> flight = {};  ///< none: bodies stay in the frame that q deforms them in
};

/// A spring from a vertex to a point.
struct Pull {
  std::int64_t body = 0;
  std::uint32_t vertex = 0;                          ///< of the surface
  Eigen::Vector3d target = Eigen::Vector3d::Zero();  ///< [m] from the surface's origin, as `PullReadout::from`
};

/// What pulls, at one moment.
struct PullReadout {
  Pull pull;
  Eigen::Vector3d from, force;  ///< where the vertex is [m], and what acts on it [N], in world axes
};

/// What was found out about bodies that left their model's range, or whose steps didn't converge, since the start or
/// the last reset.
struct RangeReadout {
  std::int64_t inverted = 0, strained = 0, not_converged = 0;      ///< bodies with that flag
  std::int64_t too_fast = 0, contacts_lost = 0;                    ///< likewise
  std::optional<double> inverted_since = {}, strained_since = {};  ///< when it was seen first [s]
};

/// What there is to show at one moment.
struct Frame {
  std::vector<float> q = {};  ///< of the model's own basis, shape (B, r), C order
  /// Where the surface's coordinates are of bodies that fly (`surface_pose`), shape (B); empty: where they are at rest.
  std::vector<Eigen::Isometry3d> poses = {};
  double time = 0;  ///< [s]
  std::int64_t steps = 0;
  double elastic = 0, kinetic = 0;  ///< energies of all bodies [J]
  std::int64_t regularised = 0, diverged = 0;
  RangeReadout range = {};
  std::vector<std::int64_t> outside = {};  ///< bodies that are out of range now, the first few
  std::int64_t recorded = 0;               ///< loads in the recording
  std::vector<std::string> notices = {};   ///< what the present materials couldn't carry over, a sentence each
  std::optional<PullReadout> pull = {};
};

class Session {
 public:
  /// Both must outlive this object. @throws InputError as `Batch`, or for other sizes of the options
  Session(const ReducedModel& model, const ViewSurface& surface, SessionOptions options);

  void step();
  /// Looks whether bodies are in range. @return those that aren't, the first few
  std::vector<std::int64_t> look();
  /// Looks as well.
  [[nodiscard]] Frame frame();
  [[nodiscard]] double step_length() const { return options_.step_length; }
  [[nodiscard]] const BatchOptions& batch_options() const { return bodies_->options(); }

  /// Back to rest, flying bodies to where they started; settings and recording stay.
  void reset();
  /// @throws InputError unless finite and above 0
  void set_step_length(double seconds);
  /// @throws InputError unless finite
  void set_gravity(const std::array<double, 3>& gravity);
  /// @throws InputError as Batch::set_rayleigh_damping
  void set_damping(double mass, double stiffness);
  void set_integrator(Integrator integrator);
  /// @throws InputError as `edit_materials`; nothing is changed then
  void set_materials(std::span<const Material> materials);
  /// Puts a coordinate (of the model's own basis) of a body somewhere, at rest there. @throws InputError
  void place(std::int64_t body, int mode, double value);

  /// Pulls by a `pull_spring` until told otherwise. @throws InputError for a body or vertex out of range
  void set_pull(const std::optional<Pull>& pull);
  /// What pulls at a vertex.
  [[nodiscard]] PullSpring spring(std::uint32_t vertex) const;

  /// Begins or ends to keep what pulls, `recording_interval` apart, of flying bodies in the body's axes. The recording
  /// goes on where it ended.
  void set_recording(bool recording) { recording_ = recording; }
  static constexpr double recording_interval = 0.01;  ///< [s] of simulated time
  /// What `write_recorded_loads` takes: times ascend also if the bodies were reset in between.
  [[nodiscard]] const std::vector<RecordedLoad>& recording() const { return recorded_; }
  void clear_recording() { recorded_.clear(); }

 private:
  [[nodiscard]] Eigen::MatrixXd own_rows(Eigen::MatrixXd rows) const;
  [[nodiscard]] BodyPoint surface_point(std::uint32_t vertex) const;
  [[nodiscard]] Eigen::Vector3d mass_centre() const;
  [[nodiscard]] PullReadout readout(const Pull& pull) const;
  [[nodiscard]] PullReadout flying_readout(const Pull& pull, const BodyPoint& point) const;
  [[nodiscard]] RangeReadout range_readout() const;
  [[nodiscard]] std::vector<Eigen::Isometry3d> poses(const Eigen::MatrixXd& q) const;
  void start_flight();
  void set_forces();
  void set_reduced_forces();
  void set_flying_forces();
  void pull();
  void record(const PullReadout& readout);

  const ReducedModel& model_;
  const ViewSurface& surface_;
  SessionOptions options_;
  std::unique_ptr<Bodies> bodies_;
  std::optional<MaterialEdit> edit_;
  Matrix rest_stiffness_;  // of the coordinates that the bodies have now
  std::optional<Pull> pull_;
  PullSpring spring_;
  std::int64_t steps_ = 0;
  std::optional<double> inverted_since_, strained_since_;
  bool recording_ = false;
  double recording_time_ = 0, next_record_ = 0;  // [s] of all steps, also of those before a reset
  std::vector<RecordedLoad> recorded_;
};

}  // namespace quartic::view
