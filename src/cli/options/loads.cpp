#include "cli/options/loads.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "cli/options/arguments.hpp"
#include "cli/options/numbers.hpp"
#include "quartic/embedding.hpp"
#include "quartic/error.hpp"
#include "quartic/unreduced.hpp"

namespace quartic::cli {

bool Load::acts(double time, double step) const {
  const double moment = time + 1e-6 * step;  // times are sums of steps: one isn't lost to their round-off
  return moment >= begin && moment < end;
}

Load parse_load(const std::string& text) {
  const std::vector<double> numbers = parse_numbers("--force", text);
  if (numbers.size() != 4 && numbers.size() != 6)
    throw UsageError("--force takes VERTEX,fx,fy,fz or VERTEX,fx,fy,fz,t0,t1, not '" + text + "'");
  constexpr double largest = std::numeric_limits<std::int32_t>::max();
  if (numbers[0] != std::floor(numbers[0]) || numbers[0] < 0 || numbers[0] > largest)
    throw UsageError("--force " + text + ": the vertex is a number 0, 1, 2, ...");
  Load load{.vertex = static_cast<std::int32_t>(numbers[0]), .force = {numbers[1], numbers[2], numbers[3]}};
  if (numbers.size() == 6) {
    load.begin = numbers[4];
    load.end = numbers[5];
    if (!(load.begin < load.end)) throw UsageError("--force " + text + ": the force must end after it begins");
  }
  return load;
}

void add_load_options(CLI::App& command, LoadArguments& arguments) {
  command.add_option("--gravity", arguments.gravity, "Uniform acceleration x,y,z [m/s^2]");
  command
      .add_option("--force", arguments.forces,
                  "VERTEX,fx,fy,fz[,t0,t1]: force [N] on a vertex (0-based) for t0 <= t < t1 [s], else always; may "
                  "be repeated")
      ->allow_extra_args(false);
}

Scene parse_scene(const LoadArguments& arguments) {
  Scene scene;
  if (!arguments.gravity.empty()) scene.gravity = parse_numbers<3>("--gravity", arguments.gravity);
  for (const std::string& text : arguments.forces) scene.loads.push_back(parse_load(text));
  return scene;
}

void require_vertices(const Scene& scene, std::int64_t vertex_count) {
  for (const Load& load : scene.loads)
    if (load.vertex >= vertex_count)
      throw InputError("--force: there is no vertex " + std::to_string(load.vertex) + "; the body has vertices 0 to " +
                       std::to_string(vertex_count - 1));
}

std::string fixed_vertex_warning(std::int32_t vertex) {
  return "--force: vertex " + std::to_string(vertex) + " is fixed, where a force has no effect";
}

std::vector<std::string> warnings_of(const Scene& scene, std::span<const std::int32_t> fixed_vertices) {
  std::vector<std::string> warnings;
  for (const Load& load : scene.loads)
    if (std::binary_search(fixed_vertices.begin(), fixed_vertices.end(), load.vertex))
      warnings.push_back(fixed_vertex_warning(load.vertex));
  return warnings;
}

std::vector<std::string> warnings_of(const Scene& scene, const ReducedModel& model) {
  std::vector<std::string> warnings = warnings_of(scene, model.fixed_vertices);
  if (!scene.has_gravity() || model.rigid_modes == 0) return warnings;
  if (model.supports().empty())
    warnings.emplace_back(
        "this is a free body: its rigid motion isn't in the model, so uniform gravity has no effect on it");
  else
    warnings.push_back("this body has " + counted(model.rigid_modes, "rigid mode", "rigid modes") +
                       " that the model doesn't hold: gravity can't move the body along them");
  return warnings;
}

VertexLoadProgram::VertexLoadProgram(const SparseMatrix& mass, Scene scene)
    : scene_(std::move(scene)), gravity_(gravity_force(mass, scene_.gravity)) {
  require_vertices(scene_, mass.rows / 3);
}

void VertexLoadProgram::at(double time, double step, std::span<double> force) const {
  std::copy(gravity_.begin(), gravity_.end(), force.begin());
  for (const Load& load : scene_.loads) {
    if (!load.acts(time, step)) continue;
    for (std::size_t c = 0; c < 3; ++c) force[3 * static_cast<std::size_t>(load.vertex) + c] += load.force[c];
  }
}

LoadProgram::LoadProgram(MatrixRef basis, const Matrix& unit_acceleration, const Scene& scene)
    : gravity_(static_cast<std::size_t>(basis.cols())) {
  require_vertices(scene, basis.rows() / 3);
  for (std::int64_t axis = 0; axis < 3; ++axis)
    for (std::size_t i = 0; i < gravity_.size(); ++i)
      gravity_[i] +=
          scene.gravity[static_cast<std::size_t>(axis)] * unit_acceleration(static_cast<std::int64_t>(i), axis);
  for (const Load& load : scene.loads) {
    Entry& entry = entries_.emplace_back(Entry{std::vector<double>(gravity_.size()), load});
    const VertexForce force{.body = 0, .vertex = load.vertex, .force = load.force};
    add_vertex_forces<double>(basis, {&force, 1}, {entry.force.data(), basis.cols(), 1, 1, basis.cols()});
  }
}

bool LoadProgram::constant() const {
  for (const Entry& entry : entries_)
    if (std::isfinite(entry.load.begin)) return false;
  return true;
}

const std::vector<double>& LoadProgram::at(double time, double step) {
  sum_ = gravity_;
  for (const Entry& entry : entries_) {
    if (!entry.load.acts(time, step)) continue;
    for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] += entry.force[i];
  }
  return sum_;
}

}  // namespace quartic::cli
