#include "cli/worlds/world_run.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>

#include "cli/options/body_options.hpp"
#include "cli/values/numbers.hpp"
#include "core/frame/rotation.hpp"
#include "io/files/atomic_file.hpp"
#include "quartic/checkpoint.hpp"
#include "quartic/error.hpp"
#include "quartic/frame_motion.hpp"

namespace quartic::cli {

namespace {

using Vector = frame::Vector3<double>;

/// A scene's bodies in a world: model after model, with the scene's order as ids.
template <class T>
class SceneWorld {
 public:
  SceneWorld(const WorldScene& scene, const std::vector<ReducedModel>& models, int threads) : scene_(scene) {
    for (std::size_t m = 0; m < models.size(); ++m)
      for (std::size_t b = 0; b < scene.bodies.size(); ++b)
        if (scene.bodies[b].model == m) order_.push_back(b);
    std::vector<BodyGroup> groups;
    std::vector<std::shared_ptr<const BoundTree>> trees;
    std::vector<std::shared_ptr<const CollisionSurface>> surfaces;
    for (std::size_t m = 0; m < models.size(); ++m) {
      const auto count = std::ranges::count(scene.bodies, m, &SceneBody::model);
      if (count == 0) continue;
      group_models_.push_back(m);
      groups.push_back({.energy = models[m].energy, .bodies = count, .frame = free_frame(models[m])});
      trees.push_back(std::make_shared<BoundTree>(*models[m].bound_tree));
      surfaces.push_back(std::make_shared<CollisionSurface>(models[m], trees.back()));
    }
    CollisionOptions collisions{.sweeps = scene.sweeps};
    for (const std::size_t b : order_) {
      collisions.ids.push_back(static_cast<std::int32_t>(b));
      collisions.environments.push_back(scene.bodies[b].environment);
    }
    world_.emplace(Batch<T>(std::move(groups), {.integrator = Integrator::backward_euler,
                                                .rayleigh_mass = scene.rayleigh_mass,
                                                .rayleigh_stiffness = scene.rayleigh_stiffness,
                                                .threads = threads}),
                   std::move(trees), scene.contact);
    let_collide(*world_, std::move(surfaces), collisions);
    world_->colliders() = scene.shapes;
    place();
  }

  [[nodiscard]] World<T>& world() { return *world_; }
  [[nodiscard]] const World<T>& world() const { return *world_; }
  /// Of a group of the batch, among the scene's models.
  [[nodiscard]] std::size_t model(int group) const { return group_models_[static_cast<std::size_t>(group)]; }
  /// Where the scene has a body of the batch.
  [[nodiscard]] std::size_t scene_body(std::int64_t body) const { return order_[static_cast<std::size_t>(body)]; }

  void place() {
    Batch<T>& batch = world_->batch();
    for (std::int64_t b = 0; b < batch.bodies(); ++b) {
      const SceneBody& body = scene_.bodies[scene_body(b)];
      for (std::int64_t k = 0; k < 7; ++k) batch.pose()(k, b) = static_cast<T>(body.pose[static_cast<std::size_t>(k)]);
    }
    move();
  }
  /// As fast as the scene has them.
  void move() {
    Batch<T>& batch = world_->batch();
    for (std::int64_t b = 0; b < batch.bodies(); ++b) {
      const SceneBody& body = scene_.bodies[scene_body(b)];
      const frame::Quaternion<double> turn = {
          {double{batch.pose()(3, b)}, double{batch.pose()(4, b)}, double{batch.pose()(5, b)}},
          double{batch.pose()(6, b)}};
      const Vector spin = rotate(conjugate(turn), Vector{body.spin[0], body.spin[1], body.spin[2]});
      const std::array<double, 6> twist = {body.velocity[0], body.velocity[1], body.velocity[2],
                                           spin.x,           spin.y,           spin.z};
      for (std::int64_t k = 0; k < 6; ++k) {
        batch.twist()(k, b) = static_cast<T>(twist[static_cast<std::size_t>(k)]);
        batch.twist_rate()(k, b) = 0;
      }
      for (std::int64_t j = 0; j < batch.rank(); ++j) batch.velocity()(j, b) = batch.acceleration()(j, b) = 0;
    }
  }
  void stop() {
    Batch<T>& batch = world_->batch();
    for (std::int64_t b = 0; b < batch.bodies(); ++b) {
      for (std::int64_t k = 0; k < 6; ++k) batch.twist()(k, b) = batch.twist_rate()(k, b) = 0;
      for (std::int64_t j = 0; j < batch.rank(); ++j) batch.velocity()(j, b) = batch.acceleration()(j, b) = 0;
    }
  }

  /// The deepest place of a body in another now [m], and which bodies.
  [[nodiscard]] std::tuple<double, std::size_t, std::size_t> deepest_overlap() const {
    const Batch<T>& batch = world_->batch();
    std::vector<CollidingBodies<T>> groups;
    groups.reserve(static_cast<std::size_t>(batch.group_count()));
    std::vector<std::int32_t> environments;
    for (int g = 0; g < batch.group_count(); ++g)
      groups.push_back({surfaces_of(g),
                        {.q = batch.q().part(batch.group(g)),
                         .pose = batch.pose().all_rows(batch.group(g)),
                         .origin = batch.frame(g).origin}});
    for (const std::size_t b : order_) environments.push_back(scene_.bodies[b].environment);
    std::tuple<double, std::size_t, std::size_t> deepest = {0, 0, 0};
    for (const BodyContact& contact : find_body_contacts<T>(groups, {.environments = environments}))
      deepest = std::max(deepest, {-contact.gap, scene_body(contact.body), scene_body(contact.other)});
    return deepest;
  }

  void keep_surfaces(const std::vector<ReducedModel>& models) {
    for (std::size_t g = 0; g < group_models_.size(); ++g)
      surfaces_.push_back(std::make_shared<CollisionSurface>(models[group_models_[g]], world_->bound_trees()[g]));
  }

 private:
  [[nodiscard]] const std::shared_ptr<const CollisionSurface>& surfaces_of(int group) const {
    return surfaces_[static_cast<std::size_t>(group)];
  }

  const WorldScene& scene_;
  std::vector<std::size_t> order_, group_models_;
  std::vector<std::shared_ptr<const CollisionSurface>> surfaces_;
  std::optional<World<T>> world_;
};

std::string overlap_text(double depth, std::size_t one, std::size_t two) {
  return "bodies " + std::to_string(std::min(one, two)) + " and " + std::to_string(std::max(one, two)) +
         " of the scene start inside each other, " + significant(depth) + " m deep";
}

// Long steps without gravity, from rest each, which go nearly all the way to where contacts push no more, until hardly
// anything is left of the overlap. Returns how deep bodies are in each other then [m].
template <class T>
double part_bodies(SceneWorld<T>& scene, double overlap) {
  constexpr int most_steps = 200;
  constexpr double h = 0.01;  // [s]: contacts and bodies are much faster
  double left = overlap;
  const std::vector<Collider> shapes = scene.world().colliders();
  for (int n = 0; n < most_steps; ++n) {
    scene.stop();
    scene.world().step(h);
    scene.world().colliders() = shapes;
    left = std::max(std::get<0>(scene.deepest_overlap()), 0.0);
    if (left < 0.02 * overlap) break;
  }
  for (const BodyStatus status : scene.world().batch().status())
    if (status == BodyStatus::diverged)
      throw InputError("bodies that start inside each other, " + significant(overlap) +
                       " m deep, couldn't be parted: one diverged; move them apart in the scene");
  scene.world().batch().set_time(0);
  scene.world().batch().reset_flags();
  scene.move();
  return left;
}

// No contact tells which way is out.
void require_places_of_their_own(const WorldScene& scene) {
  std::map<std::tuple<std::int32_t, double, double, double>, std::size_t> at;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const SceneBody& body = scene.bodies[b];
    const auto [place, is_new] = at.try_emplace({body.environment, body.pose[0], body.pose[1], body.pose[2]}, b);
    if (!is_new)
      throw InputError("bodies " + std::to_string(place->second) + " and " + std::to_string(b) +
                       " of the scene are in the same place; move them apart");
  }
}

template <class T>
WorldSums sums_of(const Batch<T>& batch) {
  WorldSums sums;
  const auto linear = batch.linear_momentum(), angular = batch.angular_momentum();
  const auto elastic = batch.elastic_energy(), kinetic = batch.kinetic_energy();
  for (std::int64_t b = 0; b < batch.bodies(); ++b) {
    const auto n = static_cast<std::size_t>(b);
    const Vector p = {linear[3 * n], linear[3 * n + 1], linear[3 * n + 2]};
    const Vector c = {double{batch.pose()(0, b)}, double{batch.pose()(1, b)}, double{batch.pose()(2, b)}};
    const Vector l = Vector{angular[3 * n], angular[3 * n + 1], angular[3 * n + 2]} + cross(c, p);
    const std::array<double, 3> ps = {p.x, p.y, p.z}, ls = {l.x, l.y, l.z};
    for (std::size_t k = 0; k < 3; ++k) sums.momentum[k] += ps[k], sums.angular_momentum[k] += ls[k];
    sums.elastic_energy += elastic[n], sums.kinetic_energy += kinetic[n];
  }
  return sums;
}

/// Lines of contacts at the ends of frames.
class ContactTable {
 public:
  explicit ContactTable(const std::string& path) {
    if (path.empty()) return;
    file_.emplace(path);
    file_->write(std::string("time,body,other,shape,x,y,z,nx,ny,nz,gap,fx,fy,fz\n"));
  }
  template <class T>
  void add(const SceneWorld<T>& scene) {
    if (!file_) return;
    const double time = scene.world().batch().time();
    for (const Contact& c : scene.world().contacts())
      add(time, scene.scene_body(c.body), "", std::to_string(c.shape), c);
    for (const BodyContact& c : body_contacts(scene.world()))
      add(time, scene.scene_body(c.body), std::to_string(scene.scene_body(c.other)), "", c);
  }
  void commit() {
    if (file_) file_->commit();
  }

 private:
  template <class C>
  void add(double time, std::size_t body, const std::string& other, const std::string& shape, const C& c) {
    std::ostringstream line;
    line.imbue(std::locale::classic());
    line.precision(9);
    line << time << ',' << body << ',' << other << ',' << shape;
    for (const auto& vector : {c.position, c.normal})
      for (const double x : vector) line << ',' << x;
    line << ',' << c.gap;
    for (const double x : c.force) line << ',' << x;
    line << '\n';
    file_->write(line.str());
  }

  std::optional<io::AtomicFile> file_;
};

template <class T>
void record(const SceneWorld<T>& scene, WorldRun& run) {
  const Batch<T>& batch = scene.world().batch();
  for (int g = 0; g < batch.group_count(); ++g) {
    const GroupRange range = batch.group(g);
    Trajectory& motion = run.motions[scene.model(g)];
    motion.bodies = range.bodies, motion.rank = range.rank;
    motion.time.push_back(batch.time());
    for (std::int64_t b = range.first_body; b < range.first_body + range.bodies; ++b) {
      for (std::int64_t j = 0; j < range.rank; ++j) motion.q.push_back(double{batch.q()(j, b)});
      std::array<double, 4> turn;
      double square = 0;
      for (std::int64_t k = 0; k < 4; ++k) {
        turn[static_cast<std::size_t>(k)] = double{batch.pose()(3 + k, b)};
        square += turn[static_cast<std::size_t>(k)] * turn[static_cast<std::size_t>(k)];
      }
      for (std::int64_t k = 0; k < 3; ++k) motion.pose.push_back(double{batch.pose()(k, b)});
      for (const double x : turn) motion.pose.push_back(x / std::sqrt(square));
      for (std::int64_t k = 0; k < 6; ++k) motion.twist.push_back(double{batch.twist()(k, b)});
    }
  }
  const auto look_at = [&](double gap) { run.deepest = std::max(run.deepest, -gap); };
  for (const Contact& contact : scene.world().contacts()) look_at(contact.gap);
  for (const BodyContact& contact : body_contacts(scene.world())) look_at(contact.gap);
  const CollisionReport report = collision_report(scene.world());
  run.most_contacts = std::max(run.most_contacts, report.contacts + std::ssize(scene.world().contacts()));
  run.unsettled_steps += report.unsettled_islands > 0 ? 1 : 0;
}

template <class T>
void begin(SceneWorld<T>& scene, const WorldScene& of, const WorldRunOptions& options, WorldRun& run) {
  if (!options.resume.empty()) {
    run.warnings = load_checkpoint(scene.world(), options.resume);
  } else {
    require_places_of_their_own(of);
    const auto [depth, one, two] = scene.deepest_overlap();
    run.overlap = std::max(depth, 0.0);
    if (depth > 0) {
      if (!of.parts_overlaps)
        throw InputError(overlap_text(depth, one, two) +
                         "; move them apart, or let them be parted before they move (\"overlap\": \"part\")");
      const double left = part_bodies(scene, depth);
      run.warnings.push_back(overlap_text(depth, one, two) + (left < 0.1 * depth
                                                                  ? ": they were parted before they moved"
                                                                  : ": they couldn't be parted, " + significant(left) +
                                                                        " m are left; move them apart in the scene"));
    }
    add_gravity(scene.world().batch(), of.gravity);
  }
}

}  // namespace

std::vector<ReducedModel> read_scene_models(const WorldScene& scene) {
  std::vector<ReducedModel> models;
  for (const SceneModel& of : scene.models) {
    ReducedModel model = load_reduced_model(of.file.string());
    try {
      static_cast<void>(free_frame(model));
    } catch (const InputError& error) {
      throw InputError(of.file.string() + ": bodies of a world fly: " + error.what());
    }
    if (!model.bound_tree || std::isfinite(of.spacing)) model.bound_tree = bound_tree(model, {.spacing = of.spacing});
    models.push_back(std::move(model));
  }
  return models;
}

template <class T>
WorldRun run_world(const WorldScene& of, const std::vector<ReducedModel>& models, const WorldRunOptions& options,
                   const Progress& progress) {
  SceneWorld<T> scene(of, models, options.threads);
  scene.keep_surfaces(models);
  WorldRun run;
  run.motions.resize(models.size());
  begin(scene, of, options, run);
  const Batch<T>& batch = std::as_const(scene).world().batch();
  run.start = sums_of(batch);
  ContactTable contacts(options.contacts);
  record(scene, run);
  const auto begun = std::chrono::steady_clock::now();
  for (std::int64_t step = 0; step < of.steps; ++step) {
    scene.world().step(of.dt, of.substeps);
    record(scene, run);
    contacts.add(scene);
    if (progress) progress("steps", static_cast<double>(step + 1) / static_cast<double>(of.steps));
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  run.seconds_per_step = took.count() / static_cast<double>(of.steps * of.substeps);
  run.end = sums_of(batch);
  run.collisions = collision_report(scene.world());
  run.shape_contacts = std::ssize(scene.world().contacts());
  for (int g = 0; g < batch.group_count(); ++g) {
    const GroupRange range = batch.group(g);
    const auto first = static_cast<std::size_t>(range.first_body), count = static_cast<std::size_t>(range.bodies);
    Trajectory& motion = run.motions[scene.model(g)];
    const auto status = batch.status().subspan(first, count);
    const auto flags = batch.flags().subspan(first, count);
    motion.status.assign(status.begin(), status.end());
    motion.flags.assign(flags.begin(), flags.end());
  }
  contacts.commit();
  if (!options.checkpoint.empty()) save_checkpoint(scene.world(), options.checkpoint);
  return run;
}

template WorldRun run_world<float>(const WorldScene&, const std::vector<ReducedModel>&, const WorldRunOptions&,
                                   const Progress&);
template WorldRun run_world<double>(const WorldScene&, const std::vector<ReducedModel>&, const WorldRunOptions&,
                                    const Progress&);

}  // namespace quartic::cli
