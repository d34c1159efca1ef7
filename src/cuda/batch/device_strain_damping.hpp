// Damping by strain rates of a batch's bodies, in device memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/batch/batch_impl.hpp"
#include "cuda/base/runtime.hpp"
#include "cuda/energy/batch_view.hpp"

namespace quartic::cuda {

template <class T>
class DeviceStrainDamping {
 public:
  /// Complete on return. @param forms of each group, or null @param ranks likewise
  /// @param single_bodies how many bodies there are, if any is stepped one by one; else 0
  /// @throws InputError for a form that T can't hold
  DeviceStrainDamping(std::span<const SharedStrainDamping> forms, std::span<const int> ranks, std::span<const T> time,
                      std::int64_t single_bodies, cudaStream_t stream);

  /// Of as many bodies. Synchronises with the stream.
  void set_time(std::span<const T> time, cudaStream_t stream) { time_.copy_from(time, stream); }

  /// Without the workspace of tiles.
  void show(StrainDampingView<T>& view) const;

  /// What it takes.
  [[nodiscard]] static std::size_t bytes(std::span<const SharedStrainDamping> forms, std::span<const int> ranks,
                                         std::int64_t bodies, std::int64_t single_bodies);

 private:
  struct Form {
    DeviceArray<T> coefficients;
    DeviceArray<MonomialPair> pairs;
  };

  std::vector<Form> forms_;  // of each group
  DeviceArray<ModelView<T>> views_;
  DeviceArray<T> time_, single_d_;
  std::int64_t single_rows_ = 0;
};

}  // namespace quartic::cuda
