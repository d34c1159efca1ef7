// Sparse Cholesky by Eigen's SimplicialLLT: no other library needed, but ten times slower than MUMPS on large solids.
#include <Eigen/SparseCholesky>

#include "cpu/factorization/cpu_factors.hpp"
#include "quartic/error.hpp"

namespace quartic::cpu {
namespace {

#define QUARTIC_TEXT_OF(x) #x
#define QUARTIC_TEXT(x) QUARTIC_TEXT_OF(x)
constexpr std::string_view eigen_name = "Eigen " QUARTIC_TEXT(EIGEN_WORLD_VERSION) "." QUARTIC_TEXT(
    EIGEN_MAJOR_VERSION) "." QUARTIC_TEXT(EIGEN_MINOR_VERSION);
#undef QUARTIC_TEXT
#undef QUARTIC_TEXT_OF

class EigenFactorization final : public FactorizationImpl {
 public:
  explicit EigenFactorization(const SparseMatrix& matrix) {
    factor_.analyzePattern(columns_of(matrix));
    update(matrix);
  }

  void update(const SparseMatrix& matrix) override {
    factor_.factorize(columns_of(matrix));
    if (factor_.info() != Eigen::Success)
      throw NotPositiveDefinite(
          "the matrix isn't positive definite: the Cholesky factorisation met a pivot that isn't positive; is the body "
          "held, or its shift positive?");
  }

  void solve(Eigen::Ref<Eigen::MatrixXd> b) override { b = factor_.solve(b).eval(); }
  [[nodiscard]] std::int64_t rows() const override { return factor_.rows(); }
  [[nodiscard]] std::string_view name() const override { return eigen_name; }
  [[nodiscard]] std::int64_t factor_nonzeros() const override {
    return factor_.matrixL().nestedExpression().nonZeros();
  }

 private:
  // The rows of a symmetric matrix are its columns.
  static Eigen::Map<const Eigen::SparseMatrix<double>> columns_of(const SparseMatrix& matrix) {
    return {matrix.rows,           matrix.cols,         matrix.nonzeros(), matrix.row_offsets.data(),
            matrix.columns.data(), matrix.values.data()};
  }

  Eigen::SimplicialLLT<Eigen::SparseMatrix<double>, Eigen::Lower, Eigen::AMDOrdering<int>> factor_;
};

}  // namespace

std::unique_ptr<FactorizationImpl> factorize_eigen(const SparseMatrix& matrix) {
  return std::make_unique<EigenFactorization>(matrix);
}

}  // namespace quartic::cpu
