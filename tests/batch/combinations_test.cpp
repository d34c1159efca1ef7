// docs/combinations.md, cell by cell: what works moves as it should, and what doesn't says what to take.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "quartic/batch.hpp"
#include "quartic/cubature_training.hpp"
#include "quartic/editing.hpp"
#include "quartic/embedding.hpp"
#include "quartic/error.hpp"
#include "quartic/gas.hpp"
#include "quartic/model.hpp"
#include "quartic/procedural.hpp"
#include "quartic/strain_damping.hpp"
#include "quartic/unreduced.hpp"
#include "support/free_body.hpp"

namespace {

using namespace quartic;

constexpr int table_steps = 10;

struct Cell {
  std::string group, evaluation, backend, bodies, precision, integrator;
  std::string promise;  // "works", or the word that a message has to name

  [[nodiscard]] std::string name() const {
    return group + ", " + evaluation + ", " + backend + ", " + bodies + ", " + precision + ", " + integrator;
  }
};

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" `"), last = text.find_last_not_of(" `");
  return first == std::string::npos ? "" : text.substr(first, last + 1 - first);
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(trimmed(part));
  return parts;
}

std::string promise_in(const std::string& text) {
  const std::string take = "take `";
  return text.starts_with(take) ? text.substr(take.size()) : text;
}

// Every list in a row stands for each of its entries.
void append_cells(const std::vector<std::string>& head, const std::vector<std::string>& row, std::vector<Cell>& cells) {
  for (const std::string& group : split(row[0], ','))
    for (const std::string& evaluation : split(row[1], ','))
      for (const std::string& backend : split(row[2], ','))
        for (const std::string& bodies : split(row[3], ','))
          for (const std::string& precision : split(row[4], ','))
            for (std::size_t i = 5; i < row.size(); ++i)
              cells.push_back({group, evaluation, backend, bodies, precision, head[i], promise_in(row[i])});
}

std::vector<Cell> read_table() {
  std::ifstream file(QUARTIC_COMBINATIONS);
  std::vector<std::string> head;
  std::vector<Cell> cells;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("| ")) continue;  // also the line |---|---|
    std::vector<std::string> row = split(line.substr(1), '|');
    if (head.empty())
      head = row;
    else if (row.size() == head.size())
      append_cells(head, row, cells);
    else
      ADD_FAILURE() << "a row of another length: " << line;
  }
  return cells;
}

std::vector<std::string> evaluations() {
  std::vector<std::string> names;
  for (int i = 0; i < evaluation_count; ++i) names.emplace_back(evaluation_name(static_cast<Evaluation>(i)));
  return names;
}

std::vector<std::string> integrators() {
  std::vector<std::string> names;
  for (int i = 0; i < integrator_count; ++i) names.emplace_back(integrator_name(static_cast<Integrator>(i)));
  return names;
}

template <class Enum>
Enum named(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<Enum>(std::find(names.begin(), names.end(), name) - names.begin());
}

// Two cubes, one face of which is held or not; a reduced model of them with both force models.
struct Sample {
  ReducedModel model;
  StrainForm strains;
  Cubature points;  // all of them: the same forces
  std::vector<double> q, velocity, force;
  double dt = 0;  // a fifth of the shortest period over 2 pi: stable with every integrator

  explicit Sample(bool held) {
    const ProceduralMesh box = make_box({.length = 1,
                                         .width = 0.5,
                                         .height = 0.4,
                                         .cells_x = 2,
                                         .cells_y = 1,
                                         .cells_z = 1,
                                         .material = {1e5, 0.3, 1000}});
    model = reduce(box.mesh, held ? box.fixed_vertices : std::vector<std::int32_t>{}, {.modes = 3, .rank = 5});
    strains = reduce_strains(model.mesh, model.basis.map());
    points = full_cubature(model.mesh, model.basis.map(), ControlVariate::none);
    const ReducedForces rest = evaluate(model.energy, std::vector<double>(5));
    double square = 0;
    for (const double k : rest.stiffness.values) square += k * k;
    dt = 0.2 / std::pow(square, 0.25);
    const double omega = std::sqrt(model.eigenvalues.front());
    for (int i = 0; i < model.rank(); ++i) {
      q.push_back(0.4 * std::cos(i + 1.0));
      velocity.push_back(0.4 * omega * std::sin(2 * i + 1.0));
      force.push_back(0.2 * omega * omega * std::cos(3 * i + 2.0));
    }
  }
};

const Sample& sample(const std::string& bodies) {
  static const Sample held(true), free(false);
  return bodies == "held" || bodies == "mounted" ? held : free;
}

// The same free body with a frame, at rest in the world: without spin its coordinates move as those of one without.
bool is_flying(const Cell& cell) {
  return cell.bodies == "flying";
}

// Held bodies on a base that falls, in a field of forces that makes up for that: they move as on one at rest.
bool is_mounted(const Cell& cell) {
  return cell.bodies == "mounted";
}
constexpr double fall[3] = {0.5, -0.25, 2};

BatchOptions options_of(const Cell& cell) {
  return {.integrator = named<Integrator>(integrators(), cell.integrator),
          .newton_iterations = 3,
          .evaluation = named<Evaluation>(evaluations(), cell.evaluation),
          .backend = cell.backend == "cuda" ? Backend::cuda : Backend::cpu};
}

std::vector<double> acceleration_at(const QuarticEnergy& energy, std::span<const double> q,
                                    std::span<const double> force) {
  std::vector<double> a = evaluate(energy, q).force;
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = force[i] - a[i];
  return a;
}

BodyGroup forces_of(const Cell& cell, const Sample& s) {
  if (cell.group == "energy" || cell.group == "energy and strain_damping") return {.energy = s.model.energy};
  if (cell.group == "energy and chambers") {  // without pressure it moves as without
    const auto count = static_cast<std::size_t>(cubic_coefficient_count(s.model.rank()));
    return {.energy = s.model.energy, .chambers = {{s.model.rank(), std::vector<double>(count, 1.0)}}};
  }
  if (cell.group == "energy and gas") {  // which keeps its volume, and pushes at nothing
    std::vector<double> numbers(static_cast<std::size_t>(cubic_coefficient_count(s.model.rank())));
    numbers[0] = 6;
    return {.energy = s.model.energy, .chambers = {{s.model.rank(), numbers}}};
  }
  if (cell.group == "energy and damping")  // of zero
    return {.energy = s.model.energy, .damping = Matrix(s.model.rank(), s.model.rank())};
  if (cell.group == "energy and driven") {  // a further coordinate that nothing depends on
    const int rank = s.model.rank();
    const Eigen::MatrixXd without = Eigen::MatrixXd::Identity(rank, rank + 1);
    return {.energy = transform_energy(s.model.energy, without), .driven = 1};
  }
  if (cell.group == "energy and strain_form") return {.energy = s.model.energy, .strain_form = s.strains};
  if (cell.group == "force_model of cubature") return {.force_model = ForceModel(s.points)};
  if (cell.group == "force_model of energy") return {.force_model = ForceModel(s.model.energy)};
  return {.force_model = ForceModel(s.model.energy, s.strains)};
}

BodyGroup group_of(const Cell& cell, const Sample& s) {
  BodyGroup group = forces_of(cell, s);
  if (is_flying(cell)) group.frame = free_frame(s.model);
  if (is_mounted(cell)) group.frame = base_frame(s.model), group.motion = FrameMotion::prescribed;
  return group;
}

// What a batch gets behind its groups.
template <class T>
void add_to(Batch<T>& batch, const Cell& cell) {
  if (cell.group == "energy and gas") set_gas<T>(batch, std::vector{1e5});
  if (cell.group == "energy and strain_damping") {  // of strains that are always 0
    const auto p = static_cast<std::size_t>(strain_count(batch.rank()));
    const StrainForm form{batch.rank(), std::vector<double>(p * (p + 1) / 2)};
    set_strain_damping<T>(batch, std::vector{1.0}, std::span(&form, 1));
  }
}

// q after the steps.
template <class T>
std::vector<double> batch_motion(const Cell& cell) {
  const Sample& s = sample(cell.bodies);
  Batch<T> batch({group_of(cell, s)}, options_of(cell));
  add_to(batch, cell);
  const std::vector<double> acceleration = acceleration_at(s.model.energy, s.q, s.force);
  for (std::int64_t i = 0; i < s.model.rank(); ++i) {
    const auto n = static_cast<std::size_t>(i);
    batch.q()(i, 0) = static_cast<T>(s.q[n]);
    batch.velocity()(i, 0) = static_cast<T>(s.velocity[n]);
    batch.acceleration()(i, 0) = static_cast<T>(acceleration[n]);
    batch.force()(i, 0) = static_cast<T>(s.force[n]);
  }
  for (std::int64_t c = 0; is_mounted(cell) && c < 3; ++c) {
    batch.twist_rate()(c, 0) = static_cast<T>(fall[c]);
    for (std::int64_t i = 0; i < s.model.rank(); ++i)
      batch.force()(i, 0) += static_cast<T>(s.model.unit_acceleration(i, c) * fall[c]);
  }
  batch.step(table_steps * s.dt, table_steps);
  EXPECT_EQ(batch.status()[0], BodyStatus::ok);
  const StateView<T> end = batch.q();
  std::vector<double> q;
  for (std::int64_t i = 0; i < s.model.rank(); ++i) q.push_back(double{end(i, 0)});
  return q;
}

double relative_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = std::max(difference, std::abs(a[i] - b[i]));
    size = std::max(size, std::abs(b[i]));
  }
  return difference / size;
}

// q'' = f - R(q) by the classical Runge-Kutta method in short steps, which is exact here.
std::vector<double> exact_motion(const Sample& s) {
  constexpr int parts = 20;
  const double h = s.dt / parts;
  std::vector<double> q = s.q, v = s.velocity;
  const auto moved = [](const std::vector<double>& x, double t, const std::vector<double>& rate) {
    std::vector<double> result = x;
    for (std::size_t i = 0; i < x.size(); ++i) result[i] += t * rate[i];
    return result;
  };
  for (int n = 0; n < table_steps * parts; ++n) {
    const auto a1 = acceleration_at(s.model.energy, q, s.force), v2 = moved(v, h / 2, a1);
    const auto a2 = acceleration_at(s.model.energy, moved(q, h / 2, v), s.force), v3 = moved(v, h / 2, a2);
    const auto a3 = acceleration_at(s.model.energy, moved(q, h / 2, v2), s.force), v4 = moved(v, h, a3);
    const auto a4 = acceleration_at(s.model.energy, moved(q, h, v3), s.force);
    for (std::size_t i = 0; i < q.size(); ++i) {
      q[i] += h / 6 * (v[i] + 2 * v2[i] + 2 * v3[i] + v4[i]);
      v[i] += h / 6 * (a1[i] + 2 * a2[i] + 2 * a3[i] + a4[i]);
    }
  }
  return q;
}

// The same of a body that flies: its vibration turns it a little, and that acts back.
std::vector<double> exact_flight(const Sample& s) {
  const auto vector = [](const std::vector<double>& x) {
    return Eigen::Map<const Eigen::VectorXd>(x.data(), std::ssize(x));
  };
  const test::FreeBody body(free_frame(s.model), s.model.energy, vector(s.force));
  const test::FreeState end =
      body.moved({.q = vector(s.q), .rate = vector(s.velocity)}, table_steps * s.dt, 20 * table_steps);
  return {end.q.begin(), end.q.end()};
}

// Against the strict evaluation, in double on the CPU, and that against the exact motion.
void expect_right_motion(const Cell& cell, const std::vector<double>& q) {
  Cell strict = cell;
  strict.group = "energy";
  strict.evaluation = "strict";
  strict.backend = "cpu";
  const std::vector<double> reference = batch_motion<double>(strict);
  // Ten steps of some hundred sums each, with dt^2 K <= 0.04: rounding grows little.
  const double epsilon = cell.precision == "float" ? double{std::numeric_limits<float>::epsilon()}
                                                   : std::numeric_limits<double>::epsilon();
  const bool has_another_mean = cell.group == "force_model of cubature" && cell.integrator == "energy-conserving";
  EXPECT_LE(relative_difference(q, reference), has_another_mean ? 0.01 : 50 * epsilon);
  // Backward Euler is of first order and loses some hundredths of the velocity; the others are of second order.
  const double step_error = cell.integrator == "backward-euler" ? 0.2 : 0.02;
  const Sample& s = sample(cell.bodies);
  EXPECT_LE(relative_difference(q, is_flying(cell) ? exact_flight(s) : exact_motion(s)), step_error);
}

// The unreduced body, and a batch of it whose basis leaves nothing out.
void expect_unreduced_motion(const Cell& cell) {
  const Sample& s = sample(cell.bodies);
  const VolumeMesh& mesh = s.model.mesh;
  const std::vector<std::int32_t>& fixed = s.model.fixed_vertices;
  UnreducedBody body(mesh, fixed, {.integrator = options_of(cell).integrator, .newton_iterations = 3});
  Matrix fields(3 * mesh.vertex_count(), 3 * (mesh.vertex_count() - std::ssize(fixed)));
  for (std::int64_t v = 0, j = 0; v < mesh.vertex_count(); ++v)
    if (!std::binary_search(fixed.begin(), fixed.end(), static_cast<std::int32_t>(v)))
      for (std::int64_t c = 0; c < 3; ++c) fields(3 * v + c, j++) = 1;
  const ReducedModel whole = reduce_with_basis(mesh, fixed, fields.map());
  Batch<double> batch(whole.energy, {.integrator = options_of(cell).integrator, .newton_iterations = 3});
  const std::vector<VertexForce> pull = {{.vertex = 5, .force = {3, -20, 11}}};
  add_vertex_forces(whole.basis.map(), std::span(pull), batch.force());
  std::copy_n(pull[0].force.begin(), 3, body.force().begin() + 3 * 5);
  const double dt = 5 * s.dt;
  body.step(table_steps * dt, table_steps);
  batch.step(table_steps * dt, table_steps);
  std::vector<double> expected(static_cast<std::size_t>(3 * mesh.vertex_count()));
  vertex_displacements(whole.basis.map(), std::as_const(batch).q(), {}, std::span(expected));
  const std::vector<double> u(body.displacement().begin(), body.displacement().end());
  EXPECT_EQ(body.status(), BodyStatus::ok);
  EXPECT_LE(relative_difference(u, expected), 1e-12);  // both solve systems of condition 1e4 at most
}

void move(const Cell& cell) {
  if (cell.group == "unreduced")
    expect_unreduced_motion(cell);
  else
    expect_right_motion(cell, cell.precision == "float" ? batch_motion<float>(cell) : batch_motion<double>(cell));
}

void expect_as_promised(const Cell& cell) {
  SCOPED_TRACE(cell.name());
  if (cell.promise == "works") {
    EXPECT_NO_THROW(move(cell));
    return;
  }
  try {
    move(cell);
    ADD_FAILURE() << "it works, but the table says: take " << cell.promise;
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(cell.promise), std::string::npos) << error.what();
  }
}

std::vector<Cell> cells_of(const std::string& backend) {
  std::vector<Cell> cells = read_table();
  std::erase_if(cells, [&](const Cell& cell) { return cell.backend != backend; });
  return cells;
}

TEST(CombinationsTest, TableHasEachOnce) {
  std::map<std::string, int> counts;
  for (const Cell& cell : read_table()) {
    ++counts[cell.name()];
    EXPECT_FALSE(cell.promise.empty());
  }
  std::size_t expected = 0;
  const auto expect_once = [&](const Cell& cell) {
    ++expected;
    EXPECT_EQ(counts[cell.name()], 1) << cell.name();
  };
  for (const std::string& integrator : integrators())
    for (const std::string bodies : {"held", "free", "flying", "mounted"}) {
      if (bodies == "held" || bodies == "free")
        expect_once({"unreduced", "strict", "cpu", bodies, "double", integrator, {}});
      for (const char* group : {"energy", "energy and strain_form", "force_model of energy", "force_model of strains",
                                "force_model of cubature", "energy and chambers", "energy and damping",
                                "energy and driven", "energy and gas", "energy and strain_damping"})
        for (const std::string& evaluation : evaluations())
          for (const Backend backend : {Backend::cpu, Backend::cuda})
            for (const char* precision : {"float", "double"})
              expect_once({group, evaluation, std::string(backend_name(backend)), bodies, precision, integrator, {}});
    }
  EXPECT_EQ(counts.size(), expected);
}

TEST(CombinationsTest, CpuKeepsTheTablesPromises) {
  for (const Cell& cell : cells_of("cpu")) expect_as_promised(cell);
}

TEST(CombinationsTest, CudaKeepsTheTablesPromises) {
  if (!backend_available(Backend::cuda)) GTEST_SKIP() << "no CUDA device";
  for (const Cell& cell : cells_of("cuda")) expect_as_promised(cell);
}

// Without a device nothing works there, and what wouldn't work anyway may say so first.
TEST(CombinationsTest, CudaIsRefusedWithoutADevice) {
  if (backend_available(Backend::cuda)) GTEST_SKIP() << "there is a CUDA device";
  for (const Cell& cell : cells_of("cuda")) {
    SCOPED_TRACE(cell.name());
    if (cell.promise == "works")
      EXPECT_THROW(move(cell), BackendUnavailable);
    else
      EXPECT_THROW(move(cell), Error);
  }
}

}  // namespace
