// The evaluation of Barbic & James 2005 on our models, as far as it needs more than `quartic compare`: response to
// growing loads, a beam twisted by 270 degrees, and times per step. Prints the tables of docs/evaluation.md as markdown
// and writes the pictures into the folder that it is given.
//
//     paper_evaluation FOLDER [response|twist|times]...
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <numbers>
#include <set>
#include <string>
#include <vector>

#include "measure/timing.hpp"
#include "plot/svg_plot.hpp"
#include "quartic/quartic.hpp"
#include "surface_picture.hpp"

namespace quartic::bench {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

std::span<const double> span_of(const VectorXd& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

VectorXd vector_of(const std::vector<double>& x) {
  return VectorXd::Map(x.data(), std::ssize(x));
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw FileError(path + ": can't be written");
}

// Volume at displacement u over that at rest.
double relative_volume(const VolumeMesh& mesh, const VectorXd& u) {
  VolumeMesh moved = mesh;
  for (std::size_t i = 0; i < moved.vertices.size(); ++i) moved.vertices[i] += u[static_cast<Eigen::Index>(i)];
  return check_mesh(moved).volume / check_mesh(mesh).volume;
}

double mass_norm(const SparseMatrix& mass, const VectorXd& u) {
  return std::sqrt(u.dot(mass.map() * u));
}

// ---- response to a growing load: linear, locking, nonlinear ----

struct Curve {
  std::string name;
  std::vector<VectorXd> u;  // for each share of the load
};

constexpr int load_shares = 24;

double share(int step) {
  return static_cast<double>(step) / load_shares;
}

Curve unreduced_curve(const ProceduralMesh& spoon, const VectorXd& force) {
  StaticSolver solver(spoon.mesh, spoon.fixed_vertices);
  Curve curve{.name = "unreduced", .u = {VectorXd::Zero(force.size())}};
  for (int step = 1; step <= load_shares; ++step) {
    const Equilibrium end = solver.solve(span_of(share(step) * force), span_of(curve.u.back()));
    if (!end.converged || !end.stable) throw NumericalError("the spoon doesn't hold the load");
    curve.u.push_back(vector_of(end.solution));
  }
  return curve;
}

Curve linear_curve(const ReducedModel& model, const VectorXd& force) {
  const MatrixXd k =
      evaluate(model.energy, std::vector<double>(static_cast<std::size_t>(model.rank()))).stiffness.map();
  const VectorXd full = model.basis.map() * k.llt().solve(model.basis.map().transpose() * force);
  Curve curve{.name = "linear", .u = {}};
  for (int step = 0; step <= load_shares; ++step) curve.u.emplace_back(share(step) * full);
  return curve;
}

Curve reduced_curve(std::string name, const ReducedModel& model, const VectorXd& force) {
  const VectorXd reduced = model.basis.map().transpose() * force;
  Curve curve{.name = std::move(name), .u = {}};
  for (int step = 0; step <= load_shares; ++step) {
    const Equilibrium end = reduced_equilibrium(model.energy, span_of(share(step) * reduced));
    curve.u.emplace_back(model.basis.map() * vector_of(end.solution));
  }
  return curve;
}

void response(const std::string& folder) {
  const ProceduralMesh spoon = make_spoon();
  constexpr Eigen::Index tip = 2089;  // in the middle of the bowl's end
  constexpr double largest = 0.6;     // [N]
  VectorXd force = VectorXd::Zero(std::ssize(spoon.mesh.vertices));
  force[3 * tip + 2] = -largest;
  const SparseMatrix mass = mass_matrix(spoon.mesh);
  const ReducedModel with = reduce(spoon.mesh, spoon.fixed_vertices, {.modes = 20, .rank = 30});
  const ReducedModel without =
      reduce(spoon.mesh, spoon.fixed_vertices, {.modes = 20, .rank = 20, .derivatives = false});
  const ReducedModel paper = reduce(spoon.mesh, spoon.fixed_vertices, {.modes = 6, .rank = 12});
  const std::vector<Curve> curves = {unreduced_curve(spoon, force), reduced_curve("k = 20, r = 30", with, force),
                                     reduced_curve("k = 6, r = 12", paper, force),
                                     reduced_curve("20 linear modes", without, force), linear_curve(with, force)};
  io::Plot plot{
      .title = "Spoon: tip under a force across it", .x_label = "force [N]", .y_label = "deflection of the tip [m]"};
  for (int step = 0; step <= load_shares; ++step) plot.x.push_back(share(step) * largest);
  std::puts("## Response to a growing load: linear, locked, nonlinear\n");
  std::puts(
      "| | tip at 0.15 N | at 0.3 N | at 0.6 N | error at 0.6 N, mass norm | volume at 0.6 N "
      "|\n|---|---|---|---|---|---|");
  for (const Curve& curve : curves) {
    io::PlotLine& line = plot.lines.emplace_back(io::PlotLine{curve.name, {}});
    for (const VectorXd& u : curve.u) line.y.push_back(-u[3 * tip + 2]);
    const VectorXd &u = curve.u.back(), &exact = curves.front().u.back();
    std::printf("| %s | %.4f m | %.4f m | %.4f m | %.2f %% | %.1f %% |\n", curve.name.c_str(), line.y[load_shares / 4],
                line.y[load_shares / 2], line.y[load_shares], 100 * mass_norm(mass, u - exact) / mass_norm(mass, exact),
                100 * relative_volume(spoon.mesh, u));
  }
  std::puts("");
  write_file(folder + "/spoon-response.svg", io::svg_text(plot));
}

// ---- a beam twisted by 270 degrees, in a space of five vectors ----

constexpr double beam_width = 0.1;

struct Beam {
  ProceduralMesh shape;
  std::vector<std::int32_t> end;  // vertices of the face that is turned
};

Beam make_twisted_beam() {
  Beam beam{.shape = make_box(
                {.length = 1, .width = beam_width, .height = beam_width, .cells_x = 40, .cells_y = 4, .cells_z = 4}),
            .end = {}};
  beam.end = vertices_in_box(beam.shape.mesh, {1, -1, -1, 1, 1, 1});
  return beam;
}

Vector3d arm(const VolumeMesh& mesh, std::int32_t v) {  // from the axis
  const double* x = &mesh.vertices[3 * static_cast<std::size_t>(v)];
  return {0, x[1] - beam_width / 2, x[2] - beam_width / 2};
}

// Share of a field's squares that turns sections around the axis.
double twist_share(const VolumeMesh& mesh, const VectorXd& field) {
  double along = 0;
  for (std::int32_t v = 0; v < mesh.vertex_count(); ++v) {
    const Vector3d round = Vector3d::UnitX().cross(arm(mesh, v));
    if (round.norm() > 0) along += std::pow(field.segment(3 * v, 3).dot(round.normalized()), 2);
  }
  return along / field.squaredNorm();
}

// Displacements of the end face for a turn by `angle`.
VectorXd turned_end(const Beam& beam, double angle, VectorXd u) {
  const Eigen::Matrix3d turn = Eigen::AngleAxisd(angle, Vector3d::UnitX()).toRotationMatrix();
  for (const std::int32_t v : beam.end) {
    const Vector3d r = arm(beam.shape.mesh, v);
    u.segment(3 * v, 3) = turn * r - r;
  }
  return u;
}

// How far the end face has turned, near `expected`: the mean over its vertices.
double end_angle(const Beam& beam, const VectorXd& u, double expected) {
  double sum = 0, count = 0;
  for (const std::int32_t v : beam.end) {
    const Vector3d from = arm(beam.shape.mesh, v), to = from + Vector3d(u.segment(3 * v, 3));
    if (from.norm() == 0) continue;
    const double angle = std::atan2(to.z(), to.y()) - std::atan2(from.z(), from.y());
    sum += angle + 2 * std::numbers::pi * std::round((expected - angle) / (2 * std::numbers::pi));
    ++count;
  }
  return sum / count;
}

constexpr int twist_step = 10, twist_row = 30, twist_end = 270;  // degrees; a row of the table every 30

double radians(int degrees) {
  return degrees * std::numbers::pi / 180;
}

std::vector<VectorXd> twist_unreduced(const Beam& beam) {
  std::vector<std::int32_t> held = beam.shape.fixed_vertices;
  held.insert(held.end(), beam.end.begin(), beam.end.end());
  StaticSolver solver(beam.shape.mesh, held);
  const VectorXd no_force = VectorXd::Zero(std::ssize(beam.shape.mesh.vertices));
  std::vector<VectorXd> path;
  VectorXd u = no_force;
  for (int angle = twist_step; angle <= twist_end; angle += twist_step) {
    const Equilibrium end = solver.solve(span_of(no_force), span_of(turned_end(beam, radians(angle), u)));
    if (!end.converged) throw NumericalError("the unreduced beam doesn't take a turn by " + std::to_string(angle));
    path.push_back(u = vector_of(end.solution));
  }
  return path;
}

// The end face hangs on stiff springs whose other ends are turned: they add k/2 |u - target|^2 to the energy.
std::vector<VectorXd> twist_reduced(const Beam& beam, const ReducedModel& model) {
  constexpr double spring = 1e6;  // [N/m], far above what the beam resists with
  MatrixXd end_rows(3 * std::ssize(beam.end), model.rank());
  for (std::size_t i = 0; i < beam.end.size(); ++i)
    end_rows.middleRows(3 * static_cast<Eigen::Index>(i), 3) = model.basis.map().middleRows(3 * beam.end[i], 3);
  const MatrixXd stiffness = spring * end_rows.transpose() * end_rows;
  QuarticEnergy energy = model.energy;
  std::size_t place = 0;
  for (int a = 0; a <= model.rank(); ++a)
    for (int b = a; b <= model.rank(); ++b)
      for (int c = b; c <= model.rank(); ++c)
        for (int d = c; d <= model.rank(); ++d, ++place)
          if (b == 0 && c > 0) energy.coefficients[place] += 2 * stiffness(c - 1, d - 1);
  std::vector<VectorXd> path;
  std::vector<double> q;
  for (int angle = twist_step; angle <= twist_end; angle += twist_step) {
    const VectorXd target = turned_end(beam, radians(angle), VectorXd::Zero(model.basis.rows));
    VectorXd end_target(end_rows.rows());
    for (std::size_t i = 0; i < beam.end.size(); ++i)
      end_target.segment(3 * static_cast<Eigen::Index>(i), 3) = target.segment(3 * beam.end[i], 3);
    const VectorXd pull = spring * end_rows.transpose() * end_target;
    q = reduced_equilibrium(energy, span_of(pull), q).solution;
    path.emplace_back(model.basis.map() * vector_of(q));
  }
  return path;
}

// Two twist modes, and their three derivatives if wanted.
ReducedModel twist_model(const Beam& beam, bool derivatives) {
  const ElasticSystem system(beam.shape.mesh, beam.shape.fixed_vertices);
  const LinearModes modes = linear_modes(system, {.count = 20});
  std::vector<std::int64_t> twists;
  for (std::int64_t i = 0; i < modes.vectors.cols && twists.size() < 2; ++i)
    if (twist_share(beam.shape.mesh, modes.vectors.map().col(i)) > 0.9) twists.push_back(i);
  const Matrix twist_modes = select_columns(modes.vectors, twists);
  MatrixXd fields = twist_modes.map();
  if (derivatives) {
    const ModalDerivatives all = modal_derivatives(beam.shape.mesh, system, twist_modes.map());
    fields.conservativeResize(Eigen::NoChange, 5);
    fields.rightCols(3) = all.vectors.map();
  }
  std::fprintf(stderr, "twist modes: numbers %lld and %lld\n", static_cast<long long>(twists.at(0) + 1),
               static_cast<long long>(twists.at(1) + 1));
  return reduce_with_basis(beam.shape.mesh, beam.shape.fixed_vertices, fields);
}

void twist(const std::string& folder) {
  const Beam beam = make_twisted_beam();
  const VolumeMesh& mesh = beam.shape.mesh;
  const SparseMatrix mass = mass_matrix(mesh);
  const std::vector<VectorXd> exact = twist_unreduced(beam);
  const ReducedModel five = twist_model(beam, true), two = twist_model(beam, false);
  const std::vector<VectorXd> reduced = twist_reduced(beam, five), linear = twist_reduced(beam, two);
  std::puts("## A beam twisted by 270 degrees (Figure 7, right)\n");
  std::puts(
      "| turn | five vectors: turn | error, mass norm | energy over unreduced | volume | two modes alone: turn | "
      "volume |\n|---|---|---|---|---|---|---|");
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const int turn = twist_step * (static_cast<int>(i) + 1);
    if (turn % twist_row != 0) continue;
    const auto degrees = [&](const VectorXd& u, int expected) {
      return 180 / std::numbers::pi * end_angle(beam, u, radians(expected));
    };
    std::printf("| %d | %.1f | %.1f %% | %.2f | %.1f %% | %.1f | %.1f %% |\n", turn, degrees(reduced[i], turn),
                100 * mass_norm(mass, reduced[i] - exact[i]) / mass_norm(mass, exact[i]),
                strain_energy(mesh, span_of(reduced[i])) / strain_energy(mesh, span_of(exact[i])),
                100 * relative_volume(mesh, reduced[i]), degrees(linear[i], 0), 100 * relative_volume(mesh, linear[i]));
  }
  std::puts("");
  std::string picture;
  double x = 30;
  for (const auto& [u, label] : {std::pair{&exact.back(), "unreduced"},
                                 {&reduced.back(), "five vectors"},
                                 {&linear.back(), "two twist modes alone"}}) {
    picture += surface_picture(mesh, span_of(*u), {.x = x, .y = 60, .pixels = 300, .label = label});
    x += 300;
  }
  write_file(folder + "/beam-twist.svg", svg_page(900, 240, picture));
}

// ---- time per step, unreduced and reduced ----

struct TimedBody {
  const char* name;
  ProceduralMesh shape;
  int modes, rank;
  const char* paper;  // Figure 11, integration total
};

ProceduralMesh tetrahedral_box() {
  return make_box({.length = 1,
                   .width = 0.25,
                   .height = 0.25,
                   .cells_x = 52,
                   .cells_y = 12,
                   .cells_z = 12,
                   .type = ElementType::tet4});
}

void times() {
  const std::array bodies = {
      TimedBody{"spoon", make_spoon(), 6, 12, "30.2 us"}, TimedBody{"bridge", make_bridge(), 20, 15, "65.4 us"},
      TimedBody{"tower", make_tower(), 20, 30, "1395 us"}, TimedBody{"heart", make_heart(), 20, 30, "1395 us"},
      TimedBody{"box", tetrahedral_box(), 20, 30, "-"}};
  std::puts("## Time per step (Figure 11)\n");
  std::puts(
      "| model | elements | r | reduced, paper | reduced, ours | unreduced, ours | ratio | a batch of 1024, per body | "
      "ratio |\n|---|---|---|---|---|---|---|---|---|");
  for (const TimedBody& timed : bodies) {
    const ReducedModel model =
        reduce(timed.shape.mesh, timed.shape.fixed_vertices, {.modes = timed.modes, .rank = timed.rank});
    const double dt = 2 * std::numbers::pi / std::sqrt(model.eigenvalues.front()) / 50;
    Batch<double> one(model.energy, {.threads = 1, .evaluation = Evaluation::latency});
    Batch<double> many(model.energy, {.bodies = 1024, .threads = 1});
    for (int i = 0; i < model.rank(); ++i) {
      one.force()(i, 0) = -9.81 * model.unit_acceleration(i, 2);
      for (std::int64_t body = 0; body < 1024; ++body) many.force()(i, body) = one.force()(i, 0);
    }
    const measure::Effort effort{.rounds = 5, .seconds = 0.05};
    const double reduced = measure::seconds_per_call(effort, [&] { one.step(dt); });
    const double of_many = measure::seconds_per_call(effort, [&] { many.step(dt); }) / 1024;
    UnreducedBody body(timed.shape.mesh, timed.shape.fixed_vertices);
    const std::vector<double> weight = gravity_force(body.mass(), std::array{0.0, 0.0, -9.81});
    std::copy(weight.begin(), weight.end(), body.force().begin());
    body.step(dt);  // analyses the pattern
    const double unreduced = measure::seconds_per_call({.rounds = 5, .seconds = 0}, [&] { body.step(dt); });
    std::printf("| %s | %lld | %d | %s | %.1f us | %.0f ms | %.0f | %.2f us | %.0f |\n", timed.name,
                static_cast<long long>(timed.shape.mesh.element_count()), timed.rank, timed.paper, 1e6 * reduced,
                1e3 * unreduced, unreduced / reduced, 1e6 * of_many, unreduced / of_many);
    std::fflush(stdout);
  }
  std::puts("");
}

}  // namespace
}  // namespace quartic::bench

int main(int argument_count, char** arguments) {
  using namespace quartic::bench;
  if (argument_count < 2) {
    std::fputs("usage: paper_evaluation FOLDER [response|twist|times]...\n", stderr);
    return 2;
  }
  const std::string folder = arguments[1];
  std::set<std::string> parts(arguments + 2, arguments + argument_count);
  if (parts.empty()) parts = {"response", "twist", "times"};
  try {
    if (parts.contains("response")) response(folder);
    if (parts.contains("twist")) twist(folder);
    if (parts.contains("times")) times();
  } catch (const quartic::Error& error) {
    std::fprintf(stderr, "paper_evaluation: %s\n", error.what());
    return 1;
  }
}
