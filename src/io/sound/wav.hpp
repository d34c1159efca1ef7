// WAV files, with the size from which on they are RF64.
#pragma once

#include <cstdint>
#include <filesystem>

#include "quartic/sound.hpp"

namespace quartic::io {

/// The most bytes that a RIFF file's 32-bit sizes can tell.
inline constexpr std::int64_t riff_limit = 0xFFFFFFFF;

/// `write_wav`, where files above `limit` bytes are RF64.
std::int64_t write_wav(const Sound& sound, const std::filesystem::path& path, WavFormat format, std::int64_t limit);

}  // namespace quartic::io
