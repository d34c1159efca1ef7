// What receivers make of a motion that is sent over a line: in one process, beside the motion itself.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "cli/options/loads.hpp"
#include "cli/options/stream_options.hpp"
#include "cli/runs/streamed_motion.hpp"
#include "quartic/trajectory.hpp"

namespace quartic::cli {

/// Of one receiver.
struct ReceptionFindings {
  Recovery recovery = Recovery::zero;
  StreamCounts counts = {};
  double last_error = 0, largest_error = 0;  ///< |q - received q|, over the root mean square of |q|, of the worst body
};

/// What one lost acceleration does, so many steps after it: in units of h^2, or h, times the acceleration.
struct MeasuredDistortion {
  std::int64_t steps = 0;
  LossDistortion measured = {}, expected = {};
};

struct TransmissionFindings {
  AccelerationRule rule = {};
  std::int64_t steps = 0, lost = 0, bytes = 0, diverged = 0;
  std::vector<ReceptionFindings> receptions = {};
  std::vector<MeasuredDistortion> distortions = {};  ///< of one acceleration; none of differences and of one step
};

/// The force of the step that begins at a time.
using ForceAt = std::function<std::span<const double>(double time)>;

/// `steps` steps behind the first state.
struct TransmissionOptions {
  SenderOptions sender = {};
  LineOptions line = {};
  std::int64_t steps = 100, bodies = 1, rank = 0;
  std::vector<ReceiverOptions> receivers = {};
  std::vector<std::int64_t> delays = {};  ///< of each
};

/// Sends to receivers in this process. @param motion at its start
[[nodiscard]] TransmissionFindings transmit(StreamedMotion& motion, const ForceAt& force,
                                            const TransmissionOptions& options);

/// Sends without receivers: what arrives goes to `take`. @return as above, without receptions
[[nodiscard]] TransmissionFindings send(StreamedMotion& motion, const ForceAt& force,
                                        const TransmissionOptions& options,
                                        const std::function<void(const Packet&)>& take);

/// A receiver's motion, a frame for each of its steps.
struct Reception {
  Trajectory trajectory;
  StreamCounts counts;
  std::int64_t skipped_bytes = 0;
};
/// @param delay steps that the receiver stays behind @param read the next bytes of the line; none at its end
[[nodiscard]] Reception receive(AccelerationReceiver& receiver, std::int64_t delay,
                                const std::function<std::vector<std::byte>()>& read);

}  // namespace quartic::cli
