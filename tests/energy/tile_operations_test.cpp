// The operations of a tile: vectors of any size give each lane the same bits, so that instruction sets which this
// machine doesn't have differ from those it has by nothing but the size.
#include "cpu/energy/tile_operations.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "core/base/aligned_array.hpp"
#include "support/sample_energies.hpp"

namespace quartic::cpu {
namespace {

template <class T>
struct Results {
  AlignedArray<T> h, product, factor, solution, failed;
};

// All operations of a step on lanes with different coordinates, systems and right-hand sides; lane 1's system isn't
// positive definite.
template <class T, int bytes>
Results<T> run(const PackedCoefficients<T>& coefficients) {
  const int rank = coefficients.rank;
  const std::int64_t size = std::int64_t{rank} * lanes<T>;
  AlignedArray<T> q(size), workspace(coefficients.workspace_rows() * lanes<T>), scale(lanes<T>), diagonal(lanes<T>),
      shift(lanes<T>);
  Results<T> results = {AlignedArray<T>(coefficients.h_rows() * lanes<T>), AlignedArray<T>(size),
                        AlignedArray<T>(LaneSystem<T>::factor_rows(rank) * lanes<T>), AlignedArray<T>(size),
                        AlignedArray<T>(lanes<T>)};
  for (std::int64_t n = 0; n < size; ++n) {
    q.data()[n] = static_cast<T>(static_cast<double>(n * 37 % 101) / 101 - 0.5);
    results.solution.data()[n] = static_cast<T>(static_cast<double>(n * 53 % 103) / 103);
  }
  for (int l = 0; l < lanes<T>; ++l) {
    scale.data()[l] = static_cast<T>(1 + 0.1 * l);
    diagonal.data()[l] = static_cast<T>(l == 1 ? -1e6 : 40 + l);
    shift.data()[l] = static_cast<T>(0.25 * l);
  }
  tile_operations::evaluate<T, bytes>(coefficients, q.data(), nullptr, workspace.data(), results.h.data());
  tile_operations::multiply<T, bytes>(rank, results.h.data(), q.data(), results.product.data());
  tile_operations::factorize<T, bytes>(rank, scale.data(), diagonal.data(), shift.data(), results.h.data(),
                                       results.factor.data(), results.failed.data());
  tile_operations::solve<T, bytes>(rank, results.factor.data(), results.solution.data());
  return results;
}

template <class T>
void expect_same_bits(const AlignedArray<T>& a, const AlignedArray<T>& b) {
  ASSERT_EQ(a.size(), b.size());
  EXPECT_EQ(std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(T)), 0);
}

template <class T>
class TileOperations : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(TileOperations, Precisions);

// Ranks with an odd and an even number of blocks of rows, with fewer rows than a block, and columns longer and shorter
// than what is eliminated together.
TYPED_TEST(TileOperations, DontDependOnTheSizeOfVectors) {
  using T = TypeParam;
  for (const int rank : {1, 2, 3, 4, 5, 9, 12, 17, 20}) {
    SCOPED_TRACE(rank);
    const PackedCoefficients<T> coefficients(test::random_squares(rank, static_cast<unsigned>(rank)).energy());
    const Results<T> narrow = run<T, 16>(coefficients), middle = run<T, 32>(coefficients),
                     wide = run<T, 64>(coefficients);
    for (const Results<T>* other : {&middle, &wide}) {
      expect_same_bits(narrow.h, other->h);
      expect_same_bits(narrow.product, other->product);
      expect_same_bits(narrow.factor, other->factor);
      expect_same_bits(narrow.solution, other->solution);
      expect_same_bits(narrow.failed, other->failed);
    }
    for (int l = 0; l < lanes<T>; ++l) EXPECT_EQ(wide.failed.data()[l], l == 1 ? 1 : 0);
  }
}

}  // namespace
}  // namespace quartic::cpu
