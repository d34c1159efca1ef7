#include "cuda/energy/gas_image.hpp"

#include <algorithm>
#include <cstddef>

#include "core/energy/quartic_polynomial.hpp"
#include "core/energy/symmetric_tensor.hpp"

namespace quartic::cuda {

namespace {

// T_ibc for b <= c.
double entry(const EnclosedVolume& volume, std::size_t i, std::size_t b, std::size_t c) {
  const std::size_t first = std::min(i, b), last = std::max(i, c), middle = i + b + c - first - last;
  return volume.coefficients[triple_index(first, middle, last, static_cast<std::size_t>(volume.rank) + 1)];
}

}  // namespace

// A triple of equal indices is one of six permutations, one with a pair one of two.
std::vector<double> volume_images(const std::vector<EnclosedVolume>& volumes) {
  std::vector<double> images;
  for (const EnclosedVolume& volume : volumes) {
    const auto n = static_cast<std::size_t>(volume.rank) + 1;
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = a; b < n; ++b)
        for (std::size_t c = b; c < n; ++c) {
          const int equal = (a == b ? 1 : 0) + (b == c ? 1 : 0);
          images.push_back(entry(volume, a, b, c) / (equal == 2 ? 6 : 1 + equal));
        }
  }
  return images;
}

template <class T>
std::vector<T> gradient_images(const std::vector<EnclosedVolume>& volumes) {
  std::vector<T> images;
  for (const EnclosedVolume& volume : volumes) {
    const auto n = static_cast<std::size_t>(volume.rank) + 1;
    for (std::size_t i = 1; i < n; ++i)
      for (std::size_t b = 0; b < n; ++b)
        for (std::size_t c = b; c < n; ++c)
          images.push_back(rounded_coefficient<T>(entry(volume, i, b, c) / (b == c ? 2 : 1)));
  }
  return images;
}

template std::vector<float> gradient_images(const std::vector<EnclosedVolume>&);
template std::vector<double> gradient_images(const std::vector<EnclosedVolume>&);

}  // namespace quartic::cuda
