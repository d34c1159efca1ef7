#include "cuda/energy/cublas_evaluator.hpp"

#include <algorithm>

#include "core/energy/quartic_polynomial.hpp"
#include "cuda/base/cublas.hpp"
#include "cuda/energy/model_image.hpp"
#include "cuda/energy/monomials.hpp"

namespace quartic::cuda {
namespace {

int distinct_monomials(int rank) {
  return (rank + 1) * (rank + 2) / 2;
}

// [monomial][row of H].
template <class T>
std::vector<T> plain_coefficients(const QuarticEnergy& energy) {
  const std::int64_t rows = h_row_count(energy.rank), monomials = distinct_monomials(energy.rank);
  const std::vector<T> packed = packed_coefficients<T>(energy);
  std::vector<T> plain(static_cast<std::size_t>(rows * monomials));
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t n = 0; n < monomials; ++n) {
      const std::int64_t block = row / block_rows<T> * monomial_count<T>(energy.rank);
      plain[static_cast<std::size_t>(n * rows + row)] =
          packed[static_cast<std::size_t>((block + n) * block_rows<T> + row % block_rows<T>)];
    }
  return plain;
}

}  // namespace

template <class T>
CublasEvaluator<T>::CublasEvaluator(std::span<const std::shared_ptr<const ForceModel>> models,
                                    std::span<const Tile> tiles, std::span<const StepShape> chunks, cudaStream_t stream)
    : library_(std::make_unique<Cublas>("Evaluation::cublas", "Evaluation::strict")),
      workspace_(static_cast<std::int64_t>(library_bytes), stream) {
  for (const std::shared_ptr<const ForceModel>& model : models) {
    ranks_.push_back(model->energy.rank);
    coefficients_.emplace_back();
    if (model->has_strain_form()) continue;
    const std::vector<T> plain = plain_coefficients<T>(model->energy);
    coefficients_.back() = DeviceArray<T>(std::span<const T>(plain), stream);
  }
  std::int64_t most_rows = 0;
  for (const StepShape& chunk : chunks) {
    for (int t = 0; t < chunk.tiles; ++t) {
      const int index = chunk.first_tile + t;
      const Tile& tile = tiles[static_cast<std::size_t>(index)];
      const auto model = static_cast<std::size_t>(tile.model);
      if (t == 0 || runs_.back().model != model) runs_.push_back({model, t, index, 0, tile.h_row});
      Run& run = runs_.back();
      ++run.tiles;
      most_rows = std::max(most_rows, std::int64_t{run.tiles} * distinct_monomials(ranks_[model]));
    }
  }
  monomials_ = DeviceArray<T>(most_rows * tile_bodies, stream);
}

template <class T>
CublasEvaluator<T>::~CublasEvaluator() = default;

template <class T>
void CublasEvaluator<T>::set_energy(std::size_t model, const QuarticEnergy& energy, cudaStream_t stream) {
  const std::vector<T> plain = plain_coefficients<T>(energy);
  coefficients_[model].copy_from(plain, stream);
}

template <class T>
void CublasEvaluator<T>::evaluate(const BatchView<T>& batch, const StepShape& shape, cudaStream_t stream) const {
  library_->use(stream, workspace_);
  for (const Run& run : runs_) {
    if (run.first_tile < shape.first_tile || run.first_tile >= shape.first_tile + shape.tiles) continue;
    multiply_run(batch, run, batch.points, batch.h, stream);
    if (batch.second_points != nullptr) multiply_run(batch, run, batch.second_points, batch.second_h, stream);
  }
}

template <class T>
void CublasEvaluator<T>::multiply_run(const BatchView<T>& batch, const Run& run, const T* points, T* h,
                                      cudaStream_t stream) const {
  const int rank = ranks_[run.model];
  make_monomials(batch, run.chunk_tile, run.tiles, distinct_monomials(rank), points, monomials_.data(), stream);
  const int n = distinct_monomials(rank), rows = h_row_count(rank);
  // h = monomials coefficients^T for each tile: (128, rows) = (128, n) (rows, n)^T, column by column.
  library_->multiply_batched(tile_bodies, rows, n,
                             {.a = {monomials_.data(), tile_bodies},
                              .b = {coefficients_[run.model].data(), rows},
                              .c = {h + run.h_row * tile_bodies, tile_bodies},
                              .stride_a = static_cast<long long>(n) * tile_bodies,
                              .stride_b = 0,
                              .stride_c = static_cast<long long>(rows) * tile_bodies},
                             run.tiles);
  count_launch();  // the library's own
}

template class CublasEvaluator<float>;
template class CublasEvaluator<double>;

}  // namespace quartic::cuda
