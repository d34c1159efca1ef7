#include "cuda/frame/device_frames.hpp"

#include <algorithm>

#include "core/frame/inertia_forms.hpp"
#include "cuda/frame/frame_image.hpp"

namespace quartic::cuda {
namespace {

template <class T>
FrameView<T> view_of(const InertiaForms& inertia, const T* forms) {
  FrameView<T> view = {.forms = forms, .mass = static_cast<T>(inertia.mass), .rest = {}};
  std::transform(std::begin(inertia.rest), std::end(inertia.rest), view.rest,
                 [](double value) { return static_cast<T>(value); });
  return view;
}

}  // namespace

template <class T>
DeviceFrames<T>::DeviceFrames(std::span<const std::shared_ptr<const FrameMoments>> frames, std::int64_t pitch,
                              cudaStream_t stream) {
  if (std::ranges::all_of(frames, [](const auto& frame) { return frame == nullptr; })) return;
  for (const std::shared_ptr<const FrameMoments>& frame : frames) {
    if (frame == nullptr) {
      forms_.emplace_back();
      host_views_.push_back({});
      continue;
    }
    const InertiaForms inertia(*frame);
    const std::vector<T> packed = packed_forms<T>(inertia);
    forms_.emplace_back(std::span<const T>(packed), stream);
    host_views_.push_back(view_of(inertia, forms_.back().data()));
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
  forms_[group].copy_from(packed_forms<T>(inertia), stream);
  host_views_[group] = view_of(inertia, static_cast<const T*>(forms_[group].data()));
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
  return r * (r + 1) * frame_entries * sizeof(T) + sizeof(FrameView<T>);
}

template class DeviceFrames<float>;
template class DeviceFrames<double>;

}  // namespace quartic::cuda
