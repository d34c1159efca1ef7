#include "cli/options/loads.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "cli/options/arguments.hpp"
#include "cli/values/numbers.hpp"
#include "cli/values/option_checks.hpp"
#include "quartic/embedding.hpp"
#include "quartic/error.hpp"
#include "quartic/unreduced.hpp"

namespace quartic::cli {

namespace {

using Vector = std::array<double, 3>;

LoadTimes parse_times(const std::string& option, std::span<const double> numbers, const std::string& text) {
  if (numbers.empty()) return {};
  if (!(numbers[0] < numbers[1])) throw UsageError(option + " " + text + ": the force must end after it begins");
  return {numbers[0], numbers[1]};
}

// NAME=numbers[,t0,t1], split at the last =.
SetLoad parse_set_load(SetLoad::Kind kind, const std::string& option, const std::string& text) {
  const std::size_t width = kind == SetLoad::Kind::pressure ? 1 : 3;
  const auto equals = text.rfind('=');
  const std::string form = kind == SetLoad::Kind::pressure ? "SET=PA" : "SET=x,y,z";
  if (equals == std::string::npos || equals == 0) throw UsageError(option + " takes " + form + ", not '" + text + "'");
  const std::vector<double> numbers = parse_numbers(option, text.substr(equals + 1));
  if (numbers.size() != width && numbers.size() != width + 2)
    throw UsageError(option + " takes " + form + " or " + form + ",t0,t1, not '" + text + "'");
  SetLoad load{.kind = kind, .name = option + " " + text.substr(0, equals), .set = text.substr(0, equals)};
  std::copy_n(numbers.begin(), width, load.numbers.begin());
  load.times = parse_times(option, std::span(numbers).subspan(width), text);
  return load;
}

std::vector<PointForce> forces_of(const SetLoad& load, const VolumeMesh& mesh) {
  const std::vector<std::int32_t>& vertices = find_vertex_set(mesh, load.set);
  switch (load.kind) {
    case SetLoad::Kind::traction:
      return traction_forces(mesh, vertices, load.numbers);
    case SetLoad::Kind::pressure:
      return pressure_forces(mesh, vertices, load.numbers[0]);
    default:
      return spread_force(mesh, vertices, load.numbers);
  }
}

}  // namespace

bool LoadTimes::contain(double time, double step) const {
  const double moment = time + 1e-6 * step;  // times are sums of steps: one isn't lost to their round-off
  return moment >= begin && moment < end;
}

bool LoadTimes::are_all() const {
  return !std::isfinite(begin);
}

Load parse_load(const std::string& text) {
  const std::vector<double> numbers = parse_numbers("--force", text);
  if (numbers.size() != 4 && numbers.size() != 6)
    throw UsageError("--force takes VERTEX,fx,fy,fz or VERTEX,fx,fy,fz,t0,t1, not '" + text + "'");
  constexpr double largest = std::numeric_limits<std::int32_t>::max();
  if (numbers[0] != std::floor(numbers[0]) || numbers[0] < 0 || numbers[0] > largest)
    throw UsageError("--force " + text + ": the vertex is a number 0, 1, 2, ...");
  return {.forces = {{static_cast<std::int32_t>(numbers[0]), {numbers[1], numbers[2], numbers[3]}}},
          .times = parse_times("--force", std::span(numbers).subspan(4), text)};
}

void add_load_options(CLI::App& command, LoadArguments& arguments) {
  const auto loads = "Loads (added up)";
  command.add_option("--gravity", arguments.gravity, "Uniform acceleration x,y,z [m/s^2]")->group(loads);
  const auto add = [&](const char* name, std::vector<std::string>& list, const char* what) {
    command.add_option(name, list, what)->allow_extra_args(false)->group(loads);
  };
  add("--force", arguments.forces,
      "VERTEX,fx,fy,fz[,t0,t1]: force [N] on a vertex (0-based) for t0 <= t < t1 [s], else always; may be repeated");
  add("--force-set", arguments.force_sets,
      "SET=fx,fy,fz[,t0,t1]: force [N] on a vertex set, spread by area where it makes up faces");
  add("--traction-set", arguments.traction_sets,
      "SET=tx,ty,tz[,t0,t1]: traction [Pa] on the boundary faces of a vertex set");
  add("--pressure-set", arguments.pressure_sets,
      "SET=PA[,t0,t1]: pressure [Pa] against the normals at rest of a vertex set's boundary faces");
  add("--loads-of", arguments.decks, "Loads of an Abaqus or CalculiX deck (.inp) with the body's own nodes");
}

void add_changing_load_options(CLI::App& command, LoadArguments& arguments) {
  const auto loads = "Loads (added up)";
  command.add_option("--ramp", arguments.ramp, "Seconds in which gravity and loads grow linearly, from time 0 on")
      ->check(positive_number())
      ->group(loads);
  command
      .add_option("--base", arguments.base,
                  "File (.csv) of the acceleration of what holds the body: time,ax,ay,az [s, m/s^2]; displacements are "
                  "then relative to it")
      ->group(loads);
}

std::vector<std::string> input_files(const LoadArguments& arguments) {
  std::vector<std::string> files = arguments.decks;
  if (!arguments.base.empty()) files.push_back(arguments.base);
  return files;
}

bool Scene::is_constant() const {
  return ramp == 0 && base.empty() && std::ranges::all_of(loads, [](const Load& load) { return load.times.are_all(); });
}

double Scene::ramp_at(double time) const {
  return ramp > 0 ? std::clamp(time / ramp, 0.0, 1.0) : 1;
}

double Scene::scale(double time, double step) const {
  return ramp_at(time + step_share * step);
}

Vector Scene::base_acceleration(double time, double step) const {
  return acceleration_at(base, time + step_share * step);
}

Scene parse_scene(const LoadArguments& arguments) {
  Scene scene;
  if (!arguments.gravity.empty()) scene.gravity = parse_numbers<3>("--gravity", arguments.gravity);
  for (const std::string& text : arguments.forces) scene.loads.push_back(parse_load(text));
  const auto add = [&](SetLoad::Kind kind, const char* option, const std::vector<std::string>& texts) {
    for (const std::string& text : texts) scene.set_loads.push_back(parse_set_load(kind, option, text));
  };
  add(SetLoad::Kind::force, "--force-set", arguments.force_sets);
  add(SetLoad::Kind::traction, "--traction-set", arguments.traction_sets);
  add(SetLoad::Kind::pressure, "--pressure-set", arguments.pressure_sets);
  scene.decks = arguments.decks;
  if (arguments.ramp) scene.ramp = *arguments.ramp;
  if (!arguments.base.empty()) scene.base = read_base_acceleration(arguments.base);
  return scene;
}

void place_loads(Scene& scene, const VolumeMesh& mesh, std::vector<std::string>& warnings) {
  for (const SetLoad& load : std::exchange(scene.set_loads, {})) {
    try {
      scene.loads.push_back({load.name, forces_of(load, mesh), load.times});
    } catch (const InputError& error) {
      throw InputError(load.name + ": " + error.what());
    }
  }
  for (const std::string& deck : std::exchange(scene.decks, {})) {
    Loads loads = read_loads(deck, mesh, warnings);
    if (loads.empty()) warnings.push_back("--loads-of " + deck + ": its first step has no load that can be read");
    for (std::size_t c = 0; c < 3; ++c) scene.gravity[c] += loads.gravity[c];
    if (!loads.heating.empty() && !scene.heating.empty())
      throw InputError("--loads-of " + deck + ": a deck before it has temperatures, too; heat a body by one");
    if (!loads.heating.empty()) scene.heating = std::move(loads.heating);
    if (!loads.forces.empty()) scene.loads.push_back({"--loads-of " + deck, std::move(loads.forces), {}});
  }
}

void require_vertices(const Scene& scene, std::int64_t vertex_count) {
  for (const Load& load : scene.loads)
    for (const PointForce& at : load.forces)
      if (at.vertex < 0 || at.vertex >= vertex_count)
        throw InputError(load.name + ": there is no vertex " + std::to_string(at.vertex) +
                         "; the body has vertices 0 to " + std::to_string(vertex_count - 1));
}

void require_held_base(const Scene& scene, const ReducedModel& model) {
  if (!scene.base.empty() && model.supports().empty() && model.rigid_modes > 0)
    throw InputError(
        "--base: nothing holds this body, so that no base moves it; reduce it with supports, or give --gravity");
}

std::vector<std::string> warnings_of(const Scene& scene, std::span<const std::int32_t> fixed_vertices,
                                     std::span<const std::int32_t> numbers) {
  std::vector<std::string> warnings;
  for (const Load& load : scene.loads) {
    if (load.times.end <= 0)
      warnings.push_back(load.name + ": it ends at " + significant(load.times.end) + " s, before it could act");
    if (!std::ranges::all_of(
            load.forces, [&](const PointForce& at) { return std::ranges::binary_search(fixed_vertices, at.vertex); }))
      continue;
    const std::int32_t vertex = numbers.empty() ? load.vertex() : numbers[static_cast<std::size_t>(load.vertex())];
    warnings.push_back(
        load.name + ": " +
        (load.name == "--force" ? "vertex " + std::to_string(vertex) + " is fixed" : "all its vertices are fixed") +
        ", where a force has no effect");
  }
  return warnings;
}

std::vector<std::string> warnings_of(const Scene& scene, const ReducedModel& model) {
  std::vector<std::string> warnings = warnings_of(scene, model.fixed_vertices);
  if ((!scene.has_gravity() && scene.base.empty()) || model.rigid_modes == 0) return warnings;
  if (model.supports().empty())
    warnings.emplace_back(
        "this is a free body: its rigid motion isn't in the model, so uniform gravity has no effect on it");
  else
    warnings.push_back("this body has " + counted(model.rigid_modes, "rigid mode", "rigid modes") +
                       " that the model doesn't hold: " + (scene.has_gravity() ? "gravity" : "the base") +
                       " can't move the body along them");
  return warnings;
}

VertexLoadProgram::VertexLoadProgram(const SparseMatrix& mass, Scene scene) : scene_(std::move(scene)) {
  require_vertices(scene_, mass.rows / 3);
  gravity_ = gravity_force(mass, scene_.gravity);
  for (std::size_t axis = 0; axis < 3 && !scene_.base.empty(); ++axis) {
    Vector unit{};
    unit[axis] = 1;
    weights_[axis] = gravity_force(mass, unit);
  }
}

void VertexLoadProgram::at(double time, double step, std::span<double> force) const {
  const double scale = scene_.scale(time, step);
  for (std::size_t i = 0; i < force.size(); ++i) force[i] = scale * gravity_[i];
  if (!scene_.base.empty()) {
    const Vector base = scene_.base_acceleration(time, step);
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (std::size_t i = 0; i < force.size(); ++i) force[i] -= base[axis] * weights_[axis][i];
  }
  for (const Load& load : scene_.loads) {
    if (!load.acts(time, step)) continue;
    for (const PointForce& at : load.forces)
      for (std::size_t c = 0; c < 3; ++c) force[3 * static_cast<std::size_t>(at.vertex) + c] += scale * at.force[c];
  }
}

LoadProgram::LoadProgram(MatrixRef basis, const Matrix& unit_acceleration, const Scene& scene)
    : scene_(scene), unit_acceleration_(unit_acceleration), sum_(static_cast<std::size_t>(basis.cols())) {
  require_vertices(scene_, basis.rows() / 3);
  for (const Load& load : scene_.loads) {
    std::vector<double>& reduced = forces_.emplace_back(sum_.size());
    std::vector<VertexForce> forces;
    for (const PointForce& at : load.forces) forces.push_back({.body = 0, .vertex = at.vertex, .force = at.force});
    add_vertex_forces<double>(basis, forces, {reduced.data(), basis.cols(), 1, 1, basis.cols()});
  }
}

const std::vector<double>& LoadProgram::at(double time, double step) {
  const Vector base = scene_.base_acceleration(time, step);
  const double scale = scene_.scale(time, step);
  std::fill(sum_.begin(), sum_.end(), 0.0);
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (std::size_t i = 0; i < sum_.size(); ++i)
      sum_[i] += (scale * scene_.gravity[axis] - base[axis]) *
                 unit_acceleration_(static_cast<std::int64_t>(i), static_cast<std::int64_t>(axis));
  for (std::size_t l = 0; l < forces_.size(); ++l) {
    if (!scene_.loads[l].acts(time, step)) continue;
    for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] += scale * forces_[l][i];
  }
  return sum_;
}

}  // namespace quartic::cli
