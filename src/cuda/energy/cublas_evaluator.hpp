// H by cuBLAS: the monomials of all tiles, then a product per model. The library chooses its kernels by the number of
// bodies, so that last bits may depend on it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cuda/base/cublas.hpp"
#include "cuda/energy/evaluator.hpp"
#include "quartic/force_model.hpp"

namespace quartic::cuda {

template <class T>
class CublasEvaluator final : public Evaluator<T> {
 public:
  static constexpr std::size_t library_bytes = Cublas::workspace_bytes;

  /// Opens the library. @throws BackendUnavailable if it isn't there
  /// @param models those with a strain form are others' work
  /// @param chunks of the tiles: what `evaluate` will be asked for
  CublasEvaluator(std::span<const std::shared_ptr<const ForceModel>> models, std::span<const Tile> tiles,
                  std::span<const StepShape> chunks, cudaStream_t stream);
  ~CublasEvaluator() override;

  void evaluate(const BatchView<T>& batch, const StepShape& shape, cudaStream_t stream) const override;
  void set_energy(std::size_t model, const QuarticEnergy& energy, cudaStream_t stream) override;

 private:
  // Tiles of one model that follow each other in a chunk.
  struct Run {
    std::size_t model;
    int chunk_tile, first_tile, tiles;  // the first in the chunk, in the batch; their number
    std::int64_t h_row;
  };
  void multiply_run(const BatchView<T>& batch, const Run& run, const T* points, T* h, cudaStream_t stream) const;

  std::unique_ptr<Cublas> library_;
  std::vector<Run> runs_;
  std::vector<int> ranks_;
  std::vector<DeviceArray<T>> coefficients_;  // of each model: [monomial][row of H]; none with a strain form
  DeviceArray<T> monomials_;
  DeviceArray<unsigned char> workspace_;
};

}  // namespace quartic::cuda
