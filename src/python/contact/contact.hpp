// Bound trees, shapes and contacts as Python's objects hold them.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "python/shared.hpp"
#include "quartic/bound_tree.hpp"
#include "quartic/contact.hpp"

namespace quartic::python {

/// Python's `quartic.BoundTree`: the tree, and its spheres' numbers in each precision, once somebody has asked for
/// them.
class TreeObject {
 public:
  explicit TreeObject(Shared<BoundTree> tree) : tree_(std::move(tree)) {}

  [[nodiscard]] const Shared<BoundTree>& tree() const { return tree_; }
  /// Takes some time at first; without the GIL.
  template <class T>
  [[nodiscard]] const SphereFit<T>& fit() const {
    const std::lock_guard lock(mutex_);
    auto& fit = [this]() -> std::optional<SphereFit<T>>& {
      if constexpr (std::is_same_v<T, float>)
        return floats_;
      else
        return doubles_;
    }();
    if (!fit) fit.emplace(*tree_);
    return *fit;
  }

 private:
  Shared<BoundTree> tree_;
  mutable std::mutex mutex_;
  mutable std::optional<SphereFit<float>> floats_;
  mutable std::optional<SphereFit<double>> doubles_;
};
using SharedTree = std::shared_ptr<const TreeObject>;

/// Python's `quartic.BoundTree`.
struct PythonTree {
  SharedTree object;

  [[nodiscard]] const BoundTree& operator*() const { return *object->tree(); }
  [[nodiscard]] const BoundTree* operator->() const { return &*object->tree(); }
};
[[nodiscard]] inline PythonTree python_tree(Shared<BoundTree> tree) {
  return {std::make_shared<const TreeObject>(std::move(tree))};
}

/// Python's `quartic.Contacts`: as they were found.
struct PythonContacts {
  std::shared_ptr<const std::vector<Contact>> contacts;
};

/// A sequence of Colliders. @throws InputError for anything else
[[nodiscard]] std::vector<Collider> colliders_from(nb::handle object);

void bind_bound_trees(nb::module_& module);
void bind_colliders(nb::module_& module);
void bind_detection(nb::module_& module);
void bind_worlds(nb::module_& module);
void bind_collisions(nb::module_& module);
void bind_contact_records(nb::module_& module);
void bind_haptics(nb::module_& module);

}  // namespace quartic::python
