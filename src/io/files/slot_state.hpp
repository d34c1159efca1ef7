// What signal handlers remove is listed in tables whose slots have a state.
#pragma once

#include <atomic>

namespace quartic::io {

/// A slot is complete before its state says `listed`, and untouched until the state is `unused` again, so that a
/// handler never sees half of what is in it.
enum SlotState : int { unused, claimed, listed };
static_assert(std::atomic<int>::is_always_lock_free);

}  // namespace quartic::io
