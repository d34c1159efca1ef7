#include "cuda/energy/strain_image.hpp"

#include "core/energy/quartic_polynomial.hpp"
#include "core/energy/strain_form.hpp"
#include "cuda/energy/model_image.hpp"

namespace quartic::cuda {
namespace {

static_assert(slab_monomials<float> == block_rows<float> && slab_monomials<double> == block_rows<double>,
              "row block n of the triangle begins in slab n");

template <class T>
int slab_count(int rank) {
  return monomial_count<T>(rank) / slab_monomials<T>;
}

}  // namespace

template <class T>
std::int64_t strain_image_size(int rank) {
  const int blocks = strain_block_count<T>(rank);
  return (factor_slabs(blocks, slab_count<T>(rank)) + transposed_slabs(blocks)) * slab_monomials<T> * block_rows<T>;
}

template <class T>
StrainImage<T> strain_image(const StrainForm& form) {
  const std::int64_t strains = strain_count(form.rank);
  const auto entry = [&](std::int64_t row, std::int64_t column) {
    if (row >= strains || column >= strains || row > column) return T{0};
    return rounded_coefficient<T>(form.factor[strain_entry(row, column, strains)]);
  };
  StrainImage<T> image;
  const int blocks = strain_block_count<T>(form.rank), monomials = monomial_count<T>(form.rank);
  for (int block = 0; block < blocks; ++block) {
    const std::int64_t first = std::int64_t{block} * block_rows<T>, behind = first + block_rows<T>;
    for (std::int64_t monomial = first; monomial < monomials; ++monomial)
      for (std::int64_t row = first; row < behind; ++row)
        image.factor.push_back(monomial == 0 ? T{0} : entry(row, monomial - 1));  // no strain is constant
    for (std::int64_t strain = 0; strain < behind; ++strain)
      for (std::int64_t row = first; row < behind; ++row) image.transposed.push_back(entry(strain, row));
  }
  return image;
}

template std::int64_t strain_image_size<float>(int);
template std::int64_t strain_image_size<double>(int);
template StrainImage<float> strain_image(const StrainForm&);
template StrainImage<double> strain_image(const StrainForm&);

}  // namespace quartic::cuda
