#include "view/session/session.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <utility>

#include "quartic/error.hpp"

namespace quartic::view {
namespace {

Matrix stiffness_at_rest(const QuarticEnergy& energy) {
  return evaluate(energy, std::vector<double>(static_cast<std::size_t>(energy.rank))).stiffness;
}

void require_positive(double value, const char* what) {
  if (!(value > 0) || !std::isfinite(value)) throw InputError(std::string(what) + " must be finite and above 0");
}

}  // namespace

Session::Session(const ReducedModel& model, const ViewSurface& surface, SessionOptions options)
    : model_(model),
      surface_(surface),
      options_(std::move(options)),
      bodies_(make_bodies(model.energy, options_.range, options_.batch, options_.precision)),
      rest_stiffness_(stiffness_at_rest(model.energy)) {
  require_positive(options_.step_length, "the length of a step");
  if (!options_.load_scales.empty() && std::ssize(options_.load_scales) != bodies_->count())
    throw InputError("there must be one scale of the loads per body");
  if (surface.rank() != model.rank()) throw InputError("the surface has another rank than the model");
}

void Session::step() {
  set_forces();
  bodies_->step(options_.step_length);
  ++steps_;
  recording_time_ += options_.step_length;
}

// Loads and pull are forces on vertices, U^T f: those of edited coordinates are T^T U^T f.
void Session::set_forces() {
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
  if (!pull_) return;
  const PullReadout now = readout(*pull_);
  force = vertex_rows(pull_->vertex).transpose() * now.force;
  bodies_->add_force(pull_->body, {force.data(), rank});
  record(now);
}

// Three rows of the basis that the bodies have now.
Eigen::MatrixXd Session::vertex_rows(std::uint32_t vertex) const {
  Eigen::MatrixXd rows = surface_.basis.map().middleRows(3 * std::int64_t{vertex}, 3);
  if (edit_) rows *= edit_->transform.map();
  return rows;
}

PullReadout Session::readout(const Pull& pull) const {
  Eigen::VectorXd q(model_.rank());
  bodies_->read_q(pull.body, {q.data(), static_cast<std::size_t>(q.size())});
  const Eigen::Vector3d rest =
      Eigen::Map<const Eigen::Vector3f>(&surface_.rest[std::size_t{3} * pull.vertex]).cast<double>();
  const Eigen::Vector3d from = rest + vertex_rows(pull.vertex) * q;
  return {pull, from, pull_stiffness_ * (pull.target - from)};
}

void Session::record(const PullReadout& readout) {
  if (!recording_ || recording_time_ < next_record_) return;
  // Recordings are of the volume's vertices, for bodies that have no surface of their own.
  const SurfaceEmbedding& embedding = surface_.embedding;
  const auto width = static_cast<std::size_t>(embedding.width), first = width * readout.pull.vertex;
  RecordedLoad load{recording_time_, {}};
  for (std::size_t k = first; k < first + width; ++k) {
    const Eigen::Vector3d share = embedding.weights[k] * readout.force;
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
  if (edit_) q = (edit_->transform.map() * q).eval();
  frame.q.resize(static_cast<std::size_t>(q.size()));
  std::transform(q.data(), q.data() + q.size(), frame.q.begin(), [](double x) { return static_cast<float>(x); });
  if (pull_) frame.pull = readout(*pull_);
  return frame;
}

void Session::reset() {
  bodies_->reset();
  pull_.reset();
  inverted_since_.reset();
  strained_since_.reset();
  steps_ = 0;
}

void Session::set_step_length(double seconds) {
  require_positive(seconds, "the length of a step");
  options_.step_length = seconds;
  if (pull_) pull_stiffness_ = pull_stiffness(pull_->vertex);
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
  rest_stiffness_ = stiffness_at_rest(edit_->energy);
  if (pull_) pull_stiffness_ = pull_stiffness(pull_->vertex);
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
  if (pull && (!pull_ || pull_->vertex != pull->vertex)) pull_stiffness_ = pull_stiffness(pull->vertex);
  pull_ = pull;
}

double Session::pull_stiffness(std::uint32_t vertex) const {
  const Eigen::MatrixXd rows = vertex_rows(vertex);
  const double h = options_.step_length;
  const auto rank = rest_stiffness_.rows;
  // The acceleration [m/s^2] that a force of 1 N makes in an implicit step, which stiff modes hardly follow.
  const Eigen::MatrixXd system = Eigen::MatrixXd::Identity(rank, rank) + h * h / 4 * rest_stiffness_.map();
  const double mobility = (rows * system.ldlt().solve(rows.transpose())).trace();
  if (!(mobility > 0)) return 0;  // a fixed vertex
  const double compliance = (rows * rest_stiffness_.map().ldlt().solve(rows.transpose())).trace() / 3;  // [m/N], mean
  // The spring's force is explicit: half a radian per step keeps far from where that gets unstable.
  const double most = 0.25 / (mobility * h * h);
  return std::isfinite(compliance) && compliance > 0 ? std::min(1 / compliance, most) : most;
}

}  // namespace quartic::view
