// Sparse Cholesky by cuDSS, NVIDIA's library for direct solvers: multifrontal, blocked right-hand sides.
#include <cudss.h>
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "cuda/base/devices.hpp"
#include "cuda/factorization/device_factor.hpp"
#include "quartic/error.hpp"

namespace quartic::cuda {
namespace {

#define QUARTIC_TEXT_OF(x) #x
#define QUARTIC_TEXT(x) QUARTIC_TEXT_OF(x)
constexpr const char* library_name = "libcudss.so." QUARTIC_TEXT(CUDSS_VERSION_MAJOR);
#undef QUARTIC_TEXT
#undef QUARTIC_TEXT_OF

void check(cudssStatus_t status, const char* call) {
  if (status == CUDSS_STATUS_SUCCESS) return;
  throw DeviceError(std::string("cuDSS couldn't ") + call + ": status " + std::to_string(status) +
                    (status == CUDSS_STATUS_ALLOC_FAILED ? ", there isn't enough device memory" : ""));
}

// The functions that we call, found at run time.
struct Functions {
  Functions() {
    void* library = open();
    find(library, get_property, "cudssGetProperty");
    find(library, create, "cudssCreate");
    find(library, destroy, "cudssDestroy");
    find(library, set_stream, "cudssSetStream");
    find(library, create_config, "cudssConfigCreate");
    find(library, destroy_config, "cudssConfigDestroy");
    find(library, set_config, "cudssConfigSet");
    find(library, create_data, "cudssDataCreate");
    find(library, destroy_data, "cudssDataDestroy");
    find(library, get_data, "cudssDataGet");
    find(library, set_data, "cudssDataSet");
    find(library, create_sparse, "cudssMatrixCreateCsr");
    find(library, create_dense, "cudssMatrixCreateDn");
    find(library, destroy_matrix, "cudssMatrixDestroy");
    find(library, execute, "cudssExecute");
    require_version();
  }

  [[nodiscard]] int property(libraryPropertyType type) const {
    int value = 0;
    check(get_property(type, &value), "get its version");
    return value;
  }

  decltype(&cudssGetProperty) get_property = nullptr;
  decltype(&cudssCreate) create = nullptr;
  decltype(&cudssDestroy) destroy = nullptr;
  decltype(&cudssSetStream) set_stream = nullptr;
  decltype(&cudssConfigCreate) create_config = nullptr;
  decltype(&cudssConfigDestroy) destroy_config = nullptr;
  decltype(&cudssConfigSet) set_config = nullptr;
  decltype(&cudssDataCreate) create_data = nullptr;
  decltype(&cudssDataDestroy) destroy_data = nullptr;
  decltype(&cudssDataGet) get_data = nullptr;
  decltype(&cudssDataSet) set_data = nullptr;
  decltype(&cudssMatrixCreateCsr) create_sparse = nullptr;
  decltype(&cudssMatrixCreateDn) create_dense = nullptr;
  decltype(&cudssMatrixDestroy) destroy_matrix = nullptr;
  decltype(&cudssExecute) execute = nullptr;

 private:
  // Where the system looks, then where it was when quartic was built: pip installs it beside the headers.
  static void* open() {
    void* library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
    const std::string when_built = QUARTIC_CUDSS_LIBRARY_DIR;  // empty if only the headers were there
    if (library == nullptr && !when_built.empty())
      library = dlopen((when_built + '/' + library_name).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) return library;
    const char* error = dlerror();
    throw BackendUnavailable(std::string("factorisation by cuDSS needs ") + library_name + ", which can't be opened (" +
                             (error != nullptr ? error : "unknown error") + "); put it on the search path of shared " +
                             "libraries, or use another method");
  }
  template <class Function>
  static void find(void* library, Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (function == nullptr) throw BackendUnavailable(std::string(library_name) + " has no " + name);
  }
  // Up to version 1, minor versions changed arguments and values of constants.
  void require_version() const {
    const int major = property(MAJOR_VERSION), minor = property(MINOR_VERSION);
    if (major == CUDSS_VERSION_MAJOR && (major > 0 ? minor >= CUDSS_VERSION_MINOR : minor == CUDSS_VERSION_MINOR))
      return;
    throw BackendUnavailable("quartic was built with cuDSS " + std::to_string(CUDSS_VERSION_MAJOR) + '.' +
                             std::to_string(CUDSS_VERSION_MINOR) + ", but " + library_name + " is version " +
                             std::to_string(major) + '.' + std::to_string(minor) + "; build again");
  }
};

// The library with what it needs for one factor.
struct Library : Functions {
  explicit Library(cudaStream_t stream) : Library() {
    if (const cudssStatus_t status = create(&handle); status != CUDSS_STATUS_SUCCESS)
      throw BackendUnavailable("cuDSS can't be used on this machine: it doesn't start (status " +
                               std::to_string(status) + "); use another method of factorisation");
    check(set_stream(handle, stream), "use a stream");
    check(create_config(&config), "make a configuration");
#if CUDSS_VERSION >= 700
    const int deterministic = 1;  // the same matrix gives the same bits
    check(set_config(config, CUDSS_CONFIG_DETERMINISTIC_MODE, &deterministic, sizeof(deterministic)), "be configured");
#endif
    check(create_data(handle, &data), "start a factorisation");
  }
  ~Library() {
    if (data != nullptr) destroy_data(handle, data);
    if (config != nullptr) destroy_config(config);
    if (handle != nullptr) destroy(handle);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  [[nodiscard]] std::string name() const {
    return "cuDSS " + std::to_string(property(MAJOR_VERSION)) + '.' + std::to_string(property(MINOR_VERSION)) + '.' +
           std::to_string(property(PATCH_LEVEL));
  }

  cudssHandle_t handle = nullptr;
  cudssConfig_t config = nullptr;
  cudssData_t data = nullptr;

 private:
  Library() = default;  // so that the destructor runs if the public constructor throws half-way
};

// The library's description of an array of ours.
class MatrixHandle {
 public:
  MatrixHandle(const Functions& functions, DeviceMatrix& dense) : functions_(functions) {
    check(functions.create_dense(&matrix_, dense.rows(), dense.cols(), dense.rows(), dense.data(), CUDA_R_64F,
                                 CUDSS_LAYOUT_COL_MAJOR),
          "describe a block of columns");
  }
  /// The upper triangle.
  MatrixHandle(const Functions& functions, const DeviceArray<std::int32_t>& row_offsets,
               const DeviceArray<std::int32_t>& columns, const DeviceArray<double>& values)
      : functions_(functions) {
    const std::int64_t rows = row_offsets.size() - 1;
    check(functions.create_sparse(&matrix_, rows, rows, values.size(), row_offsets.data(), nullptr, columns.data(),
                                  values.data(),
#if CUDSS_VERSION >= 800
                                  CUDA_R_32I,  // of the offsets; before, they had the columns' type
#endif
                                  CUDA_R_32I, CUDA_R_64F, CUDSS_MTYPE_SPD, CUDSS_MVIEW_UPPER, CUDSS_BASE_ZERO),
          "describe a sparse matrix");
  }
  ~MatrixHandle() {
    functions_.destroy_matrix(matrix_);
  }
  MatrixHandle(const MatrixHandle&) = delete;
  MatrixHandle& operator=(const MatrixHandle&) = delete;
  [[nodiscard]] cudssMatrix_t get() const {
    return matrix_;
  }

 private:
  const Functions& functions_;
  cudssMatrix_t matrix_ = nullptr;
};

/// visit(row, column, value) for the entries with column >= row.
template <class Visit>
void for_each_upper_entry(const SparseMatrix& matrix, const Visit& visit) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(matrix.rows); ++i)
    for (auto n = static_cast<std::size_t>(matrix.row_offsets[i]);
         n < static_cast<std::size_t>(matrix.row_offsets[i + 1]); ++n)
      if (matrix.columns[n] >= static_cast<std::int32_t>(i)) visit(i, matrix.columns[n], matrix.values[n]);
}

class CudssFactor final : public DeviceFactor {
 public:
  CudssFactor(const SparseMatrix& matrix, cudaStream_t stream)
      : stream_(stream), library_(stream), name_(library_.name()), nothing_(matrix.rows, 1, stream) {
    std::vector<std::int32_t> row_offsets(static_cast<std::size_t>(matrix.rows) + 1), columns;
    for_each_upper_entry(matrix, [&](std::size_t row, std::int32_t column, double) {
      columns.push_back(column);
      ++row_offsets[row + 1];
    });
    std::partial_sum(row_offsets.begin(), row_offsets.end(), row_offsets.begin());
    row_offsets_ = DeviceArray<std::int32_t>(std::span<const std::int32_t>(row_offsets), stream);
    columns_ = DeviceArray<std::int32_t>(std::span<const std::int32_t>(columns), stream);
    values_ = DeviceArray<double>(columns_.size(), stream);
    values_.fill_zero(stream);
    analyse();
    update(matrix);
  }

  // Of blocks on the device: their upper triangle is written there.
  CudssFactor(const SystemMatrix& matrix, cudaStream_t stream)
      : stream_(stream), library_(stream), name_(library_.name()), nothing_(matrix.rows(), 1, stream) {
    std::vector<std::int32_t> above = {0};  // blocks behind the diagonal in the rows before
    for (std::size_t row = 0; row + 1 < matrix.row_offsets.size(); ++row) {
      const auto last = matrix.columns.begin() + matrix.row_offsets[row + 1];
      const auto behind =
          std::upper_bound(matrix.columns.begin() + matrix.row_offsets[row], last, static_cast<std::int32_t>(row));
      above.push_back(above.back() + static_cast<std::int32_t>(last - behind));
    }
    const DeviceArray<std::int32_t> above_on_device(std::span<const std::int32_t>(above), stream);
    static_cast<void>(expanded_entries(matrix));  // twice as many as the triangle's
    const std::int64_t entries = std::int64_t{9} * above.back() + 2 * matrix.rows();
    row_offsets_ = DeviceArray<std::int32_t>(matrix.rows() + 1, stream);
    columns_ = DeviceArray<std::int32_t>(entries, stream);
    values_ = DeviceArray<double>(entries, stream);
    expand_upper(matrix.pattern(), above_on_device.data(), matrix.blocks,
                 {row_offsets_.data(), columns_.data(), values_.data()}, stream);
    analyse();
    factorize();
  }

  void update(const SparseMatrix& matrix) override {
    std::vector<double> values;
    values.reserve(static_cast<std::size_t>(values_.size()));
    for_each_upper_entry(matrix, [&](std::size_t, std::int32_t, double x) { values.push_back(x); });
    values_.copy_from(values, stream_);
    factorize();
  }

  void solve(DeviceMatrix& b) override {
    DeviceMatrix x(b.rows(), b.cols(), stream_);
    execute(CUDSS_PHASE_SOLVE, x, b, "solve");
    b = std::move(x);
  }

  [[nodiscard]] bool solves_together() const override { return true; }
  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] std::int64_t factor_nonzeros() const override { return factor_nonzeros_; }

 private:
  void analyse() {
    execute(CUDSS_PHASE_ANALYSIS, nothing_, nothing_, "analyse a matrix");
    require_memory();
  }

  void factorize() {
    forget_failure();
    execute(CUDSS_PHASE_FACTORIZATION, nothing_, nothing_, "factorise");
    const int info = get<int>(CUDSS_DATA_INFO, "check that all pivots are positive");
    if (info != 0)
      throw NotPositiveDefinite(
          "the matrix isn't positive definite: the Cholesky factorisation met a pivot that isn't positive (cuDSS' "
          "info: " +
          std::to_string(info) + "); is the body held, or its shift positive?");
    factor_nonzeros_ = get<std::int64_t>(CUDSS_DATA_LU_NNZ, "count the factor's entries");
  }

  // What an earlier factorisation found may stay otherwise. No loss where a version refuses: it is looked at
  // afterwards.
  void forget_failure() {
    const int none = 0;
    static_cast<void>(library_.set_data(library_.handle, library_.data, CUDSS_DATA_INFO, &none, sizeof(none)));
  }

  void execute(int phase, DeviceMatrix& solution, DeviceMatrix& right_hand_sides, const char* call) {
    const MatrixHandle a(library_, row_offsets_, columns_, values_);
    const MatrixHandle x(library_, solution), b(library_, right_hand_sides);
    check(library_.execute(library_.handle, phase, library_.config, library_.data, a.get(), x.get(), b.get()), call);
  }

  // Synchronises.
  template <class T>
  [[nodiscard]] T get(cudssDataParam_t parameter, const char* call) const {
    T value{};
    std::size_t written = 0;
    check(library_.get_data(library_.handle, library_.data, parameter, &value, sizeof(value), &written), call);
    return value;
  }

  // What stays, the peak, and both for the host.
  void require_memory() const {
    using Estimates = std::array<std::int64_t, 16>;
    const auto estimates = get<Estimates>(CUDSS_DATA_MEMORY_ESTIMATES, "estimate its memory");
    require_device_memory(static_cast<std::size_t>(estimates[1]), "the factor of the matrix");
  }

  cudaStream_t stream_;
  Library library_;
  std::string name_;
  DeviceArray<std::int32_t> row_offsets_, columns_;  // of the upper triangle
  DeviceArray<double> values_;
  DeviceMatrix nothing_;  // for phases without right-hand sides
  std::int64_t factor_nonzeros_ = 0;
};

}  // namespace

std::unique_ptr<DeviceFactor> factorize_cudss(const SparseMatrix& matrix, bool /*updatable*/, cudaStream_t stream) {
  return std::make_unique<CudssFactor>(matrix, stream);
}

std::unique_ptr<DeviceFactor> factorize_cudss(const SystemMatrix& matrix, cudaStream_t stream) {
  return std::make_unique<CudssFactor>(matrix, stream);
}

}  // namespace quartic::cuda
