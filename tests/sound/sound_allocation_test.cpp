// What runs in the callback of an audio device allocates nothing.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <thread>
#include <vector>

#include "quartic/sound.hpp"
#include "sound/struck_models.hpp"

namespace {
std::atomic<long> allocations{0};
}  // namespace

// The library's calls come here, too.
void* operator new(std::size_t size) {
  ++allocations;
  void* memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
// Not inlined, or GCC takes what `new` gave for something that `free` mustn't have.
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace quartic {
namespace {

TEST(SoundAllocation, NoneInProcessOrStrike) {
  const ReducedModel model = test::ringing_model({100, 300, 900, 5000});
  SoundStream<float> stream(model, constant_weights(model), {.max_strikes = 8});
  stream.add_input(1, {1, 0, 0});
  std::vector<float> out(777), inputs(777, 0.1F);
  const Strike strikes[] = {{.vertex = 1, .impulse = {1, 0, 0}},
                            {.vertex = 2, .impulse = {0, 1, 0}, .time = 0.002, .length = 0.003}};
  const SoundWeights quieter{SoundSignal::displacement, 1, {0.5, 0.5, 0.5, 0.5}};
  const long before = allocations;
  EXPECT_GT(before, 10);  // those of the stream: they are counted
  for (int block = 0; block < 5; ++block) {
    if (block == 0)
      for (const Strike& strike : strikes) stream.strike(strike);
    stream.strike({.vertex = 3, .impulse = {1, 1, 1}, .length = 0.0001});
    stream.set_weights(quieter, 0.005);
    ASSERT_TRUE(stream.process(out, inputs));
  }
  EXPECT_EQ(allocations, before);
}

// One thread strikes while another listens; none waits for the other.
TEST(SoundAllocation, StrikesFromAnotherThreadAllArrive) {
  const ReducedModel model = test::ringing_model({100});
  SoundStream<double> stream(model, constant_weights(model), {.max_strikes = 4});
  constexpr int strikes = 200;
  std::atomic<bool> done{false};
  std::thread player([&] {
    for (int n = 0; n < strikes; ++n) {
      while (stream.strikes() == 4) std::this_thread::yield();
      stream.strike({.vertex = 1, .impulse = {1, 0, 0}});
    }
    done = true;
  });
  std::vector<double> out(16);
  while (!done || stream.strikes() > 0) ASSERT_TRUE(stream.process(out));
  player.join();
  EXPECT_EQ(stream.strikes(), 0);
}

}  // namespace
}  // namespace quartic
