#include "library_pipeline.hpp"

#include <span>
#include <string>
#include <vector>

#include "core/batch/time_stepping.hpp"
#include "core/energy/quartic_polynomial.hpp"
#include "quartic/error.hpp"

namespace quartic::measure {
namespace {

// What cuBLAS's documentation recommends for Hopper. With it a capture of its calls has nothing to allocate.
constexpr std::int64_t workspace_bytes = 32 << 20;

void check(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw DeviceError(std::string("cuBLAS couldn't ") + call + ": status " + std::to_string(status));
}
void check(cusolverStatus_t status, const char* call) {
  if (status != CUSOLVER_STATUS_SUCCESS)
    throw DeviceError(std::string("cuSOLVER couldn't ") + call + ": status " + std::to_string(status));
}

// So that the libraries may read four values at once, whatever the rank.
int padded(int count) {
  return (count + 3) / 4 * 4;
}

std::vector<IndexPair> all_pairs(int rank) {
  std::vector<IndexPair> pairs;
  for (int c = 0; c <= rank; ++c)
    for (int d = c; d <= rank; ++d) pairs.push_back({static_cast<std::uint16_t>(c), static_cast<std::uint16_t>(d)});
  return pairs;
}

template <class T>
std::vector<T> padded_coefficients(const QuarticEnergy& energy, int stride) {
  const Matrix exact = coefficient_matrix(energy);
  std::vector<T> values(static_cast<std::size_t>(exact.cols * stride));
  for (std::int64_t row = 0; row < exact.cols; ++row)
    for (std::int64_t n = 0; n < exact.rows; ++n)
      values[static_cast<std::size_t>(row * stride + n)] = rounded_coefficient<T>(exact(n, row));
  return values;
}

// The libraries' functions in a precision.
template <class T>
struct Calls;
template <>
struct Calls<float> {
  static constexpr auto gemm = &LibraryFunctions::gemm_float;
  static constexpr auto factorize = &LibraryFunctions::factorize_float;
  static constexpr auto solve = &LibraryFunctions::solve_float;
};
template <>
struct Calls<double> {
  static constexpr auto gemm = &LibraryFunctions::gemm_double;
  static constexpr auto factorize = &LibraryFunctions::factorize_double;
  static constexpr auto solve = &LibraryFunctions::solve_double;
};

}  // namespace

template <class T>
LibraryPipeline<T>::LibraryPipeline(const QuarticEnergy& energy, std::int64_t bodies, cudaStream_t stream)
    : workspace_(workspace_bytes, stream) {
  const int rank = energy.rank, entries = rank * (rank + 1) / 2, monomials = (rank + 1) * (rank + 2) / 2;
  if (pipeline_shared_bytes<T>(rank) > most_shared_bytes)
    throw InputError("LibraryPipeline keeps K of a body in 48 kB of shared memory, too little for rank " +
                     std::to_string(rank));
  const LibraryFunctions& functions = library_functions();
  cublasHandle_t cublas = nullptr;
  check(functions.create_cublas(&cublas), "start");
  cublas_.reset(cublas);
  cusolverDnHandle_t cusolver = nullptr;
  check(functions.create_cusolver(&cusolver), "start");
  cusolver_.reset(cusolver);

  const int h_stride = padded(entries + rank), monomial_stride = padded(monomials);
  const std::vector<IndexPair> pairs = all_pairs(rank);
  pairs_ = cuda::DeviceArray<IndexPair>(std::span<const IndexPair>(pairs), stream);
  const std::vector<T> coefficients = padded_coefficients<T>(energy, monomial_stride);
  coefficients_ = cuda::DeviceArray<T>(std::span<const T>(coefficients), stream);
  const auto make = [&](cuda::DeviceArray<T>& array, std::int64_t values_of_body) {
    array = cuda::DeviceArray<T>(bodies * values_of_body, stream);
    return array.data();
  };
  T* const states = make(states_, std::int64_t{4} * rank);
  states_.fill_zero(stream);
  view_ = {.rank = rank,
           .bodies = bodies,
           .entries = entries,
           .monomials = monomials,
           .h_stride = h_stride,
           .monomial_stride = monomial_stride,
           .pairs = pairs_.data(),
           .q = states,
           .velocity = states + bodies * rank,
           .acceleration = states + 2 * bodies * rank,
           .force = states + 3 * bodies * rank,
           .products = make(products_, monomial_stride),
           .h = make(h_, h_stride),
           .matrices = make(matrices_, std::int64_t{rank} * rank),
           .solutions = make(solutions_, rank)};
  infos_ = cuda::DeviceArray<int>(bodies + 1, stream);
  make_addresses(stream);
}

template <class T>
void LibraryPipeline<T>::make_addresses(cudaStream_t stream) {
  std::vector<T*> matrices, solutions;
  for (std::int64_t body = 0; body < view_.bodies; ++body) {
    matrices.push_back(view_.matrices + body * view_.rank * view_.rank);
    solutions.push_back(view_.solutions + body * view_.rank);
  }
  matrix_addresses_ = cuda::DeviceArray<T*>(std::span<T* const>(matrices), stream);
  solution_addresses_ = cuda::DeviceArray<T*>(std::span<T* const>(solutions), stream);
}

template <class T>
StateView<T> LibraryPipeline<T>::state(int array) {
  return {states_.data() + array * view_.bodies * view_.rank, view_.rank, view_.bodies, 1, view_.rank};
}

template <class T>
void LibraryPipeline<T>::step(double dt, cudaStream_t stream) {
  const StepSettings<T> settings = step_settings<T>({}, dt);
  const int rank = view_.rank, bodies = static_cast<int>(view_.bodies);
  const LibraryFunctions& functions = library_functions();
  // In this order: a new stream forgets the workspace.
  check(functions.set_cublas_stream(cublas_.get(), stream), "use a stream");
  check(functions.set_cublas_workspace(cublas_.get(), workspace_.data(), workspace_.bytes()), "use a workspace");
  check(functions.set_cusolver_stream(cusolver_.get(), stream), "use a stream");

  make_products(view_, stream);
  const T one = 1, zero = 0;
  check((functions.*Calls<T>::gemm)(cublas_.get(), CUBLAS_OP_T, CUBLAS_OP_N, view_.entries + rank, bodies,
                                    view_.monomials, &one, coefficients_.data(), view_.monomial_stride, view_.products,
                                    view_.monomial_stride, &zero, view_.h, view_.h_stride),
        "multiply");
  make_systems(view_, settings, stream);
  check((functions.*Calls<T>::factorize)(cusolver_.get(), CUBLAS_FILL_MODE_LOWER, rank, matrix_addresses_.data(), rank,
                                         infos_.data(), bodies),
        "factorise");
  check((functions.*Calls<T>::solve)(cusolver_.get(), CUBLAS_FILL_MODE_LOWER, rank, 1, matrix_addresses_.data(), rank,
                                     solution_addresses_.data(), rank, infos_.data() + bodies, bodies),
        "solve");
  move_on(view_, settings, stream);
}

template class LibraryPipeline<float>;
template class LibraryPipeline<double>;

}  // namespace quartic::measure
