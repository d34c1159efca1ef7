#include "cpu/batch/frame_tile.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/batch/scheme.hpp"
#include "core/frame/rotation.hpp"
#include "cpu/batch/tile_rows.hpp"

namespace quartic::cpu {
namespace {

constexpr int pose_rows = 7, twist_rows = 6;

// Before a loop over lanes: what it writes isn't what it reads of another lane.
#if defined(__clang__)
#define QUARTIC_INDEPENDENT_LANES _Pragma("clang loop vectorize(assume_safety)")
#else
#define QUARTIC_INDEPENDENT_LANES _Pragma("GCC ivdep")
#endif

template <int lanes, class T>
frame::Symmetric3<T> symmetric_at(const T* rows, int lane) {
  constexpr std::ptrdiff_t row = lanes;
  const T* d = rows + lane;
  return {d[0], d[row], d[2 * row], d[3 * row], d[4 * row], d[5 * row]};
}

// Cholesky3::forward of a lane's factor, entries in rows as those of a symmetric matrix.
template <int lanes, class T>
frame::Vector3<T> forward(const T* factor, const frame::Vector3<T>& b) {
  const frame::Symmetric3<T> l = symmetric_at<lanes>(factor, 0);
  frame::Vector3<T> r;
  r.x = l.xx * b.x;
  r.y = l.yy * (b.y - l.xy * r.x);
  r.z = l.zz * (b.z - l.xz * r.x - l.yz * r.y);
  return r;
}

template <class T, int lanes>
frame::Quaternion<T> rotation_at(const T* pose, int lane) {
  return {{pose[3 * lanes + lane], pose[4 * lanes + lane], pose[5 * lanes + lane]}, pose[6 * lanes + lane]};
}

template <class T, int lanes>
void put_rotation(T* pose, int lane, const frame::Quaternion<T>& rotation) {
  pose[3 * lanes + lane] = rotation.vector.x;
  pose[4 * lanes + lane] = rotation.vector.y;
  pose[5 * lanes + lane] = rotation.vector.z;
  pose[6 * lanes + lane] = rotation.w;
}

}  // namespace

template <class System>
FrameTile<System>::FrameTile(std::span<const FrameCoefficients<System>* const> models)
    : kernels_(&FrameCoefficients<System>::kernels()) {
  if (models.empty()) return;
  std::int64_t rank = 0;
  for (const FrameCoefficients<System>* model : models) rank = std::max<std::int64_t>(rank, model->rank);
  const std::int64_t forms = FrameCoefficients<System>::form_rows(rank),
                     turned = FrameCoefficients<System>::axial_rows(rank);
  const std::int64_t sizes[] = {pose_rows,  twist_rows, twist_rows, twist_rows, pose_rows,
                                twist_rows, twist_rows, rank + 1,   forms,      symmetric_entries,
                                turned,     forms,      turned,     3,          3,
                                3 * rank,   3,          3,          1};
  T** const arrays[] = {
      &pose_,        &twist_,    &twist_rate_, &wrench_,         &next_pose_,   &next_twist_,   &next_twist_rate_,
      &point_,       &forms_,    &inertia_,    &turned_,         &start_forms_, &start_turned_, &quadratic_spin_,
      &spin_defect_, &coupling_, &momentum_,   &start_momentum_, &load_};
  storage_ = allot_rows<lanes>(sizes, arrays);
}

template <class System>
void FrameTile<System>::set_identity(T* pose, T* twist, T* twist_rate, LaneSet bodies) const {
  for (int l = 0; l < lanes; ++l) {
    if (!contains(bodies, l)) continue;
    for (int row = 0; row < pose_rows; ++row) pose[row * lanes + l] = row == pose_rows - 1 ? T{1} : T{0};
    for (int row = 0; row < twist_rows; ++row) twist[row * lanes + l] = twist_rate[row * lanes + l] = 0;
  }
}

template <class System>
void FrameTile<System>::load(const FrameCoefficients<System>& model, const BatchArrays<T>& arrays,
                             const TileRange& range, LaneSet live) {
  model_ = &model;
  first_ = range.first;
  load_rows<lanes>(arrays[StateArray::pose], arrays.pitch, first_, pose_rows, live, pose_);
  load_rows<lanes>(arrays[StateArray::twist], arrays.pitch, first_, twist_rows, live, twist_);
  load_rows<lanes>(arrays[StateArray::twist_rate], arrays.pitch, first_, twist_rows, live, twist_rate_);
  load_rows<lanes>(arrays[StateArray::wrench], arrays.pitch, first_, twist_rows, live, wrench_);
  set_identity(pose_, twist_, twist_rate_, ~live);
  for (int l = 0; l < lanes; ++l)
    put_rotation<T, lanes>(pose_, l, frame::unit_rotation(rotation_at<T, lanes>(pose_, l)));
}

template <class System>
void FrameTile<System>::store(const BatchArrays<T>& arrays, LaneSet live) const {
  store_rows<lanes>(pose_, pose_rows, live, arrays[StateArray::pose], arrays.pitch, first_);
  store_rows<lanes>(twist_, twist_rows, live, arrays[StateArray::twist], arrays.pitch, first_);
  store_rows<lanes>(twist_rate_, twist_rows, live, arrays[StateArray::twist_rate], arrays.pitch, first_);
}

template <class System>
frame::Symmetric3<typename System::Number> FrameTile<System>::inertia(int lane) const {
  return symmetric_at<lanes>(inertia_, lane);
}

// B q' of all lanes. Neither this nor the next is inlined, so that both have the same bits at the end of a step and at
// the start of the next one.
template <class System>
[[gnu::noinline]] auto FrameTile<System>::axial_times(const T* rate) const -> LaneVectors {
  LaneVectors sums = {};
  for (int i = 0; i < rank(); ++i)
    for (int axis = 0; axis < 3; ++axis) {
      const T* column = axial() + std::ptrdiff_t{3 * i + axis} * lanes;
      T* sum = sums.data() + std::ptrdiff_t{axis} * lanes;
      QUARTIC_INDEPENDENT_LANES
      for (int l = 0; l < lanes; ++l) sum[l] += rate[i * lanes + l] * column[l];
    }
  return sums;
}

// J w + B q'.
template <class System>
[[gnu::noinline]] auto FrameTile<System>::momentum(const T* spin, const LaneVectors& axial_part, int lane) const
    -> Vector {
  return inertia(lane) * at(spin, lane) + at(axial_part.data(), lane);
}

template <class System>
void FrameTile<System>::evaluate(const T* q) {
  std::fill_n(point_, lanes, T{1});
  std::copy_n(q, std::int64_t{rank()} * lanes, point_ + lanes);
  kernels_->evaluate(*model_, point_, forms_, inertia_);
}

template <class System>
void FrameTile<System>::turn(const T* rate) {
  std::fill_n(point_, lanes, T{0});
  std::copy_n(rate, std::int64_t{rank()} * lanes, point_ + lanes);
  kernels_->turn(*model_, point_, turned_);
}

template <class System>
void FrameTile<System>::begin_step(const Tile<System>& tile, const SpinSettings<T>& settings, bool end_load,
                                   bool is_current) {
  settings_ = settings;
  if (!is_current) {
    evaluate(tile.q);
    const LaneVectors axial_part = axial_times(tile.velocity);
    for (int l = 0; l < lanes; ++l) put(momentum_, l, momentum(spin(), axial_part, l));
  }
  for (int l = 0; l < lanes; ++l) {
    load_[l] = end_load ? tile.end_scale(l) : mean_load(tile.start_scale(l), tile.end_scale(l));
    const Vector torque = load_[l] * at(wrench_ + 3 * lanes, l);
    const Vector own = rotate(conjugate(rotation_at<T, lanes>(pose_, l)), torque);
    put(start_momentum_, l, at(momentum_, l) + settings_.dt * own);
  }
  std::copy_n(twist_, twist_rows * lanes, next_twist_);
}

template <class System>
void FrameTile<System>::predict(const Tile<System>& tile) {
  const T h = settings_.dt;
  const bool at_start = settings_.middle == 1;  // backward Euler
  for (int l = 0; l < lanes; ++l) {
    const Vector step = at_start ? Vector{} : h * at(twist_rate_ + 3 * lanes, l);
    put(quadratic_spin_, l, at(spin(), l) + step);
  }
  if (at_start) return turn(tile.velocity);  // the forms are those of the start
  T* predicted = turned_;                    // free until it is written: 3 r rows and more
  tile.for_each_value(
      rank(), [&](auto n, int) { predicted[n] = tile.q[n] + h * tile.velocity[n] + h * h / 2 * tile.acceleration[n]; });
  evaluate(predicted);
  T* rate = coupling_;
  tile.for_each_value(rank(), [&](auto n, int) { rate[n] = tile.velocity[n] + h * tile.acceleration[n]; });
  turn(rate);
}

template <class System>
void FrameTile<System>::take_iterate(const Tile<System>& tile) {
  std::copy_n(next_spin(), 3 * lanes, quadratic_spin_);
  turn(tile.next_velocity);
}

template <class System>
void FrameTile<System>::add_inertia(const Tile<System>& tile, T* residual) {
  LaneVectors rates;
  for (int l = 0; l < lanes; ++l)
    put(rates.data(), l, spin_rate(settings_, at(spin(), l), at(next_spin(), l), at(twist_rate_ + 3 * lanes, l)));
  for (int i = 0; i < rank(); ++i) {
    const T *forms = forms_ + std::ptrdiff_t{symmetric_entries} * i * lanes, *column = axial() + 3 * i * lanes,
            *turned = turned_ + 3 * i * lanes;
    T* sum = residual + i * lanes;
    QUARTIC_INDEPENDENT_LANES
    for (int l = 0; l < lanes; ++l) {
      const Vector quadratic = at(quadratic_spin_, l);
      sum[l] += dot(at(column, l), at(rates.data(), l)) + 2 * dot(quadratic, at(turned, l)) -
                dot(quadratic, symmetric_at<lanes>(forms, l) * quadratic) / 2;
    }
  }
  // J w1 + B q'1 - cay(h u)^T pi0 at the quadratic terms' velocity, as the matrix has it.
  const LaneVectors axial_part = axial_times(tile.next_velocity);
  for (int l = 0; l < lanes; ++l) {
    const Vector u = middle_spin(settings_, at(spin(), l), at(quadratic_spin_, l));
    const Vector turned = rotate(conjugate(frame::cayley(settings_.dt * u)), at(start_momentum_, l));
    put(spin_defect_, l, momentum(next_spin(), axial_part, l) - turned);
  }
}

template <class System>
auto FrameTile<System>::squared_torques() const -> LaneValues {
  LaneValues squares;
  for (int l = 0; l < lanes; ++l) {
    const Vector torque = settings_.rate * at(spin_defect_, l);
    squares[static_cast<std::size_t>(l)] = dot(torque, torque);
  }
  return squares;
}

// With rows of residual r and defect g for the unknowns d and w,
//   A d + k B^T w = -r,   a B d + J w = -g     gives     (A - k a B^T J^-1 B) d = -(r - k B^T J^-1 g).
template <class System>
void FrameTile<System>::eliminate(const Tile<System>& tile, T* residual) {
  LaneVectors spun;
  LaneValues weights;
  T factors[symmetric_entries * lanes];
  for (int l = 0; l < lanes; ++l) {
    const frame::Cholesky3<T> factor(inertia(l));
    put(spun.data(), l, settings_.rate * factor.solve(at(spin_defect_, l)));
    weights[static_cast<std::size_t>(l)] = std::sqrt(settings_.rate * settings_.velocity / tile.scale[l]);
    const T entries[] = {factor.x, factor.y, factor.z, factor.zy, factor.zx, factor.yx};
    for (int e = 0; e < symmetric_entries; ++e) factors[e * lanes + l] = entries[e];
  }
  for (int i = 0; i < rank(); ++i) {
    const T* columns = axial() + 3 * i * lanes;
    T *sum = residual + i * lanes, *x = coupling_ + i * lanes, *y = x + rank() * lanes, *z = y + rank() * lanes;
    QUARTIC_INDEPENDENT_LANES
    for (int l = 0; l < lanes; ++l) {
      const Vector column = at(columns, l);
      sum[l] -= dot(column, at(spun.data(), l));
      const Vector b = weights[static_cast<std::size_t>(l)] * forward<lanes>(factors + l, column);
      x[l] = b.x, y[l] = b.y, z[l] = b.z;
    }
  }
}

template <class System>
void FrameTile<System>::correct(LaneSet bodies, const T* delta) {
  const LaneVectors axial_part = axial_times(delta);
  for (int l = 0; l < lanes; ++l) {
    if (!contains(bodies, l)) continue;
    const frame::Cholesky3<T> factor(inertia(l));
    const Vector change = factor.solve(at(spin_defect_, l) - settings_.velocity * at(axial_part.data(), l));
    put(next_spin(), l, at(next_spin(), l) - change);
  }
}

template <class System>
void FrameTile<System>::finish(const Tile<System>& tile, LaneSet bodies) {
  evaluate(tile.next_q);
  const LaneVectors axial_part = axial_times(tile.next_velocity);
  for (int l = 0; l < lanes; ++l) {
    if (!contains(bodies, l)) continue;
    put(next_spin(), l,
        solve_spin(settings_, inertia(l), at(axial_part.data(), l), at(spin(), l), at(start_momentum_, l),
                   at(next_spin(), l)));
    put(momentum_, l, momentum(next_spin(), axial_part, l));
  }
}

template <class System>
void FrameTile<System>::keep_start(const Tile<System>& tile) {
  std::copy_n(forms_, FrameCoefficients<System>::form_rows(rank()) * lanes, start_forms_);
  turn(tile.velocity);
  std::copy_n(turned_, FrameCoefficients<System>::axial_rows(rank()) * lanes, start_turned_);
  std::fill_n(spin_defect_, 3 * lanes, T{0});  // the momentum's equation is solved in each iteration
}

//   (B1^T w1 - B0^T w0) / h - 1/2 w0^T D(qm) w1 - 1/2 (A(w0) q'1 + A(w1) q'0),   A(w) x = -w_k (x_p A_pi)_k,
// with (q'1)_p A_pi = 2/h (B1 - B0) - (q'0)_p A_pi, since q'1 = 2/h (q1 - q0) - q'0.
template <class System>
void FrameTile<System>::add_mean_inertia(T* residual, T* sizes) const {
  const T* start_axial = start_forms_ + FrameCoefficients<System>::axial_begin(rank()) * lanes;
  const T h = settings_.dt;
  for (int l = 0; l < lanes; ++l) {
    const Vector w0 = at(spin(), l), w1 = at(next_spin(), l);
    for (int i = 0; i < rank(); ++i) {
      const Vector b0 = at(start_axial + 3 * i * lanes, l), b1 = at(axial() + 3 * i * lanes, l);
      const Vector turned0 = at(start_turned_ + 3 * i * lanes, l), turned1 = (2 / h) * (b1 - b0) - turned0;
      const T* d0 = start_forms_ + symmetric_entries * i * lanes + l;
      const T* d1 = forms_ + symmetric_entries * i * lanes + l;
      const auto mean = [&](int e) { return (d0[std::ptrdiff_t{e} * lanes] + d1[std::ptrdiff_t{e} * lanes]) / 2; };
      const frame::Symmetric3<T> derivative{mean(0), mean(1), mean(2), mean(3), mean(4), mean(5)};
      const T start = dot(b0, w0) / h, end = dot(b1, w1) / h, centrifugal = dot(w0, derivative * w1) / 2;
      const T coriolis = (dot(w0, turned1) + dot(w1, turned0)) / 2;
      residual[i * lanes + l] += end - start - centrifugal + coriolis;
      sizes[i * lanes + l] = std::abs(start) + std::abs(end) + std::abs(centrifugal) + std::abs(coriolis);
    }
  }
}

template <class System>
void FrameTile<System>::advance() {
  const T h = settings_.dt;
  for (int l = 0; l < lanes; ++l) {
    const Vector w0 = at(spin(), l), w1 = at(next_spin(), l), v0 = at(twist_, l);
    const Vector acceleration = (load_[l] / model_->mass) * at(wrench_, l), v1 = v0 + h * acceleration;
    const Vector step = middle_spin(settings_, v0, v1);  // the same mean
    const auto turn = frame::cayley(h * middle_spin(settings_, w0, w1));
    put(next_pose_, l, at(pose_, l) + h * step);
    put_rotation<T, lanes>(next_pose_, l, normalised(rotation_at<T, lanes>(pose_, l) * turn));
    put(next_twist_, l, v1);
    put(next_twist_rate_, l, acceleration);
    put(next_twist_rate_ + 3 * lanes, l, spin_rate(settings_, w0, w1, at(twist_rate_ + 3 * lanes, l)));
  }
}

template <class System>
LaneSet FrameTile<System>::defective() const {
  LaneValues defects = {};
  add_defects(next_pose_, std::int64_t{pose_rows} * lanes, defects);
  add_defects(next_twist_, std::int64_t{twist_rows} * lanes, defects);
  add_defects(next_twist_rate_, std::int64_t{twist_rows} * lanes, defects);
  return lanes_with(defects);
}

template <class System>
void FrameTile<System>::finish_step(const BatchArrays<T>& arrays, LaneSet diverged) {
  if (diverged != 0) {
    store(arrays, diverged);
    set_identity(next_pose_, next_twist_, next_twist_rate_, diverged);
  }
  std::swap(pose_, next_pose_);
  std::swap(twist_, next_twist_);
  std::swap(twist_rate_, next_twist_rate_);
}

template class FrameTile<LaneSystem<float>>;
template class FrameTile<LaneSystem<double>>;
template class FrameTile<BodySystem<float>>;
template class FrameTile<BodySystem<double>>;

}  // namespace quartic::cpu
