#include "cuda/fem/force_hessian.hpp"

#include <algorithm>
#include <string>

#include "cuda/base/devices.hpp"
#include "cuda/base/matrix_copies.hpp"
#include "cuda/fem/workspace.hpp"
#include "quartic/error.hpp"

namespace quartic::cuda {
namespace {

constexpr int pairs_at_once = 64;

// What an element's points and pairs take, in numbers.
struct HessianShare {
  std::int64_t points, shapes, gradients, stresses, forces;
  HessianShare(const BlockImage& block, int fields)
      : points(std::ssize(block.stiffness.weights)),
        shapes(std::int64_t{3} * block.corners * points),
        gradients(std::int64_t{9} * fields * points),
        stresses(std::int64_t{9} * pairs_at_once * points),
        forces(std::int64_t{3} * block.corners * pairs_at_once) {}
  [[nodiscard]] std::int64_t bytes() const { return number_bytes * (points + shapes + gradients + stresses + forces); }
};

}  // namespace

ForceHessian::ForceHessian(const PreparedMesh& mesh, const double* fields, int field_count,
                           std::span<const std::int32_t> free_dofs, cudaStream_t stream, StressTerms terms)
    : stream_(stream),
      terms_(terms),
      mesh_(mesh.image(), stream),
      fields_(fields),
      field_count_(field_count),
      rows_(free_dofs.empty() ? 3 * mesh_.vertex_count() : std::ssize(free_dofs)),
      pairs_(pairs_at_once, stream) {
  for (const DeviceBlock& block : mesh_.blocks())
    incidences_.emplace_back(block.vertices, mesh_.vertex_count(), stream);
  if (!free_dofs.empty()) {
    std::vector<std::int32_t> rows(mesh.image().positions.size(), -1);
    for (std::size_t i = 0; i < free_dofs.size(); ++i)
      rows[static_cast<std::size_t>(free_dofs[i])] = static_cast<std::int32_t>(i);
    row_of_dof_ = DeviceArray<std::int32_t>(std::span<const std::int32_t>(rows), stream);
  }
  const auto available = static_cast<std::int64_t>(device_memory().available);
  const std::int64_t workspace = std::min(most_workspace, available / 4);
  std::int64_t points = 0, shapes = 0, gradients = 0, stresses = 0, forces = 0;
  for (const BlockImage& block : mesh.image().blocks) {
    const HessianShare share(block, field_count);
    if (share.bytes() > workspace)
      throw DeviceError("second derivatives of " + std::to_string(field_count) + " fields need " +
                        std::to_string(4 * share.bytes() >> 20) + " MB on the device, but " +
                        std::to_string(available >> 20) + " MB are free; use the backend 'cpu'");
    const std::int64_t elements = std::min(block.count(), workspace / share.bytes());
    tile_elements_.push_back(elements);
    points = std::max(points, elements * share.points);
    shapes = std::max(shapes, elements * share.shapes);
    gradients = std::max(gradients, elements * share.gradients);
    stresses = std::max(stresses, elements * share.stresses);
    forces = std::max(forces, elements * share.forces);
  }
  weights_ = DeviceArray<double>(points, stream);
  shapes_ = DeviceArray<double>(shapes, stream);
  gradients_ = DeviceArray<double>(gradients, stream);
  stresses_ = DeviceArray<double>(stresses, stream);
  forces_ = DeviceArray<double>(forces, stream);
}

void ForceHessian::fill(std::span<const std::array<int, 2>> pairs, double factor, double* out) {
  std::vector<FieldPair> list;
  for (std::size_t first = 0; first < pairs.size(); first += pairs_at_once) {
    list.clear();
    for (const auto& [i, j] : pairs.subspan(first, std::min<std::size_t>(pairs_at_once, pairs.size() - first)))
      list.push_back({i, j});
    pairs_.copy_from(list, stream_);
    double* columns = out + static_cast<std::int64_t>(first) * rows_;
    check(cudaMemsetAsync(columns, 0, list.size() * static_cast<std::size_t>(rows_) * sizeof(double), stream_),
          "fill device memory");
    for (std::size_t b = 0; b < incidences_.size(); ++b)
      add_block(mesh_.blocks()[b], incidences_[b], static_cast<int>(list.size()), factor, columns);
  }
}

void ForceHessian::add_block(const DeviceBlock& block, const DeviceIncidence& incidence, int pair_count, double factor,
                             double* out) {
  const std::int64_t at_once = tile_elements_[static_cast<std::size_t>(&block - mesh_.blocks().data())];
  const RuleView rule = block.stiffness.view();
  for (std::int64_t first = 0; first < block.count; first += at_once) {
    const auto elements = static_cast<int>(std::min(at_once, block.count - first));
    const PointRange range{.block = block.view,
                           .rule = rule,
                           .elements = nullptr,
                           .first = first * rule.points,
                           .count = elements * rule.points,
                           .pitch = elements * rule.points};
    const DerivativeTile tile{.terms = terms_,
                              .range = range,
                              .geometries = {weights_.data(), shapes_.data()},
                              .gradients = gradients_.data(),
                              .lambda = mesh_.lambda(),
                              .mu = mesh_.mu(),
                              .pairs = pairs_.data(),
                              .pair_count = pair_count,
                              .elements = elements,
                              .stresses = stresses_.data(),
                              .forces = forces_.data()};
    measure_points(range, tile.geometries, stream_);
    differentiate_fields(range, tile.geometries, fields_, 3 * mesh_.vertex_count(), field_count_, gradients_.data(),
                         stream_);
    differentiate_stress(tile, stream_);
    make_element_forces(tile, stream_);
    gather_forces(tile, incidence.view(), mesh_.vertex_count(), factor, {row_of_dof_.data(), out, rows_}, stream_);
  }
}

namespace {

// Columns on the host, those of 64 pairs after those of others.
Matrix forces_of(const PreparedMesh& mesh, const MatrixRef& fields, std::span<const std::array<int, 2>> pairs,
                 StressTerms terms, double factor) {
  const Stream stream;
  const DeviceMatrix on_device = to_device(fields, stream.get());
  ForceHessian hessian(mesh, on_device.data(), static_cast<int>(fields.cols()), {}, stream.get(), terms);
  const DeviceMatrix block(hessian.rows(), std::min<std::int64_t>(pairs_at_once, std::ssize(pairs)), stream.get());
  Matrix result(fields.rows(), std::ssize(pairs));
  for (std::size_t first = 0; first < pairs.size(); first += pairs_at_once) {
    const auto part = pairs.subspan(first, std::min<std::size_t>(pairs_at_once, pairs.size() - first));
    hessian.fill(part, factor, block.data());
    const std::size_t rows = static_cast<std::size_t>(result.rows);
    check(cudaMemcpyAsync(result.values.data() + first * rows, block.data(), part.size() * rows * sizeof(double),
                          cudaMemcpyDeviceToHost, stream.get()),
          "copy to the host");
    stream.synchronize();
  }
  return result;
}

}  // namespace

Matrix force_hessian(const PreparedMesh& mesh, const MatrixRef& fields, std::span<const std::array<int, 2>> pairs) {
  return forces_of(mesh, fields, pairs, StressTerms::all, 1);
}

Matrix quadratic_forces(const PreparedMesh& mesh, const MatrixRef& fields) {
  Matrix result(fields.rows(), fields.cols());
  std::vector<std::array<int, 2>> pairs;  // of each field with itself
  for (int f = 0; f < pairs_at_once; ++f) pairs.push_back({f, f});
  for (Eigen::Index first = 0; first < fields.cols(); first += pairs_at_once) {
    const Eigen::Index count = std::min<Eigen::Index>(pairs_at_once, fields.cols() - first);
    const Matrix forces =
        forces_of(mesh, fields.middleCols(first, count), std::span(pairs).first(static_cast<std::size_t>(count)),
                  StressTerms::quadratic, 0.5);
    result.map().middleCols(first, count) = forces.map();
  }
  return result;
}

}  // namespace quartic::cuda
