// Sparse Cholesky by cuSOLVER's low-level functions, which the CUDA toolkit brings. Right-hand sides go one by one.
#define DISABLE_CUSOLVER_DEPRECATED  // in favour of cuDSS, which isn't in the toolkit
#include <cusolverSp.h>
#include <cusolverSp_LOWLEVEL_PREVIEW.h>
#include <cusparse.h>
#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "cuda/algebra/block_algebra.hpp"
#include "cuda/base/devices.hpp"
#include "cuda/factorization/device_factor.hpp"
#include "cuda/factorization/fill_reducing_order.hpp"
#include "quartic/error.hpp"

namespace quartic::cuda {
namespace {

constexpr const char* solver_name = "libcusolver.so.12";
constexpr const char* sparse_name = "libcusparse.so.12";

// Columns that are brought into the factor's order together.
constexpr std::int64_t cusolver_columns_at_once = 64;

void check(cusolverStatus_t status, const char* call) {
  if (status == CUSOLVER_STATUS_SUCCESS) return;
  throw DeviceError(std::string("cuSOLVER couldn't ") + call + ": status " + std::to_string(status) +
                    (status == CUSOLVER_STATUS_ALLOC_FAILED ? ", there isn't enough device memory" : ""));
}

// The functions that we call, found at run time.
struct Functions {
  Functions() {
    void* sparse = open(sparse_name);
    void* solver = open(solver_name);
    find(sparse, create_description, "cusparseCreateMatDescr");
    find(sparse, destroy_description, "cusparseDestroyMatDescr");
    find(solver, create, "cusolverSpCreate");
    find(solver, destroy, "cusolverSpDestroy");
    find(solver, set_stream, "cusolverSpSetStream");
    find(solver, order, "cusolverSpXcsrmetisndHost");
    find(solver, create_info, "cusolverSpCreateCsrcholInfo");
    find(solver, destroy_info, "cusolverSpDestroyCsrcholInfo");
    find(solver, analyse, "cusolverSpXcsrcholAnalysis");
    find(solver, buffer_info, "cusolverSpDcsrcholBufferInfo");
    find(solver, factorize, "cusolverSpDcsrcholFactor");
    find(solver, zero_pivot, "cusolverSpDcsrcholZeroPivot");
    find(solver, diagonal, "cusolverSpDcsrcholDiag");
    find(solver, solve, "cusolverSpDcsrcholSolve");
    find(solver, property, "cusolverGetProperty");
  }

  static void* open(const char* name) {
    void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
      throw BackendUnavailable(std::string("factorisation by cuSOLVER needs ") + name +
                               ", which can't be opened; install the CUDA toolkit's libraries, or use another method");
    return library;
  }
  template <class Function>
  static void find(void* library, Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (function == nullptr)
      throw BackendUnavailable(std::string("factorisation by cuSOLVER needs the function ") + name +
                               ", which the installed library lacks; use another method");
  }

  decltype(&cusparseCreateMatDescr) create_description = nullptr;
  decltype(&cusparseDestroyMatDescr) destroy_description = nullptr;
  decltype(&cusolverSpCreate) create = nullptr;
  decltype(&cusolverSpDestroy) destroy = nullptr;
  decltype(&cusolverSpSetStream) set_stream = nullptr;
  decltype(&cusolverSpXcsrmetisndHost) order = nullptr;
  decltype(&cusolverSpCreateCsrcholInfo) create_info = nullptr;
  decltype(&cusolverSpDestroyCsrcholInfo) destroy_info = nullptr;
  decltype(&cusolverSpXcsrcholAnalysis) analyse = nullptr;
  decltype(&cusolverSpDcsrcholBufferInfo) buffer_info = nullptr;
  decltype(&cusolverSpDcsrcholFactor) factorize = nullptr;
  decltype(&cusolverSpDcsrcholZeroPivot) zero_pivot = nullptr;
  decltype(&cusolverSpDcsrcholDiag) diagonal = nullptr;
  decltype(&cusolverSpDcsrcholSolve) solve = nullptr;
  decltype(&cusolverGetProperty) property = nullptr;
};

// The library with what it needs for one factor: handle, description of the matrix, the factor itself.
struct Library : Functions {
  explicit Library(cudaStream_t stream) : Library() {
    check(create(&handle), "start");
    check(set_stream(handle, stream), "use a stream");
    if (create_description(&description) != CUSPARSE_STATUS_SUCCESS)
      throw DeviceError("cuSPARSE couldn't describe a matrix");  // general, 0-based: its defaults
    check(create_info(&info), "start a factorisation");
  }
  ~Library() {
    if (info != nullptr) destroy_info(info);
    if (description != nullptr) destroy_description(description);
    if (handle != nullptr) destroy(handle);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  [[nodiscard]] std::string name() const {
    int major = 0, minor = 0;
    check(property(MAJOR_VERSION, &major), "get its version");
    check(property(MINOR_VERSION, &minor), "get its version");
    return "cuSOLVER csrchol " + std::to_string(major) + '.' + std::to_string(minor);
  }

  cusolverSpHandle_t handle = nullptr;
  cusparseMatDescr_t description = nullptr;
  csrcholInfo_t info = nullptr;

 private:
  Library() = default;  // so that the destructor runs if the public constructor throws half-way
};

// Nested dissection, of vertices: three rows stay together, and the graph is a ninth of the matrix' in size.
std::vector<std::int32_t> nested_dissection(const Library& library, const CouplingGraph& graph) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(graph.vertex_count()));
  check(library.order(library.handle, graph.vertex_count(), static_cast<int>(graph.columns.size()), library.description,
                      graph.row_offsets.data(), graph.columns.data(), nullptr, order.data()),
        "order a matrix");
  return order;
}

class CusolverFactor final : public DeviceFactor {
 public:
  CusolverFactor(const SparseMatrix& matrix, bool updatable, cudaStream_t stream)
      : stream_(stream), library_(stream), name_(library_.name()), rows_(static_cast<int>(matrix.rows)) {
    const CouplingGraph graph = coupling_graph(matrix);
    const std::vector<std::int32_t> order = row_order(graph, find_order(graph));
    reordered_ = std::make_unique<ReorderedMatrix>(matrix, order);
    row_offsets_ = DeviceArray<std::int32_t>(std::span<const std::int32_t>(reordered_->row_offsets), stream);
    columns_ = DeviceArray<std::int32_t>(std::span<const std::int32_t>(reordered_->columns), stream);
    values_ = DeviceArray<double>(matrix.nonzeros(), stream);
    analyse();
    update(matrix);
    if (!updatable) reordered_.reset();
  }

  // Of blocks on the device: the host orders vertices, and the blocks are written in that order.
  CusolverFactor(const SystemMatrix& matrix, cudaStream_t stream)
      : stream_(stream), library_(stream), name_(library_.name()), rows_(static_cast<int>(matrix.rows())) {
    const std::int64_t entries = expanded_entries(matrix);
    const CouplingGraph graph{.rows_per_vertex = 3,
                              .row_offsets = {matrix.row_offsets.begin(), matrix.row_offsets.end()},
                              .columns = {matrix.columns.begin(), matrix.columns.end()}};
    const std::vector<std::int32_t> vertices = find_order(graph);
    const ReorderedMatrix reordered(matrix.row_offsets, matrix.columns, vertices);
    const auto copy = [&](const std::vector<std::int32_t>& values) {
      return DeviceArray<std::int32_t>(std::span<const std::int32_t>(values), stream);
    };
    const DeviceArray<std::int32_t> block_offsets = copy(reordered.row_offsets),
                                    block_columns = copy(reordered.columns), sources = copy(reordered.source),
                                    rows = copy(vertices);
    row_offsets_ = DeviceArray<std::int32_t>(rows_ + std::int64_t{1}, stream);
    columns_ = DeviceArray<std::int32_t>(entries, stream);
    values_ = DeviceArray<double>(entries, stream);
    expand_all({matrix.stiffness.block_rows, block_offsets.data(), block_columns.data(), sources.data(), rows.data()},
               matrix.blocks, {row_offsets_.data(), columns_.data(), values_.data()}, stream);
    analyse();
    factorize();
  }

  void update(const SparseMatrix& matrix) override {
    values_.copy_from(reordered_->values(matrix), stream_);
    factorize();
  }

  void solve(DeviceMatrix& b) override {
    for (std::int64_t first = 0; first < b.cols(); first += cusolver_columns_at_once)
      solve_columns(b, first, std::min(cusolver_columns_at_once, b.cols() - first));
  }

  [[nodiscard]] bool solves_together() const override { return false; }
  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] std::int64_t factor_nonzeros() const override { return factor_nonzeros_; }

 private:
  // Of vertices; keeps the order of their rows.
  std::vector<std::int32_t> find_order(const CouplingGraph& graph) {
    std::vector<std::int32_t> vertices = nested_dissection(library_, graph);
    factor_nonzeros_ = factor_entries(graph, vertices);
    order_ = DeviceArray<std::int32_t>(std::span<const std::int32_t>(row_order(graph, vertices)), stream_);
    return vertices;
  }

  void analyse() {
    check(library_.analyse(library_.handle, rows_, static_cast<int>(values_.size()), library_.description,
                           row_offsets_.data(), columns_.data(), library_.info),
          "analyse a matrix");
  }

  void factorize() {
    if (workspace_.size() == 0) make_workspace();
    check(library_.factorize(library_.handle, rows_, static_cast<int>(values_.size()), library_.description,
                             values_.data(), row_offsets_.data(), columns_.data(), library_.info, workspace_.data()),
          "factorise");
    require_positive_pivots();
  }

  void make_workspace() {
    std::size_t factor_bytes = 0, workspace_bytes = 0;
    check(library_.buffer_info(library_.handle, rows_, static_cast<int>(values_.size()), library_.description,
                               values_.data(), row_offsets_.data(), columns_.data(), library_.info, &factor_bytes,
                               &workspace_bytes),
          "get its memory requirement");
    require_device_memory(factor_bytes + workspace_bytes, "the factor of the matrix");
    workspace_ = DeviceArray<unsigned char>(static_cast<std::int64_t>(workspace_bytes), stream_);
  }

  void require_positive_pivots() const {
    int position = -1;
    check(library_.zero_pivot(library_.handle, library_.info, 0, &position), "look for zero pivots");
    bool positive = position < 0;
    if (positive) {
      const DeviceMatrix diagonal(rows_, 1, stream_);
      check(library_.diagonal(library_.handle, library_.info, diagonal.data()), "get the factor's diagonal");
      std::vector<double> pivots(static_cast<std::size_t>(rows_));
      diagonal.copy_to(pivots, stream_);
      positive = std::all_of(pivots.begin(), pivots.end(), [](double x) { return x > 0 && std::isfinite(x); });
    }
    if (!positive)
      throw NotPositiveDefinite(
          "the matrix isn't positive definite: the Cholesky factorisation met a pivot that isn't positive; is the body "
          "held, or its shift positive?");
  }

  void solve_columns(DeviceMatrix& b, std::int64_t first, std::int64_t count) const {
    DeviceMatrix ordered(rows_, count, stream_), solutions(rows_, count, stream_);
    gather_rows({b.col(first), rows_, count}, order_.data(), ordered.data(), stream_);
    for (std::int64_t j = 0; j < count; ++j)
      check(library_.solve(library_.handle, rows_, ordered.col(j), solutions.col(j), library_.info, workspace_.data()),
            "solve");
    scatter_rows({solutions.data(), rows_, count}, order_.data(), b.col(first), stream_);
  }

  cudaStream_t stream_;
  Library library_;
  std::string name_;
  int rows_;
  std::int64_t factor_nonzeros_ = 0;
  DeviceArray<std::int32_t> order_, row_offsets_, columns_;
  DeviceArray<double> values_;
  DeviceArray<unsigned char> workspace_;
  std::unique_ptr<ReorderedMatrix> reordered_;  // none after construction unless updatable
};

}  // namespace

std::unique_ptr<DeviceFactor> factorize_cusolver(const SparseMatrix& matrix, bool updatable, cudaStream_t stream) {
  return std::make_unique<CusolverFactor>(matrix, updatable, stream);
}

std::unique_ptr<DeviceFactor> factorize_cusolver(const SystemMatrix& matrix, cudaStream_t stream) {
  return std::make_unique<CusolverFactor>(matrix, stream);
}

}  // namespace quartic::cuda
