#include "cuda/energy/device_models.hpp"

#include <utility>

#include "cuda/energy/chamber_image.hpp"
#include "cuda/energy/model_image.hpp"
#include "cuda/energy/strain_image.hpp"

namespace quartic::cuda {
namespace {

template <class V>
DeviceArray<V> on_device(const std::vector<V>& values, cudaStream_t stream) {
  return DeviceArray<V>(std::span<const V>(values), stream);
}

}  // namespace

template <class T>
DeviceModels<T>::DeviceModels(std::span<const std::shared_ptr<const ForceModel>> sources, cudaStream_t stream) {
  std::vector<ModelView<T>> views;
  for (const std::shared_ptr<const ForceModel>& source : sources) {
    const int rank = source->energy.rank;
    Model model = {.coefficients = on_device(packed_coefficients<T>(source->energy), stream),
                   .pairs = on_device(monomial_pairs<T>(rank), stream),
                   .strain_factor = {},
                   .strain_transposed = {},
                   .volumes = {},
                   .energy = {}};
    ModelView<T> view = {.coefficients = model.coefficients.data(),
                         .pairs = model.pairs.data(),
                         .rank = rank,
                         .h_rows = h_row_count(rank),
                         .row_blocks = row_block_count<T>(rank),
                         .monomials = monomial_count<T>(rank),
                         .strain_factor = nullptr,
                         .strain_transposed = nullptr,
                         .strain_blocks = 0,
                         .volumes = nullptr,
                         .chambers = static_cast<int>(source->chambers.size())};
    if (source->has_strain_form()) {
      const StrainImage<T> image = strain_image<T>(source->strain_form);
      model.strain_factor = on_device(image.factor, stream);
      model.strain_transposed = on_device(image.transposed, stream);
      view.row_blocks = stiffness_block_count<T>(rank);
      view.strain_factor = model.strain_factor.data(), view.strain_transposed = model.strain_transposed.data();
      view.strain_blocks = strain_block_count<T>(rank);
    }
    if (!source->chambers.empty()) {
      model.volumes = on_device(chamber_images<T>(source->chambers), stream);
      view.volumes = model.volumes.data();
    }
    models_.push_back(std::move(model));
    views.push_back(view);
  }
  views_ = on_device(views, stream);
}

template <class T>
const double* DeviceModels<T>::energy(std::size_t group, const QuarticEnergy& energy, cudaStream_t stream) {
  Model& model = models_[group];
  if (model.energy.size() == 0)
    model.energy = DeviceArray<double>(std::span<const double>(energy.coefficients), stream);
  return model.energy.data();
}

template <class T>
void DeviceModels<T>::set_model(std::size_t group, const ForceModel& source, cudaStream_t stream) {
  const std::vector<T> coefficients = packed_coefficients<T>(source.energy);
  const StrainImage<T> image = source.has_strain_form() ? strain_image<T>(source.strain_form) : StrainImage<T>{};
  const std::vector<T> volumes = chamber_images<T>(source.chambers);
  Model& model = models_[group];
  model.coefficients.copy_from(coefficients, stream);
  model.strain_factor.copy_from(image.factor, stream);
  model.strain_transposed.copy_from(image.transposed, stream);
  model.volumes.copy_from(volumes, stream);
  model.energy = {};
}

template <class T>
std::size_t DeviceModels<T>::bytes(int rank, bool has_strain_form, int chambers) {
  std::int64_t values = coefficient_count<T>(rank) + chambers * chamber_image_size(rank);
  if (has_strain_form) values += strain_image_size<T>(rank);
  return static_cast<std::size_t>(values) * sizeof(T) +
         static_cast<std::size_t>(quartic_coefficient_count(rank)) * sizeof(double);  // if energies are asked for
}

template class DeviceModels<float>;
template class DeviceModels<double>;

}  // namespace quartic::cuda
