#include "cuda/contact/near_bodies.hpp"

#include <algorithm>

#include "cuda/contact/near_memory.hpp"

namespace quartic::cuda {
namespace {

int tiles_of(const NearKind& kind) {
  return kind.has_tree ? static_cast<int>((kind.range.bodies + tile_bodies - 1) / tile_bodies) : 0;
}

// Sizes that suit all groups.
NearView shape_of(std::span<const NearKind> kinds) {
  NearView shape = {};
  for (const NearKind& kind : kinds) {
    if (!kind.has_tree) continue;
    const int rank = static_cast<int>(kind.range.rank);
    shape.tiles += tiles_of(kind);
    shape.rank = std::max(shape.rank, rank);
    shape.products_size = std::max(shape.products_size, NearProducts(rank, kind.flies).size());
    shape.kept_size = std::max(shape.kept_size, NearMemory(rank, kind.flies).kept);
    for (int points = 0; points < near_point_kinds; ++points)
      if (points == near_q || kind.flies)
        shape.point_rows[points] = std::max(shape.point_rows[points], near_point_rows(points, rank));
  }
  return shape;
}

std::int64_t bodies_of(std::span<const NearKind> kinds) {
  std::int64_t bodies = 0;
  for (const NearKind& kind : kinds) bodies += kind.has_tree ? kind.range.bodies : 0;
  return bodies;
}

}  // namespace

NearBodies::NearBodies(std::span<const NearKind> kinds, NearImages::Models models, NearImages::Frames frames,
                       cudaStream_t stream)
    : shape_(shape_of(kinds)) {
  std::vector<bool> has_tree;
  std::vector<NearGroup> groups;
  std::vector<std::int32_t> group_of_tile, ranks;
  std::vector<std::int64_t> first_places;
  std::int64_t bodies = 0, places = 0;
  for (const NearKind& kind : kinds) {
    has_tree.push_back(kind.has_tree);
    groups.push_back({kind.range.first_body, kind.range.bodies, std::ssize(group_of_tile) * tile_bodies});
    group_of_tile.insert(group_of_tile.end(), static_cast<std::size_t>(tiles_of(kind)),
                         static_cast<std::int32_t>(ranks.size()));
    for (int tile = 0; tile < tiles_of(kind); ++tile) first_places.push_back(places + std::int64_t{tile} * tile_bodies);
    places += kind.has_tree ? kind.range.bodies : 0;
    ranks.push_back(kind.has_tree ? static_cast<std::int32_t>(kind.range.rank) : 0);
    bodies += kind.range.bodies;
  }
  images_ = NearImages(has_tree, models, frames, stream);
  for (DeviceArray<std::int64_t>* array : {&has_candidates_, &before_})
    *array = DeviceArray<std::int64_t>(bodies, stream);
  taken_ = DeviceArray<std::int64_t>(std::ssize(kinds), stream);
  groups_ = DeviceArray<NearGroup>(std::span<const NearGroup>(groups), stream);
  group_of_tile_ = DeviceArray<std::int32_t>(std::span<const std::int32_t>(group_of_tile), stream);
  first_places_ = DeviceArray<std::int64_t>(std::span<const std::int64_t>(first_places), stream);
  ranks_ = DeviceArray<std::int32_t>(std::span<const std::int32_t>(ranks), stream);
  const std::int64_t seats = std::int64_t{shape_.tiles} * tile_bodies;
  bodies_ = DeviceArray<std::int32_t>(seats, stream);
  open_ = DeviceArray<std::uint8_t>(seats, stream);
  products_ = DeviceArray<double>(places * shape_.products_size, stream);
  kept_ = DeviceArray<double>(places * shape_.kept_size, stream);
  for (int kind = 0; kind < near_point_kinds; ++kind) {
    points_[kind] = DeviceArray<double>(seats * shape_.point_rows[kind], stream);
    points_[kind].fill_zero(stream);  // of seats that nobody ever takes, too
  }
}

NearView NearBodies::view() const {
  NearView view = shape_;
  view.has_candidates = has_candidates_.data(), view.before = before_.data();
  view.groups = groups_.data(), view.group_of_tile = group_of_tile_.data(), view.first_places = first_places_.data(),
  view.ranks = ranks_.data();
  view.taken = taken_.data(), view.bodies = bodies_.data(), view.open = open_.data();
  view.images = images_.views();
  for (int kind = 0; kind < near_point_kinds; ++kind) view.points[kind] = points_[kind].data();
  view.products = products_.data(), view.kept = kept_.data();
  return view;
}

std::size_t NearBodies::bytes(std::span<const NearKind> kinds) {
  const NearView shape = shape_of(kinds);
  const auto seats = static_cast<std::size_t>(shape.tiles) * tile_bodies;
  std::size_t result =
      seats * (sizeof(std::int32_t) + sizeof(std::uint8_t)) +
      static_cast<std::size_t>(bodies_of(kinds) * (shape.products_size + shape.kept_size)) * sizeof(double);
  for (const int rows : shape.point_rows) result += seats * static_cast<std::size_t>(rows) * sizeof(double);
  for (const NearKind& kind : kinds) {
    result += static_cast<std::size_t>(kind.range.bodies) * 2 * sizeof(std::int64_t);
    if (kind.has_tree) result += NearImages::bytes(static_cast<int>(kind.range.rank), kind.flies);
  }
  return result;
}

}  // namespace quartic::cuda
