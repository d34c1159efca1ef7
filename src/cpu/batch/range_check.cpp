#include "cpu/batch/range_check.hpp"

#include <algorithm>

#include "core/batch/packed_range.hpp"
#include "core/batch/range_rule.hpp"

namespace quartic::cpu {

template <class T>
RangeCheck<T>::RangeCheck(const ModelRange& range) : rank_(range.rank), gradients_(packed_gradients<T>(range)) {}

template <class T>
void RangeCheck<T>::flags(const T* q, std::int64_t pitch, std::span<BodyFlags> result) const {
  for (std::size_t first = 0; first < result.size(); first += lanes) {
    const std::size_t count = std::min<std::size_t>(lanes, result.size() - first);
    std::uint32_t bits[lanes] = {};
    for (auto g = gradients_.begin(); g != gradients_.end();) {
      T sums[9][lanes] = {};
      for (int i = 0; i < rank_; ++i) {
        T x[lanes] = {};
        std::copy_n(q + i * pitch + static_cast<std::int64_t>(first), count, x);
        for (auto& sum : sums) {
          const T gradient = *g++;
          for (std::size_t l = 0; l < lanes; ++l) sum[l] += gradient * x[l];
        }
      }
      for (std::size_t l = 0; l < count; ++l) {
        T entries[9] = {};
        for (std::size_t e = 0; e < 9; ++e) entries[e] = sums[e][l];
        bits[l] |= range_bits(entries);
      }
    }
    for (std::size_t l = 0; l < count; ++l) result[first + l] = static_cast<BodyFlags>(bits[l]);
  }
}

template class RangeCheck<float>;
template class RangeCheck<double>;

}  // namespace quartic::cpu
