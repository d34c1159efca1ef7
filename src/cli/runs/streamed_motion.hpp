// Bodies that are simulated and sent, step by step.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cli/options/loads.hpp"
#include "cli/options/motion_options.hpp"
#include "quartic/model.hpp"
#include "quartic/streaming.hpp"

namespace quartic::cli {

/// B equal bodies at rest at first, in double.
class StreamedMotion {
 public:
  virtual ~StreamedMotion() = default;
  /// To the next step. @param force of it, shape (r)
  virtual void step(std::span<const double> force) = 0;
  virtual std::span<const Packet> send(AccelerationSender& sender) const = 0;
  [[nodiscard]] virtual StateView<const double> q() const = 0;
  [[nodiscard]] virtual std::span<const BodyStatus> status() const = 0;
  [[nodiscard]] virtual AccelerationRule rule() const = 0;
};

/// @param loads whose force at the start a body of central differences begins with
[[nodiscard]] std::unique_ptr<StreamedMotion> streamed_bodies(const QuarticEnergy& energy, const BatchOptions& options,
                                                              double h, std::span<const double> first_force);
[[nodiscard]] std::unique_ptr<StreamedMotion> streamed_modes(std::span<const double> eigenvalues,
                                                             const BatchOptions& options, double h);

}  // namespace quartic::cli
