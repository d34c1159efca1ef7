#include "core/cubature/sparse_least_squares.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "core/base/thread_pool.hpp"

namespace quartic {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Q R = the chosen columns, one of them added at the end or taken out anywhere.
class UpdatedQr {
 public:
  explicit UpdatedQr(Index rows) : q_(rows, 0) {}

  // False, without a change, for a column that depends on the others.
  bool append(const VectorXd& column) {
    VectorXd rest = column, shares = VectorXd::Zero(count_);
    for (int pass = 0; pass < 2; ++pass) {  // twice is enough (Giraud, Langou & Rozloznik 2005)
      const VectorXd share = q_.leftCols(count_).transpose() * rest;
      rest -= q_.leftCols(count_) * share;
      shares += share;
    }
    const double norm = rest.norm();
    if (!(norm > 1e-10 * column.norm())) return false;
    if (count_ == q_.cols()) reserve(2 * count_ + 32);
    r_.col(count_).head(count_) = shares;
    r_(count_, count_) = norm;
    q_.col(count_++) = rest / norm;
    return true;
  }

  // Givens rotations make R without this column a triangle again.
  void remove(Index place) {
    for (Index j = place; j + 1 < count_; ++j) r_.col(j).head(count_) = r_.col(j + 1).head(count_);
    r_.col(count_ - 1).setZero();
    for (Index j = place; j + 1 < count_; ++j) {
      Eigen::JacobiRotation<double> rotation;
      rotation.makeGivens(r_(j, j), r_(j + 1, j));
      r_.applyOnTheLeft(j, j + 1, rotation.adjoint());
      r_(j + 1, j) = 0;
      q_.applyOnTheRight(j, j + 1, rotation);
    }
    r_.row(--count_).setZero();
  }

  [[nodiscard]] VectorXd solve(const VectorXd& b) const {
    VectorXd x = q_.leftCols(count_).transpose() * b;
    r_.topLeftCorner(count_, count_).triangularView<Eigen::Upper>().solveInPlace(x);
    return x;
  }

 private:
  void reserve(Index most) {
    q_.conservativeResize(Eigen::NoChange, most);
    const Index old = r_.cols();
    r_.conservativeResize(most, most);
    r_.rightCols(most - old).setZero();
    r_.bottomRows(most - old).setZero();
  }

  MatrixXd q_, r_;
  Index count_ = 0;
};

class ActiveSet {
 public:
  ActiveSet(const MatrixXd& y, const VectorXd& b)
      : y_(y), b_(b), qr_(y.rows()), residual_(b), is_out_(static_cast<std::size_t>(y.cols()), false) {}

  // One more column, and the weights of all for it. False if none lowers the residual.
  bool grow() {
    const VectorXd gradient = slopes();
    for (;;) {
      Index best = -1;
      double steepest = 1e-14 * b_.norm();
      for (Index j = 0; j < gradient.size(); ++j)
        if (!is_out_[static_cast<std::size_t>(j)] && gradient[j] > steepest) {
          steepest = gradient[j];
          best = j;
        }
      if (best < 0) return false;
      is_out_[static_cast<std::size_t>(best)] = true;  // chosen, or of no use until others change
      if (!qr_.append(y_.col(best))) continue;
      columns_.push_back(best);
      weights_.conservativeResize(std::ssize(columns_));
      weights_[weights_.size() - 1] = 0;
      const VectorXd x = qr_.solve(b_);
      if (x[x.size() - 1] > 0) {
        settle(x);
        return true;
      }
      take_out(weights_.size() - 1);  // round-off of a column that hardly helps
      is_out_[static_cast<std::size_t>(best)] = true;
    }
  }

  [[nodiscard]] double residual() const { return residual_.norm(); }
  [[nodiscard]] Index count() const { return std::ssize(columns_); }
  [[nodiscard]] const std::vector<Index>& columns() const { return columns_; }
  [[nodiscard]] const VectorXd& weights() const { return weights_; }

 private:
  // Y^T residual, each column's sum by itself.
  [[nodiscard]] VectorXd slopes() const {
    VectorXd result(y_.cols());
    constexpr Index columns_per_task = 64;
    parallel_ranges(y_.cols(), columns_per_task, [&](std::int64_t begin, std::int64_t end) {
      for (Index j = begin; j < end; ++j) result[j] = y_.col(j).dot(residual_);
    });
    return result;
  }

  // From the weights to the least squares' x as far as all stay positive; columns whose weights get zero leave.
  void settle(VectorXd x) {
    while (x.size() > 0 && x.minCoeff() <= 0) {
      double share = 1;
      for (Index n = 0; n < x.size(); ++n)
        if (x[n] <= 0) share = std::min(share, weights_[n] / (weights_[n] - x[n]));
      weights_ += share * (x - weights_);
      const double least = 1e-12 * weights_.maxCoeff();
      for (Index n = weights_.size() - 1; n >= 0; --n)
        if (weights_[n] <= least) take_out(n);
      x = qr_.solve(b_);
    }
    weights_ = x;
    residual_ = b_;
    for (Index n = 0; n < weights_.size(); ++n)
      residual_ -= weights_[n] * y_.col(columns_[static_cast<std::size_t>(n)]);
    is_out_.assign(is_out_.size(), false);
    for (const Index column : columns_) is_out_[static_cast<std::size_t>(column)] = true;
  }

  void take_out(Index place) {
    qr_.remove(place);
    is_out_[static_cast<std::size_t>(columns_[static_cast<std::size_t>(place)])] = false;
    columns_.erase(columns_.begin() + place);
    const Index behind = weights_.size() - place - 1;
    weights_.segment(place, behind) = weights_.tail(behind).eval();
    weights_.conservativeResize(weights_.size() - 1);
  }

  const MatrixXd& y_;
  const VectorXd& b_;
  UpdatedQr qr_;
  VectorXd residual_, weights_;
  std::vector<Index> columns_;
  std::vector<bool> is_out_;
};

}  // namespace

SparseFit fit_sparsely(const MatrixXd& y, const VectorXd& b, const SparseFitOptions& options) {
  const Index most = std::min({options.most_columns, y.rows(), y.cols()});
  ActiveSet set(y, b);
  // Columns leave, too: as many steps as that takes, but not forever.
  for (Index step = 0; step < 6 * most && set.count() < most && set.residual() > options.tolerance * options.whole;
       ++step) {
    if (!set.grow()) break;
    if (options.progress) options.progress(set.residual() / options.whole, set.count());
  }
  SparseFit fit;
  std::vector<Index> order(static_cast<std::size_t>(set.count()));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::sort(order, {}, [&](Index n) { return set.columns()[static_cast<std::size_t>(n)]; });
  fit.weights.resize(set.count());
  for (const Index n : order) {
    fit.weights[std::ssize(fit.columns)] = set.weights()[n];
    fit.columns.push_back(set.columns()[static_cast<std::size_t>(n)]);
  }
  fit.residual = set.residual() / options.whole;
  return fit;
}

}  // namespace quartic
