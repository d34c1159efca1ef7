// An enclosed volume in other coordinates, or in fewer.
#include <string>
#include <vector>

#include "core/energy/enclosed_volume.hpp"
#include "quartic/chambers.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

// T_ab. as a matrix of the two other indices.
MatrixXd slice(const EnclosedVolume& volume, std::size_t a) {
  const Index n = volume.rank + 1;
  MatrixXd matrix(n, n);
  for (Index c = 0; c < n; ++c)
    for (Index b = 0; b <= c; ++b)
      matrix(b, c) = matrix(c, b) = coefficient(volume, a, static_cast<std::size_t>(b), static_cast<std::size_t>(c));
  return matrix;
}

}  // namespace

EnclosedVolume transform_volume(const EnclosedVolume& volume, MatrixRef transform) {
  check(volume);
  if (transform.rows() != volume.rank || transform.cols() < 1)
    throw InputError("the transform of an enclosed volume of rank " + std::to_string(volume.rank) +
                     " must have as many rows and a column at least, not " + std::to_string(transform.rows()) +
                     " and " + std::to_string(transform.cols()));
  if (!transform.allFinite()) throw InputError("the transform has an entry that isn't a finite number");
  const Index n = volume.rank + 1, s = transform.cols() + 1;
  MatrixXd t = MatrixXd::Zero(n, s);  // q^ = t q'^
  t(0, 0) = 1;
  t.bottomRightCorner(n - 1, s - 1) = transform;
  std::vector<MatrixXd> slices;  // T_a.. with both other indices in the new coordinates
  for (Index a = 0; a < n; ++a) slices.emplace_back(t.transpose() * slice(volume, static_cast<std::size_t>(a)) * t);
  EnclosedVolume result{static_cast<int>(s - 1), {}};
  for (Index a = 0; a < s; ++a) {
    MatrixXd sum = MatrixXd::Zero(s, s);
    for (Index old = 0; old < n; ++old) sum += t(old, a) * slices[static_cast<std::size_t>(old)];
    for (Index b = a; b < s; ++b)
      for (Index c = b; c < s; ++c) result.coefficients.push_back(sum(b, c));
  }
  return result;
}

EnclosedVolume keep_coordinates(const EnclosedVolume& volume, std::span<const int> kept) {
  check(volume);
  if (kept.empty()) throw InputError("no coordinate is kept: name at least one");
  std::vector<std::size_t> old = {0};  // old index of each new one, the constant included
  std::vector<bool> seen(static_cast<std::size_t>(volume.rank));
  for (const int i : kept) {
    if (i < 0 || i >= volume.rank || seen[static_cast<std::size_t>(i)])
      throw InputError("coordinate " + std::to_string(i) + " can't be kept: each of 0 .. " +
                       std::to_string(volume.rank - 1) + " once at most");
    seen[static_cast<std::size_t>(i)] = true;
    old.push_back(static_cast<std::size_t>(i) + 1);
  }
  EnclosedVolume result{static_cast<int>(kept.size()), {}};
  for (std::size_t a = 0; a < old.size(); ++a)
    for (std::size_t b = a; b < old.size(); ++b)
      for (std::size_t c = b; c < old.size(); ++c)
        result.coefficients.push_back(coefficient(volume, old[a], old[b], old[c]));
  return result;
}

}  // namespace quartic
