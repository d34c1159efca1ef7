// Parities that a tensor's zeros allow, and evaluations that leave these zeros out.
#include "core/energy/parity.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "core/base/aligned_array.hpp"
#include "core/energy/symmetric_tensor.hpp"
#include "cpu/energy/body_kernels.hpp"
#include "cpu/energy/tile_kernels.hpp"
#include "quartic/chambers.hpp"
#include "support/sample_energies.hpp"

namespace quartic {
namespace {

std::vector<std::uint8_t> random_parities(int rank, int count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint8_t> of = {0};
  for (int i = 0; i < rank; ++i) of.push_back(static_cast<std::uint8_t>(random() % (1U << count)));
  return of;
}

// An energy with the zeros of these parities, and random numbers elsewhere.
QuarticEnergy energy_with(const std::vector<std::uint8_t>& of, unsigned seed) {
  const auto rank = static_cast<int>(of.size()) - 1;
  QuarticEnergy energy = test::random_squares(rank, seed).energy();
  std::size_t at = 0;
  for (std::size_t a = 0; a < of.size(); ++a)
    for (std::size_t b = a; b < of.size(); ++b)
      for (std::size_t c = b; c < of.size(); ++c)
        for (std::size_t d = c; d < of.size(); ++d, ++at)
          if ((of[a] ^ of[b] ^ of[c] ^ of[d]) != 0) energy.coefficients[at] = 0;
  return energy;
}

EnclosedVolume volume_with(const std::vector<std::uint8_t>& of) {
  EnclosedVolume volume{.rank = static_cast<int>(of.size()) - 1};
  for (std::size_t a = 0; a < of.size(); ++a)
    for (std::size_t b = a; b < of.size(); ++b)
      for (std::size_t c = b; c < of.size(); ++c)
        volume.coefficients.push_back((of[a] ^ of[b] ^ of[c]) == 0 ? 0.1 + 0.01 * static_cast<double>(a + 2 * b + 3 * c)
                                                                   : 0);
  return volume;
}

// Whether the parities found part the pairs of coordinates as the given ones do.
bool part_alike(const Parities& found, const std::vector<std::uint8_t>& of) {
  for (std::size_t a = 0; a < of.size(); ++a)
    for (std::size_t b = 0; b < of.size(); ++b)
      if ((found.of[a] == found.of[b]) != (of[a] == of[b])) return false;
  return true;
}

TEST(Parities, AreFoundInZeros) {
  for (const int count : {1, 2, 3})
    for (unsigned seed = 0; seed < 5; ++seed) {
      const std::vector<std::uint8_t> of = random_parities(14, count, seed);
      const Parities found = parities(energy_with(of, seed));
      EXPECT_EQ(found.count, count);
      EXPECT_TRUE(part_alike(found, of));
    }
  EXPECT_EQ(parities(test::random_squares(9, 1).energy()).count, 0);
}

// Of q^2 and q^4 alone, each coordinate has a parity of its own; three are kept.
TEST(Parities, AreThreeAtMost) {
  EXPECT_EQ(parities(test::duffing(2, 3)).count, 1);
  QuarticEnergy apart{.rank = 6, .coefficients = std::vector<double>(210)};
  for (std::size_t i = 1; i <= 6; ++i) apart.coefficients[sorted_index(0, 0, i, i, 6)] = 1;
  EXPECT_EQ(parities(apart).count, 3);
}

TEST(Parities, OneSmallEntryDestroysOne) {
  const std::vector<std::uint8_t> of = random_parities(10, 2, 4);
  QuarticEnergy energy = energy_with(of, 4);
  std::size_t i = 1;
  while (of[i] == 0) ++i;
  energy.coefficients[sorted_index(0, 0, 0, i, 10)] = 1e-300;
  EXPECT_EQ(parities(energy).count, 1);
}

TEST(Parities, SaveHalfAThreeQuartersOrMore) {
  EXPECT_EQ(work_share(parities(test::random_squares(9, 1).energy())), 1);
  const double one = work_share(parities(energy_with(random_parities(30, 1, 2), 2)));
  EXPECT_GE(one, 0.5);
  EXPECT_LT(one, 0.51);
  EXPECT_LT(work_share(parities(energy_with(random_parities(30, 2, 2), 2))), 0.27);
}

template <class T>
class ParityKernels : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(ParityKernels, Precisions);

// H of a tile. The padding's rows are left out.
template <class T>
std::vector<T> h_of(const cpu::PackedCoefficients<T>& coefficients, int chambers) {
  constexpr int lanes = cpu::lanes<T>;
  AlignedArray<T> q(std::int64_t{coefficients.rank} * lanes), pressures(std::int64_t{chambers + 1} * lanes),
      workspace(coefficients.workspace_rows() * lanes), h(coefficients.h_rows() * lanes);
  for (std::int64_t n = 0; n < q.size(); ++n)
    q.data()[n] = static_cast<T>(static_cast<double>(n * 37 % 101) / 101 - 0.5);
  for (std::int64_t n = 0; n < pressures.size(); ++n)
    pressures.data()[n] = static_cast<T>(0.3 + 0.1 * static_cast<double>(n));
  cpu::PackedCoefficients<T>::kernels().evaluate(coefficients, q.data(), pressures.data(), workspace.data(), h.data());
  const std::int64_t rows = coefficients.stiffness_rows() + std::int64_t{1 + chambers} * coefficients.rank;
  return {h.data(), h.data() + rows * lanes};
}

TYPED_TEST(ParityKernels, LeaveOutZerosWithoutChangingABit) {
  using T = TypeParam;
  for (const int rank : {1, 2, 3, 5, 8, 12, 17, 20})
    for (const int count : {1, 2, 3})
      for (const int chambers : {0, 2}) {
        SCOPED_TRACE(testing::Message() << rank << ' ' << count << ' ' << chambers);
        const std::vector<std::uint8_t> of = random_parities(rank, count, static_cast<unsigned>(rank));
        const QuarticEnergy energy = energy_with(of, static_cast<unsigned>(rank));
        const std::vector<EnclosedVolume> volumes(static_cast<std::size_t>(chambers), volume_with(of));
        const cpu::PackedCoefficients<T> parted(energy, volumes), whole(energy, volumes, Parities{});
        EXPECT_LE(parted.values.size(), whole.values.size() + 8 * cpu::row_block * whole.monomials);
        if (rank == 20) {
          EXPECT_LT(static_cast<double>(parted.values.size()),
                    1.25 / (1 << count) * static_cast<double>(whole.values.size()));
        }
        const std::vector<T> a = h_of(parted, chambers), b = h_of(whole, chambers);
        ASSERT_EQ(a.size(), b.size());
        EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(T)), 0);
      }
}

// K and what is linear, of one body.
template <class T>
std::vector<T> h_of(const cpu::SymmetricCoefficients<T>& coefficients) {
  AlignedArray<T> q(coefficients.array_rows()), pressures(2), workspace(coefficients.workspace_rows()),
      h(coefficients.h_rows());
  for (std::int64_t n = 0; n < coefficients.rank; ++n)
    q.data()[n] = static_cast<T>(static_cast<double>(n * 37 % 101) / 101 - 0.5);
  pressures.data()[0] = T{0.5}, pressures.data()[1] = T{-2};
  std::fill_n(workspace.data(), workspace.size(), std::numeric_limits<T>::quiet_NaN());  // as another body left it
  cpu::SymmetricCoefficients<T>::kernels().evaluate(coefficients, q.data(), pressures.data(), workspace.data(),
                                                    h.data());
  return {h.data(), h.data() + h.size()};
}

TYPED_TEST(ParityKernels, OfOneBodyGiveTheSameToRoundOff) {
  using T = TypeParam;
  for (const int rank : {1, 2, 3, 5, 8, 12, 17, 30})
    for (const int count : {1, 2, 3})
      for (const std::size_t chambers : {0, 2}) {
        SCOPED_TRACE(testing::Message() << rank << ' ' << count << ' ' << chambers);
        const std::vector<std::uint8_t> of = random_parities(rank, count, static_cast<unsigned>(rank));
        const QuarticEnergy energy = energy_with(of, static_cast<unsigned>(rank));
        const std::vector<EnclosedVolume> volumes(chambers, volume_with(of));
        const std::vector<T> a = h_of(cpu::SymmetricCoefficients<T>(energy, volumes));
        const std::vector<T> b = h_of(cpu::SymmetricCoefficients<T>(energy, volumes, Parities{}));
        ASSERT_EQ(a.size(), b.size());
        const T largest = std::abs(*std::ranges::max_element(b, {}, [](T x) { return std::abs(x); }));
        for (std::size_t n = 0; n < a.size(); ++n)
          EXPECT_NEAR(a[n], b[n], 20 * std::numeric_limits<T>::epsilon() * largest) << n;
      }
}

}  // namespace
}  // namespace quartic
