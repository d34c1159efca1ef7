// Trajectories keep their bits from one version of the library to the next. Who changes them on purpose replaces the
// table by what `quartic bench --hash` prints, and says so in the changelog.
#include "measure/trajectory_hash.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "measure/trajectory_hashes.hpp"
#include "support/command.hpp"

namespace quartic {
namespace {

using measure::BodyHash;
using measure::HashedMotion;

// ---- the table -----------------------------------------------------------------------------------------------

// The library settles on an instruction set once per process: each has the command run for it.
struct Set {
  const char* name;   // for QUARTIC_INSTRUCTION_SET
  const char* shown;  // by the command
  bool fuses;         // multiplications and additions
};

class TrajectoryHash : public testing::TestWithParam<Set> {};
INSTANTIATE_TEST_SUITE_P(InstructionSets, TrajectoryHash,
                         testing::Values(Set{"portable", "portable", false}, Set{"avx2", "AVX2", true},
                                         Set{"avx512", "AVX-512", true}),
                         [](const auto& set) { return std::string(set.param.name); });

TEST_P(TrajectoryHash, IsThatOfTheTable) {
#if !defined(__x86_64__) || defined(__FMA__)
  GTEST_SKIP() << "the table is that of x86-64 built for any such processor, without -march";
#endif
  const Set& set = GetParam();
  const test::CommandResult result = test::run_quartic(std::filesystem::temp_directory_path(), "bench --hash --json",
                                                       std::string("QUARTIC_INSTRUCTION_SET=") + set.name);
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const nlohmann::json report = result.json();
  if (report.at("instruction_set") != set.shown) GTEST_SKIP() << "this machine has no " << set.shown;
#if defined(QUARTIC_IS_OPTIMISED)
  const bool fused = set.fuses;
#else
  const bool fused = false;
#endif
  const nlohmann::json& hashes = report.at("trajectory_hashes");
  EXPECT_EQ(hashes.size(), std::size(test::expected_hashes));
  std::string changed;
  for (const test::ExpectedHash& row : test::expected_hashes) {
    const std::string expected = measure::hash_text(fused ? row.fused : row.separate);
    const std::string hash = hashes.value(row.motion, "nothing");
    if (hash != expected) changed += std::string(row.motion) + ": " + hash + ", not " + expected + '\n';
  }
  EXPECT_TRUE(changed.empty()) << "with " << set.shown << ":\n" << changed;
}

TEST(TrajectoryHashes, ArePrintedForPeopleToo) {
  const test::CommandResult result =
      test::run_quartic(std::filesystem::temp_directory_path(), "bench --hash --threads 1");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  for (const HashedMotion& motion : measure::hashed_motions()) {
    if (motion.rank > 4) continue;
    const std::string line = measure::hash_text(measure::trajectory_hash(motion)) + "  " + measure::name(motion) + '\n';
    EXPECT_NE(result.output.find(line), std::string::npos) << line;
  }
}

TEST(TrajectoryHashes, LeaveNothingToMeasure) {
  for (const char* option : {"--ranks 4", "--bodies 10", "--quick"})
    EXPECT_EQ(
        test::run_quartic(std::filesystem::temp_directory_path(), std::string("bench --hash ") + option).exit_code, 2);
}

// ---- what is hashed ------------------------------------------------------------------------------------------

std::vector<HashedMotion> motions_of_rank(int rank) {
  std::vector<HashedMotion> motions = measure::hashed_motions();
  std::erase_if(motions, [&](const HashedMotion& motion) { return motion.rank != rank; });
  return motions;
}

TEST(HashedMotions, EndAsTheirNamesSay) {
  for (const HashedMotion& motion : motions_of_rank(4)) {
    const BodyStatus expected = !motion.buckles                                        ? BodyStatus::ok
                                : motion.integrator == Integrator::central_differences ? BodyStatus::diverged
                                                                                       : BodyStatus::regularised;
    for (const BodyHash& body : measure::body_hashes(motion, std::vector<std::int64_t>{0, 1, 2}))
      EXPECT_EQ(body.status, expected) << measure::name(motion);
  }
}

TEST(HashedMotions, HaveDifferentHashes) {
  std::set<std::uint64_t> hashes;
  for (const HashedMotion& motion : motions_of_rank(4))
    EXPECT_TRUE(hashes.insert(measure::trajectory_hash(motion)).second) << measure::name(motion);
}

TEST(HashedMotions, DependOnTheBodyAndOnEachFrame) {
  const HashedMotion motion = motions_of_rank(4).front();
  std::set<std::uint64_t> hashes;
  for (const int steps : {10, 20, 990, 1000})
    for (const BodyHash& body : measure::body_hashes(motion, std::vector<std::int64_t>{0, 1, 2, 3}, 1, steps))
      EXPECT_TRUE(hashes.insert(body.hash).second) << steps;
}

// The hashes of a batch's first, middle and last body are those of each alone.
void expect_hashes_of_single_bodies(const HashedMotion& motion, std::int64_t bodies, int threads, int steps) {
  SCOPED_TRACE(measure::name(motion) + ", " + std::to_string(bodies) + " bodies, " + std::to_string(threads) +
               " threads");
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(bodies));
  std::iota(numbers.begin(), numbers.end(), 5);
  const std::vector<BodyHash> together = measure::body_hashes(motion, numbers, threads, steps);
  for (const std::size_t place : {std::size_t{0}, numbers.size() / 2, numbers.size() - 1})
    EXPECT_EQ(measure::body_hashes(motion, std::vector{numbers[place]}, 1, steps).front().hash, together[place].hash)
        << place;
}

TEST(HashedMotions, DontDependOnCompanyAndThreads) {
  int threads = 0;  // 1 to 16 in turns
  for (const HashedMotion& motion : motions_of_rank(4)) {
    threads = threads % 16 + 1;
    expect_hashes_of_single_bodies(motion, 45 + threads % 5, threads, 50);
  }
}

TEST(HashedMotions, AreThoseOfManyBodiesToo) {
  for (const HashedMotion& motion : motions_of_rank(1))
    if (motion.integrator == Integrator::newmark) expect_hashes_of_single_bodies(motion, 4096, 16, 100);
  for (const std::int64_t bodies : {2, 8, 15, 17, 31, 64, 1000})
    expect_hashes_of_single_bodies(motions_of_rank(12).front(), bodies, 2, 50);
}

}  // namespace
}  // namespace quartic
