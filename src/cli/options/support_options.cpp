#include "cli/options/support_options.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "cli/options/arguments.hpp"
#include "cli/options/numbers.hpp"
#include "cli/options/option_checks.hpp"
#include "quartic/error.hpp"
#include "quartic/selection.hpp"
#include "quartic/supports.hpp"

namespace quartic::cli {
namespace {

using Directions = std::vector<std::array<double, 3>>;

constexpr std::string_view axes = "xyz";

// Letters x, y, z, each once, or three numbers.
std::optional<Directions> parse_directions(const std::string& option, const std::string& text) {
  Directions directions;
  if (!text.empty() && text.find_first_not_of(axes) == std::string::npos) {
    for (std::size_t c = 0; c < axes.size(); ++c) {
      const auto count = std::count(text.begin(), text.end(), axes[c]);
      if (count > 1) return std::nullopt;
      if (count == 1) directions.emplace_back()[c] = 1;
    }
    return directions;
  }
  if (std::count(text.begin(), text.end(), ',') != 2) return std::nullopt;
  directions.push_back(parse_numbers<3>(option, text));
  return directions;
}

// What stands before the last colon, and the directions behind it; all of them if there is none.
struct Selected {
  std::string what;
  std::optional<Directions> directions;
};

Selected split_directions(const std::string& option, const std::string& text) {
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) return {text, std::nullopt};
  const std::string behind = text.substr(colon + 1);
  const auto directions = parse_directions(option, behind);
  if (!directions)
    throw UsageError(option + " " + text + ": '" + behind +
                     "' is neither some of the directions xyz nor a direction x,y,z");
  return {text.substr(0, colon), directions};
}

// Where all three axes are held, the vertices are fixed.
void hold(Body& body, const std::vector<std::int32_t>& vertices, const std::optional<Directions>& directions,
          const std::string& origin) {
  if (!directions || directions->size() == 3) return unite(body.fixed_vertices, vertices);
  for (const auto& direction : *directions) {
    std::vector<Constraint> held = hold_along(vertices, direction, origin);
    body.constraints.insert(body.constraints.end(), std::make_move_iterator(held.begin()),
                            std::make_move_iterator(held.end()));
  }
}

const std::string* support_set_named(const VolumeMesh& mesh, const std::string& name) {
  const auto lower = [&](std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
  };
  for (const auto& entry : mesh.support_sets)
    if (entry.first == name || (mesh.names_ignore_case && lower(entry.first) == lower(name))) return &entry.first;
  return nullptr;
}

// A set of the mesh holds what it says by itself: whole vertices, single directions, or both.
void hold_set(Body& body, const std::string& text) {
  const std::string* supports = support_set_named(body.mesh, text);
  const bool has_colon = text.find(':') != std::string::npos;
  if (supports != nullptr) {
    const auto& constraints = body.mesh.support_sets.at(*supports);
    body.constraints.insert(body.constraints.end(), constraints.begin(), constraints.end());
    if (!body.mesh.vertex_sets.contains(*supports)) return;
  }
  const bool is_whole = supports != nullptr || !has_colon || body.mesh.vertex_sets.contains(text);
  const Selected selected = is_whole ? Selected{text, std::nullopt} : split_directions("--fix-set", text);
  hold(body, find_vertex_set(body.mesh, selected.what), selected.directions, "--fix-set " + text);
}

/// A distance as a tolerance that is large enough for it.
std::string tolerance_text(double distance) {
  const double unit = std::pow(10, std::floor(std::log10(distance)) - 1);
  return significant(std::ceil(1.001 * distance / unit) * unit, 2);
}

std::vector<std::int32_t> vertices_of_box(Body& body, const std::string& text, std::optional<double> tolerance) {
  BoxSelection selection = select_in_box(body.mesh, parse_numbers<6>("--fix-box", text), tolerance);
  const std::string box = "--fix-box " + text;
  if (selection.vertices.empty()) {
    if (selection.nearest_outside < 0) throw InputError(box + ": the mesh has no vertex");
    const double* x = body.mesh.vertices.data() + 3 * static_cast<std::size_t>(selection.nearest_outside);
    throw InputError(box + " has no vertex of the mesh in it; the nearest one, at " + significant(x[0], 6) + ", " +
                     significant(x[1], 6) + ", " + significant(x[2], 6) + ", is " +
                     significant(selection.nearest_outside_distance, 3) +
                     " m outside: give another box, or --fix-tolerance " +
                     tolerance_text(selection.nearest_outside_distance));
  }
  if (selection.just_outside > 0)
    body.warnings.push_back(box + ": " + std::to_string(selection.vertices.size()) + " are in it, but " +
                            counted(selection.just_outside, "vertex lies", "vertices lie") +
                            " just outside, by up to " + significant(selection.just_outside_distance, 2) +
                            " m; --fix-tolerance " + tolerance_text(selection.just_outside_distance) + " fixes " +
                            (selection.just_outside == 1 ? "it" : "them") + ", too");
  return std::move(selection.vertices);
}

// SET=NUMBER, the number being 0 or more.
struct Amount {
  std::string set;
  double number = 0;
};

Amount parse_amount(const std::string& option, const std::string& text) {
  const auto equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) throw UsageError(option + " takes SET=NUMBER, not '" + text + "'");
  const double number = parse_numbers<1>(option, text.substr(equals + 1))[0];
  if (number < 0) throw UsageError(option + " " + text + ": the number must be 0 or more");
  return {text.substr(0, equals), number};
}

}  // namespace

void add_support_options(CLI::App& command, BodyOptions& options) {
  const auto support = "Supports (united)";
  command.add_option("--fix", options.fix, "File of fixed vertices (.bou, 1-based); empty means free")
      ->allow_extra_args(false)
      ->group(support);
  CLI::Option* box =
      command
          .add_option("--fix-box", options.fix_box,
                      "Vertices in the box x0,y0,z0,x1,y1,z1, faces included [m]; with :xy or :dx,dy,dz behind it in "
                      "these directions alone")
          ->allow_extra_args(false)
          ->group(support);
  command
      .add_option("--fix-tolerance", options.fix_tolerance,
                  "How far outside a box vertices still count as inside [m] (1e-6 of the body's size)")
      ->check(non_negative_number())
      ->needs(box)
      ->group(support);
  command
      .add_option("--fix-set", options.fix_set,
                  "Named vertex set of the mesh, or what a deck's 'boundary' holds; case is ignored for .inp files; "
                  "directions as with --fix-box")
      ->allow_extra_args(false)
      ->group(support);
  command
      .add_option("--fix-normal", options.fix_normal,
                  "Vertex set that slides: its boundary faces are held along their normals")
      ->allow_extra_args(false)
      ->group(support);
  command.add_flag("--free", options.free, "Nothing is fixed: a free body")->group(support);
  command.add_option("--mass-set", options.mass_set, "SET=KG: a mass spread over a vertex set, by area on a face")
      ->allow_extra_args(false)
      ->group(support);
  command
      .add_option("--spring-set", options.spring_set,
                  "SET=N/M: springs from a vertex set to the ground, together so stiff along each axis")
      ->allow_extra_args(false)
      ->group(support);
}

bool fixes(const BodyOptions& options) {
  return !options.fix.empty() || !options.fix_box.empty() || !options.fix_set.empty() || !options.fix_normal.empty();
}

void check_support_options(const BodyOptions& options) {
  if (options.free && fixes(options))
    throw UsageError("--free can't be combined with --fix, --fix-box, --fix-set or --fix-normal");
  for (const std::string& text : options.fix_box)
    static_cast<void>(parse_numbers<6>("--fix-box", split_directions("--fix-box", text).what));
  for (const std::string& text : options.mass_set) static_cast<void>(parse_amount("--mass-set", text));
  for (const std::string& text : options.spring_set) static_cast<void>(parse_amount("--spring-set", text));
}

void unite(std::vector<std::int32_t>& fixed, const std::vector<std::int32_t>& more) {
  fixed.insert(fixed.end(), more.begin(), more.end());
  std::sort(fixed.begin(), fixed.end());
  fixed.erase(std::unique(fixed.begin(), fixed.end()), fixed.end());
}

void apply_supports(Body& body, const BodyOptions& options) {
  for (const std::string& text : options.fix_set) hold_set(body, text);
  for (const std::string& text : options.fix_box) {
    const Selected selected = split_directions("--fix-box", text);
    hold(body, vertices_of_box(body, selected.what, options.fix_tolerance), selected.directions, "--fix-box " + text);
  }
  for (const std::string& name : options.fix_normal) {
    std::vector<Constraint> held = hold_normals(body.mesh, find_vertex_set(body.mesh, name), "--fix-normal " + name);
    body.constraints.insert(body.constraints.end(), std::make_move_iterator(held.begin()),
                            std::make_move_iterator(held.end()));
  }
  for (const std::string& text : options.mass_set) {
    const Amount amount = parse_amount("--mass-set", text);
    const auto masses = spread_mass(body.mesh, find_vertex_set(body.mesh, amount.set), amount.number);
    body.mesh.masses.insert(body.mesh.masses.end(), masses.begin(), masses.end());
  }
  for (const std::string& text : options.spring_set) {
    const Amount amount = parse_amount("--spring-set", text);
    const auto springs = springs_to_ground(body.mesh, find_vertex_set(body.mesh, amount.set), amount.number);
    body.mesh.springs.insert(body.mesh.springs.end(), springs.begin(), springs.end());
  }
}

}  // namespace quartic::cli
