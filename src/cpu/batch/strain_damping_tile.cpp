#include "cpu/batch/strain_damping_tile.hpp"

#include <algorithm>

#include "cpu/batch/coordinate_terms.hpp"

namespace quartic::cpu {

template <class System>
void StrainDampingTile<System>::reserve(std::int64_t rank) {
  d_ = AlignedArray<T>(Coefficients::rows(rank) * lanes);
  workspace_ = AlignedArray<T>(Coefficients::workspace_rows(rank) * lanes);
}

template <class System>
void StrainDampingTile<System>::load(const std::optional<Coefficients>& coefficients,
                                     const BodyParameters<T>& parameters, std::int64_t first, int bodies) {
  coefficients_ = nullptr;
  if (!coefficients || parameters.strain_damping.empty()) return;
  time_.fill(0);
  for (std::size_t l = 0; l < static_cast<std::size_t>(bodies); ++l) {
    const std::size_t body = static_cast<std::size_t>(first) + l;
    time_[l] = parameters.strain_damping[body] * parameters.stiffness_scale[body];
  }
  if (std::ranges::any_of(time_, [](T time) { return time > 0; })) coefficients_ = &*coefficients;
}

template <class System>
void StrainDampingTile<System>::evaluate(const T* q) {
  coefficients_->evaluate(q, workspace_.data(), d_.data());
}

// Lanes that aren't damped keep their bits, whatever D is there.
template <class System>
void StrainDampingTile<System>::add_product(const T* x, T* y) const {
  const int rank = coefficients_->rank();
  const T* d = d_.data();
  const auto add = [&](int i, int j) {
    for (int l = 0; l < lanes; ++l) {
      const T sum = y[i * lanes + l] + time_[static_cast<std::size_t>(l)] * d[l] * x[j * lanes + l];
      y[i * lanes + l] = time_[static_cast<std::size_t>(l)] > 0 ? sum : y[i * lanes + l];
    }
  };
  for (int i = 0; i < rank; ++i)
    for (int j = i; j < rank; ++j, d += lanes) {
      add(i, j);
      if (j > i) add(j, i);
    }
}

template <class System>
void StrainDampingTile<System>::add_to(T weight, const T* scale, T* k) const {
  const int rank = coefficients_->rank();
  const T* d = d_.data();
  for (int i = 0; i < rank; ++i)
    for (int j = i; j < rank; ++j, d += lanes) {
      T* entry = k + entry_row<System>(rank, i, j) * lanes;
      for (int l = 0; l < lanes; ++l) {
        const T sum = entry[l] + weight * time_[static_cast<std::size_t>(l)] / scale[l] * d[l];
        entry[l] = time_[static_cast<std::size_t>(l)] > 0 ? sum : entry[l];
      }
    }
}

template class StrainDampingTile<LaneSystem<float>>;
template class StrainDampingTile<LaneSystem<double>>;
template class StrainDampingTile<BodySystem<float>>;
template class StrainDampingTile<BodySystem<double>>;

}  // namespace quartic::cpu
