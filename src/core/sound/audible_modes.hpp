// The modes of a model that swing in the audible range.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "quartic/model.hpp"
#include "quartic/sound.hpp"

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

/// The rows of modes at vertices: what forces on them do to oscillators. Only the constructor allocates.
class ModeRows {
 public:
  /// @param numbers of the model's modes that are kept
  /// @throws InputError for an embedded surface whose arrays aren't sound
  ModeRows(const ReducedModel& model, std::span<const std::int64_t> numbers);

  [[nodiscard]] std::int64_t vertices(VertexOf of) const { return of == VertexOf::mesh ? vertices_ : on_surface_; }
  /// Phi_x^T f of the kept modes. @param result shape (numbers)
  void product(std::int64_t vertex, VertexOf of, const std::array<double, 3>& force, std::span<double> result) const;

 private:
  void add(std::int64_t vertex, double weight, const std::array<double, 3>& force, std::span<double> result) const;

  std::int64_t vertices_, count_;
  std::vector<double> rows_;  // shape (n, 3, count)
  std::int64_t on_surface_ = 0, width_ = 0;
  std::vector<std::int32_t> hangs_on_;  // of each vertex of the surface, with the weights, shape (s, width)
  std::vector<double> weights_;
};

}  // namespace quartic
