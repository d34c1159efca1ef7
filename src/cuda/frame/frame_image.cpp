#include "cuda/frame/frame_image.hpp"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "cuda/frame/frame_view.hpp"

namespace quartic::cuda {

template <class T>
std::vector<T> packed_forms(const InertiaForms& forms) {
  const std::int64_t rank = forms.rank, columns = rank + 1;
  std::vector<T> packed(static_cast<std::size_t>(rank * columns * frame_entries), T{0});
  for (std::int64_t i = 0; i < rank; ++i)
    for (std::int64_t p = 0; p < columns; ++p) {
      T* to = packed.data() + (i * columns + p) * frame_entries;
      for (int e = 0; e < symmetric_entries; ++e)
        to[e / 3 * frame_pack + e % 3] = static_cast<T>(forms.affine(symmetric_entries * i + e, p));
      for (int e = 0; e < 3; ++e)
        to[2 * frame_pack + e] = static_cast<T>(forms.affine(symmetric_entries * rank + 3 * i + e, p));
    }
  return packed;
}

template std::vector<float> packed_forms(const InertiaForms&);
template std::vector<double> packed_forms(const InertiaForms&);

}  // namespace quartic::cuda
