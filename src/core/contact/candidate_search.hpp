// Which points of a batch's bodies may come to touch a shape in a step.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/thread_pool.hpp"
#include "core/contact/world_checks.hpp"
#include "quartic/batch.hpp"
#include "quartic/contact.hpp"

namespace quartic {

/// A body with candidates.
struct TouchingBody {
  int group = 0;
  std::int64_t body = 0;
  std::size_t first = 0, count = 0;  ///< of the candidates, which lie side by side
};

/// Keeps its memory from step to step.
template <class T>
class CandidateSearch {
 public:
  /// @param trees of the batch's groups, null for bodies that touch nothing
  CandidateSearch(const Batch<T>& batch, const BoundTrees& trees);

  /// For a step of h [s] from the batch's state. Bodies that diverged touch nothing.
  void run(const Batch<T>& batch, std::span<const Collider> colliders, double h, ThreadPool& pool);

  /// In the order of bodies, shapes and points.
  [[nodiscard]] std::vector<Contact>& candidates() { return candidates_; }
  [[nodiscard]] std::span<const TouchingBody> bodies() const { return bodies_; }

  /// Spheres of all nodes of a body's tree, in the mesh's coordinates; null without a tree.
  [[nodiscard]] const T* spheres(std::int64_t body) const { return spheres_[static_cast<std::size_t>(body)]; }
  /// How far its points may come by themselves in the step [m]; infinite where nobody knows.
  [[nodiscard]] double way(std::int64_t body) const { return ways_[static_cast<std::size_t>(body)]; }

 private:
  struct Group {
    int index;
    std::shared_ptr<const BoundTree> tree;
    SphereFit<T> fit;
    std::vector<double> largest_fields;  // max_i |U_ij| for each j
  };
  /// Bodies of a group that are looked at together.
  struct Piece {
    std::size_t group;
    GroupRange range;
    std::vector<T> spheres = {};
    std::vector<double> margins = {};
    std::vector<LeafPair> leaves = {};
    std::vector<Contact> contacts = {};
  };

  void search(const Batch<T>& batch, std::span<const Collider> colliders, double h, Piece& piece);
  [[nodiscard]] double way(const Batch<T>& batch, double h, const Group& group, std::int64_t body, const T* root) const;
  [[nodiscard]] double margin(const Batch<T>& batch, std::span<const Collider> colliders, double h, const Group& group,
                              std::int64_t body, const T* root) const;

  std::vector<Group> groups_;
  std::vector<Piece> pieces_;
  std::vector<Contact> candidates_;
  std::vector<TouchingBody> bodies_;
  std::vector<const T*> spheres_;  // of all bodies, into the pieces
  std::vector<double> ways_;
};

}  // namespace quartic
