#include "quartic/world.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>
#include <type_traits>
#include <utility>

#include "core/base/cuda_library.hpp"
#include "core/base/thread_pool.hpp"
#include "core/batch/batch_checks.hpp"
#include "core/batch/batch_impl.hpp"
#include "core/batch/curve_value.hpp"
#include "core/batch/load_curve.hpp"
#include "core/batch/scheme.hpp"
#include "core/batch/time_stepping.hpp"
#include "core/contact/body_stepper.hpp"
#include "core/contact/contact_operations.hpp"
#include "core/contact/device_world.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

void check(const ContactOptions& o) {
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
void check(const Batch<T>& batch, const std::vector<std::shared_ptr<const BoundTree>>& trees) {
  const BatchOptions& o = batch.options();
  if (o.integrator != Integrator::newmark && o.integrator != Integrator::backward_euler)
    throw InputError(
        "contacts don't go with Integrator::" +
        std::string(o.integrator == Integrator::central_differences ? "central_differences" : "energy_conserving") +
        "; take backward_euler, or newmark");
  if (!batch.impl().parameters().gas.empty())
    throw InputError(
        "contacts don't go with gases in chambers; take these out by amounts of 0 (set_gas), and set pressures of "
        "Batch::enclosed_volume before each step");
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
std::shared_ptr<Batch<T>> require_batch(std::shared_ptr<Batch<T>> batch) {
  if (batch == nullptr) throw InputError("a world needs a batch");
  return batch;
}

void check(const std::vector<Collider>& colliders) {
  for (std::size_t c = 0; c < colliders.size(); ++c) {
    const auto& twist = colliders[c].twist;
    if (!is_pose(colliders[c].pose) ||
        !std::all_of(twist.begin(), twist.end(), [](double x) { return std::isfinite(x); }))
      throw InputError("the pose or twist of collider " + std::to_string(c) +
                       " isn't finite, or its quaternion is zero");
  }
}

/// What a world's arrays are made for.
template <class T>
std::vector<GroupRange> group_ranges(const Batch<T>& batch) {
  std::vector<GroupRange> ranges;
  for (int g = 0; g < batch.group_count(); ++g) ranges.push_back(batch.group(g));
  return ranges;
}

// max_i |U_ij| for each j.
std::vector<double> largest_fields(const ContactPoints& points) {
  std::vector<double> largest(static_cast<std::size_t>(points.basis.cols));
  for (std::size_t j = 0; j < largest.size(); ++j) {
    const auto column = points.basis.col(static_cast<std::int64_t>(j));
    for (std::size_t p = 0; p < column.size(); p += 3)
      largest[j] = std::max(largest[j], std::hypot(column[p], column[p + 1], column[p + 2]));
  }
  return largest;
}

template <class T>
std::unique_ptr<DeviceWorld<T>> make_device_world(Batch<T>& batch, const Trees& trees, const ContactOptions& options) {
  const DeviceWorldOperations& operations = *cuda_library().worlds;
  if constexpr (std::is_same_v<T, float>)
    return operations.make_float_world(batch.impl(), trees, options);
  else
    return operations.make_double_world(batch.impl(), trees, options);
}

template <class T>
ContactPoint rows_of(const StateView<T>& view, std::int64_t row, std::int64_t body) {
  return {double{view(row, body)}, double{view(row + 1, body)}, double{view(row + 2, body)}};
}
template <class T>
void put_rows(const ContactPoint& x, const StateView<T>& view, std::int64_t row, std::int64_t body) {
  view(row, body) = static_cast<T>(x.x), view(row + 1, body) = static_cast<T>(x.y),
            view(row + 2, body) = static_cast<T>(x.z);
}

}  // namespace

template <class T>
class World<T>::Impl {
 public:
  Impl(std::shared_ptr<Batch<T>> shared, std::vector<std::shared_ptr<const BoundTree>> trees,
       const ContactOptions& contact_options)
      : shared_batch(std::move(shared)),
        batch(*shared_batch),
        options(contact_options),
        trees_(std::move(trees)),
        pool_(batch.options().threads) {
    check(options);
    check(batch, trees_);
    ranges_ = group_ranges(batch);
    if (batch.options().backend != Backend::cpu) {
      device = make_device_world(batch, trees_, options);
      return;
    }
    for (std::size_t g = 0; g < trees_.size(); ++g) {
      if (trees_[g] == nullptr) continue;
      const auto threads = static_cast<std::size_t>(pool_.thread_count());
      groups_.push_back({.index = static_cast<int>(g),
                         .tree = trees_[g],
                         .fit = SphereFit<T>(*trees_[g]),
                         .largest_fields = largest_fields(trees_[g]->points)});
      groups_.back().steppers.resize(threads);
    }
    wrench.resize(static_cast<std::size_t>(6 * batch.bodies()));
    impulse = wrench;
  }

  void step(double dt, int substeps) {
    check_step<T>(dt, substeps);
    check(colliders);
    require_own_batch();
    if (own_device() != nullptr) return device->step(dt, substeps, colliders);
    std::fill(impulse.begin(), impulse.end(), 0.0);
    for (int n = 0; n < substeps; ++n) substep(dt / substeps);
  }

  /// Of the batch that is there now, if it is on a GPU.
  DeviceWorld<T>* own_device() {
    if (device != nullptr && device->batch() != &batch.impl()) {
      require_own_batch();
      device = make_device_world(batch, trees_, options);
    }
    return device.get();
  }

  std::shared_ptr<Batch<T>> shared_batch;
  Batch<T>& batch;
  ContactOptions options;
  std::vector<Collider> colliders;
  std::vector<Contact> contacts;
  std::vector<double> wrench, impulse;     // shape (B, 6)
  std::unique_ptr<DeviceWorld<T>> device;  // of a batch on a GPU: has all that follows and the readout

 private:
  static constexpr std::int64_t piece_bodies = 32;

  struct Group {
    int index;
    std::shared_ptr<const BoundTree> tree;
    SphereFit<T> fit;
    std::vector<double> largest_fields;
    SharedModel model = nullptr;  // that the steppers are of
    SharedFrame frame = nullptr;
    std::vector<std::unique_ptr<BodyStepper>> steppers = {};  // one per thread
  };
  /// Bodies of a group that are looked at together.
  struct Piece {
    Group* group;
    GroupRange range;
    std::vector<T> spheres;
    std::vector<double> margins;
    std::vector<Contact> candidates;
  };
  /// A body with candidates.
  struct Touching {
    Group* group;
    std::int64_t body;
    std::size_t first, count;  // of the contacts
    BodyMotion start, end;
    std::vector<double> force, pressure;
    ContactStep step;
    ContactOutcome outcome;
  };

  void require_own_batch() const;
  void substep(double h);
  void detect(double h);
  void find_margins(Piece& piece, double h) const;
  [[nodiscard]] double load_scale(std::int64_t body, double at, double h) const;
  void prepare_bodies(double h);
  void load(Touching& body, double h);
  void store(const Touching& body);
  void prepare_steppers(Group& group) const;

  Trees trees_;  // by group
  std::vector<GroupRange> ranges_;
  ThreadPool pool_;
  std::vector<Group> groups_;
  std::vector<Piece> pieces_;
  std::vector<Collider> end_colliders_;
  std::vector<Touching> touching_;
  std::size_t touching_count_ = 0;
  std::vector<BodyStatus> status_;
  std::vector<BodyFlags> flags_;
};

// The reference may have been assigned another batch.
template <class T>
void World<T>::Impl::require_own_batch() const {
  const std::vector<GroupRange> now = group_ranges<T>(batch);
  const auto same = [](const GroupRange& a, const GroupRange& b) {
    return a.first_body == b.first_body && a.bodies == b.bodies && a.rank == b.rank;
  };
  if (!std::equal(now.begin(), now.end(), ranges_.begin(), ranges_.end(), same))
    throw InputError(
        "the world's batch was replaced by one of other groups, ranks or numbers of bodies; make another "
        "world for it");
  check<T>(batch, trees_);
}

// What the loads of a body are multiplied by at a time of the step that begins now.
template <class T>
double World<T>::Impl::load_scale(std::int64_t body, double at, double h) const {
  const BodyParameters<T>& parameters = batch.impl().parameters();
  if (parameters.curve_of_body.empty()) return 1;
  const auto curve = parameters.curve_of_body[static_cast<std::size_t>(body)];
  const double time = batch.time();
  return curve < 0 ? 1.0
                   : scale_at(parameters.curves[static_cast<std::size_t>(curve)], at, curve_slack(time, time + h));
}

// How far points may come in a step, from bounds of their speeds at its start and of what accelerations add; twice
// that, since contacts and elastic forces change those. In distances of the steepest shape.
template <class T>
void World<T>::Impl::find_margins(Piece& piece, double h) const {
  const bool flies = batch.has_frame(piece.group->index);
  const double mass = flies ? batch.frame(piece.group->index).mass : 1;
  piece.margins.assign(static_cast<std::size_t>(piece.range.bodies), 0);
  const Batch<T>& read = batch;
  for (std::int64_t n = 0; n < piece.range.bodies; ++n) {
    const std::int64_t body = piece.range.first_body + n;
    const double time = batch.time();
    const double load = std::max(std::abs(load_scale(body, time, h)), std::abs(load_scale(body, time + h, h)));
    double way = 0;
    for (std::int64_t j = 0; j < piece.range.rank; ++j)
      way += (h * std::abs(double{read.velocity()(j, body)}) + h * h * std::abs(double{read.acceleration()(j, body)}) +
              h * h * load * std::abs(double{read.force()(j, body)})) *
             piece.group->largest_fields[static_cast<std::size_t>(j)];
    const T* root = piece.spheres.data() + n * piece.group->tree->node_count() * 4;
    ContactPoint centre = {double{root[0]}, double{root[1]}, double{root[2]}};
    const double radius = double{root[3]};
    if (flies) {
      const auto& origin = batch.frame(piece.group->index).origin;
      const double extent = norm(centre - point_of(origin.data())) + radius;
      way += h * (norm(rows_of(read.twist(), 0, body)) + extent * norm(rows_of(read.twist(), 3, body)));
      way += h * h * (norm(rows_of(read.twist_rate(), 0, body)) + extent * norm(rows_of(read.twist_rate(), 3, body)));
      way += h * h * load * norm(rows_of(read.wrench(), 0, body)) / mass;
      centre = rows_of(read.pose(), 0, body);
    }
    double of_shapes = 0, slope = 1;
    for (const Collider& collider : colliders) {
      slope = std::max(slope, collider.shape.slope());
      const double spin = norm(point_of(collider.twist.data() + 3));
      const double arm = spin > 0 ? norm(centre - point_of(collider.pose.data())) + 2 * radius : 0;
      of_shapes = std::max(of_shapes, norm(point_of(collider.twist.data())) + spin * arm);
    }
    const double margin = 2 * slope * (way + h * of_shapes);
    piece.margins[static_cast<std::size_t>(n)] = std::isfinite(margin) ? margin : 0;
  }
}

// Points that may come to touch a shape in the step.
template <class T>
void World<T>::Impl::detect(double h) {
  std::size_t count = 0;
  for (Group& group : groups_) {
    const GroupRange all = batch.group(group.index);
    for (std::int64_t first = 0; first < all.bodies; first += piece_bodies, ++count) {
      if (pieces_.size() == count) pieces_.emplace_back();
      pieces_[count].group = &group;
      pieces_[count].range = {all.first_body + first, std::min(piece_bodies, all.bodies - first), all.rank};
    }
  }
  const Batch<T>& read = batch;
  pool_.run(static_cast<std::int64_t>(count), [&](std::int64_t p) {
    Piece& piece = pieces_[static_cast<std::size_t>(p)];
    const BoundTree& tree = *piece.group->tree;
    BodyPlaces<T> places{.q = read.q().part(piece.range)};
    if (batch.has_frame(piece.group->index)) {
      places.pose = read.pose().all_rows(piece.range);
      places.origin = batch.frame(piece.group->index).origin;
    }
    piece.spheres.resize(static_cast<std::size_t>(piece.range.bodies * tree.node_count() * 4));
    piece.group->fit.refit(places.q, piece.spheres);
    find_margins(piece, h);
    std::vector<LeafPair> leaves = touching_leaves<T>(tree, piece.spheres, places, colliders, piece.margins);
    std::erase_if(leaves, [&](const LeafPair& leaf) {
      return read.status()[static_cast<std::size_t>(piece.range.first_body + leaf.body)] == BodyStatus::diverged;
    });
    piece.candidates = leaf_contacts(tree, leaves, places, colliders, piece.margins);
    for (Contact& contact : piece.candidates) contact.body += piece.range.first_body;
  });
  contacts.clear();
  touching_count_ = 0;
  for (std::size_t p = 0; p < count; ++p)
    for (const Contact& contact : pieces_[p].candidates) {
      if (touching_count_ == 0 || touching_[touching_count_ - 1].body != contact.body) {
        if (touching_.size() == touching_count_) touching_.emplace_back();
        Touching& next = touching_[touching_count_++];
        next.group = pieces_[p].group;
        next.body = contact.body;
        next.first = contacts.size();
        next.count = 0;
      }
      contacts.push_back(contact);
      ++touching_[touching_count_ - 1].count;
    }
}

template <class T>
void World<T>::Impl::load(Touching& body, double h) {
  const Batch<T>& read = batch;
  const std::int64_t b = body.body;
  const auto n = static_cast<std::size_t>(b), r = static_cast<std::size_t>(batch.group(body.group->index).rank);
  const BodyParameters<T>& parameters = batch.impl().parameters();
  const auto column = [&](const StateView<const T>& view, double scale) {
    std::vector<double> values(r);
    for (std::size_t j = 0; j < r; ++j) values[j] = scale * double{view(static_cast<std::int64_t>(j), b)};
    return values;
  };
  const double time = batch.time();
  const auto load_at = [&](double at) { return load_scale(b, at, h); };
  const bool takes_mean = batch.options().integrator == Integrator::newmark;
  body.force = column(read.force(), load_at(time + h));
  const auto chambers = batch.force_model(body.group->index).chambers.size();
  body.pressure.resize(chambers);
  for (std::size_t c = 0; c < chambers; ++c)
    body.pressure[c] = double{parameters.pressure[c * static_cast<std::size_t>(batch.bodies()) + n]} /
                       double{parameters.stiffness_scale[n]};
  body.start = {};
  body.start.q = column(read.q(), 1);
  body.start.velocity = column(read.velocity(), 1);
  body.start.acceleration = column(read.acceleration(), 1);
  body.step = {.settings = step_settings<double>(batch.options(), h),
               .spin = spin_settings<double>(batch.options(), h),
               .takes_mean = takes_mean,
               .rayleigh_mass = double{parameters.rayleigh_mass[n]},
               .rayleigh_stiffness = double{parameters.rayleigh_stiffness[n]},
               .stiffness_scale = double{parameters.stiffness_scale[n]},
               .force = body.force,
               .pressure = body.pressure,
               .external_force = {},
               .external_torque = {},
               .law = {options.stiffness, options.dissipation, options.friction, options.friction_velocity},
               .iterations = options.iterations,
               .tolerance = options.tolerance,
               .start = colliders,
               .end = end_colliders_};
  if (!batch.has_frame(body.group->index)) return;
  const double load = takes_mean ? mean_load(load_at(time), load_at(time + h)) : load_at(time + h);
  body.step.external_force = load * rows_of(read.wrench(), 0, b);
  body.step.external_torque = load * rows_of(read.wrench(), 3, b);
  body.start.pose = {rows_of(read.pose(), 0, b), {rows_of(read.pose(), 3, b), double{read.pose()(6, b)}}};
  body.start.linear_velocity = rows_of(read.twist(), 0, b);
  body.start.spin = rows_of(read.twist(), 3, b);
  body.start.linear_acceleration = rows_of(read.twist_rate(), 0, b);
  body.start.spin_rate = rows_of(read.twist_rate(), 3, b);
}

template <class T>
void World<T>::Impl::store(const Touching& body) {
  const std::int64_t b = body.body;
  const auto n = static_cast<std::size_t>(b);
  const BodyMotion& m = body.end;
  for (std::size_t j = 0; j < m.q.size(); ++j) {
    const auto row = static_cast<std::int64_t>(j);
    batch.q()(row, b) = static_cast<T>(m.q[j]);
    batch.velocity()(row, b) = static_cast<T>(m.velocity[j]);
    batch.acceleration()(row, b) = static_cast<T>(m.acceleration[j]);
  }
  const auto put = [&](std::vector<double>& rows, const ContactPoint& force, const ContactPoint& torque) {
    double* row = rows.data() + 6 * n;
    for (const double x : {force.x, force.y, force.z, torque.x, torque.y, torque.z}) *row++ += x;
  };
  put(wrench, body.outcome.force, body.outcome.torque);
  if (!batch.has_frame(body.group->index)) return;
  put(impulse, body.outcome.impulse, body.outcome.angular_impulse);
  put_rows(m.pose.position, batch.pose(), 0, b);
  put_rows(m.pose.rotation.vector, batch.pose(), 3, b);
  batch.pose()(6, b) = static_cast<T>(m.pose.rotation.w);
  put_rows(m.linear_velocity, batch.twist(), 0, b);
  put_rows(m.spin, batch.twist(), 3, b);
  put_rows(m.linear_acceleration, batch.twist_rate(), 0, b);
  put_rows(m.spin_rate, batch.twist_rate(), 3, b);
}

// Of the group's present energy and moments.
template <class T>
void World<T>::Impl::prepare_steppers(Group& group) const {
  const auto g = static_cast<std::size_t>(group.index);
  const SharedModel& model = batch.impl().models()[g];
  const SharedFrame& frame = batch.impl().frames()[g];
  if (group.model == model && group.frame == frame) return;
  group.steppers[0] = cpu_contact_operations.make_stepper(model, frame, group.tree);
  for (std::size_t t = 1; t < group.steppers.size(); ++t) group.steppers[t] = group.steppers[0]->twin();
  group.model = model;
  group.frame = frame;
}

template <class T>
void World<T>::Impl::substep(double h) {
  end_colliders_.clear();
  for (const Collider& collider : colliders) end_colliders_.push_back(moved(collider, h));
  std::fill(wrench.begin(), wrench.end(), 0.0);
  for (Group& group : groups_) prepare_steppers(group);
  detect(h);
  for (std::size_t n = 0; n < touching_count_; ++n) load(touching_[n], h);
  status_.assign(batch.status().begin(), batch.status().end());
  flags_.assign(batch.flags().begin(), batch.flags().end());
  batch.step(h);
  if (touching_count_ > 0) {
    std::vector<BodyStatus> status(batch.status().begin(), batch.status().end());
    std::vector<BodyFlags> flags(batch.flags().begin(), batch.flags().end());
    std::atomic<std::size_t> next{0};
    pool_.run(pool_.thread_count(), [&](std::int64_t thread) {
      for (std::size_t n = next++; n < touching_count_; n = next++) {
        Touching& body = touching_[n];
        body.outcome = body.group->steppers[static_cast<std::size_t>(thread)]->step(
            body.step, body.start, body.end, std::span(contacts).subspan(body.first, body.count));
      }
    });
    for (std::size_t n = 0; n < touching_count_; ++n) {
      Touching& body = touching_[n];
      const auto b = static_cast<std::size_t>(body.body);
      status[b] = status_[b];
      flags[b] = flags_[b];
      if (!body.outcome.finite) {
        status[b] = BodyStatus::diverged;
        for (std::size_t c = body.first; c < body.first + body.count; ++c) contacts[c].gap = 0;
        body.end = body.start;
        body.outcome = {};
      } else if (!body.outcome.converged) {
        flags[b] |= BodyFlags::not_converged;
      }
      store(body);
    }
    batch.set_status(status);
    batch.set_flags(flags);
  }
  std::erase_if(contacts, [](const Contact& contact) { return !(contact.gap < 0); });
  colliders.swap(end_colliders_);
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
  return impl_->device != nullptr ? impl_->device->contacts() : impl_->contacts;
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

template class QUARTIC_EXPORT World<float>;
template class QUARTIC_EXPORT World<double>;

}  // namespace quartic
