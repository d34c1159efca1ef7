#include "core/embedding/basis_fingerprint.hpp"

#include <array>
#include <span>

#include "core/base/fnv1a.hpp"

namespace quartic {

std::uint64_t basis_fingerprint(const std::vector<double>& vertices, const Matrix& basis) {
  const std::array<std::int64_t, 2> shape = {std::ssize(vertices) / 3, basis.cols};
  std::uint64_t hash = fnv1a(std::as_bytes(std::span(shape)));
  hash = fnv1a(std::as_bytes(std::span(vertices)), hash);
  return fnv1a(std::as_bytes(std::span(basis.values)), hash);
}

}  // namespace quartic
