#include "cli/runs/simulation.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "cli/values/numbers.hpp"
#include "core/base/memory.hpp"
#include "quartic/checkpoint.hpp"
#include "quartic/error.hpp"
#include "quartic/gas.hpp"
#include "quartic/strain_damping.hpp"
#include "quartic/world.hpp"

namespace quartic::cli {

namespace {

void require_memory(std::int64_t rank, const SimulationOptions& options) {
  const double numbers = static_cast<double>(rank) + (options.flying ? pose_size + twist_size : 0);
  const double state = static_cast<double>(options.batch.bodies) * numbers * sizeof(double);
  const double frames = state * (static_cast<double>(options.frames) + 1);
  quartic::require_memory(
      frames + 4 * state,
      counted(options.frames + 1, "frame", "frames") + " of " + counted(options.batch.bodies, "body", "bodies"),
      "use fewer steps with more substeps, or fewer bodies");
}

std::vector<BodyGroup> group_of(const ForceModel& forces, const SimulationOptions& options) {
  std::vector<BodyGroup> groups(1);
  if (forces.has_cubature()) {
    groups[0].force_model = forces;
    groups[0].force_model->chambers = options.pressure.volumes;
  } else {
    groups[0].energy = forces.energy;
    groups[0].chambers = options.pressure.volumes;
  }
  groups[0].bodies = options.batch.bodies;
  groups[0].range = options.range;
  groups[0].damping = options.damping;
  groups[0].driven = options.moved.count();
  if (options.flying) groups[0].frame = options.flying->flight.frame;
  return groups;
}

template <class T>
bool any_number(const StateView<const T>& view) {
  for (std::int64_t body = 0; body < view.bodies; ++body)
    for (std::int64_t row = 0; row < view.rank; ++row)
      if (view(row, body) != 0) return true;
  return false;
}

template <class T>
void set_all(const StateView<T>& view, std::span<const double> values, const std::string& options) {
  for (std::size_t row = 0; row < values.size(); ++row) {
    const T value = static_cast<T>(values[row]);
    if (!std::isfinite(values[row]))
      throw InputError(options + ": the forces in the body at the start aren't finite; take smaller numbers");
    if (!std::isfinite(value))
      throw InputError(options + " has a number that single precision can't hold; take --precision double");
    for (std::int64_t body = 0; body < view.bodies; ++body) view(static_cast<std::int64_t>(row), body) = value;
  }
}

// Body by body.
template <class T>
void append(const StateView<const T>& view, std::vector<double>& values) {
  for (std::int64_t body = 0; body < view.bodies; ++body)
    for (std::int64_t row = 0; row < view.rank; ++row) values.push_back(static_cast<double>(view(row, body)));
}

std::array<double, 3> sum_of_vectors(const std::vector<double>& vectors) {
  std::array<double, 3> sum{};
  for (std::size_t i = 0; i < vectors.size(); ++i) sum[i % 3] += vectors[i];
  return sum;
}

template <class T>
class Run {
 public:
  Run(const ForceModel& forces, LoadProgram& loads, const SimulationOptions& options)
      : loads_(loads), options_(options), batch_(group_of(forces, options), options.batch) {
    const std::int64_t numbers = (options.frames + 1) * batch_.bodies() * batch_.rank();
    result_.trajectory.bodies = batch_.bodies();
    result_.trajectory.rank = batch_.rank();
    result_.trajectory.q.reserve(static_cast<std::size_t>(numbers));
    result_.trajectory.time.reserve(static_cast<std::size_t>(options.frames + 1));
    set_stiffness();
    set_strain_form();
    if (!options.resume.empty())
      resume();
    else if (options.flying)
      take_off(options.flying->flight);
    if (options.start) start_from(*options.start);
    start_ = batch_.time();
    if (options.contact) {
      const std::shared_ptr<Batch<T>> own(std::shared_ptr<void>(), &batch_);
      world_.emplace(own, std::vector{options.contact->tree}, options.contact->options);
      place_colliders(options.step());
    }
  }

  SimulationResult run(const Progress& progress) {
    const bool had_force = !options_.resume.empty() && has_force();
    if (!options_.resume.empty()) let_out();
    shut_in_gases();
    set_force();
    if (had_force && constant() && !has_force())
      result_.resume_warnings.push_back(options_.resume +
                                        ": its bodies were under forces, which --resume doesn't take over, and this "
                                        "run has no load; give --gravity, --force or --loads again");
    record(0);
    result_.first = totals();
    for (std::int64_t frame = 1; frame <= options_.frames; ++frame) {
      progress("simulate", static_cast<double>(frame - 1) / static_cast<double>(options_.frames));
      advance();
      record(frame);
    }
    result_.last = totals();
    result_.trajectory.status.assign(batch_.status().begin(), batch_.status().end());
    result_.trajectory.flags.assign(batch_.flags().begin(), batch_.flags().end());
    if (!options_.checkpoint.empty()) save();
    result_.records = recorder_.all_records();
    return std::move(result_);
  }

 private:
  /// The motion isn't lost if that fails.
  void save() {
    try {
      save_checkpoint(batch_, options_.checkpoint);
    } catch (const Error& error) {
      result_.checkpoint_failure = error.what();
    }
  }

  /// @throws InputError that names the option where the checkpoint's bodies fly and these don't, or the other way round
  void resume() {
    if (checkpoint_has_poses(options_.resume) != options_.flying.has_value())
      throw InputError(options_.resume + (options_.flying
                                              ? ": its bodies don't fly, but these would; go on with --hold-frame"
                                              : ": its bodies fly; go on with the model of a free body, without "
                                                "--hold-frame"));
    try {
      result_.resume_warnings = load_checkpoint(batch_, options_.resume);
    } catch (const ParseError&) {
      throw;
    } catch (const FileError&) {
      throw;
    } catch (const InputError& error) {
      throw InputError(error.what() +
                       std::string(". Give the options of the run that wrote it: --bodies, --precision, --move-set, "
                                   "--heat, --modal-damping, --pressure and --gas as they were there"));
    }
  }

  void set_stiffness() {
    batch_.set_stiffness_scale(
        std::vector<double>(static_cast<std::size_t>(batch_.bodies()), options_.stiffness_scale));
  }

  void set_strain_form() {
    if (options_.strain_form.rank == 0) return;
    const std::vector<double> time(static_cast<std::size_t>(batch_.bodies()), options_.strain_damping);
    set_strain_damping<T>(batch_, time, std::span(&options_.strain_form, 1));
  }

  void take_off(const Flight& flight) {
    const std::string options = "--pose, --velocity or --spin";
    set_all(batch_.pose(), std::span<const double>(flight.pose), options);
    set_all(batch_.twist(), std::span<const double>(flight.twist), options);
  }

  void start_from(const StartState& start) {
    set_all(batch_.q(), std::span<const double>(start.q), "--start-q");
    set_all(batch_.velocity(), std::span<const double>(start.velocity), "--start-velocity");
    if (!options_.flying)
      set_all(batch_.acceleration(), std::span<const double>(first_acceleration(start)),
              "--start, --start-q or --start-velocity");
  }

  /// Elastic forces with the stiffness scale, less what pressures push with at the start.
  [[nodiscard]] ReducedForces inner_forces(const std::vector<double>& q) const {
    const ForceModel& model = batch_.force_model();
    ReducedForces forces = model.has_cubature() ? evaluate(model.cubature, q) : evaluate(model.energy, q);
    for (double& force : forces.force) force *= options_.stiffness_scale;
    for (double& stiffness : forces.stiffness.values) stiffness *= options_.stiffness_scale;
    const std::vector<double> pressures = options_.pressure.at_start();
    for (std::size_t c = 0; c < pressures.size(); ++c) {
      const VolumeDerivatives volume = evaluate(options_.pressure.volumes[c], q);
      const double gas = options_.pressure.gas.empty() ? 0 : options_.pressure.gas[c] / volume.volume;
      const double outside = gas > 0 ? options_.pressure.atmosphere : 0;
      const double pressure = loads_.scene().scale(0, 0) * pressures[c] + gas - outside;
      for (std::size_t i = 0; i < q.size(); ++i) forces.force[i] -= pressure * volume.gradient[i];
      for (std::size_t i = 0; i < volume.hessian.values.size(); ++i)
        forces.stiffness.values[i] -= pressure * volume.hessian.values[i];
      for (std::size_t i = 0; i < q.size(); ++i)
        for (std::size_t j = 0; j < q.size(); ++j)
          forces.stiffness(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)) +=
              gas / volume.volume * volume.gradient[i] * volume.gradient[j];
    }
    return forces;
  }

  /// s tau D q'.
  [[nodiscard]] std::vector<double> strain_damping_force(const StartState& start) const {
    std::vector<double> force(start.q.size());
    if (options_.strain_damping == 0) return force;
    const Matrix d = strain_damping_matrix(options_.strain_form, start.q);
    for (std::size_t n = 0; n < d.values.size(); ++n)
      force[n % force.size()] +=
          options_.stiffness_scale * options_.strain_damping * d.values[n] * start.velocity[n / force.size()];
    return force;
  }

  /// q'' = f - R - (alpha + beta K + D) q', which integrators read at the start of a step.
  [[nodiscard]] std::vector<double> first_acceleration(const StartState& start) const {
    const ReducedForces inner = inner_forces(start.q);
    const std::vector<double> viscous = strain_damping_force(start);
    std::vector<double> result = loads_.at(0, 0);
    for (std::size_t i = 0; i < result.size(); ++i) {
      if (i >= result.size() - options_.moved.sets.size()) {  // of sets that are moved
        result[i] = 0;
        continue;
      }
      double damping = options_.batch.rayleigh_mass * start.velocity[i];
      for (std::size_t j = 0; j < result.size() && options_.damping.rows > 0; ++j)
        damping += options_.damping(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)) * start.velocity[j];
      for (std::size_t j = 0; j < result.size(); ++j)
        damping += options_.batch.rayleigh_stiffness *
                   inner.stiffness(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)) * start.velocity[j];
      result[i] -= inner.force[i] + damping + viscous[i];
    }
    return result;
  }

  [[nodiscard]] bool constant() const {
    for (const PressureProgram& program : options_.pressure.programs)
      if (!program.constant()) return false;
    if (any_moves(options_.moved.sets, loads_.scene())) return false;
    return options_.flying ? options_.flying->loads.constant() : loads_.constant();
  }

  /// Takes away what a checkpoint's bodies were under, in chambers that no option names.
  void let_out() {
    bool had_pressure = false;
    for (int c = 0; c < batch_.chamber_count(); ++c) {
      if (options_.pressure.gas.empty())
        for (const double amount : gas_amount(batch_, c)) had_pressure |= amount > 0;
      if (std::ranges::find(options_.pressure.chambers, c) != options_.pressure.chambers.end()) continue;
      for (const T pressure : std::as_const(batch_).pressure(c)) had_pressure |= pressure != 0;
      set_pressure(c, 0);
    }
    if (had_pressure)
      result_.resume_warnings.push_back(options_.resume +
                                        ": its bodies were under pressure, which --resume doesn't take over; give "
                                        "--pressure or --gas again");
  }

  /// In place of what a checkpoint's bodies have.
  void shut_in_gases() {
    for (int c = 0; c < batch_.chamber_count(); ++c) {
      std::vector<double> amount = gas_amount(batch_, c);
      const double now = options_.pressure.gas.empty() ? 0 : options_.pressure.gas[static_cast<std::size_t>(c)];
      if (now == 0 && std::ranges::all_of(amount, [](double a) { return a == 0; })) continue;
      std::ranges::fill(amount, now);
      set_gas<T>(batch_, amount, c, options_.pressure.atmosphere);
    }
  }

  void set_pressure(int chamber, double pressure) {
    batch_.set_pressure(std::vector<double>(static_cast<std::size_t>(batch_.bodies()), pressure), chamber);
  }

  /// Those of a step, taken where it takes loads, and grown as far as they are.
  void set_pressures(double time, double length) {
    const Scene& scene = loads_.scene();
    const double scale = scene.scale(time, length), moment = time + scene.step_share * length;
    for (std::size_t n = 0; n < options_.pressure.programs.size(); ++n)
      set_pressure(options_.pressure.chambers[n], scale * options_.pressure.programs[n].at(moment));
  }

  [[nodiscard]] bool has_force() const {
    return any_number(std::as_const(batch_).force()) || (options_.flying && any_number(std::as_const(batch_).wrench()));
  }

  /// Gives every body the force of the next step. By the batch's own time, which checkpoints keep: a resumed run goes
  /// on with the same loads to the bit.
  void set_force() {
    const double length = options_.step(), time = batch_.time();
    set_pressures(time, length);
    if (options_.flying) return options_.flying->loads.apply(batch_, time, length);
    const std::vector<double>& force = loads_.at(time, length);
    const auto view = batch_.force();
    for (std::int64_t mode = 0; mode < view.rank; ++mode)
      for (std::int64_t body = 0; body < view.bodies; ++body)
        view(mode, body) = static_cast<T>(force[static_cast<std::size_t>(mode)]);
    if (options_.moved.sets.empty()) return;
    const std::vector<double> places =
        options_.moved.driven(places_at(options_.moved.sets, loads_.scene(), time + length));
    for (std::size_t i = 0; i < places.size(); ++i)
      for (std::int64_t body = 0; body < view.bodies; ++body)
        view(view.rank - std::ssize(places) + static_cast<std::int64_t>(i), body) = static_cast<T>(places[i]);
  }

  /// Where they are at the batch's time, so that a resumed run goes on with the same ones to the bit.
  void place_colliders(double length) {
    world_->colliders().clear();
    for (const ColliderRun& run : options_.contact->colliders)
      world_->colliders().push_back(run.at(batch_.time(), length));
  }
  [[nodiscard]] bool colliders_move() const {
    return options_.contact && std::any_of(options_.contact->colliders.begin(), options_.contact->colliders.end(),
                                           [](const ColliderRun& run) { return run.moves(); });
  }

  void step(double length, int substeps) {
    if (!world_) return batch_.step(length, substeps);
    if (!options_.contact->records) return world_->step(length, substeps);
    for (int substep = 0; substep < substeps; ++substep) {
      world_->step(length / substeps);
      recorder_.record(*world_, length / substeps);
    }
  }

  /// To the next frame.
  void advance() {
    const auto begun = std::chrono::steady_clock::now();
    if (constant() && !colliders_move()) {
      step(options_.frame_time, options_.substeps);
    } else {
      for (int substep = 0; substep < options_.substeps; ++substep) {
        set_force();
        if (world_) place_colliders(options_.step());
        step(options_.step(), 1);
      }
    }
    result_.step_seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  }

  void record(std::int64_t frame) {
    result_.trajectory.time.push_back(start_ + static_cast<double>(frame) * options_.frame_time);
    Trajectory& trajectory = result_.trajectory;
    append(std::as_const(batch_).q(), trajectory.q);
    if (options_.flying) {
      append(std::as_const(batch_).pose(), trajectory.pose);
      make_unit(std::span(trajectory.pose).last(static_cast<std::size_t>(batch_.bodies() * pose_size)));
      append(std::as_const(batch_).twist(), trajectory.twist);
    }
    if (options_.range.rank > 0) result_.watch.look(frame, batch_.check_range());
    if (world_) look_at_contacts(result_.trajectory.time.back());
  }

  void look_at_contacts(double time) {
    if (!result_.contacts) result_.contacts.emplace();
    ContactFindings& found = *result_.contacts;
    found.points = std::ssize(world_->contacts());
    found.bodies = 0;
    found.force = {};
    std::int64_t last_body = -1;
    for (const Contact& contact : world_->contacts()) {
      if (contact.body != last_body) ++found.bodies;
      last_body = contact.body;
      for (std::size_t k = 0; k < 3; ++k) found.force[k] += contact.force[k];
      if (contact.gap < found.deepest_gap) found.deepest_gap = contact.gap, found.deepest = time;
    }
    if (found.points > 0 && !found.since) found.since = time;
  }

  // A checkpoint may have quaternions of any length, which the first step makes unit ones.
  static void make_unit(std::span<double> poses) {
    constexpr double round_off = 1e-5;  // of float
    for (std::size_t first = 3; first < poses.size(); first += pose_size) {
      const std::span<double> q = poses.subspan(first, 4);
      const double length = std::hypot(std::hypot(q[0], q[1]), std::hypot(q[2], q[3]));
      if (std::abs(length - 1) > round_off && length > 0)
        for (double& x : q) x /= length;
    }
  }

  [[nodiscard]] MotionTotals totals() const {
    const std::vector<double> elastic = batch_.elastic_energy(), kinetic = batch_.kinetic_energy();
    return {.elastic = std::accumulate(elastic.begin(), elastic.end(), 0.0),
            .kinetic = std::accumulate(kinetic.begin(), kinetic.end(), 0.0),
            .linear_momentum = sum_of_vectors(batch_.linear_momentum()),
            .angular_momentum = sum_of_vectors(batch_.angular_momentum())};
  }

  LoadProgram& loads_;
  const SimulationOptions& options_;
  Batch<T> batch_;
  std::optional<World<T>> world_;  // of the batch
  ContactRecorder recorder_;       // of the world
  double start_ = 0;               // time of frame 0 [s]
  SimulationResult result_;
};

}  // namespace

std::vector<double> MovedRun::driven(std::span<const double> places) const {
  const Eigen::VectorXd z =
      coordinates.map().bottomRows(count()) * Eigen::VectorXd::Map(places.data(), std::ssize(places));
  return {z.begin(), z.end()};
}

StartState MovedRun::first_state(const Scene& scene) const {
  const std::vector<double> places = places_at(sets, scene, 0);
  const Eigen::VectorXd q = coordinates.map() * Eigen::VectorXd::Map(places.data(), std::ssize(places));
  StartState start{{q.begin(), q.end()}, std::vector<double>(static_cast<std::size_t>(q.size()))};
  std::ranges::copy(driven(rates_at(sets, scene, 0)), start.velocity.end() - count());
  return start;
}

void require_reduced_checkpoint(const std::string& path) {
  try {
    (void)checkpoint_has_poses(path);
  } catch (const ParseError&) {
    throw;
  } catch (const FileError&) {
    throw;
  } catch (const InputError& error) {
    throw InputError(error.what() + std::string("; go on with --dynamics modal"));
  }
}

StrainForm damping_strains(const VolumeMesh& mesh, MatrixRef basis, const std::optional<Relaxation>& relaxation) {
  const StrainForm form = reduce_strains(mesh, basis);
  return relaxation ? relaxed(form, *relaxation) : form;
}

SimulationResult simulate(const ForceModel& forces, LoadProgram& loads, const SimulationOptions& options,
                          const Progress& progress) {
  require_memory(forces.energy.rank, options);
  if (options.precision == Precision::single_precision) return Run<float>(forces, loads, options).run(progress);
  return Run<double>(forces, loads, options).run(progress);
}

}  // namespace quartic::cli
