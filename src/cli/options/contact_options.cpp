#include "cli/options/contact_options.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <map>
#include <sstream>
#include <string_view>
#include <utility>

#include "cli/options/arguments.hpp"
#include "cli/values/numbers.hpp"
#include "cli/values/option_checks.hpp"
#include "quartic/error.hpp"
#include "quartic/surface.hpp"

namespace quartic::cli {

namespace {

constexpr const char* collider_help =
    "--collider takes 'plane NX,NY,NZ,OFFSET', 'sphere R', 'capsule R,HALF_LENGTH', 'box HX,HY,HZ' or 'mesh FILE', and "
    "behind it 'at X,Y,Z' or 'at X,Y,Z,QX,QY,QZ,QW', 'velocity X,Y,Z' and 'spin X,Y,Z', or 'poses FILE' "
    "(lines of text, or glTF, of which 'node NAME' names the node) alone";

constexpr std::string_view place_keys[] = {"at", "velocity", "spin", "poses", "node"};

// What follows each key word: "sphere 0.2 at 0,0,1" has 0.2 for sphere. Names of files and nodes may have spaces.
std::map<std::string, std::string> values_of(const std::string& text, std::string& shape) {
  std::map<std::string, std::string> values;
  std::istringstream words(text);
  std::string word, key;
  while (words >> word) {
    if (!key.empty() && std::find(std::begin(place_keys), std::end(place_keys), word) == std::end(place_keys)) {
      std::string& value = values[key];
      value += (value.empty() ? "" : " ") + word;
      continue;
    }
    if (!values.try_emplace(word).second) throw UsageError("--collider '" + text + "' has '" + word + "' twice");
    if (key.empty()) shape = word;
    key = word;
  }
  return values;
}

ShapeGeometry geometry_of(const std::string& shape, const std::string& value, const std::string& option) {
  if (shape == "plane") {
    const auto [x, y, z, offset] = parse_numbers<4>(option, value);
    return PlaneShape{{x, y, z}, offset};
  }
  if (shape == "sphere") return SphereShape{parse_numbers<1>(option, value)[0]};
  if (shape == "capsule") {
    const auto [radius, half_length] = parse_numbers<2>(option, value);
    return CapsuleShape{radius, half_length};
  }
  if (shape == "box") return BoxShape{parse_numbers<3>(option, value)};
  if (shape != "mesh") throw UsageError(std::string(collider_help) + "; there is no '" + shape + "'");
  TriangleMesh surface = read_triangle_mesh(value);
  return MeshShape{std::move(surface.vertices), std::move(surface.triangles)};
}

std::array<double, 7> pose_of(const std::string& option, const std::string& value) {
  std::array<double, 7> pose = {0, 0, 0, 0, 0, 0, 1};
  const std::vector<double> numbers = parse_numbers(option, value);
  if (numbers.size() != 3 && numbers.size() != 7)
    throw UsageError(option + " takes 3 or 7 numbers with commas between, not '" + value + "'");
  std::copy(numbers.begin(), numbers.end(), pose.begin());
  if (std::all_of(pose.begin() + 3, pose.end(), [](double x) { return x == 0; }))
    throw UsageError(option + ": the quaternion 0,0,0,0 is no rotation; 0,0,0,1 (x, y, z, w) turns nothing");
  return pose;
}

// Poses, of a node or not, or a pose and a twist. @param what is being read
void require_one_way(const std::map<std::string, std::string>& values, const std::string& what) {
  if (values.contains("poses") && (values.contains("at") || values.contains("velocity") || values.contains("spin")))
    throw UsageError(what + "poses say where it is at each time; leave at, velocity and spin out");
  const auto node = values.find("node");
  if (node == values.end()) return;
  if (!values.contains("poses"))
    throw UsageError(what + "node names what moves in a glTF file; say which by 'poses FILE node NAME'");
  if (node->second.empty()) throw UsageError(what + "node needs a name, or leave it out where one node alone moves");
}

void refuse_what_contacts_lack(const BatchOptions& batch) {
  if (batch.integrator == Integrator::central_differences)
    throw InputError(
        "--ground, --collider: contacts don't go with --integrator central-differences; take backward-euler, newmark "
        "or energy-conserving");
  if (batch.backend != Backend::cpu && batch.integrator == Integrator::energy_conserving)
    throw InputError(
        "--ground, --collider: contacts don't go with --integrator energy-conserving on a GPU; take backward-euler or "
        "newmark, or --backend cpu");
}

double ground_height(const std::string& text) {
  // CLI11 has a word of its own for an option without its value.
  return text.empty() || text == "true" || text == "{}" ? 0 : parse_numbers<1>("--ground", text)[0];
}

}  // namespace

void add_contact_options(CLI::App& command, ContactArguments& arguments) {
  const auto contact = "Contacts with shapes";
  command
      .add_option_function<std::string>(
          "--ground",
          [&arguments](const std::string& height) { arguments.ground = height, arguments.has_ground = true; },
          "[HEIGHT]: what lies below it is solid, across z [m]; 0 if nothing is said")
      ->expected(0, 1)
      ->group(contact);
  command
      .add_option(
          "--collider", arguments.colliders,
          "'SHAPE [at X,Y,Z[,QX,QY,QZ,QW]] [velocity X,Y,Z] [spin X,Y,Z]': a solid that moves evenly from where "
          "it is at time 0 [m, m/s, rad/s], or 'SHAPE poses FILE [node NAME]': along lines time,x,y,z[,qx,qy,qz,qw] of "
          "text, or as a node of a glTF file moves, the only one if no NAME is given; SHAPE is plane NX,NY,NZ,OFFSET, "
          "sphere R, capsule R,HALF_LENGTH (along z), box HX,HY,HZ (half sizes) or mesh FILE "
          "(closed); may be repeated")
      ->allow_extra_args(false)
      ->group(contact);
  const auto setting = [&](const char* name, double& value, const char* text, const CLI::Validator& check) {
    command
        .add_option_function<double>(
            name, [&arguments, &value](const double& x) { value = x, arguments.has_settings = true; }, text)
        ->check(check)
        ->default_str(significant(value))
        ->group(contact);
  };
  ContactOptions& o = arguments.options;
  setting("--contact-stiffness", o.stiffness,
          "Pressure per depth [Pa/m]: a weight w on an area A sinks in by w / (k A)", positive_number());
  setting("--contact-dissipation", o.dissipation, "c [s/m]: what falls with v bounces with about (1 - 2/3 c v) v",
          non_negative_number());
  setting("--friction", o.friction, "Coulomb's coefficient", non_negative_number());
  command
      .add_option_function<std::string>(
          "--contacts",
          [&arguments](const std::string& file) { arguments.records = file, arguments.has_settings = true; },
          "Write what contacts did (.csv: impulse and duration of each point's touch), for `quartic sound --contacts`")
      ->group(contact);
  command
      .add_option_function<double>(
          "--contact-spacing", [&arguments](const double& x) { arguments.spacing = x, arguments.has_settings = true; },
          "Largest way between two points that touch [m]; else the model's own points, or the vertices drawn")
      ->check(positive_number())
      ->group(contact);
}

std::vector<std::string> input_files(const ContactArguments& arguments) {
  std::vector<std::string> files;
  for (const std::string& text : arguments.colliders) {
    std::string shape;
    const std::map<std::string, std::string> values = values_of(text, shape);
    for (const auto& [key, value] : values)
      if (!value.empty() && (key == "poses" || (key == "mesh" && shape == "mesh"))) files.push_back(value);
  }
  return files;
}

ColliderRun parse_collider(const std::string& text) {
  std::string shape;
  std::map<std::string, std::string> values = values_of(text, shape);
  if (shape.empty()) throw UsageError(collider_help);
  const auto option = [&](const std::string& key) { return "--collider '" + text + "': " + key; };
  require_one_way(values, option(""));
  try {
    ColliderRun run{Collider{Shape(geometry_of(shape, values[shape], option(shape)))}, {}};
    Collider& collider = run.collider;
    if (values.contains("poses")) run.track = read_pose_track(values["poses"], values["node"]);
    if (values.contains("at")) collider.pose = pose_of(option("at"), values["at"]);
    for (const auto& [key, first] : {std::pair{"velocity", 0}, {"spin", 3}}) {
      if (!values.contains(key)) continue;
      const std::array<double, 3> vector = parse_numbers<3>(option(key), values[key]);
      std::copy(vector.begin(), vector.end(), collider.twist.begin() + first);
    }
    return run;
  } catch (const InputError& error) {
    throw InputError("--collider '" + text + "': " + error.what());
  }
}

bool ColliderRun::moves() const {
  return track || std::any_of(collider.twist.begin(), collider.twist.end(), [](double x) { return x != 0; });
}

Collider ColliderRun::at(double time, double length) const {
  if (!track) return moves() ? moved(collider, time) : collider;
  Collider now = collider;
  now.pose = pose_at(*track, time);
  return moving_to(now, pose_at(*track, time + length), length);
}

void check_contact(const ContactArguments& arguments, const BatchOptions& batch) {
  if (arguments.any()) return refuse_what_contacts_lack(batch);
  if (arguments.has_settings)
    throw UsageError(
        "--contact-stiffness, --contact-dissipation, --contact-spacing, --contacts and --friction need something to "
        "touch: give "
        "--ground or --collider");
}

BoundTree contact_tree(const ReducedModel& model, const std::optional<double>& spacing) {
  if (model.bound_tree && !spacing) return *model.bound_tree;
  return bound_tree(model, {.spacing = spacing.value_or(std::numeric_limits<double>::infinity())});
}

std::optional<ContactRun> parse_contact(const ContactArguments& arguments, const ReducedModel& model,
                                        const BatchOptions& batch, std::vector<std::string>& warnings) {
  if (!arguments.any()) return std::nullopt;
  if (batch.integrator != Integrator::backward_euler)
    warnings.emplace_back(
        std::string(batch.integrator == Integrator::newmark ? "Newmark's rule" : "the energy-conserving scheme") +
        " has no losses of its own, so that bodies on stiff shapes go on trembling; with --integrator backward-euler "
        "they come to rest");
  ContactRun run{.tree = nullptr, .colliders = {}, .options = arguments.options};
  if (arguments.has_ground)
    run.colliders.push_back({Collider{Shape(PlaneShape{.offset = ground_height(arguments.ground)})}, {}});
  for (const std::string& text : arguments.colliders) run.colliders.push_back(parse_collider(text));
  run.tree = std::make_shared<BoundTree>(contact_tree(model, arguments.spacing));
  run.records = !arguments.records.empty();
  return run;
}

}  // namespace quartic::cli
