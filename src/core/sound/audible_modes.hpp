// The modes of a model that swing in the audible range.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "quartic/sound.hpp"
#include "quartic/storage.hpp"

namespace quartic {

using Complex = std::complex<double>;

struct Oscillators {
  AudibleModes counts;
  std::vector<std::int64_t> numbers;  // of the modes in the model, ascending
  std::vector<Complex> rates;         // r = -s + i w [1/s]: y = Re(a e^(r t))

  [[nodiscard]] std::int64_t size() const { return counts.audible; }
};

/// @throws InputError for no modes, eigenvalues that aren't finite, or options out of range
[[nodiscard]] Oscillators audible_oscillators(std::span<const double> eigenvalues, const SoundOptions& options);

/// The rows of modes at vertices: what forces on them do to oscillators.
class ModeRows {
 public:
  /// @param modes shape (3n, k) @param numbers of those that are kept
  ModeRows(const Matrix& modes, std::span<const std::int64_t> numbers);

  [[nodiscard]] std::int64_t vertices() const { return vertices_; }
  /// Phi_x^T f of the kept modes. @param result shape (numbers)
  void product(std::int64_t vertex, const std::array<double, 3>& force, std::span<double> result) const;

 private:
  std::int64_t vertices_, count_;
  std::vector<double> rows_;  // shape (n, 3, count)
};

}  // namespace quartic
