// Packets of accelerations as bytes: docs/streaming.md has the table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "quartic/streaming.hpp"

namespace quartic {

enum class PacketKind : std::uint8_t {
  accelerations = 1,
  state = 2,   ///< the rule, then q, velocity and acceleration
  repair = 3,  ///< accelerations again
  stopped = 4  ///< q of bodies that stay there
};

inline constexpr std::size_t packet_header_bytes = 64;
inline constexpr std::size_t rule_bytes = 24;
inline constexpr std::size_t most_packet_bytes = std::size_t{1} << 26U;

struct PacketHeader {
  PacketKind kind = PacketKind::accelerations;
  AccelerationType type = AccelerationType::fp32;
  std::uint64_t fingerprint = 0;
  std::uint64_t step = 0;
  double h = 0;
  std::uint64_t first_body = 0;
  std::uint32_t count = 0;
  std::uint32_t rank = 0;
  std::uint32_t sequence = 0;
};

/// Bytes behind the header. @return nothing for more than a packet may have
[[nodiscard]] std::optional<std::size_t> payload_bytes(const PacketHeader& header);

/// How numbers of whole states are written: at least single precision.
[[nodiscard]] constexpr AccelerationType state_type(AccelerationType type) {
  return type == AccelerationType::fp64 ? type : AccelerationType::fp32;
}

/// What a packet holds, one block of (rank, count) numbers behind the other, C order.
struct PacketNumbers {
  AccelerationRule rule = {};       ///< of a state
  std::vector<double> values = {};  ///< accelerations; or q, velocity, acceleration; or q
};

/// Writes a packet. @param numbers as many as the header says
[[nodiscard]] Packet write_packet(const PacketHeader& header, const AccelerationRule& rule,
                                  std::span<const double> numbers);

/// The same packet as another kind and with another number.
[[nodiscard]] Packet renumbered(const Packet& packet, PacketKind kind, std::uint32_t sequence);

/// The header of a packet that begins here, if there is a whole and sound one; its payload isn't looked at.
[[nodiscard]] std::optional<PacketHeader> read_header(std::span<const std::byte> bytes);

/// Reads a payload whose checksum is right and whose numbers are finite. @param values receives the numbers, and isn't
/// made larger than the payload. @return false if it is damaged
[[nodiscard]] bool read_payload(const PacketHeader& header, std::span<const std::byte> packet, PacketNumbers& numbers);

}  // namespace quartic
