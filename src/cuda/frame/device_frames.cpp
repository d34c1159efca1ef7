#include "cuda/frame/device_frames.hpp"

#include <algorithm>

#include "cuda/frame/frame_image.hpp"

namespace quartic::cuda {
namespace {

template <class T>
std::vector<T> unit_accelerations(const InertiaForms& inertia) {
  std::vector<T> result;
  for (int i = 0; i < inertia.rank; ++i)
    for (int c = 0; c < 3; ++c) result.push_back(static_cast<T>(inertia.unit_acceleration(i, c)));
  return result;
}

}  // namespace

template <class T>
FrameView<T> DeviceFrames<T>::view_of(const InertiaForms& inertia, const Model& model) {
  FrameView<T> view = {.forms = model.forms.data(),
                       .unit_acceleration = model.unit_acceleration.data(),
                       .mass = static_cast<T>(inertia.mass),
                       .rest = {}};
  std::transform(std::begin(inertia.rest), std::end(inertia.rest), view.rest,
                 [](double value) { return static_cast<T>(value); });
  return view;
}

template <class T>
DeviceFrames<T>::DeviceFrames(std::span<const std::shared_ptr<const FrameMoments>> frames,
                              std::span<const FrameMotion> motions, std::int64_t pitch, cudaStream_t stream)
    : models_(frames.size()), host_views_(frames.size()) {
  if (std::ranges::all_of(frames, [](const auto& frame) { return frame == nullptr; })) return;
  for (std::size_t g = 0; g < frames.size(); ++g) {
    if (frames[g] == nullptr) continue;
    const InertiaForms inertia(*frames[g]);
    models_[g].forms = DeviceArray<T>(std::span<const T>(packed_forms<T>(inertia)), stream);
    if (motions[g] == FrameMotion::prescribed)
      models_[g].unit_acceleration = DeviceArray<T>(std::span<const T>(unit_accelerations<T>(inertia)), stream);
    host_views_[g] = view_of(inertia, models_[g]);
  }
  views_ = DeviceArray<FrameView<T>>(std::span<const FrameView<T>>(host_views_), stream);
  for (DeviceArray<T>* array : {&momentum_, &next_spin_}) {
    *array = DeviceArray<T>(3 * pitch, stream);
    array->fill_zero(stream);
  }
}

template <class T>
void DeviceFrames<T>::set_frame(std::size_t group, const FrameMoments& frame, cudaStream_t stream) {
  const InertiaForms inertia(frame);
  Model& model = models_[group];
  model.forms.copy_from(packed_forms<T>(inertia), stream);
  if (model.unit_acceleration.size() > 0) model.unit_acceleration.copy_from(unit_accelerations<T>(inertia), stream);
  host_views_[group] = view_of(inertia, model);
  views_.copy_from(host_views_, stream);
}

template <class T>
void DeviceFrames<T>::show(FrameArrays<T>& arrays) const {
  arrays.models = views_.data();
  arrays.momentum = momentum_.data(), arrays.next_spin = next_spin_.data();
}

template <class T>
std::size_t DeviceFrames<T>::bytes(int rank) {
  const auto r = static_cast<std::size_t>(rank);
  return r * ((r + 1) * frame_entries + 3) * sizeof(T) + sizeof(FrameView<T>);
}

template class DeviceFrames<float>;
template class DeviceFrames<double>;

}  // namespace quartic::cuda
