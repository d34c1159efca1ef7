#include "core/contact/world_checks.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/batch/batch_impl.hpp"
#include "core/contact/body_collisions.hpp"
#include "core/contact/body_frame.hpp"
#include "core/frame/moments_fingerprint.hpp"
#include "quartic/error.hpp"

namespace quartic {

void require_options(const ContactOptions& o) {
  const auto require = [](bool sound, const std::string& what) {
    if (!sound) throw InputError("ContactOptions::" + what);
  };
  const auto positive = [](double x) { return x > 0 && std::isfinite(x); };
  const auto not_negative = [](double x) { return x >= 0 && std::isfinite(x); };
  require(positive(o.stiffness), "stiffness must be a finite number above 0");
  require(not_negative(o.dissipation), "dissipation must be a finite number >= 0");
  require(not_negative(o.friction), "friction must be a finite number >= 0");
  require(positive(o.friction_velocity), "friction_velocity must be a finite number above 0");
  require(o.iterations >= 1, "iterations must be at least 1");
  require(positive(o.tolerance) && o.tolerance < 1, "tolerance must be between 0 and 1");
}

template <class T>
void require_contacts_go_with(const Batch<T>& batch, const BoundTrees& trees) {
  const BatchOptions& o = batch.options();
  if (o.integrator == Integrator::central_differences)
    throw InputError(
        "contacts don't go with Integrator::central_differences; take backward_euler, newmark or energy_conserving");
  if (o.backend != Backend::cpu && o.integrator == Integrator::energy_conserving)
    throw InputError(
        "on a GPU contacts don't go with Integrator::energy_conserving; take backward_euler or newmark, or the backend "
        "'cpu'");
  if (!batch.impl().parameters().gas.empty())
    throw InputError(
        "contacts don't go with gases in chambers; take these out by amounts of 0 (set_gas), and set pressures of "
        "Batch::enclosed_volume before each step");
  if (!batch.impl().parameters().strain_damping.empty())
    throw InputError(
        "contacts don't go with damping by strain rates; take it out by times of 0 (set_strain_damping), and give "
        "Rayleigh's (rayleigh_mass, rayleigh_stiffness) instead");
  if (std::ssize(trees) != batch.group_count())
    throw InputError("the batch has " + std::to_string(batch.group_count()) + " groups, but there are " +
                     std::to_string(trees.size()) + " bound trees; give one for each, null for none");
  for (int g = 0; g < batch.group_count(); ++g) {
    const auto& tree = trees[static_cast<std::size_t>(g)];
    if (tree == nullptr) continue;
    if (tree->rank != batch.group(g).rank)
      throw InputError("group " + std::to_string(g) + " has the rank " + std::to_string(batch.group(g).rank) +
                       ", but its bound tree " + std::to_string(tree->rank));
    if (batch.force_model(g).has_strain_form())
      throw InputError("contacts don't go with forces from a strain form; give group " + std::to_string(g) +
                       " its energy alone, in double");
    if (batch.force_model(g).has_cubature())
      throw InputError("contacts don't go with forces from a cubature; give group " + std::to_string(g) +
                       " a quartic energy, or no bound tree");
    if (o.backend != Backend::cpu && !batch.force_model(g).chambers.empty())
      throw InputError("on a GPU contacts don't go with chambers; take the backend 'cpu', or give group " +
                       std::to_string(g) + " no bound tree");
    if (batch.damping(g).rows > 0)
      throw InputError("contacts don't go with a constant damping; give group " + std::to_string(g) +
                       " Rayleigh's (rayleigh_mass, rayleigh_stiffness) instead of BodyGroup::damping");
    if (batch.driven(g) > 0)
      throw InputError("bodies with driven coordinates have no contacts; give group " + std::to_string(g) +
                       " no bound tree");
    if (batch.frame_motion(g) == FrameMotion::prescribed)
      throw InputError("bodies on a base that the caller moves have no contacts; give group " + std::to_string(g) +
                       " no bound tree, or make it fly or stay");
  }
}

template <class T>
void require_own_trees(const Batch<T>& batch, const BoundTrees& trees) {
  for (int g = 0; g < batch.group_count(); ++g) {
    const auto& tree = trees[static_cast<std::size_t>(g)];
    if (tree == nullptr || tree->moments_fingerprint == 0 || !batch.has_frame(g)) continue;
    const FrameMoments& moments = batch.frame(g);
    // Those of `rest_moments` tell nothing of the basis.
    const std::vector<double>& coupling = moments.moment1.values;
    if (std::all_of(coupling.begin(), coupling.end(), [](double x) { return x == 0; })) continue;
    if (short_fingerprint(moments) != tree->moments_fingerprint)
      throw InputError("the bound tree of group " + std::to_string(g) +
                       " is of another model than its moments of mass, or of other densities; make it of the same "
                       "model (bound_tree), or refit it to that (refitted)");
  }
}

template <class T>
void require_collisions_go_with(const Batch<T>& batch) {
  if (batch.options().backend != Backend::cpu)
    throw InputError("bodies collide with each other on the backend 'cpu' alone; make the batch there");
  const Integrator integrator = batch.options().integrator;
  if (integrator != Integrator::backward_euler)
    throw InputError("bodies that collide with each other don't go with Integrator::" +
                     std::string(integrator == Integrator::newmark ? "newmark" : "energy_conserving") +
                     "; take backward_euler");
}

void require_places(std::span<const Collider> colliders) {
  for (std::size_t c = 0; c < colliders.size(); ++c) {
    const auto& twist = colliders[c].twist;
    if (!is_pose(colliders[c].pose) ||
        !std::all_of(twist.begin(), twist.end(), [](double x) { return std::isfinite(x); }))
      throw InputError("the pose or twist of collider " + std::to_string(c) +
                       " isn't finite, or its quaternion is zero");
  }
}

void require_warm_starts(std::span<const WarmStart> starts) {
  for (std::size_t n = 0; n < starts.size(); ++n) {
    if (n > 0 && !(starts[n - 1].key < starts[n].key))
      throw InputError("forces of contacts between bodies must be in the order of their keys");
    for (const double x : starts[n].force)
      if (!std::isfinite(x)) throw InputError("a force of a contact between bodies isn't finite");
  }
}

template void require_contacts_go_with(const Batch<float>&, const BoundTrees&);
template void require_contacts_go_with(const Batch<double>&, const BoundTrees&);
template void require_collisions_go_with(const Batch<float>&);
template void require_collisions_go_with(const Batch<double>&);
template void require_own_trees(const Batch<float>&, const BoundTrees&);
template void require_own_trees(const Batch<double>&, const BoundTrees&);

}  // namespace quartic
