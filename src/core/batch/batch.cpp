#include "quartic/batch.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "core/base/memory.hpp"
#include "core/batch/batch_checks.hpp"
#include "core/batch/batch_impl.hpp"
#include "core/batch/batch_operations.hpp"
#include "core/batch/frame_motion.hpp"
#include "core/energy/enclosed_volume.hpp"
#include "core/energy/quartic_polynomial.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

template <class T>
std::unique_ptr<BatchImpl<T>> make_impl(std::vector<BodyGroup> groups, const BatchOptions& options) {
  const BatchOperations& operations = batch_operations(options.backend);
  if constexpr (std::is_same_v<T, float>)
    return operations.make_float_batch(std::move(groups), options);
  else
    return operations.make_double_batch(std::move(groups), options);
}

// Leaves of each group's force model the energy and, where forces come from it, the strain form.
void settle_force_models(std::vector<BodyGroup>& groups, Evaluation evaluation) {
  for (BodyGroup& group : groups) {
    if (group.force_model) {
      if (group.energy.rank != 0 || group.strain_form.rank != 0 || !group.chambers.empty() || group.cubature.rank != 0)
        throw InputError(
            "a group of bodies has a force model, or else an energy, a strain form, chambers and a cubature; give one "
            "of the two");
      group.energy = std::move(group.force_model->energy);
      group.strain_form = std::move(group.force_model->strain_form);
      group.chambers = std::move(group.force_model->chambers);
      group.cubature = std::move(group.force_model->cubature);
      group.force_model.reset();
    } else if (group.cubature.rank != 0) {
      throw InputError(
          "a cubature comes in a force model, whose energy fits: give BodyGroup::force_model instead of "
          "BodyGroup::cubature");
    } else if (evaluation != Evaluation::accurate) {
      group.strain_form = {};
    } else if (group.strain_form.rank == 0) {
      throw InputError(
          "Evaluation::accurate needs BodyGroup::strain_form; reduce_strains makes it from mesh and basis");
    }
  }
}

// Whether the host has room for the state, which is zeroed at once: a process that takes more is ended without a word.
template <class T>
bool fits_into_memory(const std::vector<BodyGroup>& groups, const BatchOptions& options) {
  double rows = 0, bodies = 0;
  std::int64_t rank = 0;
  bool has_frames = false;
  for (const BodyGroup& group : groups) {
    rank = std::max<std::int64_t>(rank, group.energy.rank);
    bodies += static_cast<double>(group.bodies);
    has_frames |= group.frame.has_value();
  }
  for (const StateBlock& block : has_frames ? StateLayout(free_state) : StateLayout(reduced_state))
    rows += static_cast<double>(block.rows(rank));
  const double bytes = bodies * rows * sizeof(T);
  constexpr double small = 1e9;  // not worth a question
  return options.backend != Backend::cpu || bytes < small || bytes < available_memory_bytes();
}

template <class T>
std::unique_ptr<BatchImpl<T>> make_batch(std::vector<BodyGroup> groups, BatchOptions options) {
  settle_force_models(groups, options.evaluation);
  check<T>(groups, options);
  options.bodies = 0;
  for (const BodyGroup& group : groups) options.bodies += group.bodies;
  try {
    if (fits_into_memory<T>(groups, options)) return make_impl<T>(std::move(groups), options);
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
  throw InputError("a batch of " + std::to_string(options.bodies) +
                   " bodies doesn't fit into memory; make smaller batches, one after the other");
}

template <class T>
std::size_t checked_group(const BatchImpl<T>& impl, int group) {
  if (group < 0 || group >= std::ssize(impl.ranges()))
    throw InputError("there is no group " + std::to_string(group) + "; the batch has " +
                     std::to_string(impl.ranges().size()));
  return static_cast<std::size_t>(group);
}

template <class T>
void change_model(BatchImpl<T>& impl, int group, ForceModel model) {
  const std::size_t g = checked_group(impl, group);
  check(model.energy, model.strain_form);
  check(model.chambers, model.energy.rank);
  const ForceModel& present = impl.model(g);
  check_cubature_beside(model.cubature, model.energy.rank, model.strain_form, model.chambers, impl.options().backend);
  if (present.has_cubature() != model.has_cubature())
    throw InputError(
        present.has_cubature()
            ? "the forces of these bodies come from a cubature; give another one to "
              "Batch::set_force_model, or make a new batch for a quartic energy"
            : "the forces of these bodies come from the coefficients of their energy; make a new batch for "
              "forces from a cubature");
  if (present.has_strain_form() && !model.has_strain_form())
    throw InputError(
        "the forces of these bodies come from a strain form, which wouldn't fit the new energy; give both "
        "to Batch::set_force_model");
  if (!present.has_strain_form() && model.has_strain_form())
    throw InputError(
        "the forces of these bodies come from the coefficients of their energy; make a new batch for forces from a "
        "strain form");
  if (model.energy.rank != present.energy.rank)
    throw InputError("the new energy has the rank " + std::to_string(model.energy.rank) + ", but the bodies have " +
                     std::to_string(present.energy.rank) + " coordinates; make a new batch for another rank");
  if (model.chambers.size() != present.chambers.size())
    throw InputError("the new force model has " + std::to_string(model.chambers.size()) +
                     " chambers, but the bodies have " + std::to_string(present.chambers.size()) +
                     "; make a new batch for others");
  impl.set_model(g, std::move(model));
}

template <class T>
std::size_t checked_chamber(const BatchImpl<T>& impl, int chamber) {
  check_chamber(chamber, impl.chamber_count());
  return static_cast<std::size_t>(chamber);
}

// The rigid motion is there for batches in which some body has it.
template <class T>
StateArray rigid(const BatchImpl<T>& impl, StateArray which) {
  if (!impl.has_frames())
    throw InputError(
        "no group of this batch has a frame, so that bodies have no pose, twist or wrench; give "
        "BodyGroup::frame");
  return which;
}

template <class T>
const FrameMoments& frame_of(const BatchImpl<T>& impl, int group) {
  const SharedFrame& frame = impl.frames()[checked_group(impl, group)];
  if (frame == nullptr)
    throw InputError("group " + std::to_string(group) + " has no frame; its bodies' frame is at rest");
  return *frame;
}

}  // namespace

template <class T>
Batch<T>::Batch(const QuarticEnergy& energy, const BatchOptions& options)
    : impl_(make_batch<T>({{energy, options.bodies}}, options)) {}
template <class T>
Batch<T>::Batch(std::vector<BodyGroup> groups, const BatchOptions& options)
    : impl_(make_batch<T>(std::move(groups), options)) {}

template <class T>
Batch<T>::Batch(Batch&&) noexcept = default;
template <class T>
Batch<T>& Batch<T>::operator=(Batch&&) noexcept = default;
template <class T>
Batch<T>::~Batch() = default;

template <class T>
int Batch<T>::rank() const {
  return impl_->rank();
}

template <class T>
std::int64_t Batch<T>::bodies() const {
  return impl_->options().bodies;
}

template <class T>
const BatchOptions& Batch<T>::options() const {
  return impl_->options();
}

template <class T>
int Batch<T>::group_count() const {
  return static_cast<int>(impl_->ranges().size());
}
template <class T>
GroupRange Batch<T>::group(int group) const {
  return impl_->ranges()[checked_group(*impl_, group)];
}
template <class T>
const QuarticEnergy& Batch<T>::energy(int group) const {
  return impl_->energy(checked_group(*impl_, group));
}
template <class T>
const ForceModel& Batch<T>::force_model(int group) const {
  return impl_->model(checked_group(*impl_, group));
}
template <class T>
void Batch<T>::set_energy(const QuarticEnergy& energy, int group) {
  ForceModel model(energy);
  model.chambers = impl_->model(checked_group(*impl_, group)).chambers;
  change_model(*impl_, group, std::move(model));
}
template <class T>
void Batch<T>::set_force_model(const ForceModel& model, int group) {
  change_model(*impl_, group, model);
}

template <class T>
const Matrix& Batch<T>::damping(int group) const {
  return impl_->dampings()[checked_group(*impl_, group)];
}
template <class T>
int Batch<T>::driven(int group) const {
  return impl_->driven()[checked_group(*impl_, group)];
}
template <class T>
void Batch<T>::set_damping(Matrix damping, int group) {
  const std::size_t g = checked_group(*impl_, group);
  check_damping_matrix<T>(damping, impl_->energy(g).rank);
  impl_->set_damping(g, std::move(damping));
}

template <class T>
const ModelRange& Batch<T>::range(int group) const {
  return impl_->model_ranges()[checked_group(*impl_, group)];
}
template <class T>
void Batch<T>::set_range(ModelRange range, int group) {
  const std::size_t g = checked_group(*impl_, group);
  check_range_of(range, impl_->energy(g).rank);
  impl_->set_model_range(g, std::move(range));
}

template <class T>
bool Batch<T>::has_frame(int group) const {
  return impl_->frames()[checked_group(*impl_, group)] != nullptr;
}
template <class T>
const FrameMoments& Batch<T>::frame(int group) const {
  return frame_of(*impl_, group);
}
template <class T>
FrameMotion Batch<T>::frame_motion(int group) const {
  return impl_->motions()[checked_group(*impl_, group)];
}
template <class T>
void Batch<T>::set_frame(const FrameMoments& frame, int group) {
  require_frame(frame, frame_of(*impl_, group).rank(), frame_motion(group));
  impl_->set_frame(static_cast<std::size_t>(group), frame);
}

template <class T>
void Batch<T>::set_rayleigh_damping(std::span<const double> mass, std::span<const double> stiffness) {
  check_damping<T>(mass, "rayleigh_mass", bodies());
  check_damping<T>(stiffness, "rayleigh_stiffness", bodies());
  BodyParameters<T> parameters = impl_->parameters();
  const auto round = [](double value) { return static_cast<T>(value); };
  std::transform(mass.begin(), mass.end(), parameters.rayleigh_mass.begin(), round);
  std::transform(stiffness.begin(), stiffness.end(), parameters.rayleigh_stiffness.begin(), round);
  impl_->set_parameters(std::move(parameters));
}
template <class T>
std::span<const T> Batch<T>::rayleigh_mass() const {
  return impl_->parameters().rayleigh_mass;
}
template <class T>
std::span<const T> Batch<T>::rayleigh_stiffness() const {
  return impl_->parameters().rayleigh_stiffness;
}

template <class T>
void Batch<T>::set_stiffness_scale(std::span<const double> scale) {
  check_stiffness_scale<T>(scale, bodies());
  BodyParameters<T> parameters = impl_->parameters();
  std::transform(scale.begin(), scale.end(), parameters.stiffness_scale.begin(),
                 [](double value) { return static_cast<T>(value); });
  impl_->set_parameters(std::move(parameters));
}
template <class T>
std::span<const T> Batch<T>::stiffness_scale() const {
  return impl_->parameters().stiffness_scale;
}

template <class T>
int Batch<T>::chamber_count() const {
  return impl_->chamber_count();
}
template <class T>
void Batch<T>::set_pressure(std::span<const double> pressure, int chamber) {
  const std::size_t c = checked_chamber(*impl_, chamber);
  check_pressure<T>(pressure, bodies());
  impl_->set_pressure(c, pressure);
}
template <class T>
std::span<const T> Batch<T>::pressure(int chamber) const {
  const auto count = static_cast<std::size_t>(bodies());
  return std::span<const T>(impl_->parameters().pressure).subspan(checked_chamber(*impl_, chamber) * count, count);
}

template <class T>
void Batch<T>::set_load_curves(std::span<const LoadCurve> curves, std::span<const std::int32_t> curve_of_body) {
  check_curves<T>(curves, curve_of_body, bodies());
  BodyParameters<T> parameters = impl_->parameters();
  parameters.curves.assign(curves.begin(), curves.end());
  parameters.curve_of_body.assign(curve_of_body.begin(), curve_of_body.end());
  impl_->set_parameters(std::move(parameters));
}
template <class T>
std::span<const LoadCurve> Batch<T>::load_curves() const {
  return impl_->parameters().curves;
}
template <class T>
std::span<const std::int32_t> Batch<T>::curve_of_body() const {
  return impl_->parameters().curve_of_body;
}

template <class T>
double Batch<T>::time() const {
  return impl_->time();
}
template <class T>
void Batch<T>::set_time(double time) {
  if (!std::isfinite(time)) throw InputError("the time of a batch must be a finite number");
  impl_->set_time(time);
}

template <class T>
StateView<T> Batch<T>::q() {
  return impl_->state(StateArray::q);
}
template <class T>
StateView<T> Batch<T>::velocity() {
  return impl_->state(StateArray::velocity);
}
template <class T>
StateView<T> Batch<T>::acceleration() {
  return impl_->state(StateArray::acceleration);
}
template <class T>
StateView<T> Batch<T>::force() {
  return impl_->state(StateArray::force);
}
template <class T>
StateView<const T> Batch<T>::q() const {
  return impl_->read_state(StateArray::q);
}
template <class T>
StateView<const T> Batch<T>::velocity() const {
  return impl_->read_state(StateArray::velocity);
}
template <class T>
StateView<const T> Batch<T>::acceleration() const {
  return impl_->read_state(StateArray::acceleration);
}
template <class T>
StateView<const T> Batch<T>::force() const {
  return impl_->read_state(StateArray::force);
}

template <class T>
StateView<T> Batch<T>::pose() {
  return impl_->state(rigid(*impl_, StateArray::pose));
}
template <class T>
StateView<T> Batch<T>::twist() {
  return impl_->state(rigid(*impl_, StateArray::twist));
}
template <class T>
StateView<T> Batch<T>::twist_rate() {
  return impl_->state(rigid(*impl_, StateArray::twist_rate));
}
template <class T>
StateView<T> Batch<T>::wrench() {
  return impl_->state(rigid(*impl_, StateArray::wrench));
}
template <class T>
StateView<const T> Batch<T>::pose() const {
  return impl_->read_state(rigid(*impl_, StateArray::pose));
}
template <class T>
StateView<const T> Batch<T>::twist() const {
  return impl_->read_state(rigid(*impl_, StateArray::twist));
}
template <class T>
StateView<const T> Batch<T>::twist_rate() const {
  return impl_->read_state(rigid(*impl_, StateArray::twist_rate));
}
template <class T>
StateView<const T> Batch<T>::wrench() const {
  return impl_->read_state(rigid(*impl_, StateArray::wrench));
}

template <class T>
void Batch<T>::step(double dt, int substeps) {
  check_step<T>(dt, substeps);
  impl_->step(dt / substeps, substeps);
  impl_->note_step(dt / substeps);
}

template <class T>
std::span<const BodyStatus> Batch<T>::status() const {
  return std::as_const(*impl_).status();
}

template <class T>
void Batch<T>::reset_status() {
  impl_->reset_status();
}
template <class T>
void Batch<T>::set_status(std::span<const BodyStatus> status) {
  check_status(status, bodies());
  impl_->set_status(status);
}

template <class T>
std::span<const BodyFlags> Batch<T>::flags() const {
  return std::as_const(*impl_).flags();
}
template <class T>
void Batch<T>::reset_flags() {
  impl_->set_flags(std::vector<BodyFlags>(static_cast<std::size_t>(bodies()), BodyFlags::none));
}
template <class T>
void Batch<T>::set_flags(std::span<const BodyFlags> flags) {
  check_flags(flags, bodies());
  impl_->set_flags(flags);
}

template <class T>
std::span<const BodyFlags> Batch<T>::check_range() {
  return impl_->check_range();
}

template <class T>
std::vector<double> Batch<T>::enclosed_volume(int chamber) const {
  const std::size_t c = checked_chamber(*impl_, chamber);
  std::vector<double> result(static_cast<std::size_t>(bodies()));
  const StateView<const T> state = q();
  for (std::size_t g = 0; g < impl_->ranges().size(); ++g) {
    const std::vector<EnclosedVolume>& chambers = impl_->model(g).chambers;
    if (c >= chambers.size()) continue;
    const GroupRange& range = impl_->ranges()[g];
    std::vector<double> point(static_cast<std::size_t>(range.rank));
    for (std::int64_t body = range.first_body; body < range.first_body + range.bodies; ++body) {
      for (std::int64_t i = 0; i < range.rank; ++i) point[static_cast<std::size_t>(i)] = double{state(i, body)};
      result[static_cast<std::size_t>(body)] = volume_at(chambers[c], point);
    }
  }
  return result;
}

template <class T>
std::vector<double> Batch<T>::elastic_energy() const {
  std::vector<double> result(static_cast<std::size_t>(bodies()));
  impl_->elastic_energy(result);
  return result;
}

template <class T>
std::vector<double> Batch<T>::kinetic_energy() const {
  std::vector<double> result(static_cast<std::size_t>(bodies()));
  impl_->kinetic_energy(result);
  add_rigid_energy<T>(*impl_, result);
  return result;
}

template <class T>
std::vector<double> Batch<T>::linear_momentum() const {
  std::vector<double> result(3 * static_cast<std::size_t>(bodies()));
  linear_momenta<T>(*impl_, result);
  return result;
}

template <class T>
std::vector<double> Batch<T>::angular_momentum() const {
  std::vector<double> result(3 * static_cast<std::size_t>(bodies()));
  angular_momenta<T>(*impl_, result);
  return result;
}

template <class T>
void copy_state(StateView<const T> from, StateView<T> to) {
  check_equal_shapes(from.rank, from.bodies, to.rank, to.bodies);
  // Blocks of bodies, so that neither order walks through memory with a large stride for long.
  constexpr std::int64_t block = 64;
  for (std::int64_t first = 0; first < from.bodies; first += block)
    for (std::int64_t mode = 0; mode < from.rank; ++mode)
      for (std::int64_t body = first; body < std::min(first + block, from.bodies); ++body)
        to(mode, body) = from(mode, body);
}

template class Batch<float>;
template class Batch<double>;
template QUARTIC_EXPORT void copy_state(StateView<const float>, StateView<float>);
template QUARTIC_EXPORT void copy_state(StateView<const double>, StateView<double>);

}  // namespace quartic
