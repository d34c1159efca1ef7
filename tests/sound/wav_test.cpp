// WAV files, read back by a reader of their chunks that shares nothing with the writer.
#include "io/sound/wav.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "quartic/error.hpp"
#include "quartic/sound.hpp"
#include "support/error_message.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using namespace test;

class WavFile {
 public:
  explicit WavFile(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
    form = text(0);
    EXPECT_EQ(bytes_.substr(8, 4), "WAVE");
    for (std::size_t place = 12; place + 8 <= bytes_.size();) {
      std::uint64_t size = number(place + 4, 4);
      if (text(place) == "data" && size == 0xFFFFFFFFU) size = number(chunks.at("ds64") + 8, 8);
      chunks[text(place)] = place + 8, sizes[text(place)] = size;
      place += 8 + size + size % 2;
    }
    const std::size_t fmt = chunks.at("fmt ");
    tag = number(fmt, 2), channels = number(fmt + 2, 2), rate = number(fmt + 4, 4);
    byte_rate = number(fmt + 8, 4), frame_bytes = number(fmt + 12, 2), bits = number(fmt + 14, 2);
  }

  [[nodiscard]] std::uint64_t number(std::size_t place, int count) const {
    std::uint64_t value = 0;
    for (int n = count - 1; n >= 0; --n)
      value = 256 * value + static_cast<unsigned char>(bytes_.at(place + static_cast<std::size_t>(n)));
    return value;
  }
  [[nodiscard]] std::vector<double> samples() const {
    std::vector<double> result;
    const std::size_t first = chunks.at("data"), step = bits / 8;
    for (std::size_t place = first; place + step <= first + sizes.at("data"); place += step) {
      const std::uint64_t value = number(place, static_cast<int>(step));
      if (tag == 3) {
        const auto word = static_cast<std::uint32_t>(value);
        float x = 0;
        std::memcpy(&x, &word, 4);
        result.push_back(double{x});
      } else {
        const double full = std::ldexp(1.0, static_cast<int>(bits) - 1), unsigned_value = static_cast<double>(value);
        result.push_back((unsigned_value >= full ? unsigned_value - 2 * full : unsigned_value) / full);
      }
    }
    return result;
  }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }

  std::string form;
  std::map<std::string, std::size_t> chunks;
  std::map<std::string, std::uint64_t> sizes;
  std::uint64_t tag = 0, channels = 0, rate = 0, byte_rate = 0, frame_bytes = 0, bits = 0;

 private:
  [[nodiscard]] std::string text(std::size_t place) const { return bytes_.substr(place, 4); }
  std::string bytes_;
};

Sound example(std::int64_t channels, std::size_t frames) {
  Sound sound{.rate = 48000, .channels = channels, .samples = {}, .modes = {}};
  for (const double x : random_numbers(frames * static_cast<std::size_t>(channels), 5))
    sound.samples.push_back(static_cast<float>(0.9 * x));
  return sound;
}

TEST(Wav, ReadsBackInEveryFormat) {
  const TemporaryFolder folder;
  const auto path = folder / "a.wav";
  for (const std::int64_t channels : {1, 2, 3})
    for (const WavFormat format : {WavFormat::float32, WavFormat::pcm16, WavFormat::pcm24}) {
      const Sound sound = example(channels, 33333);  // longer than a piece, and of odd size
      EXPECT_EQ(write_wav(sound, path, format), 0);
      const WavFile file(path);
      EXPECT_EQ(file.form, "RIFF");
      EXPECT_EQ(file.number(4, 4), file.size() - 8);
      EXPECT_EQ(file.size() % 2, 0U);
      EXPECT_EQ(file.channels, static_cast<std::uint64_t>(channels));
      EXPECT_EQ(file.rate, 48000U);
      EXPECT_EQ(file.frame_bytes, file.channels * file.bits / 8);
      EXPECT_EQ(file.byte_rate, file.rate * file.frame_bytes);
      EXPECT_EQ(file.tag, format == WavFormat::float32 ? 3U : 1U);
      const std::vector<double> samples = file.samples();
      ASSERT_EQ(samples.size(), sound.samples.size());
      const double step = format == WavFormat::float32 ? 0 : std::ldexp(1.0, 1 - static_cast<int>(file.bits));
      for (std::size_t n = 0; n < samples.size(); ++n) ASSERT_NEAR(samples[n], double{sound.samples[n]}, step / 2) << n;
    }
}

TEST(Wav, LongFilesAreRf64) {
  const TemporaryFolder folder;
  const Sound sound = example(2, 1000);
  (void)io::write_wav(sound, folder / "a.wav", WavFormat::float32, 1000);
  const WavFile file(folder / "a.wav");
  EXPECT_EQ(file.form, "RF64");
  EXPECT_EQ(file.number(4, 4), 0xFFFFFFFFU);
  EXPECT_EQ(file.chunks.at("ds64"), 20U);  // the first chunk
  const std::size_t sizes = file.chunks.at("ds64");
  EXPECT_EQ(file.number(sizes, 8), file.size() - 8);
  EXPECT_EQ(file.number(sizes + 8, 8), 8000U);
  EXPECT_EQ(file.number(sizes + 16, 8), 1000U);
  const std::vector<double> samples = file.samples();
  EXPECT_EQ(std::vector<float>(samples.begin(), samples.end()), sound.samples);
  // At the very limit a file is still RIFF.
  (void)io::write_wav(sound, folder / "b.wav", WavFormat::pcm16, 4044);
  EXPECT_EQ(WavFile(folder / "b.wav").form, "RIFF");
  (void)io::write_wav(sound, folder / "b.wav", WavFormat::pcm16, 4043);
  EXPECT_EQ(WavFile(folder / "b.wav").form, "RF64");
}

TEST(Wav, WhatIsTooLoudIsCutOffAndCounted) {
  const TemporaryFolder folder;
  Sound sound{.samples = {0, 1, -1, 1.5F, -2, 0.5F}};
  EXPECT_EQ(write_wav(sound, folder / "a.wav", WavFormat::pcm16), 2);
  EXPECT_EQ(WavFile(folder / "a.wav").samples(),
            (std::vector<double>{0, 32767 / 32768.0, -1, 32767 / 32768.0, -1, 0.5}));
  EXPECT_EQ(write_wav(sound, folder / "a.wav", WavFormat::float32), 0);
  EXPECT_DOUBLE_EQ(normalize(sound, 0.5), 0.25);
  EXPECT_EQ(sound.samples[4], -0.5F);
  Sound silence{.samples = {0, 0}};
  EXPECT_EQ(normalize(silence), 1);
}

TEST(Wav, WrongSoundsAndFullDisksAreRefused) {
  const TemporaryFolder folder;
  const auto expect = [&](const Sound& sound, const char* part) {
    const std::string text = message_of([&] { (void)write_wav(sound, folder / "a.wav"); });
    EXPECT_NE(text.find(part), std::string::npos) << text;
    EXPECT_FALSE(std::filesystem::exists(folder / "a.wav"));
  };
  expect({.rate = 44100.5, .samples = {0}}, "whole number");
  expect({.channels = 0, .samples = {0}}, "channels");
  expect({.channels = 2, .samples = {0}}, "channels");
  expect({.samples = {NAN}}, "finite");
  const Sound sound = example(1, 100000);
  EXPECT_THROW((void)write_wav(sound, folder / "none" / "a.wav"), FileError);
  if (std::filesystem::exists("/dev/full")) {
    EXPECT_THROW((void)write_wav(sound, "/dev/full"), FileError);
  }
}

}  // namespace
}  // namespace quartic
