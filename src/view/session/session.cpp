#include "view/session/session.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "quartic/error.hpp"

namespace quartic::view {
namespace {

template <class Of>  // a model or an energy
Matrix stiffness_at_rest(const Of& of, int rank) {
  return evaluate(of, std::vector<double>(static_cast<std::size_t>(rank))).stiffness;
}

std::optional<FrameMoments> frame_of(const SessionOptions& options) {
  return options.flight ? std::optional(options.flight->frame) : std::nullopt;
}

void require_positive(double value, const char* what) {
  if (!(value > 0) || !std::isfinite(value)) throw InputError(std::string(what) + " must be finite and above 0");
}

}  // namespace

Session::Session(const ReducedModel& model, const ViewSurface& surface, SessionOptions options)
    : model_(model),
      surface_(surface),
      options_(std::move(options)),
      bodies_(make_bodies(force_model(model), options_.range, frame_of(options_), options_.batch, options_.precision)),
      rest_stiffness_(stiffness_at_rest(model, model.rank())) {
  require_positive(options_.step_length, "the length of a step");
  if (!options_.load_scales.empty() && std::ssize(options_.load_scales) != bodies_->count())
    throw InputError("there must be one scale of the loads per body");
  if (surface.rank() != model.rank()) throw InputError("the surface has another rank than the model");
  start_flight();
}

// Where the start is that of the model's own mass centre, an edited body's lies elsewhere.
void Session::start_flight() {
  if (!bodies_->fly()) return;
  RigidMotion motion = options_.flight->start;
  const Eigen::Vector3d shift = mass_centre() - Eigen::Vector3d::Map(options_.flight->frame.origin.data());
  motion.velocity += motion.pose.linear() * motion.spin.cross(shift);
  motion.pose.translate(shift);
  bodies_->set_rigid_motion(motion);
}

void Session::step() {
  set_forces();
  bodies_->step(options_.step_length);
  ++steps_;
  recording_time_ += options_.step_length;
}

void Session::set_forces() {
  if (bodies_->fly())
    set_flying_forces();
  else
    set_reduced_forces();
  if (pull_) pull();
}

// Loads and pull are forces on vertices, U^T f: those of edited coordinates are T^T U^T f.
void Session::set_reduced_forces() {
  const auto rank = static_cast<std::size_t>(model_.rank());
  Eigen::VectorXd force = Eigen::VectorXd::Zero(model_.rank());
  if (options_.loads) {
    const std::span<const double> loads = options_.loads(bodies_->time(), options_.step_length);
    if (loads.size() != rank) throw InputError("the loads must have as many numbers as the model's rank");
    force = Eigen::Map<const Eigen::VectorXd>(loads.data(), model_.rank());
    if (edit_) force = edit_->transform.map().transpose() * force;
  }
  force += (edit_ ? edit_->unit_acceleration : model_.unit_acceleration).map() *
           Eigen::Map<const Eigen::Vector3d>(options_.gravity.data());
  bodies_->set_force({force.data(), rank}, options_.load_scales);
}

// Gravity moves the mass centre alone; what a force on a vertex does depends on where the body is.
void Session::set_flying_forces() {
  bodies_->set_force(std::vector<double>(static_cast<std::size_t>(model_.rank())), {});
  bodies_->set_weight(bodies_->frame().mass * Eigen::Vector3d::Map(options_.gravity.data()), options_.load_scales);
  if (!options_.flight->loads) return;
  for (const VertexForce& load : options_.flight->loads(bodies_->time(), options_.step_length)) {
    if (load.vertex < 0 || load.vertex >= model_.mesh.vertex_count())
      throw InputError("there is no vertex " + std::to_string(load.vertex) + " for a load to act on");
    const Eigen::Index row = Eigen::Index{3} * load.vertex;
    const BodyPoint point{Eigen::Vector3d::Map(model_.mesh.vertices.data() + row),
                          own_rows(model_.basis.map().middleRows(row, 3))};
    std::vector<VertexForce> forces;
    for (std::int64_t body = 0; body < bodies_->count(); ++body) {
      const double scale = options_.load_scales.empty() ? 1 : options_.load_scales[static_cast<std::size_t>(body)];
      forces.push_back({body, 0, {scale * load.force[0], scale * load.force[1], scale * load.force[2]}});
    }
    bodies_->add_point_forces(point, forces);
  }
}

void Session::pull() {
  const PullReadout now = readout(*pull_);
  const BodyPoint point = surface_point(pull_->vertex);
  if (bodies_->fly()) {
    const VertexForce force{pull_->body, 0, {now.force.x(), now.force.y(), now.force.z()}};
    bodies_->add_point_forces(point, {&force, 1});
  } else {
    const Eigen::VectorXd force = point.rows.transpose() * now.force;
    bodies_->add_force(pull_->body, {force.data(), static_cast<std::size_t>(force.size())});
  }
  record(now);
}

// A point's rows of the basis that the bodies have now, (U - 1 t^T) T. Where bodies don't fly, what an edit takes off
// the mass centre moves nothing that is shown.
Eigen::MatrixXd Session::own_rows(Eigen::MatrixXd rows) const {
  if (!edit_) return rows;
  if (bodies_->fly()) rows -= edit_->translation.map().transpose();
  return rows * edit_->transform.map();
}

BodyPoint Session::surface_point(std::uint32_t vertex) const {
  return {Eigen::Vector3d::Map(surface_.embedding.vertices.data() + std::size_t{3} * vertex),
          own_rows(surface_.basis.map().middleRows(3 * std::int64_t{vertex}, 3))};
}

// Of a flying body at rest, in the mesh's coordinates.
Eigen::Vector3d Session::mass_centre() const {
  Eigen::Vector3d centre = Eigen::Vector3d::Map(options_.flight->frame.origin.data());
  if (edit_) centre += Eigen::Vector3d::Map(edit_->shift.data());
  return centre;
}

PullReadout Session::readout(const Pull& pull) const {
  const BodyPoint point = surface_point(pull.vertex);
  if (bodies_->fly()) return flying_readout(pull, point);
  Eigen::VectorXd q(model_.rank());
  bodies_->read_q(pull.body, {q.data(), static_cast<std::size_t>(q.size())});
  const Eigen::Vector3d rest =
      Eigen::Map<const Eigen::Vector3f>(&surface_.rest[std::size_t{3} * pull.vertex]).cast<double>();
  const Eigen::Vector3d from = rest + point.rows * q;
  return {pull, from, spring_.stiffness * (pull.target - from)};
}

PullReadout Session::flying_readout(const Pull& pull, const BodyPoint& point) const {
  Eigen::VectorXd q(model_.rank()), rate(model_.rank());
  bodies_->read_q(pull.body, {q.data(), static_cast<std::size_t>(q.size())});
  bodies_->read_velocity(pull.body, {rate.data(), static_cast<std::size_t>(rate.size())});
  const RigidMotion motion = bodies_->rigid_motion(pull.body);
  const Eigen::Vector3d y = point.rest - mass_centre() + point.rows * q;
  const Eigen::Vector3d from = motion.pose * y - Eigen::Vector3d::Map(surface_.origin.data());
  const Eigen::Vector3d velocity = motion.velocity + motion.pose.linear() * (motion.spin.cross(y) + point.rows * rate);
  return {pull, from, spring_.stiffness * (pull.target - from) - spring_.damping * velocity};
}

void Session::record(const PullReadout& readout) {
  if (!recording_ || recording_time_ < next_record_) return;
  // Recordings are of the volume's vertices, for bodies that have no surface of their own.
  const SurfaceEmbedding& embedding = surface_.embedding;
  const auto width = static_cast<std::size_t>(embedding.width), first = width * readout.pull.vertex;
  Eigen::Vector3d force = readout.force;  // as it deforms the body, whatever way that is turned
  if (bodies_->fly()) force = bodies_->rigid_motion(readout.pull.body).pose.linear().transpose() * force;
  RecordedLoad load{recording_time_, {}};
  for (std::size_t k = first; k < first + width; ++k) {
    const Eigen::Vector3d share = embedding.weights[k] * force;
    if (embedding.weights[k] != 0)
      load.forces.push_back({.vertex = embedding.volume_vertices[k], .force = {share.x(), share.y(), share.z()}});
  }
  recorded_.push_back(std::move(load));
  next_record_ = recording_time_ + recording_interval * (1 - 1e-9);
}

std::vector<std::int64_t> Session::look() {
  const std::span<const BodyFlags> now = bodies_->check_range();
  std::vector<std::int64_t> outside;
  constexpr std::int64_t most = 16;
  BodyFlags all = BodyFlags::none;
  for (std::size_t body = 0; body < now.size(); ++body) {
    all |= now[body];
    if (now[body] != BodyFlags::none && std::ssize(outside) < most) outside.push_back(static_cast<std::int64_t>(body));
  }
  if (has_any(all, BodyFlags::inverted) && !inverted_since_) inverted_since_ = bodies_->time();
  if (has_any(all, BodyFlags::strained) && !strained_since_) strained_since_ = bodies_->time();
  return outside;
}

RangeReadout Session::range_readout() const {
  const std::span<const BodyFlags> flags = bodies_->flags();
  const auto with = [&](BodyFlags flag) {
    return std::count_if(flags.begin(), flags.end(), [&](BodyFlags f) { return has_any(f, flag); });
  };
  return {.inverted = with(BodyFlags::inverted),
          .strained = with(BodyFlags::strained),
          .not_converged = with(BodyFlags::not_converged),
          .too_fast = with(BodyFlags::too_fast),
          .contacts_lost = with(BodyFlags::contacts_lost),
          .inverted_since = inverted_since_,
          .strained_since = strained_since_};
}

Frame Session::frame() {
  std::vector<std::int64_t> outside = look();
  Frame frame{.time = bodies_->time(),
              .steps = steps_,
              .elastic = bodies_->elastic_energy(),
              .kinetic = bodies_->kinetic_energy(),
              .regularised = bodies_->status_count(BodyStatus::regularised),
              .diverged = bodies_->status_count(BodyStatus::diverged),
              .range = range_readout(),
              .outside = std::move(outside),
              .recorded = std::ssize(recorded_)};
  Eigen::MatrixXd q(model_.rank(), bodies_->count());
  bodies_->read_q({q.data(), static_cast<std::size_t>(q.size())});
  if (edit_) {
    q = (edit_->transform.map() * q).eval();
    frame.notices = edit_->notices;
  }
  frame.q.resize(static_cast<std::size_t>(q.size()));
  std::transform(q.data(), q.data() + q.size(), frame.q.begin(), [](double x) { return static_cast<float>(x); });
  if (bodies_->fly()) frame.poses = poses(q);
  if (pull_) frame.pull = readout(*pull_);
  return frame;
}

// @param q of the model's own basis, shape (r, B)
std::vector<Eigen::Isometry3d> Session::poses(const Eigen::MatrixXd& q) const {
  std::vector<Eigen::Isometry3d> poses;
  for (std::int64_t body = 0; body < bodies_->count(); ++body) {
    Eigen::Vector3d centre = mass_centre();
    if (edit_) centre += edit_->translation.map().transpose() * q.col(body);
    poses.push_back(surface_pose(surface_, bodies_->rigid_motion(body).pose, centre));
  }
  return poses;
}

void Session::reset() {
  bodies_->reset();
  start_flight();
  pull_.reset();
  inverted_since_.reset();
  strained_since_.reset();
  steps_ = 0;
}

void Session::set_step_length(double seconds) {
  require_positive(seconds, "the length of a step");
  options_.step_length = seconds;
  if (pull_) spring_ = spring(pull_->vertex);
}

void Session::set_gravity(const std::array<double, 3>& gravity) {
  if (!std::all_of(gravity.begin(), gravity.end(), [](double x) { return std::isfinite(x); }))
    throw InputError("gravity must be finite");
  options_.gravity = gravity;
}

void Session::set_damping(double mass, double stiffness) {
  bodies_->set_damping(mass, stiffness);
}

void Session::set_integrator(Integrator integrator) {
  bodies_->set_integrator(integrator);
}

void Session::set_materials(std::span<const Material> materials) {
  MaterialEdit edit = edit_materials(model_, materials);
  bodies_->apply(edit, edit_ ? &*edit_ : nullptr);
  edit_ = std::move(edit);
  rest_stiffness_ = stiffness_at_rest(edit_->energy, edit_->energy.rank);
  if (pull_) spring_ = spring(pull_->vertex);
}

void Session::place(std::int64_t body, int mode, double value) {
  if (body < 0 || body >= bodies_->count() || mode < 0 || mode >= model_.rank() || !std::isfinite(value))
    throw InputError("there is no such body or coordinate, or its value isn't finite");
  if (!edit_) return bodies_->place(body, mode, value);
  // T is upper triangular, but all coordinates in front of a changed one may change with it.
  Eigen::VectorXd q(model_.rank());
  bodies_->read_q(body, {q.data(), static_cast<std::size_t>(q.size())});
  const auto transform = edit_->transform.map().triangularView<Eigen::Upper>();
  Eigen::VectorXd own = transform * q;
  own[mode] = value;
  q = transform.solve(own);
  for (int i = 0; i < model_.rank(); ++i) bodies_->place(body, i, q[i]);
}

void Session::set_pull(const std::optional<Pull>& pull) {
  if (pull &&
      (pull->body < 0 || pull->body >= bodies_->count() || std::int64_t{pull->vertex} >= surface_.vertex_count()))
    throw InputError("there is no such body or vertex to pull at");
  if (pull && (!pull_ || pull_->vertex != pull->vertex)) spring_ = spring(pull->vertex);
  pull_ = pull;
}

PullSpring Session::spring(std::uint32_t vertex) const {
  const BodyPoint point = surface_point(vertex);
  const double mobility = bodies_->fly() ? rigid_mobility(bodies_->frame(), point.rest - mass_centre()) : 0;
  return pull_spring(point.rows, rest_stiffness_, mobility, options_.step_length);
}

}  // namespace quartic::view
