// Spheres from reduced coordinates, and a ball against a bridge, beside the same from all points, on one core. Counter
// "ratio": time of the baseline over ours. `haptic` steps a bridge of 15 coordinates that a ball at 1 kHz pushes along
// a path, a million times unless QUARTIC_HAPTIC_STEPS says otherwise; its counters are processor time.
#include <benchmark/benchmark.h>
#include <time.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "quartic/contact.hpp"
#include "quartic/haptic.hpp"
#include "quartic/matrix.hpp"
#include "quartic/model.hpp"
#include "quartic/procedural.hpp"

namespace quartic::bench {
namespace {

double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// The best of blocks of both in turns: other work on the machine counts less.
template <class First, class Second>
std::pair<double, double> compare(const First& first, const Second& second) {
  constexpr int blocks = 15, times = 20;
  const auto seconds = [](const auto& work) {
    const double begin = processor_seconds();
    for (int n = 0; n < times; ++n) work();
    return (processor_seconds() - begin) / times;
  };
  std::pair best(std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity());
  for (int block = 0; block < blocks; ++block) {
    best.first = std::min(best.first, seconds(first));
    best.second = std::min(best.second, seconds(second));
  }
  return best;
}

// 20 coordinates; of its surface `points` at least.
const ReducedModel& block() {
  static const ReducedModel model =
      reduce(make_box({.length = 2, .width = 1, .height = 1, .cells_x = 16, .cells_y = 8, .cells_z = 8}).mesh, {},
             {.modes = 8, .rank = 20});
  return model;
}
const BoundTree& tree_of_5000() {
  static const BoundTree tree = bound_tree(block(), {.spacing = 0.064});
  return tree;
}

/// X + U q of all points of all bodies, and the spheres that hold them, from the leaves up.
template <class T>
class AllPoints {
 public:
  explicit AllPoints(const BoundTree& tree)
      : tree_(tree),
        fields_(tree.points.basis.map().cast<T>()),
        rest_(Eigen::Map<const Eigen::VectorXd>(tree.points.positions.data(), std::ssize(tree.points.positions))
                  .cast<T>()) {}

  void move(const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>& q) {
    x_.noalias() = fields_ * q;
    x_.colwise() += rest_;
  }
  void fit(std::vector<T>& spheres) const {
    const auto nodes = static_cast<std::size_t>(tree_.node_count());
    for (Eigen::Index body = 0; body < x_.cols(); ++body) {
      T* of_body = spheres.data() + 4 * nodes * static_cast<std::size_t>(body);
      for (std::size_t n = nodes; n-- > 0;) {
        const BoundNode& node = tree_.nodes[n];
        T* sphere = of_body + 4 * n;
        const auto points = [&](Eigen::Index first, Eigen::Index count) {
          return Eigen::Map<const Eigen::Matrix<T, 3, Eigen::Dynamic>>(x_.col(body).data() + 3 * first, 3, count);
        };
        Eigen::Map<Eigen::Matrix<T, 3, 1>> centre(sphere);
        if (node.children == 0) {
          const auto own = points(node.first_point, node.points);
          centre = own.rowwise().mean();
          sphere[3] = std::sqrt((own.colwise() - centre).colwise().squaredNorm().maxCoeff());
          continue;
        }
        const auto child = [&](int c) { return of_body + 4 * static_cast<std::size_t>(node.first_child + c); };
        centre.setZero();
        for (int c = 0; c < node.children; ++c) centre += Eigen::Map<const Eigen::Matrix<T, 3, 1>>(child(c));
        centre /= static_cast<T>(node.children);
        sphere[3] = 0;
        for (int c = 0; c < node.children; ++c)
          sphere[3] =
              std::max(sphere[3], (Eigen::Map<const Eigen::Matrix<T, 3, 1>>(child(c)) - centre).norm() + child(c)[3]);
      }
    }
  }
  [[nodiscard]] const auto& positions() const { return x_; }

 private:
  const BoundTree& tree_;
  Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> fields_, x_;
  Eigen::Matrix<T, Eigen::Dynamic, 1> rest_;
};

template <class T>
void refit(benchmark::State& state) {
  const BoundTree& tree = tree_of_5000();
  const auto bodies = static_cast<Eigen::Index>(state.range(0));
  const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> q =
      Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>::Random(tree.rank, bodies) * static_cast<T>(0.1);
  const StateView<const T> view{q.data(), tree.rank, bodies, 1, tree.rank};
  const SphereFit<T> fit(tree);
  AllPoints<T> all(tree);
  std::vector<T> spheres(static_cast<std::size_t>(4 * tree.node_count() * bodies)), theirs_too(spheres.size());
  const auto [theirs, ours] = compare(
      [&] {
        all.move(q);
        all.fit(theirs_too);
        benchmark::DoNotOptimize(theirs_too.data());
      },
      [&] { fit.refit(view, spheres); });
  for (auto _ : state) fit.refit(view, spheres);
  state.counters["ratio"] = theirs / ours;
  state.counters["points"] = static_cast<double>(tree.points.count());
  state.counters["us_per_body"] = 1e6 * ours / static_cast<double>(bodies);
}
BENCHMARK(refit<float>)->ArgName("bodies")->Arg(1)->Arg(64);
BENCHMARK(refit<double>)->ArgName("bodies")->Arg(1)->Arg(64);

// Some 30,000 points, 15 coordinates.
struct Bridge {
  ProceduralMesh mesh = make_bridge(60);
  ReducedModel model = reduce(mesh.mesh, mesh.fixed_vertices, {.modes = 5, .rank = 15});
  std::shared_ptr<const BoundTree> tree = std::make_shared<BoundTree>(bound_tree(model, {.spacing = spacing()}));
  std::array<double, 3> top = {}, size = {};  // of what is in the middle

  Bridge() {
    std::array<double, 3> low, high;
    low.fill(std::numeric_limits<double>::infinity());
    high.fill(-low[0]);
    const std::vector<double>& x = tree->points.positions;
    for (std::size_t n = 0; n < x.size(); ++n) {
      low[n % 3] = std::min(low[n % 3], x[n]);
      high[n % 3] = std::max(high[n % 3], x[n]);
    }
    for (std::size_t k = 0; k < 3; ++k) size[k] = high[k] - low[k], top[k] = 0.5 * (low[k] + high[k]);
    double nearest = std::numeric_limits<double>::infinity();
    const std::array<double, 3> middle = top;
    for (std::size_t n = 0; n < x.size(); n += 3) {  // the point nearest to the middle, the highest among those
      const double way = std::hypot(x[n] - middle[0], x[n + 1] - middle[1]) - 1e-3 * x[n + 2];
      if (way < nearest) nearest = way, top = {x[n], x[n + 1], x[n + 2]};
    }
  }
  [[nodiscard]] double spacing() const {
    const ContactPoints points = contact_points(model);
    double area = 0;
    for (const double a : points.areas) area += a;
    return points.count() > 25000 ? std::numeric_limits<double>::infinity() : std::sqrt(area / 15000);
  }
};
const Bridge& bridge() {
  static const Bridge bridge;
  return bridge;
}

void bridge_query(benchmark::State& state) {
  const BoundTree& tree = *bridge().tree;
  const SphereFit<double> fit(tree);
  const Eigen::VectorXd q = 1e-3 * bridge().size[0] * Eigen::VectorXd::Random(tree.rank);
  const double radius = 0.02 * bridge().size[0];
  Collider ball{Shape{SphereShape{radius}}};
  for (std::size_t k = 0; k < 3; ++k) ball.pose[k] = bridge().top[k] + (k == 2 ? 0.9 * radius : 0);
  const BodyPlaces<double> places{.q = {q.data(), tree.rank, 1, 1, tree.rank}};
  AllPoints<double> all(tree);
  std::size_t found = 0, found_by_all = 0;
  const Eigen::Vector3d centre(ball.pose.data());
  const auto [theirs, ours] = compare(
      [&] {
        all.move(q);
        found_by_all = 0;
        for (Eigen::Index p = 0; p < tree.points.count(); ++p)
          found_by_all += (all.positions().col(0).segment<3>(3 * p) - centre).squaredNorm() < radius * radius;
        benchmark::DoNotOptimize(found_by_all);
      },
      [&] { found = find_contacts<double>(tree, fit, places, std::span(&ball, 1)).size(); });
  for (auto _ : state) benchmark::DoNotOptimize(find_contacts<double>(tree, fit, places, std::span(&ball, 1)));
  state.counters["ratio"] = theirs / ours;
  state.counters["points"] = static_cast<double>(tree.points.count());
  state.counters["found"] = static_cast<double>(found);
  state.counters["found_by_all"] = static_cast<double>(found_by_all);
}
BENCHMARK(bridge_query);

void haptic(benchmark::State& state) {
  const char* asked = std::getenv("QUARTIC_HAPTIC_STEPS");
  const long steps = asked == nullptr ? 1'000'000 : std::atol(asked);
  const double size = bridge().size[0], radius = 0.02 * size;
  Batch<double> batch(
      bridge().model.energy,
      {.integrator = Integrator::backward_euler, .rayleigh_mass = 1, .rayleigh_stiffness = 1e-3, .threads = 1});
  auto world =
      std::make_shared<World<double>>(std::move(batch), std::vector{bridge().tree}, ContactOptions{.stiffness = 1e6});
  const auto device = [&](long n) {  // along the deck, up and down
    const double t = 1e-3 * static_cast<double>(n);
    return std::array{bridge().top[0] + 0.05 * size * std::sin(0.7 * t), bridge().top[1],
                      bridge().top[2] + radius * (1 + 0.3 * std::sin(2 * t))};
  };
  HapticBall<double> ball(world, {.radius = radius, .stiffness = 1000, .device_damping = 0.6}, device(0));
  std::vector<float> times;
  times.reserve(static_cast<std::size_t>(steps));
  double contacts = 0;
  for (auto _ : state)
    for (long n = 0; n < steps; ++n) {
      const double begin = processor_seconds();
      contacts += static_cast<double>(ball.step(device(n)).contacts);
      times.push_back(static_cast<float>(processor_seconds() - begin));
    }
  std::sort(times.begin(), times.end());
  const auto quantile = [&](double share) {
    return 1e6 * static_cast<double>(times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))]);
  };
  state.counters["median_us"] = quantile(0.5);
  state.counters["p99_us"] = quantile(0.99);
  state.counters["p99.9_us"] = quantile(0.999);
  state.counters["longest_us"] = quantile(1);
  state.counters["contacts"] = contacts / static_cast<double>(steps);
}
BENCHMARK(haptic)->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace quartic::bench

BENCHMARK_MAIN();
