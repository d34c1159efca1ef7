// By SDL 2, whose thread takes the samples.
#include <SDL.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>

#include "play/player.hpp"
#include "quartic/error.hpp"

namespace quartic::play {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw BackendUnavailable(what + " (" + SDL_GetError() + "); write a file with -o and play that");
}

class AudioSystem {
 public:
  AudioSystem() {
    SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");  // the command has its own
    if (SDL_InitSubSystem(SDL_INIT_AUDIO) != 0) fail("there is no audio device");
  }
  AudioSystem(const AudioSystem&) = delete;
  AudioSystem& operator=(const AudioSystem&) = delete;
  ~AudioSystem() { SDL_Quit(); }
};

/// What the device's thread takes from.
struct Tape {
  std::span<const float> samples;
  std::atomic<std::size_t> taken = 0;

  void put_out(std::span<float> out) {
    const std::size_t first = taken, count = std::min(out.size(), samples.size() - first);
    const auto rest = std::ranges::copy(samples.subspan(first, count), out.begin()).out;
    std::fill(rest, out.end(), 0.0F);
    taken = first + count;
  }
};

void take(void* tape, Uint8* bytes, int size) {
  static_cast<Tape*>(tape)->put_out({reinterpret_cast<float*>(bytes), static_cast<std::size_t>(size) / sizeof(float)});
}

class Device {
 public:
  Device(const Sound& sound, Tape& tape) {
    SDL_AudioSpec wanted = {};
    wanted.freq = static_cast<int>(sound.rate);
    wanted.format = AUDIO_F32SYS;
    wanted.channels = static_cast<Uint8>(sound.channels);
    wanted.samples = 1024;
    // Not by its queue, whose thread has a stack of 64 kB: the thread-local memory of OpenBLAS leaves nothing of it.
    wanted.callback = take;
    wanted.userdata = &tape;
    number_ = SDL_OpenAudioDevice(nullptr, 0, &wanted, nullptr, 0);  // SDL converts to what the device has
    if (number_ == 0) fail("the audio device can't be opened");
    SDL_PauseAudioDevice(number_, 0);
  }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  ~Device() { SDL_CloseAudioDevice(number_); }  // waits for what the device has taken

  [[nodiscard]] bool works() const { return SDL_GetAudioDeviceStatus(number_) != SDL_AUDIO_STOPPED; }

 private:
  SDL_AudioDeviceID number_;
};

void check(const Sound& sound) {
  if (!(sound.rate >= 1 && sound.rate <= 1e6) || sound.rate != std::floor(sound.rate))
    throw InputError("a sound that is played must have a whole number of samples per second");
  constexpr std::int64_t playable[] = {1, 2, 4, 6, 8};
  if (std::ranges::find(playable, sound.channels) == std::end(playable))
    throw InputError("1, 2, 4, 6 or 8 channels can be played, not " + std::to_string(sound.channels) +
                     "; write a file with -o");
}

}  // namespace

void play(const Sound& sound) {
  check(sound);
  Tape tape{sound.samples};
  const AudioSystem system;
  const Device device(sound, tape);
  while (tape.taken < sound.samples.size()) {
    if (!device.works()) fail("the audio device is gone");
    SDL_Delay(10);
  }
}

}  // namespace quartic::play
