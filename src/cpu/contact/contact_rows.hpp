// The candidates of one body in its equations: three rows of U per point, and what forces that change with a point's
// place add to the system. Memory only grows.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/base/aligned_array.hpp"
#include "cpu/contact/stepper_model.hpp"
#include "quartic/contact.hpp"

namespace quartic::cpu {

class ContactRows {
 public:
  using Field = Map<const Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>>;

  void reserve(Index rank, std::size_t contacts);
  void gather(const StepperModel& model, std::span<const Contact> contacts);

  [[nodiscard]] std::size_t count() const { return count_; }
  /// U of a point, shape (3, r).
  [[nodiscard]] Field field(std::size_t contact) const {
    return {fields_.data() + 3 * contact * static_cast<std::size_t>(rank_), 3, rank_};
  }
  /// Where a point is in the frame.
  [[nodiscard]] Vector deformed(std::size_t contact, const VectorXd& q) const {
    return Vector(rest_.data() + 3 * contact) + moved(contact, q);
  }
  /// U x of a point.
  [[nodiscard]] Vector moved(std::size_t contact, const VectorXd& x) const;
  /// y += U^T f.
  void add_transposed(std::size_t contact, const Vector& f, VectorXd& y) const;

 private:
  Index rank_ = 0;
  std::size_t count_ = 0;
  std::vector<double> fields_, rest_;  // shapes (count, 3, r) and (count, 3)
};

/// A sum of left^T right over contacts, with three rows of n numbers each.
class ContactBlocks {
 public:
  using Block = Map<Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>, 0, Eigen::OuterStride<>>;
  struct Pair {
    Block left, right;
  };

  /// @param most that will be appended
  void clear(Index n, std::size_t most);
  /// Zeros, to be filled.
  [[nodiscard]] Pair append();
  /// matrix += the sum. @param matrix shape (n, pitch), row-major, pitch as below
  void add_to(double* matrix) const;

  /// Values from one row to the next.
  [[nodiscard]] static Index pitch(Index n) { return (n + 7) / 8 * 8; }

 private:
  Index n_ = 0;
  std::int64_t rows_ = 0;
  AlignedArray<double> left_, right_;  // shape (3 count, pitch)
};

}  // namespace quartic::cpu
