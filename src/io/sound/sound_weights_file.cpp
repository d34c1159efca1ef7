// Weights of modes by channel: a line of numbers each.
#include <string>

#include "io/text/text.hpp"
#include "quartic/error.hpp"
#include "quartic/sound.hpp"

namespace quartic {

SoundWeights read_sound_weights(const std::filesystem::path& path, SoundSignal signal) {
  const std::string content = io::read_file(path);
  io::Lines lines(content);
  SoundWeights weights{signal, 0, {}};
  std::string_view line;
  std::size_t modes = 0;
  while (lines.next(line)) {
    const auto fail = [&](const std::string& what) { throw ParseError(path.string(), lines.number(), what); };
    io::Fields fields(line);
    std::size_t count = 0;
    for (auto text = fields.next(); !text.empty(); text = fields.next(), ++count) {
      const auto value = io::parse_number(text);
      if (!value) fail("the weight " + io::quote(text) + " is not a finite number");
      weights.values.push_back(*value);
    }
    if (weights.channels == 0) modes = count;
    if (count != modes)
      fail("the channel has " + std::to_string(count) + " weights, but the first has " + std::to_string(modes));
    ++weights.channels;
  }
  if (weights.channels == 0) throw ParseError(path.string(), 1, "there are no weights; a line is a channel's");
  return weights;
}

}  // namespace quartic
