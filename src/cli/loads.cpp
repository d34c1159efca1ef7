#include "cli/loads.hpp"

#include <cmath>
#include <span>

#include "cli/arguments.hpp"
#include "quartic/embedding.hpp"
#include "quartic/error.hpp"

namespace quartic::cli {

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

LoadProgram::LoadProgram(const ReducedModel& model, const std::array<double, 3>& gravity,
                         const std::vector<Load>& loads)
    : gravity_(static_cast<std::size_t>(model.rank())) {
  for (std::int64_t axis = 0; axis < 3; ++axis)
    for (std::size_t i = 0; i < gravity_.size(); ++i)
      gravity_[i] +=
          gravity[static_cast<std::size_t>(axis)] * model.unit_acceleration(static_cast<std::int64_t>(i), axis);
  for (const Load& load : loads) {
    if (load.vertex >= model.mesh.vertex_count())
      throw InputError("--force: there is no vertex " + std::to_string(load.vertex) + "; the model has vertices 0 to " +
                       std::to_string(model.mesh.vertex_count() - 1));
    Entry& entry = entries_.emplace_back(Entry{std::vector<double>(gravity_.size()), load.begin, load.end});
    const VertexForce force{.body = 0, .vertex = load.vertex, .force = load.force};
    add_vertex_forces<double>(model.basis.map(), {&force, 1}, {entry.force.data(), model.rank(), 1, 1, model.rank()});
  }
}

bool LoadProgram::constant() const {
  for (const Entry& entry : entries_)
    if (std::isfinite(entry.begin)) return false;
  return true;
}

const std::vector<double>& LoadProgram::at(double time, double step) {
  const double moment = time + 1e-6 * step;  // times are sums of steps: don't lose a step to their round-off
  sum_ = gravity_;
  for (const Entry& entry : entries_) {
    if (moment < entry.begin || moment >= entry.end) continue;
    for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] += entry.force[i];
  }
  return sum_;
}

}  // namespace quartic::cli
