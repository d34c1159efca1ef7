#include "core/contact/candidate_search.hpp"

#include <algorithm>
#include <cmath>

#include "core/contact/body_exchange.hpp"
#include "core/contact/body_frame.hpp"
#include "core/contact/point_search.hpp"

namespace quartic {
namespace {

constexpr std::int64_t piece_bodies = 32;

std::vector<double> sizes_of_fields(const ContactPoints& points) {
  std::vector<double> largest(static_cast<std::size_t>(points.basis.cols));
  for (std::size_t j = 0; j < largest.size(); ++j) {
    const auto column = points.basis.col(static_cast<std::int64_t>(j));
    for (std::size_t p = 0; p < column.size(); p += 3)
      largest[j] = std::max(largest[j], std::hypot(column[p], column[p + 1], column[p + 2]));
  }
  return largest;
}

// How far a shape carries what is near a body, and how steep its distances are.
struct ShapeWay {
  double speed = 0, slope = 1;
};
ShapeWay shape_way(std::span<const Collider> colliders, const ContactPoint& centre, double radius) {
  ShapeWay way;
  for (const Collider& collider : colliders) {
    way.slope = std::max(way.slope, collider.shape.slope());
    const double spin = norm(point_of(collider.twist.data() + 3));
    const double arm = spin > 0 ? norm(centre - point_of(collider.pose.data())) + 2 * radius : 0;
    way.speed = std::max(way.speed, norm(point_of(collider.twist.data())) + spin * arm);
  }
  return way;
}

}  // namespace

template <class T>
CandidateSearch<T>::CandidateSearch(const Batch<T>& batch, const BoundTrees& trees)
    : spheres_(static_cast<std::size_t>(batch.bodies())), ways_(spheres_.size()) {
  for (std::size_t g = 0; g < trees.size(); ++g) {
    if (trees[g] == nullptr) continue;
    const GroupRange all = batch.group(static_cast<int>(g));
    for (std::int64_t first = 0; first < all.bodies; first += piece_bodies) {
      Piece& piece = pieces_.emplace_back(
          Piece{groups_.size(), {all.first_body + first, std::min(piece_bodies, all.bodies - first), all.rank}});
      piece.spheres.resize(static_cast<std::size_t>(piece.range.bodies * trees[g]->node_count() * 4));
      piece.margins.resize(static_cast<std::size_t>(piece.range.bodies));
      for (std::int64_t b = 0; b < piece.range.bodies; ++b)
        spheres_[static_cast<std::size_t>(piece.range.first_body + b)] =
            piece.spheres.data() + b * trees[g]->node_count() * 4;
    }
    groups_.push_back({static_cast<int>(g), trees[g], SphereFit<T>(*trees[g]), sizes_of_fields(trees[g]->points)});
  }
}

// How far a body's points may come in a step, from bounds of their speeds at its start and of what accelerations add;
// twice that, since contacts and elastic forces change those.
// @param root the sphere of all its points
template <class T>
double CandidateSearch<T>::way(const Batch<T>& batch, double h, const Group& group, std::int64_t body,
                               const T* root) const {
  const double time = batch.time();
  const double load =
      std::max(std::abs(load_scale(batch, body, time, h)), std::abs(load_scale(batch, body, time + h, h)));
  double way = 0;
  for (std::size_t n = 0; n < group.largest_fields.size(); ++n) {
    const auto j = static_cast<std::int64_t>(n);
    way += (h * std::abs(double{batch.velocity()(j, body)}) + h * h * std::abs(double{batch.acceleration()(j, body)}) +
            h * h * load * std::abs(double{batch.force()(j, body)})) *
           group.largest_fields[n];
  }
  if (!batch.has_frame(group.index)) return 2 * way;
  const FrameMoments& frame = batch.frame(group.index);
  const ContactPoint centre = {double{root[0]}, double{root[1]}, double{root[2]}};
  const double extent = norm(centre - point_of(frame.origin.data())) + double{root[3]};
  const auto speed = [&](const StateView<const T>& twist) {
    return norm(rows_of(twist, 0, body)) + extent * norm(rows_of(twist, 3, body));
  };
  return 2 * (way + h * speed(batch.twist()) + h * h * speed(batch.twist_rate()) +
              h * h * load * norm(rows_of(batch.wrench(), 0, body)) / frame.mass);
}

// That way, and the shapes' with twice their speeds, in distances of the steepest one.
template <class T>
double CandidateSearch<T>::margin(const Batch<T>& batch, std::span<const Collider> colliders, double h,
                                  const Group& group, std::int64_t body, const T* root) const {
  ContactPoint centre = {double{root[0]}, double{root[1]}, double{root[2]}};
  if (batch.has_frame(group.index)) centre = rows_of(batch.pose(), 0, body);
  const ShapeWay of_shapes = shape_way(colliders, centre, double{root[3]});
  const double margin = of_shapes.slope * (way(body) + 2 * h * of_shapes.speed);
  return std::isfinite(margin) ? margin : 0;
}

template <class T>
void CandidateSearch<T>::search(const Batch<T>& batch, std::span<const Collider> colliders, double h, Piece& piece) {
  const Group& group = groups_[piece.group];
  const BoundTree& tree = *group.tree;
  BodyPlaces<T> places{.q = batch.q().part(piece.range)};
  if (batch.has_frame(group.index)) {
    places.pose = batch.pose().all_rows(piece.range);
    places.origin = batch.frame(group.index).origin;
  }
  group.fit.refit(places.q, piece.spheres);
  for (std::int64_t n = 0; n < piece.range.bodies; ++n) {
    const std::int64_t body = piece.range.first_body + n;
    ways_[static_cast<std::size_t>(body)] = way(batch, h, group, body, spheres(body));
    piece.margins[static_cast<std::size_t>(n)] = margin(batch, colliders, h, group, body, spheres(body));
  }
  piece.leaves.clear();
  append_touching_leaves<T>(tree, piece.spheres, places, colliders, piece.margins, piece.leaves);
  std::erase_if(piece.leaves, [&](const LeafPair& leaf) {
    return batch.status()[static_cast<std::size_t>(piece.range.first_body + leaf.body)] == BodyStatus::diverged;
  });
  piece.contacts.clear();
  append_leaf_contacts<T>(tree, piece.leaves, places, colliders, piece.margins, piece.contacts);
  for (Contact& contact : piece.contacts) contact.body += piece.range.first_body;
}

template <class T>
void CandidateSearch<T>::run(const Batch<T>& batch, std::span<const Collider> colliders, double h, ThreadPool& pool) {
  pool.run(std::ssize(pieces_),
           [&](std::int64_t p) { search(batch, colliders, h, pieces_[static_cast<std::size_t>(p)]); });
  candidates_.clear();
  bodies_.clear();
  for (const Piece& piece : pieces_)
    for (const Contact& contact : piece.contacts) {
      if (bodies_.empty() || bodies_.back().body != contact.body)
        bodies_.push_back({groups_[piece.group].index, contact.body, candidates_.size(), 0});
      candidates_.push_back(contact);
      ++bodies_.back().count;
    }
}

template class CandidateSearch<float>;
template class CandidateSearch<double>;

}  // namespace quartic
