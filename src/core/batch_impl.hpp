// What a backend does for `Batch`.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "quartic/batch.hpp"
#include "quartic/energy.hpp"

namespace quartic {

enum class StateArray : std::uint8_t { q, velocity, acceleration, force };

/// The state of a batch and the work on it. Whoever calls has checked the arguments.
template <class T>
class BatchImpl {
 public:
  BatchImpl(QuarticEnergy energy, const BatchOptions& options) : energy_(std::move(energy)), options_(options) {}
  virtual ~BatchImpl() = default;
  BatchImpl(const BatchImpl&) = delete;
  BatchImpl& operator=(const BatchImpl&) = delete;

  [[nodiscard]] const QuarticEnergy& energy() const { return energy_; }
  [[nodiscard]] const BatchOptions& options() const { return options_; }

  [[nodiscard]] virtual StateView<T> state(StateArray which) = 0;
  /// `substeps` steps of `dt` each.
  virtual void step(double dt, int substeps) = 0;
  [[nodiscard]] virtual std::span<const BodyStatus> status() const = 0;
  virtual void reset_status() = 0;
  virtual void elastic_energy(std::span<double> result) = 0;
  virtual void kinetic_energy(std::span<double> result) = 0;

 private:
  QuarticEnergy energy_;
  BatchOptions options_;
};

namespace cpu {
template <class T>
[[nodiscard]] std::unique_ptr<BatchImpl<T>> make_batch(const QuarticEnergy& energy, const BatchOptions& options);
}

}  // namespace quartic
