// D = C m, the coefficients of a model's damping by strain rates times the monomials of a point: the product of
// evaluate.cu with other coefficients, of r(r+1)/2 rows. With two Gauss points it is wanted at the middle of the step,
// which is the middle of both: a thread per body writes it, 2 (r+1) values read and r + 1 written.
#include "cuda/energy/any_open.cuh"
#include "cuda/energy/evaluate.hpp"
#include "cuda/energy/strain_damping_evaluator.hpp"

namespace quartic::cuda {
namespace {

template <class T>
__global__ void __launch_bounds__(tile_bodies) make_middle_points(const BatchView<T> batch) {
  const Tile& tile = batch.tiles[blockIdx.x];
  if (!any_open(batch, tile)) return;
  const int rank = batch.models[tile.model].rank;
  for (int row = 0; row <= rank; ++row) {
    const std::int64_t at = (tile.point_row + row) * tile_bodies + static_cast<int>(threadIdx.x);
    batch.strain_damping.middle_points[at] = (batch.points[at] + batch.second_points[at]) / 2;
  }
}

}  // namespace

template <class T>
void StrainDampingEvaluator<T>::evaluate(const BatchView<T>& batch, const StepShape& shape, cudaStream_t stream) const {
  elastic_.evaluate(batch, shape, stream);
  BatchView<T> damping = batch;
  damping.models = batch.strain_damping.models;
  damping.h = batch.strain_damping.d;
  if (batch.second_points != nullptr) {
    launch(make_middle_points<T>, {dim3(static_cast<unsigned>(shape.tiles)), dim3(tile_bodies)}, stream, batch);
    damping.points = batch.strain_damping.middle_points;
    damping.second_points = nullptr;
  }
  StrictEvaluator<T>().evaluate(damping, shape, stream);
}

template class StrainDampingEvaluator<float>;
template class StrainDampingEvaluator<double>;

}  // namespace quartic::cuda
