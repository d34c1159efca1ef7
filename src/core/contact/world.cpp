#include "quartic/world.hpp"

#include <algorithm>
#include <atomic>
#include <type_traits>
#include <utility>

#include "core/base/cuda_library.hpp"
#include "core/base/thread_pool.hpp"
#include "core/batch/batch_checks.hpp"
#include "core/batch/batch_impl.hpp"
#include "core/contact/body_collisions.hpp"
#include "core/contact/body_exchange.hpp"
#include "core/contact/candidate_search.hpp"
#include "core/contact/contact_operations.hpp"
#include "core/contact/device_world.hpp"
#include "core/contact/world_checks.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

template <class T>
std::shared_ptr<Batch<T>> require_batch(std::shared_ptr<Batch<T>> batch) {
  if (batch == nullptr) throw InputError("a world needs a batch");
  return batch;
}

void add_to_row(std::vector<double>& rows, std::int64_t body, const ContactPoint& first, const ContactPoint& second) {
  double* row = rows.data() + 6 * body;
  for (const double x : {first.x, first.y, first.z, second.x, second.y, second.z}) *row++ += x;
}

template <class T>
std::unique_ptr<DeviceWorld<T>> make_device_world(Batch<T>& batch, const BoundTrees& trees,
                                                  const ContactOptions& options) {
  const DeviceWorldOperations& operations = *cuda_library().worlds;
  if constexpr (std::is_same_v<T, float>)
    return operations.make_float_world(batch.impl(), trees, options);
  else
    return operations.make_double_world(batch.impl(), trees, options);
}

template <class T>
bool is_on_cpu(const Batch<T>& batch) {
  return batch.options().backend == Backend::cpu;
}

}  // namespace

// All memory is kept from step to step: a step allocates only where more touches than ever before.
template <class T>
class World<T>::Impl {
 public:
  Impl(std::shared_ptr<Batch<T>> shared, std::vector<std::shared_ptr<const BoundTree>> trees,
       const ContactOptions& contact_options);
  void step(double dt, int substeps);
  /// Of the batch that is there now, if it is on a GPU.
  DeviceWorld<T>* own_device();

  std::shared_ptr<Batch<T>> shared_batch;
  Batch<T>& batch;
  ContactOptions options;
  std::vector<Collider> colliders;
  std::vector<double> wrench, impulse;     // shape (B, 6)
  std::unique_ptr<DeviceWorld<T>> device;  // of a batch on a GPU: has all that follows and the readout
  std::unique_ptr<BodyCollisions<T>> collisions;
  [[nodiscard]] std::span<const Contact> contacts() { return search_.candidates(); }
  [[nodiscard]] const BoundTrees& trees() const { return trees_; }

 private:
  /// What steps a group's bodies, of its present energy and moments.
  struct Steppers {
    SharedModel model = nullptr;
    SharedFrame frame = nullptr;
    std::vector<std::unique_ptr<BodyStepper>> of_threads = {};
  };

  void require_own_batch() const;
  void prepare_steppers();
  void substep(double h);
  void gather_touching();
  void step_touching(double h);
  void step_alone();
  void step_islands();
  void put_back(const TouchingBody& touching, BodyOnItsOwn& own);

  std::vector<GroupRange> ranges_;  // that the world's arrays are made for
  BoundTrees trees_;
  ThreadPool pool_;
  CandidateSearch<T> search_;
  std::vector<Steppers> steppers_;  // of the groups
  std::vector<Collider> end_colliders_;
  std::vector<TouchingBody> touching_;  // shapes, or others
  std::vector<std::uint8_t> in_island_;
  std::vector<IslandBody> island_bodies_;
  std::vector<BodyOnItsOwn> own_;
  std::vector<BodyStatus> status_, status_before_;
  std::vector<BodyFlags> flags_, flags_before_;
};

template <class T>
World<T>::Impl::Impl(std::shared_ptr<Batch<T>> shared, std::vector<std::shared_ptr<const BoundTree>> trees,
                     const ContactOptions& contact_options)
    : shared_batch(std::move(shared)),
      batch(*shared_batch),
      options((require_options(contact_options), contact_options)),
      trees_((require_contacts_go_with(batch, trees), require_own_trees(batch, trees), std::move(trees))),
      pool_(batch.options().threads),
      search_(batch, is_on_cpu(batch) ? trees_ : BoundTrees{}),
      steppers_(trees_.size()) {
  for (int g = 0; g < batch.group_count(); ++g) ranges_.push_back(batch.group(g));
  if (!is_on_cpu(batch)) {
    device = make_device_world(batch, trees_, options);
    return;
  }
  wrench.resize(static_cast<std::size_t>(6 * batch.bodies()));
  impulse = wrench;
}

// The reference may have been assigned another batch.
template <class T>
void World<T>::Impl::require_own_batch() const {
  bool same = batch.group_count() == static_cast<int>(ranges_.size());
  for (int g = 0; same && g < batch.group_count(); ++g) {
    const GroupRange &now = batch.group(g), &then = ranges_[static_cast<std::size_t>(g)];
    same = now.first_body == then.first_body && now.bodies == then.bodies && now.rank == then.rank;
  }
  if (!same)
    throw InputError(
        "the world's batch was replaced by one of other groups, ranks or numbers of bodies; make another "
        "world for it");
  require_contacts_go_with<T>(batch, trees_);
}

template <class T>
DeviceWorld<T>* World<T>::Impl::own_device() {
  if (device != nullptr && device->batch() != &batch.impl()) {
    require_own_batch();
    device = make_device_world(batch, trees_, options);
  }
  return device.get();
}

template <class T>
void World<T>::Impl::prepare_steppers() {
  for (std::size_t g = 0; g < trees_.size(); ++g) {
    const SharedModel& model = batch.impl().models()[g];
    const SharedFrame& frame = batch.impl().frames()[g];
    Steppers& steppers = steppers_[g];
    if (trees_[g] == nullptr || (steppers.model == model && steppers.frame == frame)) continue;
    steppers = {model, frame, {}};
    steppers.of_threads.push_back(
        cpu_contact_operations.make_stepper(batch.options().integrator, model, frame, trees_[g]));
    for (int t = 1; t < pool_.thread_count(); ++t) steppers.of_threads.push_back(steppers.of_threads[0]->twin());
  }
}

template <class T>
void World<T>::Impl::step(double dt, int substeps) {
  check_step<T>(dt, substeps);
  require_places(colliders);
  require_own_batch();
  if (collisions != nullptr) require_collisions_go_with(batch);
  if (own_device() != nullptr) return device->step(dt, substeps, colliders);
  std::fill(impulse.begin(), impulse.end(), 0.0);
  for (int n = 0; n < substeps; ++n) substep(dt / substeps);
}

template <class T>
void World<T>::Impl::substep(double h) {
  end_colliders_.clear();
  for (const Collider& collider : colliders) end_colliders_.push_back(moved(collider, h));
  std::fill(wrench.begin(), wrench.end(), 0.0);
  prepare_steppers();
  search_.run(batch, colliders, h, pool_);
  step_touching(h);
  std::erase_if(search_.candidates(), [](const Contact& contact) {
    return !(contact.gap < 0) &&
           std::all_of(contact.force.begin(), contact.force.end(), [](double f) { return f == 0; });
  });
  colliders.swap(end_colliders_);
}

// Bodies near shapes, and those near others, in their order.
template <class T>
void World<T>::Impl::gather_touching() {
  const std::span<const TouchingBody> near = search_.bodies();
  touching_.assign(near.begin(), near.end());
  in_island_.assign(near.size(), 0);
  if (collisions == nullptr) return;
  const std::span<const std::int64_t> meeting = collisions->find(batch, search_, pool_);
  touching_.clear();
  in_island_.clear();
  std::size_t next = 0;
  int group = 0;
  const auto take_near = [&](std::int64_t end) {
    for (; next < near.size() && near[next].body < end; ++next)
      touching_.push_back(near[next]), in_island_.push_back(0);
  };
  for (const std::int64_t body : meeting) {
    take_near(body);
    while (batch.group(group).first_body + batch.group(group).bodies <= body) ++group;
    const bool near_shape = next < near.size() && near[next].body == body;
    touching_.push_back(near_shape ? near[next++] : TouchingBody{group, body, 0, 0});
    in_island_.push_back(1);
  }
  take_near(batch.bodies());
}

// The batch's step, and then that of the bodies with contacts, from where they were.
template <class T>
void World<T>::Impl::step_touching(double h) {
  gather_touching();
  if (own_.size() < touching_.size()) own_.resize(touching_.size());
  std::size_t most = 0;
  for (const TouchingBody& body : touching_) most = std::max(most, body.count);
  for (Steppers& steppers : steppers_)  // any of which may get any body
    for (const auto& stepper : steppers.of_threads) stepper->reserve(most);
  for (std::size_t n = 0; n < touching_.size(); ++n)
    take_body<T>(batch, touching_[n].group, touching_[n].body, h, options, colliders, end_colliders_, own_[n]);
  status_before_.assign(batch.status().begin(), batch.status().end());
  flags_before_.assign(batch.flags().begin(), batch.flags().end());
  if (collisions != nullptr) step_islands();
  batch.step(h);
  if (touching_.empty()) return;
  step_alone();
  status_.assign(batch.status().begin(), batch.status().end());
  flags_.assign(batch.flags().begin(), batch.flags().end());
  for (std::size_t n = 0; n < touching_.size(); ++n) put_back(touching_[n], own_[n]);
  batch.set_status(status_);
  batch.set_flags(flags_);
}

template <class T>
void World<T>::Impl::step_alone() {
  std::atomic<std::size_t> next{0};
  pool_.run(pool_.thread_count(), [&](std::int64_t thread) {
    for (std::size_t n = next++; n < touching_.size(); n = next++) {
      if (in_island_[n] != 0) continue;
      const TouchingBody& body = touching_[n];
      BodyStepper& stepper =
          *steppers_[static_cast<std::size_t>(body.group)].of_threads[static_cast<std::size_t>(thread)];
      own_[n].outcome = stepper.step(own_[n].step, own_[n].start, own_[n].end,
                                     std::span(search_.candidates()).subspan(body.first, body.count));
    }
  });
}

template <class T>
void World<T>::Impl::step_islands() {
  island_bodies_.clear();
  for (std::size_t n = 0; n < touching_.size(); ++n)
    if (in_island_[n] != 0)
      island_bodies_.push_back({touching_[n].body, touching_[n].group, &own_[n],
                                std::span(search_.candidates()).subspan(touching_[n].first, touching_[n].count)});
  collisions->step(batch, island_bodies_, pool_);
}

template <class T>
void World<T>::Impl::put_back(const TouchingBody& touching, BodyOnItsOwn& own) {
  const auto b = static_cast<std::size_t>(touching.body);
  status_[b] = status_before_[b];
  flags_[b] = flags_before_[b];
  if (!own.outcome.finite) {
    status_[b] = BodyStatus::diverged;
    for (Contact& contact : std::span(search_.candidates()).subspan(touching.first, touching.count))
      contact.gap = 0, contact.force = {};
    own.end = own.start;
    own.outcome = {};
  }
  if (!own.outcome.converged) flags_[b] |= BodyFlags::not_converged;
  if (own.outcome.too_fast) flags_[b] |= BodyFlags::too_fast;
  put_body(own.end, batch, touching.group, touching.body);
  add_to_row(wrench, touching.body, own.outcome.force, own.outcome.torque);
  if (batch.has_frame(touching.group))
    add_to_row(impulse, touching.body, own.outcome.impulse, own.outcome.angular_impulse);
}

template <class T>
World<T>::World(Batch<T> batch, std::vector<std::shared_ptr<const BoundTree>> trees, const ContactOptions& options)
    : World(std::make_shared<Batch<T>>(std::move(batch)), std::move(trees), options) {}
template <class T>
World<T>::World(std::shared_ptr<Batch<T>> batch, std::vector<std::shared_ptr<const BoundTree>> trees,
                const ContactOptions& options)
    : impl_(std::make_unique<Impl>(require_batch(std::move(batch)), std::move(trees), options)) {}
template <class T>
World<T>::World(World&&) noexcept = default;
template <class T>
World<T>& World<T>::operator=(World&&) noexcept = default;
template <class T>
World<T>::~World() = default;

template <class T>
Batch<T>& World<T>::batch() {
  return impl_->batch;
}
template <class T>
const Batch<T>& World<T>::batch() const {
  return impl_->batch;
}
template <class T>
const ContactOptions& World<T>::options() const {
  return impl_->options;
}
template <class T>
std::vector<Collider>& World<T>::colliders() {
  return impl_->colliders;
}
template <class T>
const std::vector<Collider>& World<T>::colliders() const {
  return impl_->colliders;
}
template <class T>
void World<T>::step(double dt, int substeps) {
  impl_->step(dt, substeps);
}
template <class T>
std::span<const Contact> World<T>::contacts() const {
  return impl_->device != nullptr ? impl_->device->contacts() : impl_->contacts();
}
template <class T>
std::span<const double> World<T>::contact_wrench() const {
  return impl_->device != nullptr ? impl_->device->wrench() : impl_->wrench;
}
template <class T>
std::span<const double> World<T>::contact_impulse() const {
  return impl_->device != nullptr ? impl_->device->impulse() : impl_->impulse;
}
template <class T>
DeviceWorld<T>* World<T>::device_world() {
  return impl_->own_device();
}

template <class T>
BodyCollisions<T>* World<T>::collisions() const {
  return impl_->collisions.get();
}
template <class T>
void World<T>::set_collisions(std::unique_ptr<BodyCollisions<T>> collisions) {
  impl_->collisions = std::move(collisions);
}
template <class T>
std::span<const std::shared_ptr<const BoundTree>> World<T>::bound_trees() const {
  return impl_->trees();
}

template class World<float>;
template class World<double>;

}  // namespace quartic
