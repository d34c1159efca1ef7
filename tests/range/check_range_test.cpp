// Batch::check_range against the reference, body by body, and what becomes of flags.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "quartic/batch.hpp"
#include "quartic/error.hpp"
#include "support/batch_states.hpp"
#include "support/sample_energies.hpp"
#include "support/sample_range.hpp"

namespace quartic {
namespace {

using namespace test;

std::vector<BodyGroup> sample_groups() {
  std::vector<BodyGroup> groups(3);
  groups[0] = {.energy = random_squares(5, 1).energy(), .bodies = 70, .range = sample_range(5, 13, 1)};
  groups[1] = {.energy = random_squares(7, 2).energy(), .bodies = 9};
  groups[2] = {.energy = random_squares(3, 3).energy(), .bodies = 21, .range = sample_range(3, 2, 2)};
  return groups;
}

// Sizes from hardly strained to inverted.
Eigen::VectorXd sample_state(int rank, std::int64_t body) {
  return random_vector(rank, static_cast<unsigned>(body), 0.05 * static_cast<double>(1 + body % 16));
}

template <class T>
class CheckRangeTest : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(CheckRangeTest, Precisions);

template <class T>
void place_bodies(Batch<T>& batch) {
  for (int g = 0; g < batch.group_count(); ++g) {
    const StateView<T> q = batch.q().part(batch.group(g));
    for (std::int64_t body = 0; body < q.bodies; ++body)
      set_body(q, body, sample_state(static_cast<int>(q.rank), body));
  }
}

TYPED_TEST(CheckRangeTest, TellsOfEachBodyWhatTheReferenceDoes) {
  const std::vector<BodyGroup> groups = sample_groups();
  TestedBatch<TypeParam> batch(groups, {.threads = 3});
  place_bodies(batch);
  const auto found = batch.check_range();
  ASSERT_EQ(std::ssize(found), batch.bodies());
  std::vector<int> seen(4);
  for (int g = 0; g < batch.group_count(); ++g) {
    const GroupRange bodies = batch.group(g);
    for (std::int64_t n = 0; n < bodies.bodies; ++n) {
      const Eigen::VectorXd q = sample_state(static_cast<int>(bodies.rank), n);
      const BodyFlags expected = g == 1 ? BodyFlags::none
                                        : range_flags(groups[static_cast<std::size_t>(g)].range,
                                                      {q.data(), static_cast<std::size_t>(q.size())});
      EXPECT_EQ(found[static_cast<std::size_t>(bodies.first_body + n)], expected) << g << ' ' << n;
      ++seen[static_cast<std::size_t>(expected)];
    }
  }
  EXPECT_GT(seen[0], 9) << "bodies in range, besides the group that isn't looked at";
  EXPECT_GT(seen[2] + seen[3], 9);
  EXPECT_GT(seen[3], 0);
}

TYPED_TEST(CheckRangeTest, FlagsDontDependOnTheBatch) {
  std::vector<BodyGroup> groups = {sample_groups()[0]};
  TestedBatch<TypeParam> all(groups, {.threads = 2});
  place_bodies(all);
  const auto together = all.check_range();
  groups[0].bodies = 1;
  TestedBatch<TypeParam> alone(groups);
  for (std::int64_t n = 0; n < all.bodies(); ++n) {
    set_body(alone.q(), 0, sample_state(5, n));
    EXPECT_EQ(alone.check_range()[0], together[static_cast<std::size_t>(n)]) << n;
  }
}

TYPED_TEST(CheckRangeTest, FlagsStayUntilTheyAreReset) {
  std::vector<BodyGroup> groups = {sample_groups()[0]};
  groups[0].bodies = 3;
  TestedBatch<TypeParam> batch(groups);
  EXPECT_EQ(std::count(batch.flags().begin(), batch.flags().end(), BodyFlags::none), 3);
  set_body(batch.q(), 1, random_vector(5, 4, 20));
  EXPECT_TRUE(has_any(batch.check_range()[1], out_of_range));
  set_body(batch.q(), 1, Eigen::VectorXd::Zero(5));
  EXPECT_EQ(batch.check_range()[1], BodyFlags::none) << "it is back";
  EXPECT_TRUE(has_any(batch.flags()[1], out_of_range)) << "but has been away";
  EXPECT_EQ(batch.flags()[0], BodyFlags::none);
  batch.reset_status();
  EXPECT_TRUE(has_any(batch.flags()[1], out_of_range)) << "another word";
  batch.reset_flags();
  EXPECT_EQ(batch.flags()[1], BodyFlags::none);
  // Bits of later versions are kept.
  const std::vector<BodyFlags> saved = {BodyFlags::none, BodyFlags{0x80000000U}, BodyFlags::not_converged};
  batch.set_flags(saved);
  EXPECT_TRUE(std::equal(saved.begin(), saved.end(), batch.flags().begin()));
  EXPECT_THROW(batch.set_flags(std::vector<BodyFlags>(2)), InputError);
}

TYPED_TEST(CheckRangeTest, StepsAreTheSameWithARange) {
  std::vector<BodyGroup> with = {sample_groups()[0]}, without = with;
  without[0].range = {};
  TestedBatch<TypeParam> looked_at(with), plain(without);
  for (TestedBatch<TypeParam>* batch : {&looked_at, &plain})
    for (std::int64_t n = 0; n < batch->bodies(); ++n) set_random_body(*batch, n, static_cast<unsigned>(n));
  for (int step = 0; step < 3; ++step) {
    static_cast<void>(looked_at.check_range());
    looked_at.step(0.01);
    plain.step(0.01);
  }
  for (int n = 0; n < 70; ++n) EXPECT_EQ(full_state(looked_at, n), full_state(plain, n)) << n;
  for (const BodyFlags flags : plain.check_range()) EXPECT_EQ(flags, BodyFlags::none);
}

TYPED_TEST(CheckRangeTest, ARangeMayBeExchanged) {
  std::vector<BodyGroup> groups = sample_groups();
  TestedBatch<TypeParam> batch(groups);
  place_bodies(batch);
  const std::vector<BodyFlags> first(batch.check_range().begin(), batch.check_range().end());
  batch.set_range(sample_range(5, 40, 9));
  EXPECT_EQ(batch.range().points(), 40);
  EXPECT_FALSE(std::equal(first.begin(), first.begin() + 70, batch.check_range().begin()));
  batch.set_range({});
  const auto none = batch.check_range();
  EXPECT_EQ(std::count(none.begin(), none.begin() + 79, BodyFlags::none), 79);
  EXPECT_TRUE(std::equal(first.begin() + 79, first.end(), none.begin() + 79)) << "the other group's stays";
  EXPECT_THROW(batch.set_range(sample_range(6, 1, 1)), InputError);
  EXPECT_THROW(batch.set_range(groups[0].range, 3), InputError);
}

TEST(CheckRangeTest, RefusesWhatDoesNotFit) {
  ModelRange range = sample_range(5, 3, 1);
  EXPECT_THROW(static_cast<void>(range_flags(range, std::vector<double>(4))), InputError);
  std::vector<BodyGroup> groups = {sample_groups()[2]};
  groups[0].range = range;
  EXPECT_THROW(Batch<double>{groups}, InputError) << "of another rank";
  range.gradients.pop_back();
  EXPECT_THROW(static_cast<void>(range_flags(range, std::vector<double>(5))), InputError);
  groups = {sample_groups()[0]};
  groups[0].range = range;
  EXPECT_THROW(Batch<double>{groups}, InputError);
}

// What isn't a number is out of range.
TEST(CheckRangeTest, NotANumberIsOutOfRange) {
  const ModelRange range = sample_range(2, 1, 5);
  for (const double x : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e300})
    EXPECT_TRUE(has_any(range_flags(range, std::vector<double>{x, 0}), out_of_range)) << x;
}

}  // namespace
}  // namespace quartic
