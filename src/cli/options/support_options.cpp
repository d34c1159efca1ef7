#include "cli/options/support_options.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "cli/options/arguments.hpp"
#include "cli/values/numbers.hpp"
#include "cli/values/option_checks.hpp"
#include "quartic/attachments.hpp"
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
  if (directions.back() == std::array<double, 3>{})
    throw UsageError(option + ": the direction '" + text + "' points nowhere; give one that isn't zero");
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

bool has_set(const VolumeMesh& mesh, const std::string& name) {
  try {
    static_cast<void>(find_vertex_set(mesh, name));
    return true;
  } catch (const InputError&) {
    return false;
  }
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
  if (!has_set(body.mesh, selected.what))
    if (const auto colon = selected.what.rfind(':');
        colon != std::string::npos && has_set(body.mesh, selected.what.substr(0, colon)))
      throw UsageError("--fix-set " + text + ": directions stand behind one colon, such as " +
                       selected.what.substr(0, colon) + ":xy");
  hold(body, find_vertex_set(body.mesh, selected.what), selected.directions, "--fix-set " + text);
}

void hold_normals_of(Body& body, const std::string& name) {
  const auto colon = name.rfind(':');
  if (!has_set(body.mesh, name) && colon != std::string::npos && has_set(body.mesh, name.substr(0, colon)))
    throw UsageError("--fix-normal " + name + ": normals are the directions; give --fix-normal " +
                     name.substr(0, colon) + ", or --fix-set " + name);
  std::vector<Constraint> held = hold_normals(body.mesh, find_vertex_set(body.mesh, name), "--fix-normal " + name);
  body.constraints.insert(body.constraints.end(), std::make_move_iterator(held.begin()),
                          std::make_move_iterator(held.end()));
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

std::pair<std::string, RigidMass> parse_body(const std::string& text) {
  const auto equals = text.rfind('=');
  const auto fail = [&] {
    throw UsageError("--body-set takes SET=KG,x,y,z with three moments of inertia behind, or with six, not '" + text +
                     "'");
  };
  if (equals == std::string::npos || equals == 0) fail();
  const std::vector<double> numbers = parse_numbers("--body-set", text.substr(equals + 1));
  if (numbers.size() != 4 && numbers.size() != 7 && numbers.size() != 10) fail();
  if (numbers[0] < 0) throw UsageError("--body-set " + text + ": the mass must be 0 or more");
  RigidMass body{numbers[0], {numbers[1], numbers[2], numbers[3]}, {}};
  std::copy(numbers.begin() + 4, numbers.end(), body.inertia.begin());
  return {text.substr(0, equals), body};
}

// Between two sets, A:B, or else from one to the ground. A set's name may have a colon itself.
std::vector<Spring> springs_of(const VolumeMesh& mesh, const Amount& amount) {
  if (!has_set(mesh, amount.set))
    for (auto colon = amount.set.find(':'); colon != std::string::npos; colon = amount.set.find(':', colon + 1)) {
      const std::string a = amount.set.substr(0, colon), b = amount.set.substr(colon + 1);
      if (has_set(mesh, a) && has_set(mesh, b))
        return springs_between(mesh, find_vertex_set(mesh, a), find_vertex_set(mesh, b), amount.number);
    }
  return springs_to_ground(mesh, find_vertex_set(mesh, amount.set), amount.number);
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
      .add_option("--area-mass-set", options.area_mass_set,
                  "SET=KG/M2: a mass per area on the boundary faces of a vertex set, as of a coat")
      ->allow_extra_args(false)
      ->group(support);
  command
      .add_option("--body-set", options.body_set,
                  "SET=KG,x,y,z or SET=KG,x,y,z,Ixx,Iyy,Izz or with ,Ixy,Ixz,Iyz behind: a rigid body with its mass "
                  "centre [m] and moments of inertia [kg m^2], to which a vertex set is bolted")
      ->allow_extra_args(false)
      ->group(support);
  command
      .add_option("--spring-set", options.spring_set,
                  "SET=N/M: springs from a vertex set to the ground, together so stiff along each axis; A:B=N/M: "
                  "between the means of two sets")
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
  for (const std::string& text : options.area_mass_set) static_cast<void>(parse_amount("--area-mass-set", text));
  for (const std::string& text : options.body_set) static_cast<void>(parse_body(text));
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
  for (const std::string& name : options.fix_normal) hold_normals_of(body, name);
  for (const std::string& text : options.area_mass_set) {
    const Amount amount = parse_amount("--area-mass-set", text);
    const auto masses = spread_mass_per_area(body.mesh, find_vertex_set(body.mesh, amount.set), amount.number);
    body.mesh.masses.insert(body.mesh.masses.end(), masses.begin(), masses.end());
  }
  for (const std::string& text : options.mass_set) {
    const Amount amount = parse_amount("--mass-set", text);
    const auto masses = spread_mass(body.mesh, find_vertex_set(body.mesh, amount.set), amount.number);
    body.mesh.masses.insert(body.mesh.masses.end(), masses.begin(), masses.end());
  }
  for (const std::string& text : options.body_set) {
    const auto [set, rigid] = parse_body(text);
    std::int64_t point = body.mesh.vertex_count();
    attach_rigid_mass(body.mesh, find_vertex_set(body.mesh, set), rigid, Link::rigid, "--body-set " + text);
    for (; point < body.mesh.vertex_count(); ++point) body.numbers.push_back(static_cast<std::int32_t>(point));
    body.file_vertices = std::ssize(body.numbers);
  }
  for (const std::string& text : options.spring_set) {
    const Amount amount = parse_amount("--spring-set", text);
    const auto springs = springs_of(body.mesh, amount);
    body.mesh.springs.insert(body.mesh.springs.end(), springs.begin(), springs.end());
  }
}

}  // namespace quartic::cli
