#include "cuda/energy/tensor_evaluator.hpp"

#include "cuda/energy/tensor_evaluate.hpp"
#include "cuda/energy/tensor_image.hpp"

namespace quartic::cuda {

template <class T>
TensorEvaluator<T>::TensorEvaluator(std::span<const std::shared_ptr<const ForceModel>> models, cudaStream_t stream) {
  std::vector<TensorImage<T>> images(models.size());
  for (std::size_t m = 0; m < models.size(); ++m) {
    fragments_.emplace_back();
    factors_.emplace_back();
    if (models[m]->has_strain_form()) continue;
    const QuarticEnergy& energy = models[m]->energy;
    const std::vector<Fragment<T>> fragments = tensor_fragments<T>(energy);
    fragments_[m] = DeviceArray<Fragment<T>>(std::span<const Fragment<T>>(fragments), stream);
    const std::vector<MonomialFactors<T>> factors = monomial_factors<T>(energy.rank);
    factors_[m] = DeviceArray<MonomialFactors<T>>(std::span<const MonomialFactors<T>>(factors), stream);
    images[m] = {fragments_[m].data(), factors_[m].data(), row_tile_count(energy.rank), step_count<T>(energy.rank)};
  }
  images_ = DeviceArray<TensorImage<T>>(std::span<const TensorImage<T>>(images), stream);
}

template <class T>
void TensorEvaluator<T>::evaluate(const BatchView<T>& batch, const StepShape& shape, cudaStream_t stream) const {
  evaluate_on_tensor_cores(batch, images_.data(), shape, stream);
}

template <class T>
void TensorEvaluator<T>::set_energy(std::size_t model, const QuarticEnergy& energy, cudaStream_t stream) {
  fragments_[model].copy_from(tensor_fragments<T>(energy), stream);
}

template class TensorEvaluator<float>;
template class TensorEvaluator<double>;

}  // namespace quartic::cuda
