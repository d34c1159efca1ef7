#include "cuda/strains/strain_tiles.hpp"

#include <algorithm>

#include "cuda/base/devices.hpp"
#include "cuda/base/matrix_copies.hpp"
#include "cuda/strains/strains.hpp"
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

// As cuBLAS recommends, unless the device is small.
std::int64_t library_bytes(std::int64_t available) {
  return std::min(static_cast<std::int64_t>(Cublas::workspace_bytes), available / 16);
}

}  // namespace

int strain_count_of(std::span<const RegionConstants> sets) {
  int count = 1;
  for (const RegionConstants& constants : sets)
    for (const auto& entry : constants)
      if (entry) count = std::max(count, static_cast<int>(entry->strain_count()));
  return count;
}

StrainPlan plan_strain_memory(const MeshImage& mesh, const StrainShape& shape, std::int64_t other_numbers,
                              std::int64_t workspace_bytes, const std::string& purpose, const std::string& otherwise) {
  const auto available = static_cast<std::int64_t>(device_memory().available);
  const std::int64_t field_numbers = std::ssize(mesh.positions) * (shape.rank + shape.linear);
  const std::int64_t fixed = static_cast<std::int64_t>(DeviceMesh::bytes(mesh)) + library_bytes(available) +
                             number * (field_numbers + shape.sum_size() + other_numbers);
  // An eighth is for what pools and allocations lose.
  for (std::int64_t workspace = workspace_bytes;; workspace /= 2) {
    const bool last = workspace / 2 < number * shape.columns() * shape.strains;
    const StrainPlan plan = plan_strains(shape, most_points(mesh), most_corners(mesh), workspace);
    const std::int64_t needed = fixed + plan.bytes - number * shape.sum_size();
    if (needed <= available - available / 8) return plan;
    if (last)
      throw DeviceError(purpose + " needs " + std::to_string(needed >> 20) + " MB on the device at least, but " +
                        std::to_string(available >> 20) + " MB are free; " + otherwise + ", or use the backend 'cpu'");
  }
}

StrainTiles::StrainTiles(const MeshImage& mesh, const MatrixRef& fields, const StrainPlan& plan,
                         const std::string& purpose)
    : plan_(plan),
      image_(mesh),
      mesh_(mesh, stream_.get()),
      fields_(to_device(fields, stream_.get())),
      cublas_(purpose, "the backend 'cpu'"),
      library_(library_bytes(static_cast<std::int64_t>(device_memory().available)), stream_.get()),
      lambda_(std::ssize(mesh.materials.lambda), stream_.get()),
      mu_(std::ssize(mesh.materials.mu), stream_.get()),
      weights_(plan.tile_points(), stream_.get()),
      shapes_(std::int64_t{3} * most_corners(mesh) * plan.tile_points(), stream_.get()),
      scales_(std::int64_t{3} * plan.tile_points(), stream_.get()),
      gradients_(std::int64_t{9} * (fields_.cols() + 1) * plan.tile_points(), stream_.get()),
      strains_(std::int64_t{plan.shape.columns()} * plan.shape.strains * plan.tile_points(), stream_.get()) {
  cublas_.use(stream(), library_);
  fill_identity(plan.tile_points(), gradients_.data(), stream());
}

// Numbers within the block of elements that count.
std::vector<std::int32_t> StrainTiles::chosen_elements(const DeviceBlock& block,
                                                       const RegionConstants& constants) const {
  std::vector<std::int32_t> chosen;
  for (std::int64_t e = 0; e < block.count; ++e)
    if (constants[image_.materials.region(block.first_element + e)]) chosen.push_back(static_cast<std::int32_t>(e));
  return chosen;
}

// @return numbers per pair and point
int StrainTiles::set_constants(const RegionConstants& constants) {
  std::vector<double> lambda(constants.size()), mu(constants.size());
  int strains = 1;
  for (std::size_t g = 0; g < constants.size(); ++g) {
    if (!constants[g]) continue;
    lambda[g] = constants[g]->lambda;
    mu[g] = constants[g]->mu;
    strains = static_cast<int>(constants[g]->strain_count());
  }
  lambda_.copy_from(lambda, stream());
  mu_.copy_from(mu, stream());
  return strains;
}

void StrainTiles::for_each(const RegionConstants& constants, const std::string& stage, const Progress& progress,
                           const std::function<void(int slices, int rows)>& use) {
  const int strains = set_constants(constants);
  const bool all = std::all_of(constants.begin(), constants.end(), [](const auto& entry) { return entry.has_value(); });
  for (const DeviceBlock& block : mesh_.blocks()) {
    const std::vector<std::int32_t> chosen = all ? std::vector<std::int32_t>() : chosen_elements(block, constants);
    const DeviceArray<std::int32_t> elements(std::span<const std::int32_t>(chosen), stream());
    PointRange range{.block = block.view,
                     .rule = block.stiffness.view(),
                     .elements = elements.data(),
                     .first = 0,
                     .count = 0,
                     .pitch = plan_.tile_points()};
    int tiles = 0;
    const std::int64_t total = (all ? block.count : std::ssize(chosen)) * range.rule.points;
    for (range.first = 0; range.first < total; range.first += plan_.tile_points()) {
      range.count = static_cast<int>(std::min<std::int64_t>(plan_.tile_points(), total - range.first));
      fill_tile(range, strains);
      use((range.count + plan_.slice_points - 1) / plan_.slice_points, strains * plan_.slice_points);
      if (!progress || ++tiles % tiles_per_report != 0) continue;
      stream_.synchronize();  // so that what is told has been done
      const std::int64_t done = block.first_element + (range.first + range.count) / range.rule.points;
      progress(stage, static_cast<double>(done) / static_cast<double>(std::ssize(image_.element_region)));
    }
  }
}

void StrainTiles::fill_tile(const PointRange& range, int strains) {
  const PointGeometries geometries{weights_.data(), shapes_.data()};
  const std::int64_t rows = 3 * mesh_.vertex_count();
  measure_points(range, geometries, stream());
  scale_strains(range, weights_.data(), lambda_.data(), mu_.data(), scales_.data(), stream());
  differentiate_fields(range, geometries, fields_.data(), rows, static_cast<int>(fields_.cols()),
                       gradients_.data() + std::int64_t{9} * range.pitch, stream());
  const StrainTile tile{.rank = plan_.shape.rank,
                        .linear = plan_.shape.linear,
                        .strains = strains,
                        .slice_points = plan_.slice_points,
                        .points = range.pitch,
                        .gradients = gradients_.data(),
                        .scales = scales_.data(),
                        .result = strains_.data()};
  multiply_pairs(tile, stream());
  if (tile.linear > 0) strain_linearly(tile, stream());
}

}  // namespace quartic::cuda
