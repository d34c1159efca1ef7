// Recorded motions and their files.
#include "quartic/trajectory.hpp"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <filesystem>

#include "python/bindings.hpp"
#include "python/choices.hpp"
#include "python/shared.hpp"
#include "quartic/error.hpp"

namespace quartic::python {
namespace {

namespace fs = std::filesystem;
using Motion = Shared<Trajectory>;

constexpr Choice<SceneBodies, 3> scene_bodies{
    {{"automatic", SceneBodies::automatic}, {"first", SceneBodies::first}, {"all", SceneBodies::all}}};
constexpr Choice<UsdMotion, 2> usd_motions{{{"blend-shapes", UsdMotion::blend_shapes}, {"points", UsdMotion::points}}};

template <class Word>
std::vector<Word> words_of(nb::handle object, const std::string& name, std::int64_t bodies) {
  if (object.is_none()) return std::vector<Word>(static_cast<std::size_t>(bodies));
  const std::vector<std::int32_t> words = indices(object, name);
  std::vector<Word> result(words.size());
  std::transform(words.begin(), words.end(), result.begin(), [](std::int32_t word) { return static_cast<Word>(word); });
  if (std::ssize(result) != bodies)
    throw InputError(name + " needs an entry for each of the " + std::to_string(bodies) + " bodies, not " +
                     std::to_string(result.size()));
  return result;
}

// q as float64; of float32, each number exactly.
std::vector<double> widened(const Array& q) {
  const Array compact = q.is_contiguous() ? q : copy_of(q);
  std::vector<double> result(static_cast<std::size_t>(compact.size()));
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] =
        q.dtype == DType::float32 ? double{data_of<const float>(compact)[i]} : data_of<const double>(compact)[i];
  return result;
}

// Poses or twists, which are checked where a file is written.
std::vector<double> rigid_numbers(nb::handle object, const char* name, const Trajectory& of, std::int64_t rows) {
  if (object.is_none()) return {};
  const Array given = import_array(object, name);
  require(given, name, given.dtype == DType::float32 ? DType::float32 : DType::float64, {of.frames(), of.bodies, rows});
  return widened(given);
}

Trajectory make_trajectory(nb::handle time, nb::handle q, nb::handle status, nb::handle flags, nb::handle pose,
                           nb::handle twist, const std::string& coordinates, const std::string& warp) {
  const Array given = import_array(q, "q");
  require(given, "q", given.dtype == DType::float32 ? DType::float32 : DType::float64, {-1, -1, -1});
  Trajectory result{.bodies = given.shape[1], .rank = given.shape[2]};
  if (nb::isinstance<nb::list>(time))
    result.time = nb::cast<std::vector<double>>(time);
  else
    result.time = doubles(time, "time", {-1});
  if (result.frames() != given.shape[0])
    throw InputError("time has " + std::to_string(result.frames()) + " entries for " + std::to_string(given.shape[0]) +
                     " frames of q");
  result.q = widened(given);
  result.status = words_of<BodyStatus>(status, "status", result.bodies);
  if (!flags.is_none()) result.flags = words_of<BodyFlags>(flags, "flags", result.bodies);
  result.pose = rigid_numbers(pose, "pose", result, pose_size);
  result.twist = rigid_numbers(twist, "twist", result, twist_size);
  result.coordinates = chosen(coordinate_kinds, "coordinates", coordinates);
  result.warp = chosen(warp_kinds, "warp", warp);
  return result;
}

template <class To, class From>
nb::object numbers(const std::vector<From>& words) {
  std::vector<To> values;
  values.reserve(words.size());
  for (const From word : words) values.push_back(static_cast<To>(word));
  const std::int64_t count = std::ssize(values);
  return to_numpy(owning_array(std::move(values), {count}));
}

void bind_files(nb::module_& module) {
  module.def(
      "load_trajectory", [](const fs::path& path) { return without_gil([&] { return share(load_trajectory(path)); }); },
      nb::arg("path"), "Reads a .qtraj file.");
  module.def(
      "save_trajectory",
      [](const Motion& motion, const fs::path& path) { without_gil([&] { save_trajectory(*motion, path); }); },
      nb::arg("trajectory"), nb::arg("path"), "Writes a .qtraj file.");
  module.def(
      "write_csv", [](const Motion& motion, const fs::path& path) { without_gil([&] { write_csv(*motion, path); }); },
      nb::arg("trajectory"), nb::arg("path"), "One row per frame of body 0.");
  module.def(
      "modal_model", [](const Model& model) { return without_gil([&] { return share(modal_model(*model)); }); },
      nb::arg("model"), "The model with its linear modes as its basis: what draws a motion in linear modes.");
  module.def(
      "body_trajectory", [](const Motion& motion, std::int64_t body) { return share(body_trajectory(*motion, body)); },
      nb::arg("trajectory"), nb::arg("body"), "One body's part, which is then body 0.");
}

void bind_exports(nb::module_& module) {
  module.def(
      "write_glb",
      [](const Model& model, const Motion& motion, const fs::path& path, const std::string& bodies) {
        const SceneBodies which = chosen(scene_bodies, "bodies", bodies);
        return without_gil([&] { return write_glb(*model, *motion, path, which); });
      },
      nb::arg("model"), nb::arg("trajectory"), nb::arg("path"), nb::arg("bodies") = "automatic",
      "Animated glTF of body 0's surface, or of all bodies that fly; bodies: \"automatic\", \"first\" or \"all\"; "
      "returns "
      "warnings.");
  module.def(
      "write_pvd",
      [](const Model& model, const Motion& motion, const fs::path& path) {
        without_gil([&] { write_pvd(*model, *motion, path); });
      },
      nb::arg("model"), nb::arg("trajectory"), nb::arg("path"), "A series of body 0 for ParaView.");
  module.def(
      "write_usd",
      [](const Model& model, const Motion& motion, const fs::path& path, const std::string& kind,
         const std::string& bodies) {
        const UsdMotion chosen_motion = chosen(usd_motions, "motion", kind);
        const SceneBodies which = chosen(scene_bodies, "bodies", bodies);
        return without_gil([&] { return write_usd(*model, *motion, path, chosen_motion, which); });
      },
      nb::arg("model"), nb::arg("trajectory"), nb::arg("path"), nb::arg("motion") = "blend-shapes",
      nb::arg("bodies") = "automatic",
      "USD of body 0's surface, or of all bodies that fly, as blend shapes or points; returns warnings.");
  module.def(
      "write_pc2",
      [](const Model& model, const Motion& motion, const fs::path& path) {
        return without_gil([&] { return write_pc2(*model, *motion, path); });
      },
      nb::arg("model"), nb::arg("trajectory"), nb::arg("path"), "Point cache of body 0's surface; returns warnings.");
  module.def(
      "write_mdd",
      [](const Model& model, const Motion& motion, const fs::path& path) {
        return without_gil([&] { return write_mdd(*model, *motion, path); });
      },
      nb::arg("model"), nb::arg("trajectory"), nb::arg("path"), "Point cache of body 0's surface; returns warnings.");
  module.def(
      "write_vtu", [](const Model& model, const fs::path& path) { without_gil([&] { write_vtu(*model, path); }); },
      nb::arg("model"), nb::arg("path"), "Mesh, modes and basis for ParaView.");
}

}  // namespace

void bind_trajectories(nb::module_& module) {
  nb::class_<Motion>(module, "Trajectory", "Frames of a batch; frame 0 is the start.")
      .def(
          "__init__",
          [](Motion* self, nb::handle time, nb::handle q, nb::handle status, nb::handle flags, nb::handle pose,
             nb::handle twist, const std::string& coordinates, const std::string& warp) {
            new (self) Motion(share(make_trajectory(time, q, status, flags, pose, twist, coordinates, warp)));
          },
          nb::arg("time"), nb::arg("q"), nb::arg("status") = nb::none(), nb::arg("flags") = nb::none(),
          nb::arg("pose") = nb::none(), nb::arg("twist") = nb::none(), nb::arg("coordinates") = "basis",
          nb::arg("warp") = "none",
          nb::sig(
              "def __init__(self, time: quartic._typing.ArrayLike | list[float], q: quartic._typing.ArrayLike, status: "
              "quartic._typing.Indices | None = None, flags: quartic._typing.Indices | None = None, pose: "
              "quartic._typing.ArrayLike "
              "| None = None, twist: quartic._typing.ArrayLike | None = None, coordinates: str = 'basis', warp: str = "
              "'none') -> None"),
          "time (frames) [s], q (frames, B, r) of float32 or float64, status at the end (B); of bodies that fly pose "
          "(frames, B, "
          "7) and twist (frames, B, 6); coordinates: basis, as of Batch, or linear-modes, as of ModalBatch; warp, of "
          "linear modes: none, modal or "
          "rotation-strain.")
      .def_prop_ro("bodies", [](const Motion& m) { return m->bodies; })
      .def_prop_ro("rank", [](const Motion& m) { return m->rank; })
      .def_prop_ro("frames", [](const Motion& m) { return m->frames(); })
      .def_prop_ro(
          "time", [](const Motion& m) { return numpy_view(m, m->time, {m->frames()}); },
          nb::sig("def time(self) -> numpy.typing.NDArray[numpy.float64]"), "[s]")
      .def_prop_ro(
          "q",
          [](const Motion& m) {
            return numpy_view(m, m->q, {m->frames(), m->bodies, m->rank});
          },
          nb::sig("def q(self) -> numpy.typing.NDArray[numpy.float64]"), "(frames, B, r)")
      .def_prop_ro("coordinates", [](const Motion& m) { return word_for(coordinate_kinds, m->coordinates); })
      .def_prop_ro("warp", [](const Motion& m) { return word_for(warp_kinds, m->warp); })
      .def_prop_ro(
          "pose",
          [](const Motion& m) {
            return numpy_view(m, m->pose, {m->flies() ? m->frames() : 0, m->bodies, pose_size});
          },
          nb::sig("def pose(self) -> numpy.typing.NDArray[numpy.float64]"),
          "Of bodies that fly, (frames, B, 7); else without frames.")
      .def_prop_ro(
          "twist",
          [](const Motion& m) {
            return numpy_view(m, m->twist, {m->twist.empty() ? 0 : m->frames(), m->bodies, twist_size});
          },
          nb::sig("def twist(self) -> numpy.typing.NDArray[numpy.float64]"), "As pose, (frames, B, 6).")
      .def_prop_ro(
          "status", [](const Motion& m) { return numbers<std::int32_t>(m->status); },
          nb::sig("def status(self) -> numpy.typing.NDArray[numpy.int32]"))
      .def_prop_ro(
          "flags", [](const Motion& m) { return numbers<std::uint32_t>(m->flags); },
          nb::sig("def flags(self) -> numpy.typing.NDArray[numpy.uint32]"), "Empty: none.");
  bind_files(module);
  bind_exports(module);
}

}  // namespace quartic::python
