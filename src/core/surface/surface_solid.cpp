#include "core/surface/surface_solid.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/surface/row_crossings.hpp"

namespace quartic {
namespace {

/// Calls use(row) for the crossings of each row.
template <class Use>
void for_each_row(std::span<const RowCrossing> crossings, const Use& use) {
  for (std::size_t first = 0, last = 0; first < crossings.size(); first = last) {
    while (last < crossings.size() && crossings[last].j == crossings[first].j &&
           crossings[last].k == crossings[first].k)
      ++last;
    use(crossings.subspan(first, last - first));
  }
}

/// How many more bodies, or fewer cavities, hold what lies behind a crossing than what lies before it.
int change(const RowCrossing& crossing, const Shell& shell) {
  const bool enters = std::signbit(crossing.slope) == (*shell.volume > 0);
  return enters != shell.cavity ? 1 : -1;
}

struct Sample {
  double thickness, area;  // in cells and their faces
};

/// At both ends of each piece of a row that is in the solid.
void sample_row(std::span<const RowCrossing> row, const SurfaceShells& shells, std::vector<Sample>& samples) {
  constexpr double steepest = 0.57735;  // 1 / sqrt(3): the largest component of a normal is at least that
  int depth = 0;
  const RowCrossing* begin = nullptr;
  for (const RowCrossing& crossing : row) {
    if (depth == 0) begin = &crossing;
    depth += change(crossing, shells.shell(static_cast<std::size_t>(crossing.triangle)));
    if (depth != 0) continue;
    for (const double slope : {std::abs(begin->slope), std::abs(crossing.slope)})
      if (slope > steepest) samples.push_back({(crossing.at - begin->at) * slope, 1 / slope});
  }
}

}  // namespace

std::vector<std::uint8_t> cells_in_cavities(const TriangleMesh& surface, const SurfaceShells& shells,
                                            const VoxelLattice& lattice) {
  std::vector<std::uint8_t> cells(lattice.size());
  const std::vector<RowCrossing> crossings = row_crossings(surface, shells, lattice, 0);
  for_each_row(std::span(crossings), [&](std::span<const RowCrossing> row) {
    int depth = 0, bodies = 0;
    for (std::size_t n = 0; n + 1 < row.size(); ++n) {
      const Shell& shell = shells.shell(static_cast<std::size_t>(row[n].triangle));
      depth += change(row[n], shell);
      if (!shell.cavity) bodies += change(row[n], shell);
      if (depth != 0 || bodies == 0) continue;
      const auto first = static_cast<std::int64_t>(std::ceil(row[n].at - 0.5));
      const auto end = static_cast<std::int64_t>(std::ceil(row[n + 1].at - 0.5));
      for (std::int64_t i = std::max<std::int64_t>(first, 0); i < std::min(end, lattice.cells()[0]); ++i)
        cells[lattice.cell(i, row[n].j, row[n].k)] = 1;
    }
  });
  return cells;
}

std::optional<double> usual_thickness(const TriangleMesh& surface, const SurfaceShells& shells,
                                      const VoxelLattice& lattice) {
  std::vector<Sample> samples;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::vector<RowCrossing> crossings = row_crossings(surface, shells, lattice, axis);
    for_each_row(std::span(crossings), [&](std::span<const RowCrossing> row) { sample_row(row, shells, samples); });
  }
  std::sort(samples.begin(), samples.end(), [](const Sample& a, const Sample& b) { return a.thickness < b.thickness; });
  double area = 0;
  for (const Sample& sample : samples) area += sample.area;
  double thinner = 0.1 * area;
  for (const Sample& sample : samples) {
    thinner -= sample.area;
    if (thinner <= 0) return sample.thickness * lattice.edge();
  }
  return std::nullopt;
}

}  // namespace quartic
