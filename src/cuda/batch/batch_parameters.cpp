// What bodies have of their own beside their state, on its way between host, device and callers with arrays there.
#include <algorithm>
#include <utility>

#include "cuda/base/devices.hpp"
#include "cuda/batch/batch.hpp"

namespace quartic::cuda {
namespace {

template <class T>
bool same_curves(const BodyParameters<T>& a, const BodyParameters<T>& b) {
  return a.curve_of_body == b.curve_of_body &&
         std::equal(a.curves.begin(), a.curves.end(), b.curves.begin(), b.curves.end(),
                    [](const LoadCurve& x, const LoadCurve& y) { return x.times == y.times && x.scales == y.scales; });
}

}  // namespace

template <class T>
T* CudaBatch<T>::device_pressure() {
  if (pressure_.size() == 0) return nullptr;
  has_own_parameters_ = has_captured_parameters_ = true;  // at any time, by kernels of the caller's
  return pressure_.data();
}

template <class T>
void CudaBatch<T>::copy_parameters(T* to, const T* from, cudaStream_t stream) {
  check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bodies()) * sizeof(T), cudaMemcpyDeviceToDevice, stream),
        "copy parameters of bodies");
  has_own_parameters_ = true;
  if (is_capturing(stream))
    has_captured_parameters_ = true;
  else
    caller_work_.note(stream);
}

template <class T>
void CudaBatch<T>::set_rayleigh_damping(const T* mass, const T* stiffness, cudaStream_t stream) {
  const DeviceGuard guard(device_);
  copy_parameters(rayleigh_mass_.data(), mass, stream);
  copy_parameters(rayleigh_stiffness_.data(), stiffness, stream);
}

template <class T>
void CudaBatch<T>::set_stiffness_scale(const T* scale, cudaStream_t stream) {
  const DeviceGuard guard(device_);
  copy_parameters(stiffness_scale_.data(), scale, stream);
}

template <class T>
void CudaBatch<T>::set_pressure(const T* pressure, int chamber, cudaStream_t stream) {
  const DeviceGuard guard(device_);
  copy_parameters(pressure_.data() + chamber * bodies(), pressure, stream);
}

template <class T>
void CudaBatch<T>::fetch_parameters(BodyParameters<T>& parameters) {
  if (!has_own_parameters_) return;
  const DeviceGuard guard(device_);
  caller_work_.wait();
  const auto fetch = [&](const DeviceArray<T>& from, std::vector<T>& to) {
    check(cudaMemcpyAsync(to.data(), from.data(), from.bytes(), cudaMemcpyDeviceToHost, stream_.get()),
          "copy parameters of bodies from the device");
  };
  fetch(rayleigh_mass_, parameters.rayleigh_mass);
  fetch(rayleigh_stiffness_, parameters.rayleigh_stiffness);
  fetch(stiffness_scale_, parameters.stiffness_scale);
  if (pressure_.size() > 0) fetch(pressure_, parameters.pressure);
  stream_.synchronize();
  has_own_parameters_ = has_captured_parameters_;
}

template <class T>
void CudaBatch<T>::take_parameters(const BodyParameters<T>& parameters) {
  const DeviceGuard guard(device_);
  caller_work_.wait();
  const cudaStream_t s = stream_.get();
  // All that may fail comes first.
  const bool new_curves = !same_curves(parameters, this->parameters());
  DeviceCurves<T> curves;
  if (new_curves) curves = DeviceCurves<T>(parameters.curves, parameters.curve_of_body, s);
  take_gases(parameters);
  rayleigh_mass_.copy_from(parameters.rayleigh_mass, s);
  rayleigh_stiffness_.copy_from(parameters.rayleigh_stiffness, s);
  stiffness_scale_.copy_from(parameters.stiffness_scale, s);
  pressure_.copy_from(parameters.pressure, s);
  if (new_curves) {
    graph_.forget();
    ++memory_changes_;
    std::swap(curves_, curves);
  }
  stream_.synchronize();
}

template <class T>
void CudaBatch<T>::take_pressure(std::size_t chamber, std::span<const T> pressure) {
  const DeviceGuard guard(device_);
  caller_work_.wait();
  check(cudaMemcpyAsync(pressure_.data() + chamber * pressure.size(), pressure.data(), pressure.size_bytes(),
                        cudaMemcpyHostToDevice, stream_.get()),
        "copy pressures to the device");
  stream_.synchronize();
}

template float* CudaBatch<float>::device_pressure();
template void CudaBatch<float>::set_rayleigh_damping(const float*, const float*, cudaStream_t);
template void CudaBatch<float>::set_stiffness_scale(const float*, cudaStream_t);
template void CudaBatch<float>::set_pressure(const float*, int, cudaStream_t);
template void CudaBatch<float>::fetch_parameters(BodyParameters<float>&);
template void CudaBatch<float>::take_parameters(const BodyParameters<float>&);
template void CudaBatch<float>::take_pressure(std::size_t, std::span<const float>);
template double* CudaBatch<double>::device_pressure();
template void CudaBatch<double>::set_rayleigh_damping(const double*, const double*, cudaStream_t);
template void CudaBatch<double>::set_stiffness_scale(const double*, cudaStream_t);
template void CudaBatch<double>::set_pressure(const double*, int, cudaStream_t);
template void CudaBatch<double>::fetch_parameters(BodyParameters<double>&);
template void CudaBatch<double>::take_parameters(const BodyParameters<double>&);
template void CudaBatch<double>::take_pressure(std::size_t, std::span<const double>);

}  // namespace quartic::cuda
