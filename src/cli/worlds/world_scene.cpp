#include "cli/worlds/world_scene.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "cli/worlds/located_json.hpp"
#include "quartic/error.hpp"
#include "quartic/surface.hpp"

namespace quartic::cli {

namespace {

using Place = LocatedJson::Place;

std::array<double, 3> vector_at(const Place& place, const std::string& key, const std::array<double, 3>& otherwise) {
  if (!place.has(key)) return otherwise;
  const std::vector<double> numbers = place.at(key).numbers(3);
  return {numbers[0], numbers[1], numbers[2]};
}

double number_at(const Place& place, const std::string& key, double otherwise, bool may_be_zero) {
  if (!place.has(key)) return otherwise;
  const double value = place.at(key).number();
  if (value < 0 || (value == 0 && !may_be_zero))
    place.at(key).fail(may_be_zero ? "must be a number >= 0" : "must be a number above 0");
  return value;
}

// A position, and a quaternion x y z w that is brought to unit length.
std::array<double, 7> pose_at(const Place& place, const std::string& position) {
  std::array<double, 7> pose = {0, 0, 0, 0, 0, 0, 1};
  const auto at = vector_at(place, position, {});
  std::ranges::copy(at, pose.begin());
  if (!place.has("rotation")) return pose;
  const std::vector<double> q = place.at("rotation").numbers(4);
  const double length = std::hypot(std::hypot(q[0], q[1]), std::hypot(q[2], q[3]));
  if (!(length > 0))
    place.at("rotation").fail("the quaternion 0, 0, 0, 0 is no rotation; take 0, 0, 0, 1 (x, y, z, w)");
  for (std::size_t k = 0; k < 4; ++k) pose[3 + k] = q[k] / length;
  return pose;
}

class SceneReader {
 public:
  explicit SceneReader(const std::filesystem::path& path) : folder_(path.parent_path()), file_(path) {}

  WorldScene read() {
    const Place root = file_.root();
    root.require_keys(
        {"gravity", "dt", "substeps", "steps", "damping", "models", "bodies", "shapes", "contact", "overlap"});
    scene_.gravity = vector_at(root, "gravity", {});
    scene_.dt = number_at(root, "dt", scene_.dt, false);
    if (root.has("substeps")) scene_.substeps = static_cast<int>(root.at("substeps").integer(1));
    if (root.has("steps")) scene_.steps = root.at("steps").integer(1);
    if (root.has("damping")) read_damping(root.at("damping"));
    read_models(root.at("models"));
    for (const Place& body : root.at("bodies").elements()) read_body(body);
    if (scene_.bodies.empty()) root.at("bodies").fail("there must be a body");
    if (root.has("shapes"))
      for (const Place& shape : root.at("shapes").elements()) read_shape(shape);
    if (root.has("contact")) read_contact(root.at("contact"));
    if (root.has("overlap")) {
      const std::string overlap = root.at("overlap").text();
      if (overlap != "part" && overlap != "refuse") root.at("overlap").fail("must be 'part' or 'refuse'");
      scene_.parts_overlaps = overlap == "part";
    }
    return std::move(scene_);
  }

 private:
  void read_damping(const Place& place) {
    place.require_keys({"mass", "stiffness"});
    scene_.rayleigh_mass = number_at(place, "mass", 0, true);
    scene_.rayleigh_stiffness = number_at(place, "stiffness", 0, true);
  }

  void read_models(const Place& place) {
    if (!place.value().is_object()) place.fail("must be an object: a name and a file each");
    for (const auto& [name, value] : place.value().items()) {
      const Place at = place.at(name);
      SceneModel& model = scene_.models.emplace_back();
      model.name = name;
      if (at.value().is_object()) {
        at.require_keys({"file", "spacing"});
        model.spacing = number_at(at, "spacing", model.spacing, false);
      }
      const Place file = at.value().is_object() ? at.at("file") : at;
      model.file = folder_ / file.text();
      if (!std::filesystem::exists(model.file)) file.fail("there is no file " + model.file.string());
    }
    if (scene_.models.empty()) place.fail("there must be a model");
  }

  void read_body(const Place& place) {
    place.require_keys(
        {"model", "position", "rotation", "velocity", "spin", "environment", "grid", "spacing", "jitter", "seed"});
    SceneBody body;
    const std::string name = place.at("model").text();
    const auto found = std::ranges::find(scene_.models, name, &SceneModel::name);
    if (found == scene_.models.end()) place.at("model").fail("there is no model '" + name + "' among the models");
    body.model = static_cast<std::size_t>(found - scene_.models.begin());
    body.pose = pose_at(place, "position");
    body.velocity = vector_at(place, "velocity", {});
    body.spin = vector_at(place, "spin", {});
    if (place.has("environment")) body.environment = static_cast<std::int32_t>(place.at("environment").integer(0));
    if (!place.has("grid")) {
      for (const char* key : {"spacing", "jitter", "seed"})
        if (place.has(key)) place.at(key).fail("is for a grid; give 'grid' as well");
      scene_.bodies.push_back(body);
      return;
    }
    read_grid(place, body);
  }

  // Bodies side by side from the position on, each moved by up to the jitter along each axis.
  void read_grid(const Place& place, const SceneBody& first) {
    const std::vector<Place> counts = place.at("grid").elements();
    if (counts.size() != 3) place.at("grid").fail("must be 3 numbers of bodies, along x, y and z");
    const std::vector<double> spacing = place.at("spacing").numbers(3);
    const double jitter = number_at(place, "jitter", 0, true);
    std::minstd_rand random(place.has("seed") ? static_cast<unsigned>(place.at("seed").integer(0)) + 1 : 1U);
    // The same numbers on every machine, from -1 to 1.
    const auto number = [&] { return 2.0 * (static_cast<double>(random()) / 2147483647.0) - 1; };
    const std::int64_t nx = counts[0].integer(1), ny = counts[1].integer(1), nz = counts[2].integer(1);
    if (static_cast<double>(nx) * static_cast<double>(ny) * static_cast<double>(nz) > 1e6)
      place.at("grid").fail("is of more than 1000000 bodies");
    for (std::int64_t z = 0; z < nz; ++z)
      for (std::int64_t y = 0; y < ny; ++y)
        for (std::int64_t x = 0; x < nx; ++x) {
          SceneBody body = first;
          const std::array<std::int64_t, 3> at = {x, y, z};
          for (std::size_t k = 0; k < 3; ++k)
            body.pose[k] += static_cast<double>(at[k]) * spacing[k] + jitter * number();
          scene_.bodies.push_back(body);
        }
  }

  void read_shape(const Place& place) {
    place.require_keys({"plane", "sphere", "capsule", "box", "mesh", "at", "rotation", "velocity", "spin"});
    std::vector<std::string> kinds;
    for (const char* kind : {"plane", "sphere", "capsule", "box", "mesh"})
      if (place.has(kind)) kinds.emplace_back(kind);
    if (kinds.size() != 1) place.fail("must have one of the keys plane, sphere, capsule, box and mesh");
    const Place geometry = place.at(kinds[0]);
    try {
      Collider collider{Shape(geometry_of(kinds[0], geometry)), pose_at(place, "at")};
      const auto velocity = vector_at(place, "velocity", {}), spin = vector_at(place, "spin", {});
      std::ranges::copy(velocity, collider.twist.begin());
      std::ranges::copy(spin, collider.twist.begin() + 3);
      scene_.shapes.push_back(collider);
    } catch (const InputError& error) {
      if (std::string(error.what()).find(", line ") != std::string::npos) throw;
      geometry.fail(error.what());
    }
  }

  [[nodiscard]] ShapeGeometry geometry_of(const std::string& kind, const Place& place) {
    if (kind == "sphere") return SphereShape{place.number()};
    if (kind == "mesh") {
      scene_.shape_files.push_back(folder_ / place.text());
      TriangleMesh mesh = read_triangle_mesh(scene_.shape_files.back());
      return MeshShape{std::move(mesh.vertices), std::move(mesh.triangles)};
    }
    const std::vector<double> numbers = place.numbers(kind == "plane" ? 4 : kind == "box" ? 3 : 2);
    if (kind == "plane") return PlaneShape{{numbers[0], numbers[1], numbers[2]}, numbers[3]};
    if (kind == "box") return BoxShape{{numbers[0], numbers[1], numbers[2]}};
    return CapsuleShape{numbers[0], numbers[1]};
  }

  void read_contact(const Place& place) {
    place.require_keys(
        {"stiffness", "dissipation", "friction", "friction_velocity", "iterations", "tolerance", "sweeps"});
    ContactOptions& contact = scene_.contact;
    contact.stiffness = number_at(place, "stiffness", contact.stiffness, false);
    contact.dissipation = number_at(place, "dissipation", contact.dissipation, true);
    contact.friction = number_at(place, "friction", contact.friction, true);
    contact.friction_velocity = number_at(place, "friction_velocity", contact.friction_velocity, false);
    contact.tolerance = number_at(place, "tolerance", contact.tolerance, false);
    if (place.has("iterations")) contact.iterations = static_cast<int>(place.at("iterations").integer(1));
    if (place.has("sweeps")) scene_.sweeps = static_cast<int>(place.at("sweeps").integer(1));
  }

  std::filesystem::path folder_;
  LocatedJson file_;
  WorldScene scene_;
};

}  // namespace

WorldScene read_world_scene(const std::filesystem::path& path) {
  return SceneReader(path).read();
}

}  // namespace quartic::cli
