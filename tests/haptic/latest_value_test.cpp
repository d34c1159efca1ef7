#include "core/haptic/latest_value.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace quartic {
namespace {

struct Numbers {
  std::array<std::int64_t, 37> values = {};
  float odd = 0;
};

TEST(LatestValueTest, ReadersNeverSeeHalfAValue) {
  LatestValue<Numbers> latest(Numbers{});
  constexpr std::int64_t last = 20000;
  std::thread writer([&] {
    for (std::int64_t n = 1; n <= last; ++n) {
      Numbers next;
      next.values.fill(n);
      next.odd = static_cast<float>(n);
      latest.put(next);
    }
  });
  std::array<std::int64_t, 2> torn = {}, backwards = {};
  const auto read = [&](std::size_t reader) {
    for (std::int64_t seen = 0; seen < last;) {
      const Numbers now = latest.get();
      for (const std::int64_t value : now.values) torn[reader] += value != now.values[0];
      torn[reader] += now.odd != static_cast<float>(now.values[0]);
      backwards[reader] += now.values[0] < seen;
      seen = now.values[0];
    }
  };
  std::thread other([&] { read(1); });
  read(0);
  writer.join();
  other.join();
  for (const std::size_t reader : {0U, 1U}) {
    EXPECT_EQ(torn[reader], 0);
    EXPECT_EQ(backwards[reader], 0);
  }
}

}  // namespace
}  // namespace quartic
