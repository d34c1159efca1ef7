// Weights of modes by channel: a line of numbers each, and of each time.
#include <string>
#include <utility>

#include "core/base/letters.hpp"
#include "io/text/text.hpp"
#include "quartic/error.hpp"
#include "quartic/sound.hpp"

namespace quartic {
namespace {

class WeightReader {
 public:
  WeightReader(std::string name, SoundSignal signal) : name_(std::move(name)), weights_{signal, 0, {}} {}

  SoundWeights read(std::string_view content) {
    io::Lines lines(content);
    for (std::string_view line; lines.next(line);) {
      line_ = lines.number();
      io::Fields fields(line);
      const std::string_view first = fields.next();
      if (equal_ignoring_case(first, "time"))
        begin_moment(fields);
      else
        add_channel(io::Fields(line));
    }
    end_moment();
    return std::move(weights_);
  }

 private:
  void begin_moment(io::Fields& fields) {
    if (!weights_.values.empty() || !weights_.times.empty()) end_moment();
    if (weights_.times.empty() && !weights_.values.empty())
      fail("there are weights without a time above; begin with a line `time T`");
    const std::string_view text = fields.next();
    const auto time = io::parse_number(text);
    if (!time || !fields.next().empty()) fail("a time is a line `time T` with a finite number of seconds");
    if (!weights_.times.empty() && *time <= weights_.times.back()) fail("times must ascend");
    weights_.times.push_back(*time);
    channels_ = 0;
  }

  void end_moment() {
    if (channels_ == 0) fail("there are no weights; a line is a channel's");
    if (weights_.channels != 0 && weights_.channels != channels_)
      fail("there are " + std::to_string(channels_) + " channels at this time, but " +
           std::to_string(weights_.channels) + " at the first");
    weights_.channels = channels_;
  }

  void add_channel(io::Fields fields) {
    std::size_t count = 0;
    for (auto text = fields.next(); !text.empty(); text = fields.next(), ++count) {
      const auto value = io::parse_number(text);
      if (!value) fail("the weight " + io::quote(text) + " is not a finite number");
      weights_.values.push_back(*value);
    }
    if (modes_ == 0) modes_ = count;
    if (count != modes_)
      fail("the channel has " + std::to_string(count) + " weights, but the first has " + std::to_string(modes_));
    ++channels_;
  }

  [[noreturn]] void fail(const std::string& what) const { throw ParseError(name_, line_, what); }

  std::string name_;
  std::int64_t line_ = 1, channels_ = 0;  // channels: of the moment that is read
  std::size_t modes_ = 0;
  SoundWeights weights_;
};

}  // namespace

SoundWeights read_sound_weights(const std::filesystem::path& path, SoundSignal signal) {
  return WeightReader(path.string(), signal).read(io::read_file(path));
}

}  // namespace quartic
