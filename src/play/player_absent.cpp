// In place of the player where it isn't built.
#include "play/player.hpp"
#include "quartic/error.hpp"

namespace quartic::play {

void play(const Sound&) {
  throw BackendUnavailable(
      "this build of quartic doesn't play sound: install SDL 2 (Debian: libsdl2-dev) and configure again with "
      "QUARTIC_PLAY=ON, or write a file with -o");
}

}  // namespace quartic::play
