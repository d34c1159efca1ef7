// Sparse Cholesky by MUMPS: multifrontal, in core.
#include <dmumps_c.h>
#include <pthread.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/algebra/blas.hpp"
#include "core/base/memory.hpp"
#include "cpu/factorization/cpu_factors.hpp"
#include "quartic/backend.hpp"
#include "quartic/error.hpp"

namespace quartic::cpu {
namespace {

// Values of the interface: jobs, and the stand-in communicator of the sequential library.
constexpr int job_initialize = -1, job_terminate = -2, job_analyse = 1, job_factorize = 2, job_solve = 3;
constexpr int world_communicator = -987654;
// PORD gives the least work or close to it on the solids that we measured (AMD up to twice as much), and the same order
// each time. But it ends the process where it has nothing to cut, when all unknowns are coupled with all others.
constexpr int ordering_pord = 4, ordering_amd = 0;
// Right-hand sides that pass through the factor together: beyond 64 columns the time per column no longer falls.
constexpr int columns_at_once = 64;
// Columns per call, so that rows times columns stays far below what 32 bits count.
constexpr std::int64_t entries_per_call = std::int64_t{1} << 30;
// Factorisations of more floating-point operations than this, several seconds' worth, run on the BLAS's threads. In
// smaller ones products are short, and threads that wait for each other in each are a loss where the machine has other
// work.
constexpr double operations_for_threads = 2e11;
// Extra workspace in percent of the estimate, first and last value tried.
constexpr int first_extra_workspace = 20, last_extra_workspace = 1280;

// The library keeps state of its own outside its instances. A fork waits for a call of another thread to end, so that
// the child finds that state whole and the mutex free.
constinit std::mutex library_mutex;
[[maybe_unused]] const int watched =
    pthread_atfork([] { library_mutex.lock(); }, [] { library_mutex.unlock(); }, [] { library_mutex.unlock(); });

class MumpsFactorization final : public FactorizationImpl {
 public:
  MumpsFactorization(const SparseMatrix& matrix, bool updatable) {
    if (matrix.rows > std::numeric_limits<MUMPS_INT>::max())
      throw InputError("the matrix has more rows than MUMPS can count: " + std::to_string(matrix.rows));
    mumps_.par = 1;
    mumps_.sym = 1;
    mumps_.comm_fortran = world_communicator;
    run(job_initialize);
    try {
      configure();
      analyse(matrix);
      update(matrix);
      if (!updatable) forget_pattern();
    } catch (...) {
      terminate();
      throw;
    }
  }
  ~MumpsFactorization() override { terminate(); }

  void update(const SparseMatrix& matrix) override {
    std::vector<double> value;
    value.reserve(row_.size());
    for_each_lower_entry(matrix, [&](std::int32_t, std::int32_t, double x) { value.push_back(x); });
    mumps_.a = value.data();
    std::optional<blas::OneThread> one;
    // BLAS would start a thread for each of the machine's, whatever QUARTIC_THREADS says.
    const bool all = default_thread_count() >= static_cast<int>(std::thread::hardware_concurrency());
    if (mumps_.rinfog[0] < operations_for_threads || !all) one.emplace();
    run(job_factorize);
    while ((mumps_.infog[0] == -8 || mumps_.infog[0] == -9) && control(14) < last_extra_workspace) {
      control(14) *= 2;
      run(job_factorize);
    }
    mumps_.a = nullptr;
    require_positive_pivots();
    if (mumps_.infog[0] < 0) fail("factorise");
  }

  void solve(Eigen::Ref<Eigen::MatrixXd> b) override {
    const blas::OneThread one;  // products in solves are too small to gain from more
    const std::int64_t step = std::max<std::int64_t>(columns_at_once, entries_per_call / b.outerStride());
    for (Eigen::Index first = 0; first < b.cols(); first += step) {
      mumps_.rhs = b.col(first).data();
      mumps_.nrhs = static_cast<MUMPS_INT>(std::min(step, b.cols() - first));
      mumps_.lrhs = static_cast<MUMPS_INT>(b.outerStride());
      run(job_solve);
      if (mumps_.infog[0] < 0) fail("solve");
    }
  }

  [[nodiscard]] std::int64_t rows() const override { return mumps_.n; }
  [[nodiscard]] std::string_view name() const override { return "MUMPS " MUMPS_VERSION; }
  [[nodiscard]] std::int64_t factor_nonzeros() const override { return count(mumps_.infog[28]); }

 private:
  // Control parameters under the numbers of MUMPS' manual.
  MUMPS_INT& control(int number) { return mumps_.icntl[number - 1]; }

  // Large counts come as minus the number of millions.
  static std::int64_t count(MUMPS_INT info) { return info >= 0 ? info : -static_cast<std::int64_t>(info) * 1'000'000; }

  void run(int job) {
    const std::lock_guard lock(library_mutex);
    mumps_.job = job;
    dmumps_c(&mumps_);
  }

  void terminate() noexcept {
    mumps_.rhs = nullptr;
    run(job_terminate);
  }

  void configure() {
    for (const int stream : {1, 2, 3}) control(stream) = -1;  // no messages
    control(4) = 0;
    control(14) = first_extra_workspace;
    control(27) = columns_at_once;
  }

  /// visit(row, column, value) for the entries with column <= row.
  template <class Visit>
  static void for_each_lower_entry(const SparseMatrix& matrix, const Visit& visit) {
    for (std::int32_t i = 0; i < matrix.rows; ++i)
      for (auto k = matrix.row_offsets[static_cast<std::size_t>(i)];
           k < matrix.row_offsets[static_cast<std::size_t>(i) + 1]; ++k) {
        const std::int32_t j = matrix.columns[static_cast<std::size_t>(k)];
        if (j > i) break;
        visit(i, j, matrix.values[static_cast<std::size_t>(k)]);
      }
  }

  void analyse(const SparseMatrix& matrix) {
    const auto entries = static_cast<std::size_t>((matrix.nonzeros() + matrix.rows) / 2);
    row_.reserve(entries);
    column_.reserve(entries);
    std::int64_t couplings = 0;  // entries off the diagonal
    for_each_lower_entry(matrix, [&](std::int32_t i, std::int32_t j, double) {
      row_.push_back(i + 1);
      column_.push_back(j + 1);
      couplings += j < i;
    });
    control(7) = couplings == matrix.rows * (matrix.rows - 1) / 2 ? ordering_amd : ordering_pord;
    mumps_.n = static_cast<MUMPS_INT>(matrix.rows);
    mumps_.nnz = static_cast<MUMPS_INT8>(row_.size());
    mumps_.irn = row_.data();
    mumps_.jcn = column_.data();
    run(job_analyse);
    if (mumps_.infog[0] < 0) fail("analyse");
    require_memory(1e6 * mumps_.infog[16],
                   "the factor of a matrix of " + std::to_string(matrix.rows) + " rows and its workspace",
                   "use a coarser mesh");
  }

  void forget_pattern() {
    mumps_.irn = mumps_.jcn = nullptr;
    row_ = column_ = {};
  }

  // With SYM = 1 MUMPS goes on past negative pivots and only counts them; a zero one stops it.
  void require_positive_pivots() const {
    const bool zero_pivot = mumps_.infog[0] == -10;
    const MUMPS_INT negative = mumps_.infog[0] < 0 ? 0 : mumps_.infog[11];
    if (!zero_pivot && negative == 0) return;
    throw NotPositiveDefinite("the matrix isn't positive definite: the Cholesky factorisation met " +
                              (zero_pivot ? "a zero pivot" : std::to_string(negative) + " negative pivots") +
                              "; is the body held, or its shift positive?");
  }

  [[noreturn]] void fail(const std::string& what) const {
    const bool memory =
        mumps_.infog[0] == -7 || mumps_.infog[0] == -13 || mumps_.infog[0] == -9 || mumps_.infog[0] == -8;
    throw NumericalError("MUMPS can't " + what + " the matrix of " + std::to_string(mumps_.n) + " rows" +
                         (memory ? ": there isn't enough memory" : "") + " (INFOG(1) = " +
                         std::to_string(mumps_.infog[0]) + ", INFOG(2) = " + std::to_string(mumps_.infog[1]) + ")");
  }

  std::vector<MUMPS_INT> row_, column_;  // of the lower triangle, 1-based
  DMUMPS_STRUC_C mumps_{};
};

}  // namespace

bool mumps_available() {
  return true;
}

std::unique_ptr<FactorizationImpl> factorize_mumps(const SparseMatrix& matrix, bool updatable) {
  return std::make_unique<MumpsFactorization>(matrix, updatable);
}

}  // namespace quartic::cpu
