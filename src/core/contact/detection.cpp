// Leaves near shapes, and their points.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "core/contact/body_frame.hpp"
#include "core/contact/point_search.hpp"
#include "core/contact/solids.hpp"
#include "quartic/contact.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

template <class T>
void require_places(const BoundTree& tree, const BodyPlaces<T>& places, std::span<const double> margins) {
  if (places.q.rank != tree.rank)
    throw InputError("the bodies have " + std::to_string(places.q.rank) + " coordinates, but the bound tree " +
                     std::to_string(tree.rank));
  if (places.pose.data != nullptr && (places.pose.rank != pose_size || places.pose.bodies != places.q.bodies))
    throw InputError("poses must have seven rows, and a column for each body");
  if (!margins.empty() && std::ssize(margins) != places.q.bodies)
    throw InputError("margins must be one per body, or none");
  for (const double margin : margins)
    if (!(margin >= 0)) throw InputError("a margin must be a number >= 0");
}

double margin_of(std::span<const double> margins, std::int64_t body) {
  return margins.empty() ? 0.0 : margins[static_cast<std::size_t>(body)];
}

// A body's tree against one shape.
class Descent {
 public:
  Descent(const BoundTree& tree, const Collider& collider, const ContactPose& body, double margin)
      : tree_(tree),
        solid_(collider.shape.solid()),
        body_(body),
        shape_(pose_of(collider.pose)),
        between_(inverse(shape_) * body),
        margin_(margin) {}

  // The leaves below a node, in order.
  template <class T, class Visit>
  void run(const T* spheres, std::int32_t n, const Visit& visit) const {
    const T* sphere = spheres + std::size_t{4} * static_cast<std::size_t>(n);
    const ContactPoint centre = {double{sphere[0]}, double{sphere[1]}, double{sphere[2]}};
    const double reach = solid_.slope() * (double{sphere[3]} + place_slack(solid_, body_, shape_, centre));
    const double gap = solid_.at(apply(between_, centre)).gap;
    if (!(gap <= reach + margin_)) return;
    const BoundNode& node = tree_.nodes[static_cast<std::size_t>(n)];
    if (node.children == 0) return visit(n);
    for (std::int32_t c = 0; c < node.children; ++c) run(spheres, node.first_child + c, visit);
  }

 private:
  const BoundTree& tree_;
  const Shape::Solid& solid_;
  ContactPose body_, shape_, between_;
  double margin_;
};

// X + U q of points side by side, at most as many as a leaf has; field by field, as memory has them.
class PointBlock {
 public:
  template <class T>
  void move(const ContactPoints& points, std::int64_t first, std::int64_t count, const StateView<const T>& q,
            std::int64_t body) {
    const double* rest = points.positions.data() + 3 * first;
    std::copy_n(rest, 3 * count, x_.data());
    const double* field = points.basis.values.data() + 3 * first;
    for (std::int64_t j = 0; j < points.basis.cols; ++j, field += points.basis.rows) {
      const double qj = double{q(j, body)};
      for (std::int64_t k = 0; k < 3 * count; ++k) x_[static_cast<std::size_t>(k)] += field[k] * qj;
    }
  }
  [[nodiscard]] ContactPoint operator[](std::int64_t n) const { return point_of(x_.data() + 3 * n); }

 private:
  std::array<double, std::size_t{3} * BoundTree::leaf_points> x_;
};

}  // namespace

template <class T>
void append_touching_leaves(const BoundTree& tree, std::span<const T> spheres, const BodyPlaces<T>& places,
                            std::span<const Collider> colliders, std::span<const double> margins,
                            std::vector<LeafPair>& leaves) {
  for (std::int64_t body = 0; body < places.q.bodies; ++body) {
    const ContactPose pose = body_pose(places, body);
    const T* of_body = spheres.data() + body * tree.node_count() * 4;
    for (std::size_t shape = 0; shape < colliders.size(); ++shape)
      Descent(tree, colliders[shape], pose, margin_of(margins, body)).run(of_body, 0, [&](std::int32_t node) {
        leaves.push_back({body, static_cast<std::int32_t>(shape), node});
      });
  }
}

template <class T>
void append_leaf_contacts(const BoundTree& tree, std::span<const LeafPair> leaves, const BodyPlaces<T>& places,
                          std::span<const Collider> colliders, std::span<const double> margins,
                          std::vector<Contact>& contacts) {
  PointBlock block;
  for (const LeafPair& leaf : leaves) {
    const Collider& collider = colliders[static_cast<std::size_t>(leaf.shape)];
    const ContactPose body = body_pose(places, leaf.body), shape = pose_of(collider.pose);
    const ContactPose between = inverse(shape) * body;
    const double margin = margin_of(margins, leaf.body);
    const BoundNode& node = tree.nodes[static_cast<std::size_t>(leaf.node)];
    for (std::int32_t first = node.first_point; first < node.first_point + node.points;
         first += BoundTree::leaf_points) {
      const std::int32_t count = std::min(BoundTree::leaf_points, node.first_point + node.points - first);
      block.move(tree.points, first, count, places.q, leaf.body);
      for (std::int32_t n = 0; n < count; ++n) {
        const Shape::Solid::Nearest nearest = collider.shape.solid().at(apply(between, block[n]));
        if (!(nearest.gap < margin)) continue;
        contacts.push_back({.body = leaf.body,
                            .shape = leaf.shape,
                            .point = first + n,
                            .position = array_of(apply(body, block[n])),
                            .normal = array_of(rotate(shape.rotation, nearest.normal)),
                            .gap = nearest.gap,
                            .area = tree.points.areas[static_cast<std::size_t>(first + n)]});
      }
    }
  }
}

template <class T>
std::vector<LeafPair> touching_leaves(const BoundTree& tree, std::span<const T> spheres, const BodyPlaces<T>& places,
                                      std::span<const Collider> colliders, std::span<const double> margins) {
  require_places(tree, places, margins);
  if (std::ssize(spheres) != places.q.bodies * tree.node_count() * 4)
    throw InputError("spheres must have four numbers per body and node");
  std::vector<LeafPair> leaves;
  append_touching_leaves(tree, spheres, places, colliders, margins, leaves);
  return leaves;
}

template <class T>
std::vector<Contact> leaf_contacts(const BoundTree& tree, std::span<const LeafPair> leaves, const BodyPlaces<T>& places,
                                   std::span<const Collider> colliders, std::span<const double> margins) {
  require_places(tree, places, margins);
  for (const LeafPair& leaf : leaves)
    if (leaf.body < 0 || leaf.body >= places.q.bodies || leaf.shape < 0 || leaf.shape >= std::ssize(colliders) ||
        leaf.node < 0 || leaf.node >= tree.node_count())
      throw InputError("a pair of leaf and shape names a body, shape or node that doesn't exist");
  std::vector<Contact> contacts;
  append_leaf_contacts(tree, leaves, places, colliders, margins, contacts);
  return contacts;
}

template <class T>
std::vector<Contact> find_contacts(const BoundTree& tree, const SphereFit<T>& fit, const BodyPlaces<T>& places,
                                   std::span<const Collider> colliders, std::span<const double> margins) {
  if (fit.rank() != tree.rank || fit.node_count() != tree.node_count())
    throw InputError("the spheres are fitted for another bound tree");
  std::vector<T> spheres(static_cast<std::size_t>(places.q.bodies * tree.node_count() * 4));
  fit.refit(places.q, spheres);
  const std::vector<LeafPair> leaves = touching_leaves<T>(tree, spheres, places, colliders, margins);
  return leaf_contacts(tree, leaves, places, colliders, margins);
}

template void append_touching_leaves(const BoundTree&, std::span<const float>, const BodyPlaces<float>&,
                                     std::span<const Collider>, std::span<const double>, std::vector<LeafPair>&);
template void append_leaf_contacts(const BoundTree&, std::span<const LeafPair>, const BodyPlaces<float>&,
                                   std::span<const Collider>, std::span<const double>, std::vector<Contact>&);
template void append_touching_leaves(const BoundTree&, std::span<const double>, const BodyPlaces<double>&,
                                     std::span<const Collider>, std::span<const double>, std::vector<LeafPair>&);
template void append_leaf_contacts(const BoundTree&, std::span<const LeafPair>, const BodyPlaces<double>&,
                                   std::span<const Collider>, std::span<const double>, std::vector<Contact>&);
template std::vector<LeafPair> touching_leaves(const BoundTree&, std::span<const float>, const BodyPlaces<float>&,
                                               std::span<const Collider>, std::span<const double>);
template std::vector<LeafPair> touching_leaves(const BoundTree&, std::span<const double>, const BodyPlaces<double>&,
                                               std::span<const Collider>, std::span<const double>);
template std::vector<Contact> leaf_contacts(const BoundTree&, std::span<const LeafPair>, const BodyPlaces<float>&,
                                            std::span<const Collider>, std::span<const double>);
template std::vector<Contact> leaf_contacts(const BoundTree&, std::span<const LeafPair>, const BodyPlaces<double>&,
                                            std::span<const Collider>, std::span<const double>);
template std::vector<Contact> find_contacts(const BoundTree&, const SphereFit<float>&, const BodyPlaces<float>&,
                                            std::span<const Collider>, std::span<const double>);
template std::vector<Contact> find_contacts(const BoundTree&, const SphereFit<double>&, const BodyPlaces<double>&,
                                            std::span<const Collider>, std::span<const double>);

}  // namespace quartic
