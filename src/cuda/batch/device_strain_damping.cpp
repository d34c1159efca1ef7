#include "cuda/batch/device_strain_damping.hpp"

#include <algorithm>
#include <utility>

#include "cuda/energy/model_image.hpp"

namespace quartic::cuda {
namespace {

std::int64_t largest_stiffness(std::span<const int> ranks) {
  std::int64_t rows = 0;
  for (const int rank : ranks) rows = std::max<std::int64_t>(rows, stiffness_rows(rank));
  return rows;
}

// D's entries in the order of K's rows.
template <class T>
std::vector<T> damping_coefficients(const StrainDampingForm& form) {
  const std::vector<std::int64_t> columns = columns_of_rows(form.rank);
  return packed_columns<T>(form.coefficients,
                           std::span(columns).first(static_cast<std::size_t>(stiffness_rows(form.rank))), form.rank);
}

}  // namespace

template <class T>
DeviceStrainDamping<T>::DeviceStrainDamping(std::span<const SharedStrainDamping> forms, std::span<const int> ranks,
                                            std::span<const T> time, std::int64_t single_bodies, cudaStream_t stream)
    : time_(time, stream), single_rows_(single_bodies > 0 ? largest_stiffness(ranks) : 0) {
  std::vector<ModelView<T>> views;
  for (std::size_t g = 0; g < forms.size(); ++g) {
    const int rank = ranks[g];
    ModelView<T> view = {};
    view.rank = rank;
    Form form;
    if (forms[g] != nullptr) {
      form.coefficients = {std::span<const T>(damping_coefficients<T>(*forms[g])), stream};
      form.pairs = {std::span<const MonomialPair>(monomial_pairs<T>(rank)), stream};
      view.coefficients = form.coefficients.data(), view.pairs = form.pairs.data();
      view.h_rows = stiffness_rows(rank), view.row_blocks = stiffness_block_count<T>(rank);
      view.monomials = monomial_count<T>(rank);
    }
    forms_.push_back(std::move(form));
    views.push_back(view);
  }
  views_ = DeviceArray<ModelView<T>>(std::span<const ModelView<T>>(views), stream);
  single_d_ = DeviceArray<T>(single_bodies * single_rows_, stream);
}

template <class T>
void DeviceStrainDamping<T>::show(StrainDampingView<T>& view) const {
  view.time = time_.data(), view.models = views_.data();
  view.single_d = single_d_.data(), view.single_rows = single_rows_;
}

template <class T>
std::size_t DeviceStrainDamping<T>::bytes(std::span<const SharedStrainDamping> forms, std::span<const int> ranks,
                                          std::int64_t bodies, std::int64_t single_bodies) {
  std::int64_t values = bodies + single_bodies * largest_stiffness(ranks);
  for (std::size_t g = 0; g < forms.size(); ++g)
    if (forms[g] != nullptr)
      values += std::int64_t{stiffness_block_count<T>(ranks[g])} * block_rows<T> * monomial_count<T>(ranks[g]);
  return static_cast<std::size_t>(values) * sizeof(T);
}

template class DeviceStrainDamping<float>;
template class DeviceStrainDamping<double>;

}  // namespace quartic::cuda
