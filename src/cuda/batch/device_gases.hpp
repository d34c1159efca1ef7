// Gases in the chambers of a batch's bodies, in device memory.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/batch/batch_impl.hpp"
#include "cuda/base/runtime.hpp"
#include "cuda/batch/steps/gas_evaluator.hpp"

namespace quartic::cuda {

template <class T>
class DeviceGases {
 public:
  /// Complete on return. @param parameters with gases
  /// @throws InputError for a chamber that T can't hold
  DeviceGases(std::span<const SharedModel> models, const BodyParameters<T>& parameters, cudaStream_t stream);

  /// Of as many bodies and chambers. Synchronises with the stream.
  void set(const BodyParameters<T>& parameters, cudaStream_t stream);
  /// Gives a group another model of its rank with as many chambers. Synchronises with the stream.
  void set_model(std::size_t group, const ForceModel& model, cudaStream_t stream);

  /// @param given pressures beside the gases', on the device
  [[nodiscard]] GasView<T> view(const T* given) const;

 private:
  struct Images {
    DeviceArray<double> volumes;
    DeviceArray<T> gradients;
  };

  std::vector<Images> images_;  // of each group
  DeviceArray<GasImages<T>> views_;
  DeviceArray<double> amount_;
  DeviceArray<T> pressure_;
  double atmosphere_ = 0;
};

}  // namespace quartic::cuda
