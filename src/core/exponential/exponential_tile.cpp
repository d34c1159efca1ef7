#include "core/exponential/exponential_tile.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace quartic {

template <class T>
ExponentialTile<T>::ExponentialTile(int rank)
    : z(std::int64_t{rank} * lanes),
      velocity(z.size()),
      force(z.size()),
      rank_(rank),
      kick_(z.size()),
      last_z_(z.size()),
      last_velocity_(z.size()) {
  CubicForm<T> sizes;
  sizes.rank = rank;
  monomials_ = AlignedArray<T>(sizes.monomials() * lanes);
  n_ = AlignedArray<T>((std::int64_t{rank} + CubicForm<T>::block) * lanes);
}

// g = -N of the oscillators at z.
template <class T>
void ExponentialTile<T>::evaluate_kick(const ExponentialStep<T>& step) {
  operations_.expand(rank_, z.data(), monomials_.data());
  operations_.multiply(step.kicks, monomials_.data(), n_.data());
  for (std::int64_t n = 0; n < std::int64_t{step.oscillators} * lanes; ++n) kick_.data()[n] = -n_.data()[n];
}

template <class T>
void ExponentialTile<T>::begin(const ExponentialStep<T>& step) {
  std::fill(velocity.data() + std::int64_t{step.oscillators} * lanes, velocity.data() + velocity.size(), T{0});
  stopped = not_converged = {};
  evaluate_kick(step);
}

template <class T>
void ExponentialTile<T>::kick(const ExponentialStep<T>& step) {
  for (int i = 0; i < step.oscillators; ++i) {
    const T half = step.half_kicks[static_cast<std::size_t>(i)];
    const std::int64_t first = std::int64_t{i} * lanes;
    for (std::int64_t n = first; n < first + lanes; ++n) velocity.data()[n] += half * kick_.data()[n];
  }
}

// Exact under a constant force.
template <class T>
void ExponentialTile<T>::swing(const ExponentialStep<T>& step) {
  for (int i = 0; i < step.oscillators; ++i) {
    const PackedPropagator<T>& p = step.propagators[static_cast<std::size_t>(i)];
    T* x = z.data() + std::int64_t{i} * lanes;
    T* v = velocity.data() + std::int64_t{i} * lanes;
    const T* f = force.data() + std::int64_t{i} * lanes;
    for (int l = 0; l < lanes; ++l) {
      const T dx = p.z_force * f[l] + p.zv * v[l] + p.zz_less_one * x[l];
      const T dv = p.v_force * f[l] + p.vv_less_one * v[l] + p.vz * x[l];
      x[l] += dx;
      v[l] += dv;
    }
  }
}

// z_s = (f_s - N_s(z)) / lambda_s, again and again, for each body until it hardly moves any more: what is left of the
// way takes energy out or puts it in. What contracts moves less from sweep to sweep.
template <class T>
void ExponentialTile<T>::follow(const ExponentialStep<T>& step, int sweeps) {
  const int followers = rank_ - step.oscillators;
  if (followers == 0) return;
  constexpr auto tolerance = static_cast<T>(1e-5);
  std::array<T, static_cast<std::size_t>(lanes)> before{}, moved{}, size{};
  Marks settled{};
  for (int sweep = 0; sweep < sweeps && !std::ranges::all_of(settled, std::identity()); ++sweep) {
    operations_.expand(rank_, z.data(), monomials_.data());
    operations_.multiply(step.followers, monomials_.data(), n_.data());
    for (std::size_t l = 0; l < moved.size(); ++l)
      if (!settled[l]) before[l] = moved[l], moved[l] = size[l] = 0;
    for (int s = 0; s < followers; ++s) {
      T* x = z.data() + std::int64_t{step.oscillators + s} * lanes;
      const T* f = force.data() + std::int64_t{step.oscillators + s} * lanes;
      const T* n = n_.data() + std::int64_t{s} * lanes;
      const T compliance = step.compliances[static_cast<std::size_t>(s)];
      for (std::size_t l = 0; l < static_cast<std::size_t>(lanes); ++l) {
        if (settled[l]) continue;
        const T next = compliance * (f[l] - n[l]), d = next - x[l];
        moved[l] += d * d;
        size[l] += next * next;
        x[l] = next;
      }
    }
    for (std::size_t l = 0; l < moved.size() && sweep > 0; ++l) {
      if (settled[l]) continue;
      const bool rests = moved[l] <= tolerance * tolerance * size[l];
      const bool runs_away = !rests && !(moved[l] <= 4 * before[l]);  // twice as far as the last time, or nowhere
      settled[l] = rests || runs_away;
      if (runs_away) not_converged[l] = true;
    }
  }
  constexpr auto far = static_cast<T>(0.01);
  for (std::size_t l = 0; l < moved.size(); ++l)
    if (!settled[l] && sweeps > 1 && (moved[l] > before[l] || moved[l] > far * far * size[l])) not_converged[l] = true;
}

template <class T>
void ExponentialTile<T>::keep_stopped(const ExponentialStep<T>& step) {
  std::array<T, static_cast<std::size_t>(lanes)> defect{};
  for (std::int64_t i = 0; i < rank_; ++i)
    for (std::size_t l = 0; l < defect.size(); ++l) {
      const auto n = i * lanes + static_cast<std::int64_t>(l);
      defect[l] += (z.data()[n] - z.data()[n]) + (velocity.data()[n] - velocity.data()[n]);
      if (i < step.oscillators) defect[l] += kick_.data()[n] - kick_.data()[n];
    }
  for (std::size_t l = 0; l < defect.size(); ++l) {
    stopped[l] = stopped[l] || defect[l] != 0;
    if (!stopped[l]) continue;
    for (std::int64_t i = 0; i < rank_; ++i) {
      const auto n = i * lanes + static_cast<std::int64_t>(l);
      z.data()[n] = last_z_.data()[n], velocity.data()[n] = last_velocity_.data()[n], kick_.data()[n] = 0;
    }
  }
}

template <class T>
void ExponentialTile<T>::advance(const ExponentialStep<T>& step, int sweeps) {
  std::copy_n(z.data(), z.size(), last_z_.data());
  std::copy_n(velocity.data(), velocity.size(), last_velocity_.data());
  kick(step);
  swing(step);
  follow(step, sweeps);
  evaluate_kick(step);
  kick(step);
  keep_stopped(step);
}

template class ExponentialTile<float>;
template class ExponentialTile<double>;

}  // namespace quartic
