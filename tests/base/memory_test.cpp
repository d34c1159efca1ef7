// What a run asks for before it takes it.
#include "core/base/memory.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "quartic/error.hpp"
#include "quartic/model.hpp"
#include "quartic/modes.hpp"
#include "quartic/procedural.hpp"

namespace quartic {
namespace {

TEST(Memory, IsWrittenInPowersOfAThousand) {
  EXPECT_EQ(bytes_text(0), "0 bytes");
  EXPECT_EQ(bytes_text(999), "999 bytes");
  EXPECT_EQ(bytes_text(1000), "1 kB");
  EXPECT_EQ(bytes_text(999'499), "999 kB");
  EXPECT_EQ(bytes_text(999'501), "1 MB");
  EXPECT_EQ(bytes_text(1.214e9), "1.21 GB");
  EXPECT_EQ(bytes_text(5e15), "5e+03 TB");
}

TEST(Memory, IsNoMoreThanTheMachineHas) {
  const double all = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  EXPECT_GT(available_memory_bytes(), 0);
  EXPECT_LE(available_memory_bytes(), all);
}

TEST(Memory, MissingIsToldWithTheRemedy) {
  EXPECT_NO_THROW(require_memory(1, "one byte", "don't"));
  try {
    require_memory(1e18, "the frames", "use fewer");
    FAIL();
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.find("the frames take 1e+06 TB, but this machine has "), 0) << text;
    EXPECT_NE(text.find(" available; use fewer"), std::string::npos) << text;
  }
}

// In a child, whose limit is its own.
TEST(Memory, FollowsTheLimitOfTheProcess) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers reserve more addresses than any limit";
#endif
  const pid_t child = fork();
  if (child == 0) {
    rlimit limit{};
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = rlim_t{1} << 31;
    setrlimit(RLIMIT_AS, &limit);
    _exit(available_memory_bytes() < 0x1p31 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// 2e8 fields of 27,783 numbers: no machine has that.
TEST(Memory, IsAskedForBeforeAReduction) {
  const ProceduralMesh body =
      make_box({.length = 1, .width = 1, .height = 1, .cells_x = 20, .cells_y = 20, .cells_z = 20});
  try {
    static_cast<void>(reduce(body.mesh, body.fixed_vertices, {.modes = 20'000, .rank = 30}));
    FAIL();
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("200030000 displacement fields of 20000 modes and their derivatives take"), std::string::npos)
        << text;
    EXPECT_NE(text.find("ask for fewer modes (some "), std::string::npos) << text;
    EXPECT_NE(text.find("leave the derivatives out"), std::string::npos) << text;
  }
}

// A chain of springs, or with `link` = 0 a diagonal.
SparseMatrix chain(std::int32_t rows, double diagonal, double link) {
  SparseMatrix matrix;
  matrix.rows = matrix.cols = rows;
  matrix.row_offsets = {0};
  for (std::int32_t i = 0; i < rows; ++i) {
    for (const std::int32_t j : {i - 1, i, i + 1}) {
      if (j < 0 || j >= rows || (j != i && link == 0)) continue;
      matrix.columns.push_back(j);
      matrix.values.push_back(j == i ? diagonal : link);
    }
    matrix.row_offsets.push_back(static_cast<std::int32_t>(matrix.columns.size()));
  }
  return matrix;
}

// A third of all modes takes dense matrices, here of 3 TB.
TEST(Memory, IsAskedForBeforeModes) {
  constexpr std::int32_t rows = 300'000;
  const ElasticSystem system(chain(rows, 3, -1), chain(rows, 1, 0), {});
  try {
    static_cast<void>(linear_modes(system, {.count = rows / 3}));
    FAIL();
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("100000 modes of 300000 degrees of freedom take"), std::string::npos) << text;
    EXPECT_NE(text.find("ask for less than a fifth of all modes"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace quartic
