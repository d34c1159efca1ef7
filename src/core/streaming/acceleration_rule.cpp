#include <cmath>
#include <string>

#include "core/embedding/basis_fingerprint.hpp"
#include "quartic/error.hpp"
#include "quartic/model.hpp"
#include "quartic/streaming.hpp"

namespace quartic {

AccelerationRule acceleration_rule(const BatchOptions& options) {
  switch (options.integrator) {
    case Integrator::newmark:
      return {0.5 - options.newmark_beta, options.newmark_beta, options.newmark_gamma};
    case Integrator::backward_euler:
      return {0, 1, 1};
    case Integrator::energy_conserving:
      return {0, 0.5, 1};
    case Integrator::central_differences:
      return {0.5, 0, 0.5};
  }
  throw InputError("unknown integrator");
}

LossDistortion loss_distortion(const AccelerationRule& rule, double h, std::int64_t steps) {
  if (steps < 0) return {};
  if (steps == 0) return {rule.after * h * h, rule.gamma * h};
  return {(static_cast<double>(steps - 1) + rule.before + rule.after + rule.gamma) * h * h, h};
}

std::uint64_t stream_fingerprint(const ReducedModel& model, Coordinates coordinates) {
  const Matrix& fields = coordinates == Coordinates::basis ? model.basis : model.linear_modes;
  if (fields.cols == 0)
    throw InputError(coordinates == Coordinates::basis
                         ? "the model has no basis whose coordinates could be streamed; reduce the mesh"
                         : "the model has no linear modes whose coordinates could be streamed; reduce the mesh again");
  return basis_fingerprint(model.mesh.vertices, fields);
}

std::string_view recovery_name(Recovery recovery) {
  constexpr std::string_view names[recovery_count] = {"zero", "hold", "interpolate", "model", "late"};
  const auto index = static_cast<std::size_t>(recovery);
  return index < recovery_count ? names[index] : "unknown";
}

std::string_view packet_fate_name(PacketFate fate) {
  constexpr std::string_view names[packet_fate_count] = {"taken",     "state",  "stopped", "repaired", "late",
                                                         "duplicate", "beyond", "damaged", "foreign"};
  const auto index = static_cast<std::size_t>(fate);
  return index < packet_fate_count ? names[index] : "unknown";
}

}  // namespace quartic
