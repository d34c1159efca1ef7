#include "cpu/batch/frame_tile.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/batch/scheme.hpp"
#include "cpu/batch/tile_rows.hpp"

namespace quartic::cpu {
namespace {

// 1 in the lanes of a set, 0 in the others.
template <class T, int lanes>
std::array<T, static_cast<std::size_t>(lanes)> chosen(LaneSet bodies) {
  std::array<T, static_cast<std::size_t>(lanes)> values;
  for (int l = 0; l < lanes; ++l) values[static_cast<std::size_t>(l)] = contains(bodies, l) ? T{1} : T{0};
  return values;
}

}  // namespace

template <class System>
FrameTile<System>::FrameTile(std::span<const FrameCoefficients<System>* const> models)
    : kernels_(&FrameCoefficients<System>::kernels()), spin_(&SpinKernels<System>::get()) {
  if (models.empty()) return;
  std::int64_t rank = 0;
  for (const FrameCoefficients<System>* model : models) rank = std::max<std::int64_t>(rank, model->rank);
  const std::int64_t forms = FrameCoefficients<System>::form_rows(rank),
                     turned = FrameCoefficients<System>::axial_rows(rank);
  const std::int64_t sizes[] = {pose_size,  twist_size, twist_size, twist_size, pose_size,
                                twist_size, twist_size, rank + 1,   forms,      symmetric_entries,
                                turned,     forms,      turned,     3,          3,
                                3 * rank,   3,          3,          3,          1};
  FrameRows<T>& r = rows_;
  T** const arrays[] = {&r.pose,       &r.twist,           &r.twist_rate,   &r.wrench,         &r.next_pose,
                        &r.next_twist, &r.next_twist_rate, &r.point,        &r.forms,          &r.inertia,
                        &r.turned,     &r.start_forms,     &r.start_turned, &r.quadratic_spin, &r.spin_defect,
                        &r.coupling,   &r.axial_part,      &r.momentum,     &r.start_momentum, &r.load};
  storage_ = allot_rows<lanes>(sizes, arrays);
}

template <class System>
void FrameTile<System>::set_identity(T* pose, T* twist, T* twist_rate, LaneSet bodies) const {
  for (int l = 0; l < lanes; ++l) {
    if (!contains(bodies, l)) continue;
    for (int row = 0; row < pose_size; ++row) pose[row * lanes + l] = row == pose_size - 1 ? T{1} : T{0};
    for (int row = 0; row < twist_size; ++row) twist[row * lanes + l] = twist_rate[row * lanes + l] = 0;
  }
}

template <class System>
void FrameTile<System>::load(const FrameCoefficients<System>& model, const BatchArrays<T>& arrays,
                             const TileRange& range, LaneSet live) {
  using At = LaneRows<T, lanes>;
  model_ = &model;
  first_ = range.first;
  load_rows<lanes>(arrays[StateArray::pose], arrays.pitch, first_, pose_size, live, rows_.pose);
  load_rows<lanes>(arrays[StateArray::twist], arrays.pitch, first_, twist_size, live, rows_.twist);
  load_rows<lanes>(arrays[StateArray::twist_rate], arrays.pitch, first_, twist_size, live, rows_.twist_rate);
  load_rows<lanes>(arrays[StateArray::wrench], arrays.pitch, first_, twist_size, live, rows_.wrench);
  set_identity(rows_.pose, rows_.twist, rows_.twist_rate, ~live);
  for (int l = 0; l < lanes; ++l) At::put_rotation(rows_.pose, l, frame::unit_rotation(At::rotation(rows_.pose, l)));
}

template <class System>
void FrameTile<System>::store(const BatchArrays<T>& arrays, LaneSet live) const {
  store_rows<lanes>(rows_.pose, pose_size, live, arrays[StateArray::pose], arrays.pitch, first_);
  store_rows<lanes>(rows_.twist, twist_size, live, arrays[StateArray::twist], arrays.pitch, first_);
  store_rows<lanes>(rows_.twist_rate, twist_size, live, arrays[StateArray::twist_rate], arrays.pitch, first_);
}

template <class System>
void FrameTile<System>::evaluate(const T* q) {
  std::fill_n(rows_.point, lanes, T{1});
  std::copy_n(q, std::int64_t{rank()} * lanes, rows_.point + lanes);
  kernels_->evaluate(*model_, rows_.point, rows_.forms, rows_.inertia);
}

template <class System>
void FrameTile<System>::turn(const T* rate) {
  std::fill_n(rows_.point, lanes, T{0});
  std::copy_n(rate, std::int64_t{rank()} * lanes, rows_.point + lanes);
  kernels_->turn(*model_, rows_.point, rows_.turned);
}

template <class System>
void FrameTile<System>::begin_step(const Tile<System>& tile, const SpinSettings<T>& settings, bool end_load,
                                   bool is_current) {
  settings_ = settings;
  if (!is_current) {
    evaluate(tile.q);
    spin_->axial_times(*model_, tile.velocity, rows_);
    spin_->find_momentum(spin(), rows_);
  }
  for (int l = 0; l < lanes; ++l)
    rows_.load[l] = end_load ? tile.end_scale(l) : mean_load(tile.start_scale(l), tile.end_scale(l));
  spin_->add_torque(settings_, rows_);
  std::copy_n(rows_.twist, twist_size * lanes, rows_.next_twist);
}

template <class System>
void FrameTile<System>::predict(const Tile<System>& tile) {
  const T h = settings_.dt;
  const bool at_start = settings_.middle == 1;  // backward Euler
  const T* rate = rows_.twist_rate + 3 * lanes;
  tile.for_each_value(3, [&](auto n, int) { rows_.quadratic_spin[n] = spin()[n] + (at_start ? T{0} : h * rate[n]); });
  if (at_start) return turn(tile.velocity);  // the forms are those of the start
  T* predicted = rows_.turned;               // free until it is written: 3 r rows and more
  tile.for_each_value(
      rank(), [&](auto n, int) { predicted[n] = tile.q[n] + h * tile.velocity[n] + h * h / 2 * tile.acceleration[n]; });
  evaluate(predicted);
  T* predicted_rate = rows_.coupling;
  tile.for_each_value(rank(), [&](auto n, int) { predicted_rate[n] = tile.velocity[n] + h * tile.acceleration[n]; });
  turn(predicted_rate);
}

template <class System>
void FrameTile<System>::take_iterate(const Tile<System>& tile) {
  std::copy_n(next_spin(), 3 * lanes, rows_.quadratic_spin);
  turn(tile.next_velocity);
}

template <class System>
void FrameTile<System>::add_inertia(const Tile<System>& tile, T* residual) const {
  spin_->axial_times(*model_, tile.next_velocity, rows_);
  spin_->add_inertia_force(*model_, settings_, rows_, residual);
}

template <class System>
auto FrameTile<System>::squared_torques() const -> LaneValues {
  LaneValues squares;
  for (int l = 0; l < lanes; ++l) {
    const auto torque = settings_.rate * LaneRows<T, lanes>::vector(rows_.spin_defect, l);
    squares[static_cast<std::size_t>(l)] = dot(torque, torque);
  }
  return squares;
}

template <class System>
void FrameTile<System>::eliminate(const Tile<System>& tile, T* residual) const {
  spin_->eliminate_spin(*model_, settings_, tile.scale, rows_, residual);
}

template <class System>
void FrameTile<System>::correct(LaneSet bodies, const T* delta) const {
  spin_->axial_times(*model_, delta, rows_);
  spin_->correct_spin(settings_, chosen<T, lanes>(bodies).data(), rows_);
}

template <class System>
void FrameTile<System>::finish(const Tile<System>& tile, LaneSet bodies) {
  evaluate(tile.next_q);
  spin_->axial_times(*model_, tile.next_velocity, rows_);
  spin_->solve_spins(settings_, chosen<T, lanes>(bodies).data(), rows_);
  spin_->find_momentum(next_spin(), rows_);
}

template <class System>
void FrameTile<System>::keep_start(const Tile<System>& tile) {
  std::copy_n(rows_.forms, FrameCoefficients<System>::form_rows(rank()) * lanes, rows_.start_forms);
  turn(tile.velocity);
  std::copy_n(rows_.turned, FrameCoefficients<System>::axial_rows(rank()) * lanes, rows_.start_turned);
  std::fill_n(rows_.spin_defect, 3 * lanes, T{0});  // the momentum's equation is solved in each iteration
}

template <class System>
void FrameTile<System>::add_mean_inertia(T* residual, T* sizes) const {
  spin_->add_mean_inertia_force(*model_, settings_, rows_, residual, sizes);
}

template <class System>
void FrameTile<System>::advance() const {
  spin_->advance(*model_, settings_, rows_);
}

template <class System>
LaneSet FrameTile<System>::defective() const {
  LaneValues defects = {};
  add_defects(rows_.next_pose, std::int64_t{pose_size} * lanes, defects);
  add_defects(rows_.next_twist, std::int64_t{twist_size} * lanes, defects);
  add_defects(rows_.next_twist_rate, std::int64_t{twist_size} * lanes, defects);
  return lanes_with(defects);
}

template <class System>
void FrameTile<System>::finish_step(const BatchArrays<T>& arrays, LaneSet diverged) {
  if (diverged != 0) {
    store(arrays, diverged);
    set_identity(rows_.next_pose, rows_.next_twist, rows_.next_twist_rate, diverged);
  }
  std::swap(rows_.pose, rows_.next_pose);
  std::swap(rows_.twist, rows_.next_twist);
  std::swap(rows_.twist_rate, rows_.next_twist_rate);
}

template class FrameTile<LaneSystem<float>>;
template class FrameTile<LaneSystem<double>>;
template class FrameTile<BodySystem<float>>;
template class FrameTile<BodySystem<double>>;

}  // namespace quartic::cpu
