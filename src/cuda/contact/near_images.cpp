#include "cuda/contact/near_images.hpp"

#include <cstdint>

#include "core/frame/inertia_forms.hpp"
#include "cuda/energy/tensor_image.hpp"

namespace quartic::cuda {
namespace {

struct HostImage {
  std::vector<Fragment<double>> fragments;
  std::vector<MonomialFactors<double>> factors;
  int row_tiles = 0, steps = 0;
};

HostImage image_of(const QuarticEnergy& energy) {
  return {tensor_fragments<double>(energy), monomial_factors<double>(energy.rank), row_tile_count(energy.rank),
          step_count<double>(energy.rank)};
}

constexpr int steps_of(std::int64_t columns) {
  return static_cast<int>((columns + tensor_depth<double> - 1) / tensor_depth<double>);
}
constexpr int tiles_of(std::int64_t rows) {
  return static_cast<int>((rows + tensor_rows - 1) / tensor_rows);
}

// Of a matrix that is multiplied with rows of points themselves: 1, the first of them, times each.
HostImage image_of(const Matrix& matrix) {
  HostImage image = {{}, {}, tiles_of(matrix.rows), steps_of(matrix.cols)};
  const auto entry = [&](std::int64_t row, std::int64_t column) {
    return row < matrix.rows && column < matrix.cols ? matrix(row, column) : 0.0;
  };
  for (int step = 0; step < image.steps; ++step) {
    for (int tile = 0; tile < image.row_tiles; ++tile)
      for (int part = 0; part < 2; ++part)
        for (int lane = 0; lane < warp_size; ++lane) {
          const int row = tile * tensor_rows + lane / 4, column = step * tensor_depth<double> + 4 * part + lane % 4;
          image.fragments.push_back(make_double2(entry(row, column), entry(row + 8, column)));
        }
    for (int t = 0; t < 4; ++t) {
      MonomialFactors<double> factors = {};
      for (int k = 0; k < 2; ++k)
        if (const int column = step * tensor_depth<double> + 4 * k + t; column < matrix.cols)
          factors.pairs[k] = {0, static_cast<std::uint8_t>(column)};
      image.factors.push_back(factors);
    }
  }
  return image;
}

// The row of `InertiaForms::affine` of an entry of D_i or B_i.
std::int64_t affine_row(const InertiaForms& forms, std::int64_t i, std::int64_t entry) {
  return entry < symmetric_entries ? symmetric_entries * i + entry
                                   : symmetric_entries * forms.rank + 3 * i + entry - symmetric_entries;
}

Matrix form_rows(const InertiaForms& forms) {
  Matrix rows(form_entries * forms.rank, forms.rank + 1);
  for (std::int64_t n = 0; n < rows.rows; ++n)
    for (std::int64_t p = 0; p < rows.cols; ++p)
      rows(n, p) = forms.affine(affine_row(forms, n / form_entries, n % form_entries), p);
  return rows;
}

Matrix turned_rows(const InertiaForms& forms) {
  Matrix rows(std::int64_t{3} * forms.rank, forms.rank + 1);
  for (std::int64_t n = 0; n < rows.rows; ++n)
    for (std::int64_t p = 1; p < rows.cols; ++p)
      rows(n, p) = forms.affine(affine_row(forms, n / 3, symmetric_entries + n % 3), p);
  return rows;
}

Matrix inertia_rows(const InertiaForms& forms) {
  const std::int64_t r = forms.rank;
  Matrix rows(r * r, 1 + inertia_factors);
  for (std::int64_t n = 0; n < rows.rows; ++n)
    for (int k = 0; k < inertia_factors; ++k) {
      const int entry = k < 3 ? symmetric_entries + k : k - 3;
      rows(n, 1 + k) = forms.affine(affine_row(forms, n / r, entry), 1 + n % r);
    }
  return rows;
}

HostImage image_of(int product, const ForceModel& model, const FrameMoments* frame) {
  if (product == near_h) return image_of(model.energy);
  if (frame == nullptr) return {};
  const InertiaForms forms(*frame);
  return image_of(product == near_forms    ? form_rows(forms)
                  : product == near_turned ? turned_rows(forms)
                                           : inertia_rows(forms));
}

}  // namespace

NearImages::NearImages(const std::vector<bool>& has_tree, Models models, Frames frames, cudaStream_t stream)
    : images_(near_product_count * models.size()) {
  std::vector<TensorImage<double>> views(images_.size());
  for (std::size_t n = 0; n < images_.size(); ++n) {
    const std::size_t group = n / near_product_count;
    if (!has_tree[group]) continue;
    const HostImage host = image_of(static_cast<int>(n % near_product_count), *models[group], frames[group].get());
    images_[n] = {DeviceArray<Fragment<double>>(std::span<const Fragment<double>>(host.fragments), stream),
                  DeviceArray<MonomialFactors<double>>(std::span<const MonomialFactors<double>>(host.factors), stream)};
    views[n] = {images_[n].fragments.data(), images_[n].factors.data(), host.row_tiles, host.steps};
  }
  views_ = DeviceArray<TensorImage<double>>(std::span<const TensorImage<double>>(views), stream);
}

void NearImages::set(Models models, Frames frames, cudaStream_t stream) {
  for (std::size_t n = 0; n < images_.size(); ++n) {
    const std::size_t group = n / near_product_count;
    if (images_[n].fragments.size() == 0) continue;
    images_[n].fragments.copy_from(
        image_of(static_cast<int>(n % near_product_count), *models[group], frames[group].get()).fragments, stream);
  }
}

std::size_t NearImages::bytes(int rank, bool flies) {
  std::size_t result = tensor_bytes<double>(rank);
  const auto add = [&](std::int64_t rows, std::int64_t columns) {
    result += static_cast<std::size_t>(steps_of(columns)) *
              (static_cast<std::size_t>(tiles_of(rows)) * tile_fragments<double> * sizeof(Fragment<double>) +
               4 * sizeof(MonomialFactors<double>));
  };
  if (!flies) return result;
  add(std::int64_t{form_entries} * rank, rank + 1);
  add(std::int64_t{3} * rank, rank + 1);
  add(std::int64_t{rank} * rank, 1 + inertia_factors);
  return result;
}

}  // namespace quartic::cuda
