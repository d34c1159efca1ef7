#include "core/fem/free_matrix.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include "core/base/thread_pool.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

constexpr std::int64_t entries_per_task = 1 << 15;

[[noreturn]] void fail_too_many() {
  throw InputError(
      "supports and joints couple so many displacements that the matrix has more entries than 32-bit indices can "
      "count: let each mean, tie or joint take fewer vertices");
}

std::vector<bool> following(const FreedomMap& map) {
  std::vector<bool> follows(static_cast<std::size_t>(map.dof_count()));
  for (const std::int32_t dof : map.followers()) follows[static_cast<std::size_t>(dof)] = true;
  return follows;
}

/// Calls `visit(row, column, entry)` for all entries of a row or column that follows others.
template <class Visit>
void for_each_followed(const SparseMatrix& whole, const FreedomMap& map, const Visit& visit) {
  const std::vector<bool> follows = following(map);
  for (std::int32_t row = 0; row < whole.rows; ++row) {
    if (map.row(row).empty()) continue;
    for (auto entry = whole.row_offsets[static_cast<std::size_t>(row)];
         entry < whole.row_offsets[static_cast<std::size_t>(row) + 1]; ++entry) {
      const std::int32_t column = whole.columns[static_cast<std::size_t>(entry)];
      if (follows[static_cast<std::size_t>(row)] || follows[static_cast<std::size_t>(column)])
        visit(row, column, entry);
    }
  }
}

}  // namespace

FreeMatrix::FreeMatrix(const SparseMatrix& whole, const FreedomMap& map) {
  select(whole, map);
  if (!map.is_selection()) {
    // One that follows n others has n^2 of them: counted before there is memory for any.
    std::int64_t count = 0;
    for_each_followed(whole, map, [&](std::int32_t row, std::int32_t column, std::int32_t) {
      count += std::ssize(map.row(row)) * std::ssize(map.row(column));
    });
    if (count > std::numeric_limits<std::int32_t>::max()) fail_too_many();
    std::vector<Addition> additions;
    additions.reserve(static_cast<std::size_t>(count));
    for_each_followed(whole, map, [&](std::int32_t row, std::int32_t column, std::int32_t entry) {
      for (const FreeShare& a : map.row(row))
        for (const FreeShare& b : map.row(column)) additions.push_back({a.free, b.free, entry, a.factor * b.factor});
    });
    merge(std::move(additions));
  }
  matrix.values.resize(source_.size());
  assign(1, whole.values);
}

// What is free on both sides.
void FreeMatrix::select(const SparseMatrix& whole, const FreedomMap& map) {
  const std::vector<std::int32_t>& free_dofs = map.free_dofs();
  std::vector<std::int32_t> new_index(static_cast<std::size_t>(whole.rows), -1);
  for (std::size_t i = 0; i < free_dofs.size(); ++i)
    new_index[static_cast<std::size_t>(free_dofs[i])] = static_cast<std::int32_t>(i);
  matrix.rows = matrix.cols = std::ssize(free_dofs);
  matrix.row_offsets.reserve(free_dofs.size() + 1);
  matrix.row_offsets.push_back(0);
  matrix.columns.reserve(whole.columns.size());
  source_.reserve(whole.columns.size());
  for (const auto row : free_dofs) {
    const auto begin = whole.row_offsets[static_cast<std::size_t>(row)];
    const auto end = whole.row_offsets[static_cast<std::size_t>(row) + 1];
    for (auto entry = begin; entry < end; ++entry) {
      const auto column = new_index[static_cast<std::size_t>(whole.columns[static_cast<std::size_t>(entry)])];
      if (column < 0) continue;
      matrix.columns.push_back(column);
      source_.push_back(entry);
    }
    matrix.row_offsets.push_back(static_cast<std::int32_t>(matrix.columns.size()));
  }
}

// Into the pattern of what was selected.
void FreeMatrix::merge(std::vector<Addition> additions) {
  std::sort(additions.begin(), additions.end(), [](const Addition& a, const Addition& b) {
    return std::tie(a.row, a.column, a.source) < std::tie(b.row, b.column, b.source);
  });
  const SparseMatrix selected = std::move(matrix);
  const std::vector<std::int32_t> selected_source = std::move(source_);
  matrix = {.rows = selected.rows, .cols = selected.cols, .row_offsets = {0}, .columns = {}, .values = {}};
  source_.clear();
  offsets_ = {0};
  auto addition = additions.begin();
  for (std::int32_t row = 0; row < selected.rows; ++row) {
    auto entry = selected.row_offsets[static_cast<std::size_t>(row)];
    const auto end = selected.row_offsets[static_cast<std::size_t>(row) + 1];
    constexpr std::int32_t none = std::numeric_limits<std::int32_t>::max();
    for (;;) {
      const std::int32_t own = entry < end ? selected.columns[static_cast<std::size_t>(entry)] : none;
      const std::int32_t other = addition != additions.end() && addition->row == row ? addition->column : none;
      const std::int32_t column = std::min(own, other);
      if (column == none) break;
      matrix.columns.push_back(column);
      source_.push_back(own == column ? selected_source[static_cast<std::size_t>(entry++)] : -1);
      for (; addition != additions.end() && addition->row == row && addition->column == column; ++addition) {
        added_.push_back(addition->source);
        factors_.push_back(addition->factor);
      }
      offsets_.push_back(std::ssize(added_));
    }
    if (std::ssize(matrix.columns) > std::numeric_limits<std::int32_t>::max()) fail_too_many();
    matrix.row_offsets.push_back(static_cast<std::int32_t>(matrix.columns.size()));
  }
}

void FreeMatrix::assign(double scale, std::span<const double> whole_values) {
  std::vector<double>& a = matrix.values;
  parallel_ranges(std::ssize(a), entries_per_task, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      a[i] = source_[i] < 0 ? 0 : scale * whole_values[static_cast<std::size_t>(source_[i])];
      if (offsets_.empty()) continue;
      for (auto n = static_cast<std::size_t>(offsets_[i]); n < static_cast<std::size_t>(offsets_[i + 1]); ++n)
        a[i] += scale * factors_[n] * whole_values[static_cast<std::size_t>(added_[n])];
    }
  });
}

}  // namespace quartic
