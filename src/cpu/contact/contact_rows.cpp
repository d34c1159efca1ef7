#include "cpu/contact/contact_rows.hpp"

#include <algorithm>

#include "cpu/contact/block_products.hpp"

namespace quartic::cpu {

void ContactRows::reserve(Index rank, std::size_t contacts) {
  const auto r = static_cast<std::size_t>(rank);
  if (fields_.size() < 3 * r * contacts) fields_.resize(3 * r * contacts);
  if (rest_.size() < 3 * contacts) rest_.resize(3 * contacts);
}

void ContactRows::gather(const StepperModel& model, std::span<const Contact> contacts) {
  rank_ = model.rank();
  count_ = contacts.size();
  const auto r = static_cast<std::size_t>(rank_);
  reserve(rank_, count_);
  const ContactPoints& points = model.tree->points;
  for (std::size_t c = 0; c < count_; ++c) {
    const std::int64_t row = 3 * std::int64_t{contacts[c].point};
    double* field = fields_.data() + 3 * r * c;
    for (std::size_t j = 0; j < r; ++j)
      for (std::size_t k = 0; k < 3; ++k)
        field[k * r + j] = points.basis(row + static_cast<std::int64_t>(k), static_cast<std::int64_t>(j));
    Map<Vector>(rest_.data() + 3 * c) = Vector(points.positions.data() + row) - model.origin;
  }
}

Vector ContactRows::moved(std::size_t contact, const VectorXd& x) const {
  const Field u = field(contact);
  return {u.row(0).dot(x), u.row(1).dot(x), u.row(2).dot(x)};
}

void ContactRows::add_transposed(std::size_t contact, const Vector& f, VectorXd& y) const {
  const Field u = field(contact);
  for (Index k = 0; k < 3; ++k) y += f[k] * u.row(k).transpose();
}

void ContactBlocks::clear(Index n, std::size_t most) {
  n_ = n;
  rows_ = 0;
  const std::int64_t size = 3 * static_cast<std::int64_t>(most) * pitch(n);
  if (left_.size() >= size) return;
  left_ = AlignedArray<double>(2 * size);
  right_ = AlignedArray<double>(2 * size);
}

ContactBlocks::Pair ContactBlocks::append() {
  const std::int64_t first = rows_ * pitch(n_);
  rows_ += 3;
  std::fill_n(left_.data() + first, 3 * pitch(n_), 0.0);
  std::fill_n(right_.data() + first, 3 * pitch(n_), 0.0);
  const auto block = [&](double* data) { return Block(data + first, 3, n_, Eigen::OuterStride<>(pitch(n_))); };
  return {block(left_.data()), block(right_.data())};
}

void ContactBlocks::add_to(double* matrix) const {
  add_products(n_, pitch(n_), rows_, left_.data(), right_.data(), matrix);
}

}  // namespace quartic::cpu
