#include "core/streaming/packet.hpp"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/base/half.hpp"

namespace quartic {
namespace {

static_assert(std::endian::native == std::endian::little, "packets are little-endian, as memory is here");

constexpr char magic[4] = {'Q', 'A', 'C', 'C'};
constexpr std::uint8_t wire_version = 1;
// Where the header's fields are.
constexpr std::size_t version_at = 4, kind_at = 5, type_at = 6, zero_at = 7, fingerprint_at = 8, step_at = 16,
                      h_at = 24, first_body_at = 32, count_at = 40, rank_at = 44, sequence_at = 48,
                      payload_checksum_at = 52, payload_bytes_at = 56, header_checksum_at = 60;

std::uint32_t checksum(std::span<const std::byte> bytes) {
  return static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

template <class T>
void put(std::span<std::byte> bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof(T));
}
template <class T>
T get(std::span<const std::byte> bytes, std::size_t at) {
  T value{};
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

void seal(Packet& packet) {
  const std::span<std::byte> bytes(packet);
  put(bytes, payload_checksum_at, checksum(bytes.subspan(packet_header_bytes)));
  put(bytes, header_checksum_at, checksum(bytes.first(header_checksum_at)));
}

AccelerationType written_type(const PacketHeader& header) {
  const bool whole = header.kind == PacketKind::state || header.kind == PacketKind::stopped;
  return whole ? state_type(header.type) : header.type;
}

std::size_t blocks(PacketKind kind) {
  return kind == PacketKind::state ? 3 : 1;
}

/// The power of two by which a row's largest number comes close below the largest half, which leaves the most to small
/// ones. The least one is that of the largest double.
int row_exponent(std::span<const double> row) {
  double largest = 0;
  for (const double x : row) largest = std::max(largest, std::abs(x));
  constexpr int top = 14;
  return largest > 0 ? std::clamp(top - std::ilogb(largest), top - 1023, 1000) : 0;
}

/// What the largest float, or a row's largest half, is written for: beyond it rounding gives infinity, or what a
/// reader's power of two makes infinite.
constexpr double largest_float = std::numeric_limits<float>::max(), largest_scaled_half = 32752;

void write_halves(const PacketHeader& header, std::span<const double> numbers, std::span<std::byte> to) {
  const std::size_t exponents = 2 * std::size_t{header.rank};
  for (std::size_t i = 0; i < header.rank; ++i) {
    const std::span<const double> row = numbers.subspan(i * header.count, header.count);
    const int exponent = row_exponent(row);
    put(to, 2 * i, static_cast<std::int16_t>(exponent));
    for (std::size_t b = 0; b < row.size(); ++b) {
      const double scaled = std::clamp(std::ldexp(row[b], exponent), -largest_scaled_half, largest_scaled_half);
      put(to, exponents + 2 * (i * header.count + b), half_bits(static_cast<float>(scaled)));
    }
  }
}

void read_halves(const PacketHeader& header, std::span<const std::byte> from, std::span<double> numbers) {
  const std::size_t exponents = 2 * std::size_t{header.rank};
  for (std::size_t i = 0; i < header.rank; ++i) {
    const double scale = std::ldexp(1.0, -get<std::int16_t>(from, 2 * i));
    for (std::size_t b = 0; b < header.count; ++b) {
      const std::size_t n = i * header.count + b;
      numbers[n] = scale * double{half_value(get<std::uint16_t>(from, exponents + 2 * n))};
    }
  }
}

void write_numbers(const PacketHeader& header, std::span<const double> numbers, std::span<std::byte> to) {
  const AccelerationType type = written_type(header);
  if (type == AccelerationType::fp16) return write_halves(header, numbers, to);
  if (type == AccelerationType::fp64) {
    if (!numbers.empty()) std::memcpy(to.data(), numbers.data(), numbers.size_bytes());
    return;
  }
  for (std::size_t n = 0; n < numbers.size(); ++n)
    put(to, 4 * n, static_cast<float>(std::clamp(numbers[n], -largest_float, largest_float)));
}

void read_numbers(const PacketHeader& header, std::span<const std::byte> from, std::span<double> numbers) {
  const AccelerationType type = written_type(header);
  if (type == AccelerationType::fp16) return read_halves(header, from, numbers);
  if (type == AccelerationType::fp64) {
    if (!numbers.empty()) std::memcpy(numbers.data(), from.data(), numbers.size_bytes());
    return;
  }
  for (std::size_t n = 0; n < numbers.size(); ++n) numbers[n] = double{get<float>(from, 4 * n)};
}

/// The payload behind a header, if it is all there and its checksum is right.
std::optional<std::span<const std::byte>> sound_payload(const PacketHeader& header, std::span<const std::byte> packet) {
  const std::span<const std::byte> payload = packet.subspan(packet_header_bytes);
  if (payload.size() != payload_bytes(header) || get<std::uint32_t>(packet, payload_checksum_at) != checksum(payload))
    return std::nullopt;
  return payload;
}

}  // namespace

std::optional<std::size_t> payload_bytes(const PacketHeader& header) {
  // Both factors are below 2^32: no product overflows.
  const std::uint64_t numbers = std::uint64_t{header.rank} * header.count;
  if (numbers > most_packet_bytes) return std::nullopt;
  const AccelerationType type = written_type(header);
  std::uint64_t bytes = blocks(header.kind) * numbers * (std::uint64_t{2} << static_cast<unsigned>(type));
  if (type == AccelerationType::fp16) bytes += 2 * std::uint64_t{header.rank};
  if (header.kind == PacketKind::state) bytes += rule_bytes;
  if (bytes > most_packet_bytes - packet_header_bytes) return std::nullopt;
  return bytes;
}

Packet write_packet(const PacketHeader& header, const AccelerationRule& rule, std::span<const double> numbers) {
  const std::size_t size = payload_bytes(header).value();
  Packet packet(packet_header_bytes + size);
  const std::span<std::byte> bytes(packet);
  std::memcpy(packet.data(), magic, sizeof(magic));
  put(bytes, version_at, wire_version);
  put(bytes, kind_at, static_cast<std::uint8_t>(header.kind));
  put(bytes, type_at, static_cast<std::uint8_t>(header.type));
  put(bytes, fingerprint_at, header.fingerprint);
  put(bytes, step_at, header.step);
  put(bytes, h_at, header.h);
  put(bytes, first_body_at, header.first_body);
  put(bytes, count_at, header.count);
  put(bytes, rank_at, header.rank);
  put(bytes, sequence_at, header.sequence);
  put(bytes, payload_bytes_at, static_cast<std::uint32_t>(size));
  std::span<std::byte> payload = bytes.subspan(packet_header_bytes);
  if (header.kind == PacketKind::state) {
    const double three[] = {rule.before, rule.after, rule.gamma};
    std::memcpy(payload.data(), three, rule_bytes);
    payload = payload.subspan(rule_bytes);
  }
  write_numbers(header, numbers, payload);
  seal(packet);
  return packet;
}

Packet renumbered(const Packet& packet, PacketKind kind, std::uint32_t sequence) {
  Packet copy = packet;
  put(std::span(copy), kind_at, static_cast<std::uint8_t>(kind));
  put(std::span(copy), sequence_at, sequence);
  seal(copy);
  return copy;
}

std::optional<PacketHeader> read_header(std::span<const std::byte> bytes) {
  if (bytes.size() < packet_header_bytes || std::memcmp(bytes.data(), magic, sizeof(magic)) != 0) return std::nullopt;
  if (get<std::uint8_t>(bytes, version_at) != wire_version || get<std::uint8_t>(bytes, zero_at) != 0)
    return std::nullopt;
  if (get<std::uint32_t>(bytes, header_checksum_at) != checksum(bytes.first(header_checksum_at))) return std::nullopt;
  const auto kind = get<std::uint8_t>(bytes, kind_at), type = get<std::uint8_t>(bytes, type_at);
  if (kind < 1 || kind > 4 || type > 2) return std::nullopt;
  const PacketHeader header{.kind = static_cast<PacketKind>(kind),
                            .type = static_cast<AccelerationType>(type),
                            .fingerprint = get<std::uint64_t>(bytes, fingerprint_at),
                            .step = get<std::uint64_t>(bytes, step_at),
                            .h = get<double>(bytes, h_at),
                            .first_body = get<std::uint64_t>(bytes, first_body_at),
                            .count = get<std::uint32_t>(bytes, count_at),
                            .rank = get<std::uint32_t>(bytes, rank_at),
                            .sequence = get<std::uint32_t>(bytes, sequence_at)};
  const std::optional<std::size_t> size = payload_bytes(header);
  if (!size || *size != get<std::uint32_t>(bytes, payload_bytes_at)) return std::nullopt;
  if (!(header.h > 0) || !std::isfinite(header.h)) return std::nullopt;
  return header;
}

bool read_payload(const PacketHeader& header, std::span<const std::byte> packet, PacketNumbers& numbers) {
  const std::optional<std::span<const std::byte>> sound = sound_payload(header, packet);
  if (!sound) return false;
  std::span<const std::byte> payload = *sound;
  if (header.kind == PacketKind::state) {
    numbers.rule = {get<double>(payload, 0), get<double>(payload, 8), get<double>(payload, 16)};
    payload = payload.subspan(rule_bytes);
  }
  numbers.values.resize(blocks(header.kind) * header.rank * header.count);
  read_numbers(header, payload, numbers.values);
  return std::ranges::all_of(numbers.values, [](double x) { return std::isfinite(x); });
}

void PacketReader::feed(std::span<const std::byte> bytes) {
  bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(begin_));
  begin_ = 0;
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

std::optional<Packet> PacketReader::next() {
  while (bytes_.size() - begin_ >= packet_header_bytes) {
    const std::span<const std::byte> rest = std::span(bytes_).subspan(begin_);
    if (const std::optional<PacketHeader> header = read_header(rest)) {
      const std::size_t size = packet_header_bytes + payload_bytes(*header).value();
      if (rest.size() < size) return std::nullopt;
      // Where bytes are missing, the next packet lies in this one's payload.
      if (sound_payload(*header, rest.first(size))) {
        begin_ += size;
        return Packet(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(size));
      }
    }
    ++begin_;
    ++skipped_;
  }
  return std::nullopt;
}

}  // namespace quartic
