#include "cuda/reduction/reduce_energy.hpp"

#include <algorithm>
#include <string>

#include "cuda/base/cublas.hpp"
#include "cuda/base/devices.hpp"
#include "cuda/base/matrix_copies.hpp"
#include "cuda/fem/device_mesh.hpp"
#include "cuda/fem/quadrature_points.hpp"
#include "cuda/reduction/quartic_tensor.hpp"
#include "cuda/reduction/strain_plan.hpp"
#include "cuda/reduction/strains.hpp"
#include "quartic/error.hpp"

namespace quartic::cuda {
namespace {

constexpr auto number = static_cast<std::int64_t>(sizeof(double));
constexpr int tiles_per_report = 16;  // between waits of the host, which the device would have to make up for

std::int64_t most_points(const MeshImage& mesh) {
  std::int64_t most = 1;
  for (const BlockImage& block : mesh.blocks)
    most = std::max(most, block.count() * std::ssize(block.stiffness.weights));
  return most;
}

int most_corners(const MeshImage& mesh) {
  int most = 0;
  for (const BlockImage& block : mesh.blocks) most = std::max(most, block.corners);
  return most;
}

// Six numbers per pair and point where any set wants them.
int strain_count_of(std::span<const RegionConstants> sets) {
  int count = 1;
  for (const RegionConstants& constants : sets)
    for (const auto& entry : constants)
      if (entry) count = std::max(count, static_cast<int>(entry->strain_count()));
  return count;
}

// As cuBLAS recommends, unless the device is small.
std::int64_t library_bytes(std::int64_t available) {
  return std::min(static_cast<std::int64_t>(Cublas::workspace_bytes), available / 16);
}

// What the device must hold besides the tile is known: the tile gets what is left, if that is less than was asked for.
StrainPlan plan_memory(const MeshImage& mesh, const MatrixRef& basis, int strains, std::int64_t workspace_bytes) {
  const int rank = static_cast<int>(basis.cols());
  const std::int64_t pairs = strain_count(rank);
  const auto available = static_cast<std::int64_t>(device_memory().available);
  const std::int64_t fixed = static_cast<std::int64_t>(DeviceMesh::bytes(mesh)) + library_bytes(available) +
                             number * (basis.size() + pairs * pairs + quartic_coefficient_count(rank));
  // An eighth is for what pools and allocations lose.
  for (std::int64_t workspace = workspace_bytes;; workspace /= 2) {
    const bool last = workspace / 2 < number * pairs * strains;
    const StrainPlan plan = plan_strains(rank, strains, most_points(mesh), most_corners(mesh), workspace);
    const std::int64_t needed = fixed + plan.bytes - number * pairs * pairs;
    if (needed <= available - available / 8) return plan;
    if (last)
      throw DeviceError("the reduction to rank " + std::to_string(rank) + " needs " + std::to_string(needed >> 20) +
                        " MB on the device at least, but " + std::to_string(available >> 20) +
                        " MB are free; lower the rank, or use the backend 'cpu'");
  }
}

// What is on the device while an energy is reduced.
class Reduction {
 public:
  Reduction(const MeshImage& mesh, const MatrixRef& basis, const StrainPlan& plan)
      : plan_(plan),
        rank_(static_cast<int>(basis.cols())),
        image_(mesh),
        mesh_(mesh, stream_.get()),
        basis_(to_device(basis, stream_.get())),
        cublas_("the reduction of an energy on a device", "the backend 'cpu'"),
        library_(library_bytes(static_cast<std::int64_t>(device_memory().available)), stream_.get()),
        lambda_(std::ssize(mesh.materials.lambda), stream_.get()),
        mu_(std::ssize(mesh.materials.mu), stream_.get()),
        weights_(plan.tile_points(), stream_.get()),
        shapes_(std::int64_t{3} * most_corners(mesh) * plan.tile_points(), stream_.get()),
        scales_(std::int64_t{3} * plan.tile_points(), stream_.get()),
        gradients_(std::int64_t{9} * (rank_ + 1) * plan.tile_points(), stream_.get()),
        strains_(std::int64_t{plan.pairs} * plan.strains * plan.tile_points(), stream_.get()),
        gram_(std::int64_t{plan.slices} * plan.pairs * plan.pairs, stream_.get()),
        coefficients_(quartic_coefficient_count(rank_), stream_.get()) {
    cublas_.use(stream_.get(), library_);
    fill_identity(plan.tile_points(), gradients_.data(), stream_.get());
  }

  QuarticEnergy reduce(const RegionConstants& constants, const Progress& progress) {
    std::vector<double> lambda(constants.size()), mu(constants.size());
    int strains = 1;
    for (std::size_t g = 0; g < constants.size(); ++g) {
      if (!constants[g]) continue;
      lambda[g] = constants[g]->lambda;
      mu[g] = constants[g]->mu;
      strains = static_cast<int>(constants[g]->strain_count());
    }
    lambda_.copy_from(lambda, stream_.get());
    mu_.copy_from(mu, stream_.get());
    gram_.fill_zero(stream_.get());
    for (std::size_t b = 0; b < mesh_.blocks().size(); ++b) add_block(b, constants, strains, progress);
    sum_matrices(plan_.pairs, plan_.slices, gram_.data(), stream_.get());
    symmetrise(rank_, gram_.data(), coefficients_.data(), stream_.get());
    QuarticEnergy energy{.rank = rank_,
                         .coefficients = std::vector<double>(static_cast<std::size_t>(coefficients_.size()))};
    check(cudaMemcpyAsync(energy.coefficients.data(), coefficients_.data(), coefficients_.bytes(),
                          cudaMemcpyDeviceToHost, stream_.get()),
          "copy coefficients to the host");
    stream_.synchronize();
    return energy;
  }

 private:
  // Numbers within the block of elements that count, or nothing if all do.
  std::vector<std::int32_t> chosen_elements(const DeviceBlock& block, const RegionConstants& constants) const {
    std::vector<std::int32_t> chosen;
    for (std::int64_t e = 0; e < block.count; ++e)
      if (constants[image_.materials.region(block.first_element + e)]) chosen.push_back(static_cast<std::int32_t>(e));
    return chosen;
  }

  void add_block(std::size_t number_of_block, const RegionConstants& constants, int strains, const Progress& progress) {
    const DeviceBlock& block = mesh_.blocks()[number_of_block];
    const bool all =
        std::all_of(constants.begin(), constants.end(), [](const auto& entry) { return entry.has_value(); });
    const std::vector<std::int32_t> chosen = all ? std::vector<std::int32_t>() : chosen_elements(block, constants);
    const DeviceArray<std::int32_t> elements(std::span<const std::int32_t>(chosen), stream_.get());
    PointRange range{.block = block.view,
                     .rule = block.stiffness.view(),
                     .elements = elements.data(),
                     .first = 0,
                     .count = 0,
                     .pitch = 0};
    int tiles = 0;
    const std::int64_t total = (all ? block.count : std::ssize(chosen)) * range.rule.points;
    for (range.first = 0; range.first < total; range.first += plan_.tile_points()) {
      range.count = static_cast<int>(std::min<std::int64_t>(plan_.tile_points(), total - range.first));
      const int slices = (range.count + plan_.slice_points - 1) / plan_.slice_points;
      range.pitch = plan_.tile_points();
      add_tile(range, slices, strains);
      if (!progress || ++tiles % tiles_per_report != 0) continue;
      stream_.synchronize();  // so that what is told has been done
      const std::int64_t done = block.first_element + (range.first + range.count) / range.rule.points;
      progress("quartic energy", static_cast<double>(done) / static_cast<double>(std::ssize(image_.element_region)));
    }
  }

  void add_tile(const PointRange& range, int slices, int strains) {
    const cudaStream_t stream = stream_.get();
    const PointGeometries geometries{weights_.data(), shapes_.data()};
    const std::int64_t rows = 3 * mesh_.vertex_count();
    measure_points(range, geometries, stream);
    scale_strains(range, weights_.data(), lambda_.data(), mu_.data(), scales_.data(), stream);
    differentiate_fields(range, geometries, basis_.data(), rows, rank_,
                         gradients_.data() + std::int64_t{9} * range.pitch, stream);
    multiply_pairs({.rank = rank_,
                    .strains = strains,
                    .slice_points = plan_.slice_points,
                    .points = range.pitch,
                    .gradients = gradients_.data(),
                    .scales = scales_.data(),
                    .result = strains_.data()},
                   stream);
    add_products(slices, strains);
  }

  // Lower triangles, by columns as wide as cuBLAS' own blocks; what stands above the diagonal is never read.
  void add_products(int slices, int strains) {
    constexpr int least_width = 128, most_columns = 16;
    const int pairs = plan_.pairs, rows = strains * plan_.slice_points;
    const int width = std::max(least_width, (pairs / most_columns + least_width - 1) / least_width * least_width);
    for (int first = 0; first < pairs; first += width) {
      const double* columns = strains_.data() + std::int64_t{first} * rows;
      cublas_.add_transposed_batched(pairs - first, std::min(width, pairs - first), rows,
                                     {.a = {columns, rows},
                                      .b = {columns, rows},
                                      .c = {gram_.data() + std::int64_t{first} * (pairs + 1), pairs},
                                      .stride_a = static_cast<long long>(pairs) * rows,
                                      .stride_b = static_cast<long long>(pairs) * rows,
                                      .stride_c = static_cast<long long>(pairs) * pairs},
                                     slices);
    }
  }

  const StrainPlan plan_;
  const int rank_;
  const MeshImage& image_;
  const Stream stream_;
  const DeviceMesh mesh_;
  const DeviceMatrix basis_;
  Cublas cublas_;
  const DeviceArray<unsigned char> library_;
  DeviceArray<double> lambda_, mu_;                                            // by region
  const DeviceArray<double> weights_, shapes_, scales_, gradients_, strains_;  // of a tile of points
  DeviceArray<double> gram_;
  const DeviceArray<double> coefficients_;
};

}  // namespace

std::vector<QuarticEnergy> reduce_energies(const PreparedMesh& prepared, const MatrixRef& basis,
                                           std::span<const RegionConstants> sets, std::int64_t workspace_bytes,
                                           const Progress& progress) {
  const MeshImage& mesh = prepared.image();
  Reduction reduction(mesh, basis, plan_memory(mesh, basis, strain_count_of(sets), workspace_bytes));
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
