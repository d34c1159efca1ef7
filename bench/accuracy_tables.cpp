// What single precision costs, on bodies of several shapes that bend far: prints the tables of docs/performance.md as
// markdown. For each, a load that bends it by 0.3 of its length is held; errors are against `double`.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "bent_bodies.hpp"
#include "emulated_products.hpp"
#include "product_errors.hpp"

namespace quartic::measure {
namespace {

struct LoadedBody {
  const char* name;
  BentBody body;
  double acceleration;
};

// Of displacements, relative to the largest.
double error(const LoadedBody& loaded, const std::vector<double>& q, const std::vector<double>& expected) {
  const std::vector<double> u = displacement(loaded.body, q), reference = displacement(loaded.body, expected);
  double most = 0;
  for (std::size_t n = 0; n < u.size(); ++n) most = std::max(most, std::abs(u[n] - reference[n]));
  return most / largest(reference);
}

void print_row(const LoadedBody& loaded) {
  const auto& [name, body, a] = loaded;
  std::printf("| %s |", name);
  const std::vector<double> rest = at_rest<double>(body, a, Evaluation::strict);
  const std::vector<double> motion = in_motion<double>(body, a, Evaluation::strict);
  for (const Evaluation evaluation : {Evaluation::strict, Evaluation::latency, Evaluation::accurate})
    std::printf(" %.0e |", error(loaded, at_rest<float>(body, a, evaluation), rest));
  for (const Evaluation evaluation : {Evaluation::strict, Evaluation::accurate})
    std::printf(" %.0e |", error(loaded, in_motion<float>(body, a, evaluation), motion));
  std::puts("");
}

// The largest errors at rest under parts of the load.
void print_product_row(const ProductWay& way, const std::vector<LoadedBody>& bodies) {
  std::printf("| %s |", way.name);
  for (const LoadedBody& loaded : bodies) {
    ProductErrors worst;
    for (const double part : {0.1, 0.4, 0.7, 1.0}) {
      const std::vector<double> q = at_rest<double>(loaded.body, part * loaded.acceleration, Evaluation::strict);
      const ProductErrors errors = product_errors(loaded.body, q, way.product);
      worst.force = std::max(worst.force, errors.force);
      worst.equilibrium = std::max(worst.equilibrium, errors.equilibrium);
      worst.stiffness = std::max(worst.stiffness, errors.stiffness);
    }
    std::printf(" %.0e, %.0e, %.0e |", worst.force, worst.equilibrium, worst.stiffness);
  }
  std::puts("");
}

void print_tables() {
  std::vector<LoadedBody> bodies;
  for (const Shape& shape : shapes_that_bend()) {
    bodies.push_back({shape.name, reduced(shape.make()), 0});
    bodies.back().acceleration = bending_acceleration(bodies.back().body);
  }
  std::puts("| body | at rest: `strict` | `latency` | `accurate` | in motion: `strict` | `accurate` |");
  std::puts("|---|---|---|---|---|---|");
  for (const LoadedBody& loaded : bodies) print_row(loaded);
  std::printf("\n| products on a GPU |");
  for (const LoadedBody& loaded : bodies) std::printf(" %s |", loaded.name);
  std::puts("\n|---|---|---|---|---|---|");
  for (const ProductWay& way : product_ways()) print_product_row(way, bodies);
}

}  // namespace
}  // namespace quartic::measure

int main() {
  quartic::measure::print_tables();
}
