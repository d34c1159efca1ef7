// What a scene file says: docs/world.md.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "quartic/collision.hpp"
#include "quartic/contact.hpp"
#include "quartic/world.hpp"

namespace quartic::cli {

struct SceneModel {
  std::string name;
  std::filesystem::path file;  ///< as it can be opened
  double spacing = std::numeric_limits<double>::infinity();
};

struct SceneBody {
  std::size_t model = 0;
  std::array<double, 7> pose = {0, 0, 0, 0, 0, 0, 1};  ///< of the mass centre; a quaternion of unit length
  std::array<double, 3> velocity = {}, spin = {};      ///< in world axes
  std::int32_t environment = 0;
};

struct WorldScene {
  std::array<double, 3> gravity = {};
  double dt = 0.005;  ///< of a frame
  int substeps = 1;
  std::int64_t steps = 200;
  double rayleigh_mass = 0, rayleigh_stiffness = 1e-3;
  std::vector<SceneModel> models;
  std::vector<SceneBody> bodies;  ///< in the order of the file; those of grids x first
  std::vector<Collider> shapes;
  std::vector<std::filesystem::path> shape_files;  ///< that meshes of shapes were read from
  ContactOptions contact;
  int sweeps = CollisionOptions{}.sweeps;
  bool parts_overlaps = true;  ///< of bodies that start inside each other; else they are refused
};

/// Files that it names are relative to its own folder. @throws FileError, InputError with file, line and key
[[nodiscard]] WorldScene read_world_scene(const std::filesystem::path& path);

}  // namespace quartic::cli
