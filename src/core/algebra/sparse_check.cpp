#include "core/algebra/sparse_check.hpp"

#include "quartic/error.hpp"

namespace quartic {

void require_well_formed(const SparseMatrix& matrix, const std::string& name) {
  const auto& offsets = matrix.row_offsets;
  if (matrix.rows < 0 || matrix.cols < 0 || std::ssize(offsets) != matrix.rows + 1)
    throw InputError(name + " has " + std::to_string(matrix.rows) + " rows, but " + std::to_string(offsets.size()) +
                     " row offsets; there must be one more than rows");
  if (offsets.front() != 0 || offsets.back() != matrix.nonzeros() || std::ssize(matrix.values) != matrix.nonzeros())
    throw InputError(name + " has " + std::to_string(matrix.nonzeros()) + " columns and " +
                     std::to_string(matrix.values.size()) + " values; its row offsets must go from 0 to that number");
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    const auto begin = offsets[static_cast<std::size_t>(row)], end = offsets[static_cast<std::size_t>(row) + 1];
    if (end < begin) throw InputError(name + ": the offsets of row " + std::to_string(row) + " descend");
    if (end > matrix.nonzeros())
      throw InputError(name + ": the offset of row " + std::to_string(row) + " is beyond the last entry");
    std::int64_t last = -1;
    for (auto entry = begin; entry < end; ++entry) {
      const std::int64_t column = matrix.columns[static_cast<std::size_t>(entry)];
      if (column <= last || column >= matrix.cols)
        throw InputError(name + ": the columns of row " + std::to_string(row) + " must ascend within 0 .. " +
                         std::to_string(matrix.cols - 1));
      last = column;
    }
  }
}

}  // namespace quartic
