#include "cuda/energy/chamber_image.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "core/energy/quartic_polynomial.hpp"
#include "core/energy/symmetric_tensor.hpp"

namespace quartic::cuda {

template <class T>
std::vector<T> chamber_image(const EnclosedVolume& volume) {
  const int rank = volume.rank, blocks = (rank + chamber_block - 1) / chamber_block;
  std::vector<T> image;
  image.reserve(static_cast<std::size_t>(chamber_image_size(rank)));
  // Indices in (1, q).
  const auto append = [&](int a, int b, int k) {
    std::array<std::size_t, 3> index = {static_cast<std::size_t>(a), static_cast<std::size_t>(b),
                                        static_cast<std::size_t>(k)};
    std::ranges::sort(index);
    const auto n = static_cast<std::size_t>(rank) + 1;
    const bool inside = index[2] < n;
    image.push_back(inside ? -rounded_coefficient<T>(volume.coefficients[triple_index(index[0], index[1], index[2], n)])
                           : T{0});
  };
  for (int i = 0; i < blocks; ++i)
    for (int j = 0; j <= i; ++j)
      for (int k = 0; k <= rank; ++k)
        for (int m = 0; m < chamber_block; ++m)
          for (int n = 0; n < chamber_block; ++n) append(i * chamber_block + m + 1, j * chamber_block + n + 1, k);
  for (int i = 0; i < blocks; ++i)
    for (int k = 0; k <= rank; ++k)
      for (int m = 0; m < chamber_block; ++m) append(i * chamber_block + m + 1, 0, k);
  return image;
}

template <class T>
std::vector<T> chamber_images(const std::vector<EnclosedVolume>& volumes) {
  std::vector<T> images;
  for (const EnclosedVolume& volume : volumes) {
    const std::vector<T> image = chamber_image<T>(volume);
    images.insert(images.end(), image.begin(), image.end());
  }
  return images;
}

template std::vector<float> chamber_image(const EnclosedVolume&);
template std::vector<double> chamber_image(const EnclosedVolume&);
template std::vector<float> chamber_images(const std::vector<EnclosedVolume>&);
template std::vector<double> chamber_images(const std::vector<EnclosedVolume>&);

}  // namespace quartic::cuda
