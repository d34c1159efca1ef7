#include "cuda/contact/device_trees.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/contact/contact_operations.hpp"
#include "cuda/energy/tuning.hpp"

namespace quartic::cuda {
namespace {

// Point by point, shape (p, r, 3).
std::vector<double> point_rows(const Matrix& basis) {
  std::vector<double> rows;
  rows.reserve(basis.values.size());
  for (std::int64_t p = 0; p < basis.rows; p += 3)
    for (std::int64_t j = 0; j < basis.cols; ++j)
      for (std::int64_t k = 0; k < 3; ++k) rows.push_back(basis(p + k, j));
  return rows;
}

// The same for a point per lane, shape (p / 32, r, 3, 32), with zeros behind the last.
std::vector<double> lane_rows(const Matrix& basis) {
  const std::int64_t points = basis.rows / 3, blocks = (points + warp_size - 1) / warp_size;
  std::vector<double> rows(static_cast<std::size_t>(blocks * 3 * basis.cols * warp_size));
  for (std::int64_t p = 0; p < points; ++p)
    for (std::int64_t j = 0; j < basis.cols; ++j)
      for (std::int64_t k = 0; k < 3; ++k) {
        const std::int64_t row = (p / warp_size * basis.cols + j) * 3 + k;
        rows[static_cast<std::size_t>(row * warp_size + p % warp_size)] = basis(3 * p + k, j);
      }
  return rows;
}

// Node by node, shape (nodes, 13, r).
std::vector<double> node_rows(const PackedTree<double>& tree, std::int64_t nodes, std::int64_t rank) {
  std::vector<double> rows(static_cast<std::size_t>(nodes * node_field_rows * rank));
  for (std::int64_t n = 0; n < nodes; ++n)
    for (std::int64_t j = 0; j < rank; ++j)
      for (std::int64_t row = 0; row < node_field_rows; ++row)
        rows[static_cast<std::size_t>((n * node_field_rows + row) * rank + j)] =
            tree.fields.data()[(n * rank + j) * node_field_rows + row];
  return rows;
}

// max_i |U_ij| for each j.
std::vector<double> largest_fields(const Matrix& basis) {
  std::vector<double> largest(static_cast<std::size_t>(basis.cols));
  for (std::int64_t j = 0; j < basis.cols; ++j)
    for (std::int64_t p = 0; p < basis.rows; p += 3) {
      double& most = largest[static_cast<std::size_t>(j)];
      most = std::max(most, std::hypot(basis(p, j), basis(p + 1, j), basis(p + 2, j)));
    }
  return largest;
}

DeviceArray<double> copy_of(const AlignedArray<double>& values, cudaStream_t stream) {
  return {std::span<const double>(values.data(), static_cast<std::size_t>(values.size())), stream};
}
template <class T>
DeviceArray<T> copy_of(const std::vector<T>& values, cudaStream_t stream) {
  return {std::span<const T>(values), stream};
}

}  // namespace

DeviceTrees::Tree DeviceTrees::upload(const std::shared_ptr<const BoundTree>& source, cudaStream_t stream) {
  const PackedTree<double> packed = packed_tree<double>(*source);
  const ContactPoints& points = source->points;
  return {.source = source,
          .nodes = copy_of(source->nodes, stream),
          .rest_spheres = copy_of(packed.rest_spheres, stream),
          .fields = copy_of(node_rows(packed, std::ssize(source->nodes), source->rank), stream),
          .sizes = copy_of(packed.sizes, stream),
          .positions = copy_of(points.positions, stream),
          .areas = copy_of(points.areas, stream),
          .basis = copy_of(point_rows(points.basis), stream),
          .leaf_basis = copy_of(lane_rows(points.basis), stream),
          .largest = copy_of(largest_fields(points.basis), stream)};
}

TreeView DeviceTrees::view_of(const Tree& tree) {
  return {.rank = tree.source->rank,
          .nodes = tree.nodes.data(),
          .rest_spheres = tree.rest_spheres.data(),
          .fields = tree.fields.data(),
          .sizes = tree.sizes.data(),
          .positions = tree.positions.data(),
          .areas = tree.areas.data(),
          .basis = tree.basis.data(),
          .leaf_basis = tree.leaf_basis.data(),
          .largest = tree.largest.data(),
          .origin = {}};
}

DeviceTrees::DeviceTrees(const BoundTrees& trees, std::span<const SharedFrame> frames, cudaStream_t stream)
    : host_views_(trees.size()) {
  for (std::size_t g = 0; g < trees.size(); ++g) {
    if (trees[g] == nullptr) continue;
    auto same = std::ranges::find(trees_, trees[g], &Tree::source);
    if (same == trees_.end()) {
      trees_.push_back(upload(trees[g], stream));
      same = trees_.end() - 1;
    }
    host_views_[g] = view_of(*same);
  }
  views_ = DeviceArray<TreeView>(static_cast<std::int64_t>(trees.size()), stream);
  set_frames(frames, stream);
}

void DeviceTrees::set_frames(std::span<const SharedFrame> frames, cudaStream_t stream) {
  for (std::size_t g = 0; g < host_views_.size(); ++g)
    if (frames[g] != nullptr)
      host_views_[g].origin = {frames[g]->origin[0], frames[g]->origin[1], frames[g]->origin[2]};
  views_.copy_from(host_views_, stream);
}

std::size_t DeviceTrees::bytes(const BoundTrees& trees) {
  std::size_t bytes = trees.size() * sizeof(TreeView);
  for (const auto& tree : std::set(trees.begin(), trees.end())) {
    if (tree == nullptr) continue;
    const auto r = static_cast<std::size_t>(tree->rank), nodes = tree->nodes.size(), points = tree->points.areas.size();
    bytes += nodes * (sizeof(BoundNode) + (4 + node_field_rows * r) * sizeof(double)) +
             (points * (4 + 6 * r) + 3 * r * warp_size + 2 * r + 1) * sizeof(double);
  }
  return bytes;
}

}  // namespace quartic::cuda
