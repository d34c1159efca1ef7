#include "cpu/batch/base_tile.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "core/frame/rotation.hpp"
#include "cpu/batch/tile_rows.hpp"

namespace quartic::cpu {

template <class System>
BaseTile<System>::BaseTile(std::span<const FrameCoefficients<System>* const> models)
    : kernels_(&FrameCoefficients<System>::kernels()) {
  if (models.empty()) return;
  std::int64_t rank = 0;
  for (const FrameCoefficients<System>* model : models) rank = std::max<std::int64_t>(rank, model->rank);
  const std::int64_t sizes[] = {9,
                                rank + 1,
                                FrameCoefficients<System>::form_rows(rank),
                                symmetric_entries,
                                FrameCoefficients<System>::axial_rows(rank),
                                rank,
                                rank};
  T** const arrays[] = {&motion_, &point_, &forms_, &inertia_, &turned_, &predicted_q_, &predicted_rate_};
  storage_ = allot_rows<lanes>(sizes, arrays);
}

// A quaternion of any length but zero, whose NaN makes the body diverge.
template <class System>
void BaseTile<System>::load(const FrameCoefficients<System>& model, const BatchArrays<T>& arrays,
                            const TileRange& range, LaneSet live) {
  model_ = &model;
  std::fill_n(motion_, 9 * lanes, T{0});
  const auto vector = [&](StateArray which, std::int64_t first, std::int64_t body) {
    const T* row = arrays[which].data() + first * arrays.pitch + body;
    return frame::Vector3<T>{row[0], row[arrays.pitch], row[2 * arrays.pitch]};
  };
  const auto put = [&](int row, int lane, const frame::Vector3<T>& value) {
    T* entry = motion_ + std::ptrdiff_t{row} * lanes + lane;
    entry[0] = value.x, entry[lanes] = value.y, entry[std::ptrdiff_t{2} * lanes] = value.z;
  };
  for (int l = 0; l < range.bodies; ++l) {
    if (!contains(live, l)) continue;
    const std::int64_t body = range.first + l;
    const T real = arrays[StateArray::pose].data()[6 * arrays.pitch + body];
    const auto rotation = normalised(frame::Quaternion<T>{vector(StateArray::pose, 3, body), real});
    put(0, l, rotate(conjugate(rotation), vector(StateArray::twist_rate, 0, body)));
    put(3, l, vector(StateArray::twist, 3, body));
    put(6, l, vector(StateArray::twist_rate, 3, body));
  }
}

template <class System>
void BaseTile<System>::evaluate(const T* q, const T* rate) {
  const std::int64_t size = std::int64_t{model_->rank} * lanes;
  std::fill_n(point_, lanes, T{1});
  std::copy_n(q, size, point_ + lanes);
  kernels_->evaluate(*model_, point_, forms_, inertia_);
  std::fill_n(point_, lanes, T{0});
  std::copy_n(rate, size, point_ + lanes);
  kernels_->turn(*model_, point_, turned_);
}

template <class System>
void BaseTile<System>::predict(const Tile<System>& tile, T dt, bool at_start) {
  if (at_start) return evaluate(tile.q, tile.velocity);
  tile.for_each_value(model_->rank, [&](auto n, int) {
    predicted_q_[n] = tile.q[n] + dt * tile.velocity[n] + dt * dt / 2 * tile.acceleration[n];
    predicted_rate_[n] = tile.velocity[n] + dt * tile.acceleration[n];
  });
  evaluate(predicted_q_, predicted_rate_);
}

template <class System>
void BaseTile<System>::take_iterate(const Tile<System>& tile) {
  evaluate(tile.next_q, tile.next_velocity);
}

template <class System>
void BaseTile<System>::add_inertia(T* residual) const {
  const int rank = model_->rank;
  const T* axial = forms_ + FrameCoefficients<System>::axial_begin(rank) * lanes;
  const auto vector = [](const T* rows, int l) {
    return frame::Vector3<T>{rows[l], rows[lanes + l], rows[2 * lanes + l]};
  };
  for (int i = 0; i < rank; ++i) {
    const T* s = model_->unit_acceleration.data() + 3 * i;
    const T* d = forms_ + symmetric_entries * i * lanes;
    for (int l = 0; l < lanes; ++l) {
      const auto a = vector(motion_, l), w = vector(motion_ + 3 * lanes, l), rate = vector(motion_ + 6 * lanes, l);
      // 1/2 w^T D w in the table's order of entries: xx, yy, zz, yz, xz, xy.
      const T squares = w.x * w.x * d[l] + w.y * w.y * d[lanes + l] + w.z * w.z * d[2 * lanes + l];
      const T products = w.y * w.z * d[3 * lanes + l] + w.x * w.z * d[4 * lanes + l] + w.x * w.y * d[5 * lanes + l];
      residual[i * lanes + l] += dot(vector(axial + 3 * i * lanes, l), rate) +
                                 2 * dot(w, vector(turned_ + 3 * i * lanes, l)) - (squares / 2 + products) +
                                 (s[0] * a.x + s[1] * a.y + s[2] * a.z);
    }
  }
}

template class BaseTile<LaneSystem<float>>;
template class BaseTile<LaneSystem<double>>;
template class BaseTile<BodySystem<float>>;
template class BaseTile<BodySystem<double>>;

}  // namespace quartic::cpu
