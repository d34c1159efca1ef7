#include "cuda/batch/device_curves.hpp"

#include <vector>

namespace quartic::cuda {

template <class T>
DeviceCurves<T>::DeviceCurves(std::span<const LoadCurve> curves, std::span<const std::int32_t> curves_of_bodies,
                              cudaStream_t stream) {
  if (curves_of_bodies.empty()) return;
  std::vector<double> all_times, all_scales;
  std::vector<std::int64_t> all_starts = {0};
  for (const LoadCurve& curve : curves) {
    all_times.insert(all_times.end(), curve.times.begin(), curve.times.end());
    all_scales.insert(all_scales.end(), curve.scales.begin(), curve.scales.end());
    all_starts.push_back(std::ssize(all_times));
  }
  times = DeviceArray<double>(std::span<const double>(all_times), stream);
  scales = DeviceArray<double>(std::span<const double>(all_scales), stream);
  starts = DeviceArray<std::int64_t>(std::span<const std::int64_t>(all_starts), stream);
  curve_of_body = DeviceArray<std::int32_t>(curves_of_bodies, stream);
  start_scale = DeviceArray<T>(std::ssize(curves_of_bodies), stream);
  end_scale = DeviceArray<T>(std::ssize(curves_of_bodies), stream);
}

template struct DeviceCurves<float>;
template struct DeviceCurves<double>;

}  // namespace quartic::cuda
