#include "core/collision/pair_search.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace quartic {
namespace {

constexpr std::int64_t piece_pairs = 4;

// The tree of one body against the surface of another.
template <class T>
class PairDescent {
 public:
  PairDescent(const CollidingBody<T>& body, const CollidingBody<T>& other, const DeformedSurface& surface)
      : body_(body),
        tree_(*body.surface->tree()),
        other_(other),
        surface_(surface),
        between_(inverse(other.pose) * body.pose),
        margin_(body.margin + other.margin) {}

  void run(std::int64_t number, std::int64_t other_number, std::vector<BodyContact>& contacts) {
    contact_.body = number, contact_.other = other_number;
    descend(0, {}, contacts);
  }

 private:
  // A place whose gap is known. That of others is at least that less the way there.
  struct Known {
    ContactPoint place;
    double gap = -std::numeric_limits<double>::infinity();
    std::int32_t triangle = 0;

    [[nodiscard]] double least_gap(const ContactPoint& x) const { return gap - norm(x - place); }
  };

  void descend(std::int32_t n, const Known& above, std::vector<BodyContact>& contacts) {
    const T* sphere = body_.spheres + std::size_t{4} * static_cast<std::size_t>(n);
    const ContactPoint rest = {double{sphere[0]}, double{sphere[1]}, double{sphere[2]}};
    const ContactPoint centre = apply(between_, rest);
    const double slack = 64 * std::numeric_limits<double>::epsilon() *
                         (norm(body_.pose.position) + norm(other_.pose.position) + norm(rest) + surface_.reach());
    const double reach = double{sphere[3]} + slack + margin_;
    if (!(surface_.box_distance(centre) <= reach) || above.least_gap(centre) > reach) return;
    const NearestOnSurface found = surface_.nearest(centre, above.triangle);
    if (!(found.gap <= reach)) return;
    const Known here = {centre, found.gap, found.triangle};
    const BoundNode& node = tree_.nodes[static_cast<std::size_t>(n)];
    if (node.children == 0) return test_points(node, here, margin_ + slack, contacts);
    for (std::int32_t c = 0; c < node.children; ++c) descend(node.first_child + c, here, contacts);
  }

  void test_points(const BoundNode& node, Known known, double reach, std::vector<BodyContact>& contacts) {
    const ContactPoints& points = tree_.points;
    for (std::int32_t p = node.first_point; p < node.first_point + node.points; ++p) {
      const std::int64_t row = 3 * std::int64_t{p};
      std::array<double, 3> x;
      std::copy_n(points.positions.data() + row, 3, x.data());
      for (std::int64_t j = 0; j < points.basis.cols; ++j)
        for (std::size_t k = 0; k < 3; ++k)
          x[k] += points.basis(row + static_cast<std::int64_t>(k), j) * double{body_.q(j, body_.column)};
      const ContactPoint place = apply(between_, point_of(x.data()));
      if (known.least_gap(place) > reach) continue;
      const NearestOnSurface found = surface_.nearest(place, known.triangle);
      known.triangle = found.triangle;
      if (!(found.gap < margin_)) continue;
      const std::int32_t* corners = other_.surface->triangles().data() + 3 * std::int64_t{found.triangle};
      contact_.point = p;
      std::copy_n(corners, 3, contact_.corners.data());
      std::copy_n(found.weights.of, 3, contact_.weights.data());
      contact_.position = array_of(apply(body_.pose, point_of(x.data())));
      contact_.normal = array_of(rotate(other_.pose.rotation, found.normal));
      contact_.gap = found.gap;
      contact_.area = 0.5 * points.areas[static_cast<std::size_t>(p)];
      contacts.push_back(contact_);
    }
  }

  const CollidingBody<T>& body_;
  const BoundTree& tree_;
  const CollidingBody<T>& other_;
  const DeformedSurface& surface_;
  ContactPose between_;
  double margin_;
  BodyContact contact_;
};

}  // namespace

template <class T>
void PairSearch<T>::update_surfaces(std::span<const BodyPair> pairs, std::span<const CollidingBody<T>> bodies,
                                    ThreadPool& pool) {
  slots_.assign(bodies.size(), -1);
  used_.clear();
  for (const BodyPair& pair : pairs)
    for (const std::int64_t b : {pair.first, pair.second}) {
      std::int32_t& slot = slots_[static_cast<std::size_t>(b)];
      if (slot >= 0) continue;
      slot = static_cast<std::int32_t>(used_.size());
      used_.push_back(b);
    }
  if (surfaces_.size() < used_.size()) surfaces_.resize(used_.size());
  pool.run(std::ssize(used_), [&](std::int64_t n) {
    const CollidingBody<T>& body = bodies[static_cast<std::size_t>(used_[static_cast<std::size_t>(n)])];
    surfaces_[static_cast<std::size_t>(n)].update(body.surface->topology(), body.q, body.column);
  });
}

template <class T>
std::span<BodyContact> PairSearch<T>::run(std::span<const BodyPair> pairs, std::span<const CollidingBody<T>> bodies,
                                          ThreadPool& pool) {
  update_surfaces(pairs, bodies, pool);
  const std::int64_t pieces = (std::ssize(pairs) + piece_pairs - 1) / piece_pairs;
  if (std::ssize(pieces_) < pieces) pieces_.resize(static_cast<std::size_t>(pieces));
  pool.run(pieces, [&](std::int64_t piece) {
    std::vector<BodyContact>& contacts = pieces_[static_cast<std::size_t>(piece)];
    contacts.clear();
    const auto of = [&](std::int64_t b) -> const CollidingBody<T>& { return bodies[static_cast<std::size_t>(b)]; };
    const auto surface_of = [&](std::int64_t b) -> const DeformedSurface& {
      return surfaces_[static_cast<std::size_t>(slots_[static_cast<std::size_t>(b)])];
    };
    for (std::int64_t n = piece * piece_pairs; n < std::min((piece + 1) * piece_pairs, std::ssize(pairs)); ++n) {
      const auto [a, b] = pairs[static_cast<std::size_t>(n)];
      PairDescent<T>(of(a), of(b), surface_of(b)).run(a, b, contacts);
      PairDescent<T>(of(b), of(a), surface_of(a)).run(b, a, contacts);
    }
  });
  contacts_.clear();
  for (std::int64_t piece = 0; piece < pieces; ++piece) {
    const auto& found = pieces_[static_cast<std::size_t>(piece)];
    contacts_.insert(contacts_.end(), found.begin(), found.end());
  }
  return contacts_;
}

template class PairSearch<float>;
template class PairSearch<double>;

}  // namespace quartic
