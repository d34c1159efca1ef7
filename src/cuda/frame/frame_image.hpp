// A model's inertia in the order in which kernels read it.
#pragma once

#include <vector>

#include "core/frame/inertia_forms.hpp"

namespace quartic::cuda {

/// FrameView::forms: [i][p][12].
template <class T>
[[nodiscard]] std::vector<T> packed_forms(const InertiaForms& forms);

}  // namespace quartic::cuda
