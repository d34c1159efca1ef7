// RIFF WAVE: chunks of a four-letter name, a 32-bit size and bytes, all little-endian: `fmt `, `fact` (of floats) and
// `data`. RF64 (EBU Tech 3306) has 64-bit sizes in a chunk `ds64` in front of them, and 2^32 - 1 where they don't fit.
#include "io/sound/wav.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "io/files/atomic_file.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace io {
namespace {

template <class Number>
void append(std::string& bytes, Number value) {
  static_assert(std::endian::native == std::endian::little);
  const std::size_t size = bytes.size();
  bytes.resize(size + sizeof(Number));
  std::memcpy(bytes.data() + size, &value, sizeof(Number));
}

std::int64_t sample_bytes(WavFormat format) {
  if (format == WavFormat::float32) return 4;
  return format == WavFormat::pcm16 ? 2 : 3;
}

std::string format_chunk(const Sound& sound, WavFormat format) {
  const bool is_float = format == WavFormat::float32;
  const auto rate = static_cast<std::uint32_t>(sound.rate);
  const auto frame_bytes = static_cast<std::uint16_t>(sound.channels * sample_bytes(format));
  std::string bytes = "fmt ";
  append(bytes, std::uint32_t{is_float ? 18U : 16U});
  append(bytes, std::uint16_t{is_float ? std::uint16_t{3} : std::uint16_t{1}});  // IEEE floats, PCM
  append(bytes, static_cast<std::uint16_t>(sound.channels));
  append(bytes, rate);
  append(bytes, rate * frame_bytes);
  append(bytes, frame_bytes);
  append(bytes, static_cast<std::uint16_t>(8 * sample_bytes(format)));
  if (is_float) append(bytes, std::uint16_t{0});  // no extension
  return bytes;
}

// All in front of the samples.
std::string header(const Sound& sound, WavFormat format, std::int64_t limit) {
  const std::int64_t data = std::ssize(sound.samples) * sample_bytes(format), frames = sound.frames();
  std::string chunks = format_chunk(sound, format);
  if (format == WavFormat::float32) {
    chunks += "fact";
    append(chunks, std::uint32_t{4});
    append(chunks, static_cast<std::uint32_t>(std::min<std::int64_t>(frames, riff_limit)));
  }
  constexpr std::int64_t name_and_size = 8, ds64 = name_and_size + 28;
  const std::int64_t riff = 4 + std::ssize(chunks) + name_and_size + data + data % 2;
  const bool is_long = riff + name_and_size > limit;
  const auto size = [&](std::int64_t bytes) { return static_cast<std::uint32_t>(is_long ? riff_limit : bytes); };
  std::string bytes = is_long ? "RF64" : "RIFF";
  append(bytes, size(riff));
  bytes += "WAVE";
  if (is_long) {
    bytes += "ds64";
    append(bytes, std::uint32_t{28});
    append(bytes, riff + ds64);
    append(bytes, data);
    append(bytes, frames);
    append(bytes, std::uint32_t{0});  // no table of other chunks
  }
  bytes += chunks + "data";
  append(bytes, size(data));
  return bytes;
}

// Rounded to the nearest of the steps, of which full scale has `scale`. @return whether it was beyond
bool append_pcm(std::string& bytes, float sample, double scale, int count) {
  const double value = std::nearbyint(double{sample} * scale), inside = std::clamp(value, -scale, scale - 1);
  const auto number = static_cast<std::int32_t>(inside);
  const auto bits = static_cast<std::uint32_t>(number);
  for (int byte = 0; byte < count; ++byte) bytes += static_cast<char>((bits >> (8 * byte)) & 0xFFU);
  return value < -scale || value > scale;  // 1 itself is a step beyond the largest number, which nobody hears
}

void check(const Sound& sound) {
  if (sound.channels < 1 || sound.channels > 1024 || std::ssize(sound.samples) % sound.channels != 0)
    throw InputError("a sound must have 1 .. 1024 channels, and as many samples in each");
  if (!(sound.rate >= 1 && sound.rate <= 1e6 && sound.rate == std::floor(sound.rate)))
    throw InputError("a WAV file needs a rate that is a whole number of samples per second");
  for (const float x : sound.samples)
    if (!std::isfinite(x)) throw InputError("samples of a WAV file must be finite");
}

}  // namespace

std::int64_t write_wav(const Sound& sound, const std::filesystem::path& path, WavFormat format, std::int64_t limit) {
  check(sound);
  AtomicFile file(path);
  std::string bytes = header(sound, format, limit);
  std::int64_t clipped = 0;
  constexpr std::size_t piece = 1 << 16;
  for (const float sample : sound.samples) {
    if (format == WavFormat::float32)
      append(bytes, sample);
    else
      clipped += append_pcm(bytes, sample, format == WavFormat::pcm16 ? 32768 : 8388608,
                            static_cast<int>(sample_bytes(format)));
    if (bytes.size() < piece) continue;
    file.write(bytes);
    bytes.clear();
  }
  if (std::ssize(sound.samples) * sample_bytes(format) % 2 != 0) bytes += '\0';  // chunks are of even size
  file.write(bytes);
  file.commit();
  return clipped;
}

}  // namespace io

std::int64_t write_wav(const Sound& sound, const std::filesystem::path& path, WavFormat format) {
  return io::write_wav(sound, path, format, io::riff_limit);
}

}  // namespace quartic
