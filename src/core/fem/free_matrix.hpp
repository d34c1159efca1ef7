// T^T A T: a matrix of all displacements on the free ones.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/supports/freedom_map.hpp"
#include "quartic/matrix.hpp"

namespace quartic {

/// The pattern is found once, so that other values of A are put in at once. Where the map is a selection, entries are
/// copies of A's; where displacements follow others, products with their shares are added.
struct FreeMatrix {
  /// @param whole A, symmetric in its pattern, (3n, 3n) @throws InputError for more entries than 32-bit indices count
  FreeMatrix(const SparseMatrix& whole, const FreedomMap& map);

  /// matrix = scale T^T A T, of a matrix A with the same pattern. Threaded, in a fixed order of summation.
  void assign(double scale, std::span<const double> whole_values);

  SparseMatrix matrix;

 private:
  struct Addition {
    std::int32_t row = 0, column = 0;
    std::int32_t source = 0;  // entry of A
    double factor = 0;
  };
  void select(const SparseMatrix& whole, const FreedomMap& map);
  void merge(std::vector<Addition> additions);

  std::vector<std::int32_t> source_;   // for each entry the entry of A that it is a copy of; -1: of none
  std::vector<std::int64_t> offsets_;  // of each entry's additions; empty if there are none
  std::vector<std::int32_t> added_;    // entries of A
  std::vector<double> factors_;        // of these
};

}  // namespace quartic
