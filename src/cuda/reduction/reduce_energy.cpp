#include "cuda/reduction/reduce_energy.hpp"

#include <algorithm>
#include <string>

#include "cuda/reduction/quartic_tensor.hpp"
#include "cuda/strains/strain_tiles.hpp"
#include "cuda/strains/strains.hpp"

namespace quartic::cuda {
namespace {

// What is on the device while an energy is reduced.
class Reduction {
 public:
  Reduction(const MeshImage& mesh, const MatrixRef& basis, const StrainPlan& plan)
      : tiles_(mesh, basis, plan, "the reduction of an energy on a device"),
        gram_(plan.slices * plan.shape.sum_size(), tiles_.stream()),
        coefficients_(quartic_coefficient_count(plan.shape.rank), tiles_.stream()) {}

  QuarticEnergy reduce(const RegionConstants& constants, const Progress& progress) {
    const StrainPlan& plan = tiles_.plan();
    const int rank = plan.shape.rank;
    gram_.fill_zero(tiles_.stream());
    tiles_.for_each(constants, "quartic energy", progress, [&](int slices, int rows) { add_products(slices, rows); });
    sum_slices(plan.shape.sum_size(), plan.slices, gram_.data(), tiles_.stream());
    symmetrise(rank, gram_.data(), coefficients_.data(), tiles_.stream());
    QuarticEnergy energy{.rank = rank,
                         .coefficients = std::vector<double>(static_cast<std::size_t>(coefficients_.size()))};
    check(cudaMemcpyAsync(energy.coefficients.data(), coefficients_.data(), coefficients_.bytes(),
                          cudaMemcpyDeviceToHost, tiles_.stream()),
          "copy coefficients to the host");
    check(cudaStreamSynchronize(tiles_.stream()), "copy coefficients to the host");
    return energy;
  }

 private:
  // Lower triangles, by columns as wide as cuBLAS' own blocks; what stands above the diagonal is never read.
  void add_products(int slices, int rows) {
    constexpr int least_width = 128, most_columns = 16;
    const int pairs = tiles_.plan().shape.pairs();
    const int width = std::max(least_width, (pairs / most_columns + least_width - 1) / least_width * least_width);
    for (int first = 0; first < pairs; first += width) {
      const double* columns = tiles_.strains(first, rows);
      tiles_.cublas().add_transposed_batched(pairs - first, std::min(width, pairs - first), rows,
                                             {.a = {columns, rows},
                                              .b = {columns, rows},
                                              .c = {gram_.data() + std::int64_t{first} * (pairs + 1), pairs},
                                              .stride_a = static_cast<long long>(pairs) * rows,
                                              .stride_b = static_cast<long long>(pairs) * rows,
                                              .stride_c = static_cast<long long>(pairs) * pairs},
                                             slices);
    }
  }

  StrainTiles tiles_;
  DeviceArray<double> gram_;
  const DeviceArray<double> coefficients_;
};

}  // namespace

std::vector<QuarticEnergy> reduce_energies(const PreparedMesh& prepared, const MatrixRef& basis,
                                           std::span<const RegionConstants> sets, std::int64_t workspace_bytes,
                                           const Progress& progress) {
  const MeshImage& mesh = prepared.image();
  const int rank = static_cast<int>(basis.cols());
  const StrainPlan plan =
      plan_strain_memory(mesh, {.rank = rank, .strains = strain_count_of(sets)}, quartic_coefficient_count(rank),
                         workspace_bytes, "the reduction to rank " + std::to_string(rank), "lower the rank");
  Reduction reduction(mesh, basis, plan);
  std::vector<QuarticEnergy> energies;
  const Progress share = [&](std::string_view stage, double fraction) {
    progress(stage, (static_cast<double>(energies.size()) + fraction) / static_cast<double>(sets.size()));
  };
  if (progress) progress("quartic energy", 0);
  for (const RegionConstants& constants : sets)
    energies.push_back(reduction.reduce(constants, progress ? share : Progress()));
  if (progress) progress("quartic energy", 1);
  return energies;
}

}  // namespace quartic::cuda
