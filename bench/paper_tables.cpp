// Reduces the shapes that stand for the models of Barbic & James 2005 with the paper's parameters, and prints its
// figures 3, 5 and 8 with our numbers beside the paper's, as markdown (docs/paper-2005.md).
#include <array>
#include <chrono>
#include <cstdio>
#include <string>
#include <utility>

#include "quartic/basis.hpp"
#include "quartic/energy.hpp"
#include "quartic/modes.hpp"
#include "quartic/procedural.hpp"

namespace quartic::bench {
namespace {

struct PaperRow {
  const char* name;
  ProceduralMesh (*make)(int resolution, ElementType type);
  int resolution;                                        // ours
  int vertices, elements;                                // fig. 3
  int modes;                                             // k, fig. 8; the bridge isn't in it
  int rank;                                              // r, fig. 5
  const char *energy, *size;                             // fig. 5
  const char *linear_modes, *right_hand_sides, *solves;  // fig. 8
};

constexpr std::array paper = {
    PaperRow{"spoon", make_spoon, 100, 3698, 2005, 6, 12, "60 s", "98 kB", "24 s", "6.5 s", "33 s"},
    PaperRow{"bridge", make_bridge, 100, 11829, 5854, 20, 15, "186 s", "223 kB", "-", "-", "-"},
    PaperRow{"tower", make_tower, 140, 20713, 11304, 20, 30, "79.2 min", "3.0 MB", "65 s", "226 s", "26 min"},
    PaperRow{"heart", make_heart, 37, 28041, 14444, 20, 30, "97.4 min", "3.0 MB", "111 s", "291 s", "28 min"}};

/// What we measure [s].
struct OurRow {
  std::int64_t vertices = 0, elements = 0;
  double factorization = 0, linear_modes = 0, right_hand_sides = 0, solves = 0, basis = 0, energy = 0;
  std::size_t coefficients = 0;
};

template <class Work>
auto timed(double& seconds, const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  auto result = work();
  seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

OurRow reduce(const PaperRow& row) {
  std::fprintf(stderr, "%s\n", row.name);
  const ProceduralMesh shape = row.make(row.resolution, ElementType::hex8);
  OurRow ours{.vertices = shape.mesh.vertex_count(), .elements = shape.mesh.element_count()};
  const ElasticSystem system =
      timed(ours.factorization, [&] { return ElasticSystem(shape.mesh, shape.fixed_vertices); });
  const LinearModes modes = timed(ours.linear_modes, [&] { return linear_modes(system, {.count = row.modes}); });
  double both = 0;  // the library makes right-hand sides and solves block by block
  const ModalDerivatives derivatives =
      timed(both, [&] { return modal_derivatives(shape.mesh, system, modes.vectors.map()); });
  timed(ours.right_hand_sides, [&] { return force_hessian(shape.mesh, modes.vectors.map(), derivatives.pairs); });
  ours.solves = both - ours.right_hand_sides;
  const Basis basis = timed(
      ours.basis, [&] { return mass_pca(scaled_fields(modes, derivatives, system.mass()), system.mass(), row.rank); });
  const QuarticEnergy energy = timed(ours.energy, [&] { return reduce_energy(shape.mesh, basis.vectors.map()); });
  ours.coefficients = energy.coefficients.size();
  return ours;
}

std::string kilobytes(std::size_t doubles) {
  return std::to_string((doubles * sizeof(double) + 512) / 1024) + " kB";
}

void print(const std::array<OurRow, paper.size()>& ours) {
  std::puts("## Figure 3: the models\n");
  std::puts("| model | vertices, paper | ours | elements, paper | ours |\n|---|---|---|---|---|");
  for (std::size_t i = 0; i < paper.size(); ++i)
    std::printf("| %s | %d | %lld | %d | %lld |\n", paper[i].name, paper[i].vertices,
                static_cast<long long>(ours[i].vertices), paper[i].elements, static_cast<long long>(ours[i].elements));
  std::puts("\n## Figure 5: coefficients of the reduced forces\n");
  std::puts(
      "| model | r | time, paper | ours | size, paper | ours | distinct doubles |\n|---|---|---|---|---|---|---|");
  for (std::size_t i = 0; i < paper.size(); ++i)
    std::printf("| %s | %d | %s | %.2f s | %s | %s | %zu |\n", paper[i].name, paper[i].rank, paper[i].energy,
                ours[i].energy, paper[i].size, kilobytes(ours[i].coefficients).c_str(), ours[i].coefficients);
  std::puts("\n## Figure 8: modal derivatives\n");
  std::puts(
      "| model | k | factor, ours | linear modes, paper | ours | right-hand sides, paper | ours | solves, paper | ours "
      "| mass-PCA, ours |\n|---|---|---|---|---|---|---|---|---|---|");
  for (std::size_t i = 0; i < paper.size(); ++i)
    std::printf("| %s | %d | %.2f s | %s | %.2f s | %s | %.2f s | %s | %.2f s | %.2f s |\n", paper[i].name,
                paper[i].modes, ours[i].factorization, paper[i].linear_modes, ours[i].linear_modes,
                paper[i].right_hand_sides, ours[i].right_hand_sides, paper[i].solves, ours[i].solves, ours[i].basis);
}

}  // namespace
}  // namespace quartic::bench

int main() {
  using namespace quartic::bench;
  std::array<OurRow, paper.size()> ours;
  for (std::size_t i = 0; i < paper.size(); ++i) ours[i] = reduce(paper[i]);
  print(ours);
}
