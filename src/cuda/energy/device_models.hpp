// The models of a batch's groups on the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cuda/base/runtime.hpp"
#include "cuda/energy/batch_view.hpp"
#include "quartic/force_model.hpp"

namespace quartic::cuda {

/// Coefficients and strain forms in the order in which kernels read them, and energies in double.
template <class T>
class DeviceModels {
 public:
  DeviceModels() = default;
  /// @throws InputError for an energy, a form or a chamber that T can't hold
  DeviceModels(std::span<const std::shared_ptr<const ForceModel>> models, cudaStream_t stream);

  /// On the device, of each group.
  [[nodiscard]] const ModelView<T>* views() const { return views_.data(); }
  /// Coefficients of a group's energy in double, on the device; copied there on first use.
  [[nodiscard]] const double* energy(std::size_t group, const QuarticEnergy& energy, cudaStream_t stream);
  /// Gives a group another model of its rank, with a strain form if it had one, and as many chambers. Synchronises with
  /// the stream.
  /// @throws InputError as the constructor; nothing is changed then
  void set_model(std::size_t group, const ForceModel& model, cudaStream_t stream);

  /// What a group takes at most.
  [[nodiscard]] static std::size_t bytes(int rank, bool has_strain_form, int chambers = 0);

 private:
  struct Model {
    DeviceArray<T> coefficients;
    DeviceArray<MonomialPair> pairs;
    DeviceArray<T> strain_factor, strain_transposed, volumes;
    DeviceArray<double> energy;
  };

  std::vector<Model> models_;
  DeviceArray<ModelView<T>> views_;
};

}  // namespace quartic::cuda
