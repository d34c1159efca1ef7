#include "cpu/batch/gas_tile.hpp"

#include <algorithm>
#include <cstddef>

#include "core/batch/gas_law.hpp"
#include "cpu/energy/system.hpp"

namespace quartic::cpu {

template <class System>
GasTile<System>::GasTile(std::int64_t rank, std::int64_t chambers) {
  const auto count = static_cast<std::size_t>(chambers * lanes);
  for (std::vector<double>* values : {&amount_, &given_}) values->resize(count);
  for (std::vector<T>* values : {&stiffness_, &weight_, &end_stiffness_, &product_}) values->resize(count);
  scale_.resize(static_cast<std::size_t>(lanes));
  point_.reserve(static_cast<std::size_t>(rank));
}

template <class System>
void GasTile<System>::load(const Evaluator<System>& evaluator, const BodyParameters<T>& parameters, std::int64_t first,
                           int bodies, const T* pressure) {
  evaluator_ = &evaluator;
  is_there_ = false;
  if (parameters.gas.empty()) return;
  atmosphere_ = parameters.atmosphere;
  std::ranges::fill(amount_, 0);
  std::ranges::fill(scale_, 1);
  const auto all = parameters.stiffness_scale.size(), start = static_cast<std::size_t>(first);
  for (std::size_t l = 0; l < static_cast<std::size_t>(bodies); ++l) {
    scale_[l] = double{parameters.stiffness_scale[start + l]};
    for (std::size_t c = 0; c < static_cast<std::size_t>(evaluator.chambers()); ++c) {
      const std::size_t n = c * static_cast<std::size_t>(lanes) + l;
      amount_[n] = parameters.gas[c * all + start + l];
      given_[n] = double{pressure[n]};
      is_there_ |= amount_[n] > 0;
    }
  }
}

template <class System>
template <class Set>
void GasTile<System>::for_each_gas(const Set& set) const {
  for (int c = 0; c < evaluator_->chambers(); ++c)
    for (int l = 0; l < lanes; ++l)
      if (const auto n = static_cast<std::size_t>(c * lanes + l); amount_[n] > 0) set(n, c, l);
}

template <class System>
std::int64_t GasTile<System>::gradient_row(int chamber) const {
  const std::int64_t rank = evaluator_->rank();
  return System::stiffness_rows(rank) + (1 + chamber) * System::array_rows(rank);
}

template <class System>
double GasTile<System>::volume(int chamber, int lane, const T* q) {
  point_.clear();
  for (int i = 0; i < evaluator_->rank(); ++i) point_.push_back(double{q[i * lanes + lane]});
  return evaluator_->volume(chamber, point_);
}

template <class System>
void GasTile<System>::set_pressures(const T* q, T* pressure) {
  for_each_gas([&](std::size_t n, int c, int l) {
    const double scale = scale_[static_cast<std::size_t>(l)];
    const GasState gas = gas_at(amount_[n], volume(c, l, q));
    pressure[n] = static_cast<T>(given_[n] + (gas.pressure - atmosphere_) / scale);
    stiffness_[n] = weight_[n] = static_cast<T>(gas.stiffness / scale);
  });
}

template <class System>
void GasTile<System>::set_mean_pressures(const T* q, const T* end, T* pressure) {
  for_each_gas([&](std::size_t n, int c, int l) {
    const double scale = scale_[static_cast<std::size_t>(l)], before = volume(c, l, q), behind = volume(c, l, end);
    const GasState gas = mean_gas(amount_[n], before, behind);
    pressure[n] = static_cast<T>(given_[n] + (gas.pressure - atmosphere_) / scale);
    stiffness_[n] = static_cast<T>(chord_stiffness(amount_[n], before, behind) / scale);
    end_stiffness_[n] = static_cast<T>(gas.stiffness / scale);
  });
}

template <class System>
void GasTile<System>::project(const T* h, const T* x) {
  for_each_gas([&](std::size_t n, int c, int l) {
    const T* g = h + gradient_row(c) * lanes + l;
    T sum = 0;
    for (int i = 0; i < evaluator_->rank(); ++i) sum += g[i * lanes] * x[i * lanes + l];
    product_[n] = stiffness_[n] * sum;
  });
}

template <class System>
void GasTile<System>::add_product(const T* h, T* y) const {
  for_each_gas([&](std::size_t n, int c, int l) {
    const T* g = h + gradient_row(c) * lanes + l;
    for (int i = 0; i < evaluator_->rank(); ++i) y[i * lanes + l] += product_[n] * g[i * lanes];
  });
}

template <class System>
void GasTile<System>::add_stiffness(T* h) const {
  const std::int64_t rank = evaluator_->rank();
  for_each_gas([&](std::size_t n, int c, int l) {
    const T* g = h + gradient_row(c) * lanes + l;
    for (std::int64_t i = 0; i < rank; ++i)
      for (std::int64_t j = 0; j <= i; ++j) {
        // Tiles have K's upper triangle, row by row, single bodies the lower one.
        const std::int64_t row =
            lanes == 1 ? System::diagonal_row(rank, i) - (i - j) : System::diagonal_row(rank, j) + (i - j);
        h[row * lanes + l] += weight_[n] * g[i * lanes] * g[j * lanes];
      }
  });
}

template <class System>
void GasTile<System>::form_mean(T* h, const T* second_h, std::span<const T> damping) {
  for_each_gas([&](std::size_t n, int c, int l) {
    const auto lane = static_cast<std::size_t>(l);
    const std::int64_t first = gradient_row(c) * lanes + l;
    for (std::int64_t i = 0; i < evaluator_->rank(); ++i)
      h[first + i * lanes] = (h[first + i * lanes] + second_h[first + i * lanes]) / 2;
    weight_[n] = static_cast<T>(scale_[lane]) * (end_stiffness_[n] + 2 * damping[lane] * stiffness_[n]);
  });
}

template class GasTile<LaneSystem<float>>;
template class GasTile<LaneSystem<double>>;
template class GasTile<BodySystem<float>>;
template class GasTile<BodySystem<double>>;

}  // namespace quartic::cpu
