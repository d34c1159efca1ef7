// Arbitrary bytes as packets: a receiver that stays sound, whatever comes. The first byte says how: whole packets
// with right checksums made of the bytes, or the bytes as a stream.
#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "quartic/streaming.hpp"
#include "sound_mesh.hpp"

namespace {

constexpr std::int64_t rank = 2, bodies = 3;
constexpr std::size_t header_bytes = 64;

void put(quartic::Packet& packet, std::size_t at, std::uint32_t value) {
  std::memcpy(packet.data() + at, &value, sizeof(value));
}
std::uint32_t checksum(const std::byte* data, std::size_t size) {
  return static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(data), size));
}

/// The bytes with the sizes and checksums that a packet must have, so that what comes after these is reached.
void seal(quartic::Packet& packet) {
  std::memcpy(packet.data(), "QACC\x01", 5);
  packet[7] = std::byte{0};
  std::memset(packet.data() + 8, 0, 8);
  put(packet, 56, static_cast<std::uint32_t>(packet.size() - header_bytes));
  put(packet, 52, checksum(packet.data() + header_bytes, packet.size() - header_bytes));
  put(packet, 60, checksum(packet.data(), 60));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
  quartic::ReceiverOptions options{.recovery = static_cast<quartic::Recovery>(data[0] % quartic::recovery_count),
                                   .window = 4};
  options.stiffness.rows = options.stiffness.cols = rank;
  options.stiffness.values = {4, 1, 1, 3};
  quartic::AccelerationReceiver receiver(rank, bodies, options);
  const auto take = [&](std::span<const std::byte> packet) {
    const std::int64_t before = receiver.step();
    (void)receiver.receive(packet);
    for (int n = 0; n < 3 && receiver.step() < receiver.latest(); ++n) receiver.advance();
    (void)receiver.missing();
    quartic::fuzz::require(receiver.step() >= before);
    quartic::fuzz::require(receiver.latest() >= -1 && (receiver.step() < 0 || receiver.step_length() > 0));
  };
  if (data[0] >= 128) {
    quartic::PacketReader reader;
    reader.feed(bytes);
    while (const auto packet = reader.next()) take(*packet);
    return 0;
  }
  // Pieces of a length each, with right checksums.
  for (std::size_t at = 0; at + header_bytes < bytes.size();) {
    const std::size_t payload =
        std::min<std::size_t>(static_cast<std::size_t>(bytes[at]), bytes.size() - at - header_bytes);
    quartic::Packet packet(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                           bytes.begin() + static_cast<std::ptrdiff_t>(at + header_bytes + payload));
    at += packet.size();
    seal(packet);
    take(packet);
  }
  return 0;
}
