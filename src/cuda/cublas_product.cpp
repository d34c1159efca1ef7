#include "cuda/cublas_product.hpp"

#include <cublas_v2.h>
#include <dlfcn.h>

#include <algorithm>
#include <string>
#include <type_traits>

#include "core/quartic_polynomial.hpp"
#include "cuda/model_image.hpp"
#include "cuda/monomials.hpp"
#include "quartic/error.hpp"

namespace quartic::cuda {
namespace {

constexpr const char* library_name = "libcublas.so.13";

void check(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw DeviceError(std::string("cuBLAS couldn't ") + call + ": status " + std::to_string(status));
}

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

// The functions that we call, found at run time: who doesn't ask for cuBLAS needn't have it.
class Cublas {
 public:
  Cublas() {
    void* library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
      throw BackendUnavailable(std::string("Evaluation::cublas needs ") + library_name +
                               ", which can't be opened; install cuBLAS, or use Evaluation::strict");
    const auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      if (function == nullptr) throw BackendUnavailable(std::string(library_name) + " has no " + name);
    };
    find(create_, "cublasCreate_v2");
    find(destroy_, "cublasDestroy_v2");
    find(set_stream_, "cublasSetStream_v2");
    find(set_workspace_, "cublasSetWorkspace_v2");
    find(float_gemm_, "cublasSgemmStridedBatched");
    find(double_gemm_, "cublasDgemmStridedBatched");
    check(create_(&handle_), "start");
  }
  ~Cublas() { destroy_(handle_); }
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;

  // In this order: a new stream forgets the workspace.
  void use(cudaStream_t stream, const DeviceArray<unsigned char>& workspace) {
    check(set_stream_(handle_, stream), "use a stream");
    check(set_workspace_(handle_, workspace.data(), workspace.bytes()), "use a workspace");
  }

  /// h = monomials coefficients^T for each tile: (128, rows) = (128, n) (rows, n)^T, column by column.
  template <class T>
  void multiply(int rows, int n, const T* monomials, const T* coefficients, T* h, int tiles) {
    const T one = 1, zero = 0;
    const auto gemm = [&] {
      if constexpr (std::is_same_v<T, float>)
        return float_gemm_;
      else
        return double_gemm_;
    }();
    check(gemm(handle_, CUBLAS_OP_N, CUBLAS_OP_T, tile_bodies, rows, n, &one, monomials, tile_bodies,
               static_cast<long long>(n) * tile_bodies, coefficients, rows, 0, &zero, h, tile_bodies,
               static_cast<long long>(rows) * tile_bodies, tiles),
          "multiply");
  }

 private:
  decltype(&cublasCreate_v2) create_ = nullptr;
  decltype(&cublasDestroy_v2) destroy_ = nullptr;
  decltype(&cublasSetStream_v2) set_stream_ = nullptr;
  decltype(&cublasSetWorkspace_v2) set_workspace_ = nullptr;
  decltype(&cublasSgemmStridedBatched) float_gemm_ = nullptr;
  decltype(&cublasDgemmStridedBatched) double_gemm_ = nullptr;
  cublasHandle_t handle_ = nullptr;
};

template <class T>
CublasProduct<T>::CublasProduct(std::span<const QuarticEnergy> energies, const TilePlan& plan, cudaStream_t stream)
    : library_(std::make_unique<Cublas>()), workspace_(static_cast<std::int64_t>(library_bytes), stream) {
  for (const QuarticEnergy& energy : energies) {
    ranks_.push_back(energy.rank);
    const std::vector<T> plain = plain_coefficients<T>(energy);
    coefficients_.push_back(DeviceArray<T>(std::span<const T>(plain), stream));
  }
  std::int64_t most_rows = 0;
  for (const Chunk& chunk : plan.chunks) {
    for (int t = 0; t < chunk.shape.tiles; ++t) {
      const int index = chunk.shape.first_tile + t;
      const Tile& tile = plan.tiles[static_cast<std::size_t>(index)];
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
CublasProduct<T>::~CublasProduct() = default;

template <class T>
void CublasProduct<T>::set_energy(std::size_t model, const QuarticEnergy& energy, cudaStream_t stream) {
  const std::vector<T> plain = plain_coefficients<T>(energy);
  coefficients_[model].copy_from(plain, stream);
}

template <class T>
void CublasProduct<T>::multiply(const BatchView<T>& batch, const StepShape& shape, cudaStream_t stream) const {
  library_->use(stream, workspace_);
  for (const Run& run : runs_) {
    if (run.first_tile < shape.first_tile || run.first_tile >= shape.first_tile + shape.tiles) continue;
    multiply_run(batch, run, batch.points, batch.h, stream);
    if (batch.second_points != nullptr) multiply_run(batch, run, batch.second_points, batch.second_h, stream);
  }
}

template <class T>
void CublasProduct<T>::multiply_run(const BatchView<T>& batch, const Run& run, const T* points, T* h,
                                    cudaStream_t stream) const {
  const int rank = ranks_[run.model];
  make_monomials(batch, run.chunk_tile, run.tiles, distinct_monomials(rank), points, monomials_.data(), stream);
  library_->multiply(h_row_count(rank), distinct_monomials(rank), monomials_.data(), coefficients_[run.model].data(),
                     h + run.h_row * tile_bodies, run.tiles);
}

template class CublasProduct<float>;
template class CublasProduct<double>;

}  // namespace quartic::cuda
