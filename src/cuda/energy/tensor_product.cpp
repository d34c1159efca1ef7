#include "cuda/energy/tensor_product.hpp"

#include "cuda/energy/tensor_evaluate.hpp"
#include "cuda/energy/tensor_image.hpp"

namespace quartic::cuda {

template <class T>
TensorProduct<T>::TensorProduct(std::span<const std::shared_ptr<const ForceModel>> models, cudaStream_t stream) {
  std::vector<TensorImage<T>> images;
  for (const std::shared_ptr<const ForceModel>& model : models) {
    const QuarticEnergy& energy = model->energy;
    const std::vector<Fragment<T>> fragments = tensor_fragments<T>(energy);
    fragments_.push_back(DeviceArray<Fragment<T>>(std::span<const Fragment<T>>(fragments), stream));
    const std::vector<MonomialFactors> factors = monomial_factors(energy.rank);
    factors_.push_back(DeviceArray<MonomialFactors>(std::span<const MonomialFactors>(factors), stream));
    images.push_back(
        {fragments_.back().data(), factors_.back().data(), row_tile_count(energy.rank), step_count(energy.rank)});
  }
  images_ = DeviceArray<TensorImage<T>>(std::span<const TensorImage<T>>(images), stream);
}

template <class T>
void TensorProduct<T>::multiply(const BatchView<T>& batch, const StepShape& shape, cudaStream_t stream) const {
  evaluate_on_tensor_cores(batch, images_.data(), shape, stream);
}

template <class T>
void TensorProduct<T>::set_energy(std::size_t model, const QuarticEnergy& energy, cudaStream_t stream) {
  fragments_[model].copy_from(tensor_fragments<T>(energy), stream);
}

template class TensorProduct<float>;
template class TensorProduct<double>;

}  // namespace quartic::cuda
