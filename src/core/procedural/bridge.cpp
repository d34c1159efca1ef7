// A deck on two arches. The arches are one with the deck at mid-span and leave it towards the abutments; columns carry
// the deck there, braces tie the arches together at the columns, and a railing runs along either side.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "core/procedural/brick_builder.hpp"
#include "core/procedural/elements_of_type.hpp"
#include "core/procedural/rubber.hpp"
#include "quartic/error.hpp"
#include "quartic/procedural.hpp"

namespace quartic {

namespace {

// Dimensions [m].
constexpr double span = 16;
constexpr double width = 2.4;
constexpr double camber = 0.45;  // rise of the deck at mid-span
constexpr double deck_thickness = 0.3;
constexpr double arch_thickness = 0.36;
constexpr double arch_width = 0.5;         // of each arch, under the outer edges of the deck
constexpr double arch_rise = 2.6;          // clear height between arch and deck at the abutments
constexpr double crown = 1.2;              // half the length on which arch and deck are one
constexpr double railing_height = 0.9;     // clear height below the handrail
constexpr double railing_thickness = 0.1;  // of posts and handrail
constexpr double column_length = 0.2;      // along the span; posts are as long
constexpr int panel_count = 16;            // each has a post and, where there is room, a column

/// Who owns a vertex, from below: the second half of a Place is {part, level in it}. Where two parts touch, the vertex
/// belongs to arch, deck or rail.
enum Part : int { arch, column, deck, post, rail };

/// A slice of the bridge, [first, last) in cells, with columns and posts.
struct Panel {
  int first, last;
  int column_layers;  // 0: arch and deck are too close for a column
};

class Bridge {
 public:
  explicit Bridge(int resolution)
      : cells_(resolution),
        deck_layers_(cells_for(deck_thickness)),
        arch_layers_(cells_for(arch_thickness)),
        post_layers_(cells_for(railing_height)),
        edge_cells_(cells_for(arch_width - railing_thickness)),
        middle_cells_(cells_for(width - 2 * arch_width)),
        panels_(make_panels()),
        builder_([this](const Place& place) { return position(place); }) {}

  ProceduralMesh make();

 private:
  /// Cells for a length, of about the size that the cells along the span have.
  [[nodiscard]] int cells_for(double length) const {
    return std::max(1, static_cast<int>(std::lround(length * cells_ / span)));
  }
  [[nodiscard]] int cells_across() const { return 2 * (1 + edge_cells_) + middle_cells_; }
  [[nodiscard]] bool over_arch(int j) const { return std::min(j, cells_across() - 1 - j) <= edge_cells_; }
  [[nodiscard]] bool under_railing(int j) const { return j == 0 || j == cells_across() - 1; }
  [[nodiscard]] double across(int j) const;
  [[nodiscard]] double deck_underside(int i) const;
  [[nodiscard]] double gap(int i) const;
  [[nodiscard]] std::vector<Panel> make_panels() const;
  [[nodiscard]] const Panel& panel_of_vertex(int i) const;
  [[nodiscard]] double height(const Place& place) const;
  [[nodiscard]] std::array<double, 3> position(const Place& place) const;
  [[nodiscard]] Place place(int i, int j, Part part, int level) const;
  void add_bricks(int i, int j, Part part, int layers);

  int cells_, deck_layers_, arch_layers_, post_layers_, edge_cells_, middle_cells_;
  std::vector<Panel> panels_;
  BrickBuilder builder_;
};

/// y of the lattice's planes: railing, rest of the arch, between the arches, and mirrored.
double Bridge::across(int j) const {
  if (2 * j > cells_across()) return width - across(cells_across() - j);
  if (j == 0) return 0;
  if (j <= 1 + edge_cells_) return railing_thickness + (arch_width - railing_thickness) * (j - 1) / edge_cells_;
  return arch_width + (width - 2 * arch_width) * (j - 1 - edge_cells_) / middle_cells_;
}

double Bridge::deck_underside(int i) const {
  const double s = 2.0 * i / cells_ - 1;
  return camber * (1 - s * s);
}

/// Clear height between arch and deck; 0 around mid-span, where they are one.
double Bridge::gap(int i) const {
  const double from_middle = std::abs(2.0 * i / cells_ - 1) * span / 2;
  const double s = (from_middle - crown) / (span / 2 - crown);
  return s > 1e-9 ? arch_rise * s * s : 0;  // not open by a rounding error
}

std::vector<Panel> Bridge::make_panels() const {
  const int length = cells_for(column_length);
  const double cell = span / cells_;
  std::vector<Panel> panels;
  for (int p = 0; p < panel_count / 2; ++p) {
    const int first = std::max(0, static_cast<int>((p + 0.5) * cells_ / panel_count - 0.5 * (length - 1)));
    const double low = std::min(gap(first), gap(first + length)), mean = (gap(first) + gap(first + length)) / 2;
    const int layers = low < 0.5 * cell ? 0 : std::max(1, static_cast<int>(std::lround(mean / cell)));
    panels.push_back({first, first + length, layers});
    panels.push_back({cells_ - first - length, cells_ - first, layers});
  }
  return panels;
}

const Panel& Bridge::panel_of_vertex(int i) const {
  return *std::find_if(panels_.begin(), panels_.end(), [i](const Panel& p) { return p.first <= i && i <= p.last; });
}

double Bridge::height(const Place& place) const {
  const auto [i, j, part, level] = place;
  const double underside = deck_underside(i), deck_top = underside + deck_thickness;
  switch (part) {
    case arch:
      return underside - gap(i) - arch_thickness * (1 - static_cast<double>(level) / arch_layers_);
    case column:
      return underside - gap(i) * (1 - static_cast<double>(level) / panel_of_vertex(i).column_layers);
    case deck:
      return underside + deck_thickness * level / deck_layers_;
    case post:
      return deck_top + railing_height * level / post_layers_;
    default:
      return deck_top + railing_height + railing_thickness * level;
  }
}

std::array<double, 3> Bridge::position(const Place& place) const {
  return {span * place[0] / cells_, across(place[1]), height(place)};
}

Place Bridge::place(int i, int j, Part part, int level) const {
  if (part == arch && level == arch_layers_ && gap(i) == 0) return {i, j, deck, 0};
  if (part == column && level == 0) return {i, j, arch, arch_layers_};
  if (part == column && level == panel_of_vertex(i).column_layers) return {i, j, deck, 0};
  if (part == post && level == 0) return {i, j, deck, deck_layers_};
  if (part == post && level == post_layers_) return {i, j, rail, 0};
  return {i, j, part, level};
}

/// A stack of bricks on cell (i, j).
void Bridge::add_bricks(int i, int j, Part part, int layers) {
  for (int l = 0; l < layers; ++l)
    builder_.add({place(i, j, part, l), place(i + 1, j, part, l), place(i + 1, j + 1, part, l),
                  place(i, j + 1, part, l), place(i, j, part, l + 1), place(i + 1, j, part, l + 1),
                  place(i + 1, j + 1, part, l + 1), place(i, j + 1, part, l + 1)});
}

ProceduralMesh Bridge::make() {
  for (int i = 0; i < cells_; ++i)
    for (int j = 0; j < cells_across(); ++j) {
      if (over_arch(j)) add_bricks(i, j, arch, arch_layers_);
      add_bricks(i, j, deck, deck_layers_);
      if (under_railing(j)) add_bricks(i, j, rail, 1);
    }
  for (const Panel& panel : panels_)
    for (int i = panel.first; i < panel.last; ++i)
      for (int j = 0; j < cells_across(); ++j) {
        if (over_arch(j)) add_bricks(i, j, column, panel.column_layers);
        if (!over_arch(j) && panel.column_layers > 0) add_bricks(i, j, arch, arch_layers_);  // a brace
        if (under_railing(j)) add_bricks(i, j, post, post_layers_);
      }
  ProceduralMesh result;
  result.fixed_vertices = builder_.vertices_where([this](const Place& p) { return p[0] == 0 || p[0] == cells_; });
  result.mesh = builder_.finish("bridge", rubber);
  return result;
}

}  // namespace

ProceduralMesh make_bridge(int resolution, ElementType type) {
  check_element_type(type, "bridge");
  if (resolution < 2 * panel_count || resolution > 1000)
    throw InputError("a bridge needs 32 to 1000 cells along its length, not " + std::to_string(resolution));
  return elements_of_type(Bridge(resolution).make(), type);
}

}  // namespace quartic
