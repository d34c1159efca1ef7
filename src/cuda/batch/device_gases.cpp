#include "cuda/batch/device_gases.hpp"

#include "cuda/energy/gas_image.hpp"

namespace quartic::cuda {

template <class T>
DeviceGases<T>::DeviceGases(std::span<const SharedModel> models, const BodyParameters<T>& parameters,
                            cudaStream_t stream)
    : amount_(std::span<const double>(parameters.gas), stream),
      pressure_(std::span<const T>(parameters.pressure), stream),
      atmosphere_(parameters.atmosphere) {
  std::vector<GasImages<T>> views;
  for (const SharedModel& model : models) {
    images_.push_back({{std::span<const double>(volume_images(model->chambers)), stream},
                       {std::span<const T>(gradient_images<T>(model->chambers)), stream}});
    views.push_back({images_.back().volumes.data(), images_.back().gradients.data()});
  }
  views_ = DeviceArray<GasImages<T>>(std::span<const GasImages<T>>(views), stream);
}

template <class T>
void DeviceGases<T>::set(const BodyParameters<T>& parameters, cudaStream_t stream) {
  amount_.copy_from(parameters.gas, stream);
  atmosphere_ = parameters.atmosphere;
}

template <class T>
void DeviceGases<T>::set_model(std::size_t group, const ForceModel& model, cudaStream_t stream) {
  images_[group].volumes.copy_from(volume_images(model.chambers), stream);
  images_[group].gradients.copy_from(gradient_images<T>(model.chambers), stream);
}

template <class T>
GasView<T> DeviceGases<T>::view(const T* given) const {
  return {views_.data(), amount_.data(), atmosphere_, given, pressure_.data()};
}

template class DeviceGases<float>;
template class DeviceGases<double>;

}  // namespace quartic::cuda
