// Sound through the audio device of this machine.
#pragma once

#include "quartic/sound.hpp"

namespace quartic::play {

/// Plays the samples to their end; beyond full scale the device clips. SDL's own environment variables choose driver
/// and device (SDL_AUDIODRIVER, ...).
/// @throws InputError for a rate that isn't a whole number, or other than 1, 2, 4, 6 or 8 channels; BackendUnavailable
/// where there is no audio device, or this build plays nothing
void play(const Sound& sound);

}  // namespace quartic::play
