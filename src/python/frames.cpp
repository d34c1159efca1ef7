// Moments of mass, and the frames of free bodies.
#include <nanobind/stl/array.h>

#include "python/bindings.hpp"
#include "python/shared.hpp"

namespace quartic::python {

using Moments = Shared<FrameMoments>;

void bind_frames(nb::module_& module) {
  nb::class_<Moments>(module, "FrameMoments",
                      "Sums of mass over products of 1, X and U: a body's inertia at every deformation.")
      .def_prop_ro(
          "mass", [](const Moments& m) { return m->mass; }, "[kg]")
      .def_prop_ro(
          "origin", [](const Moments& m) { return m->origin; }, "Where X is zero, in the mesh's coordinates [m].")
      .def_prop_ro("first_moment", [](const Moments& m) { return m->first_moment; })
      .def_prop_ro("rank", [](const Moments& m) { return m->rank(); })
      .def_prop_ro(
          "unit_acceleration", [](const Moments& m) { return transposed_view(m, m->unit_acceleration); },
          nb::sig("def unit_acceleration(self) -> numpy.typing.NDArray[numpy.float64]"), "(3, r)")
      .def_prop_ro(
          "moment0", [](const Moments& m) { return matrix_view(m, m->moment0); },
          nb::sig("def moment0(self) -> numpy.typing.NDArray[numpy.float64]"), "(3, 3) [kg m^2]")
      .def_prop_ro(
          "moment1",
          [](const Moments& m) {
            return numpy_view(m, m->moment1.values, {m->moment1.cols, 3, 3});
          },
          nb::sig("def moment1(self) -> numpy.typing.NDArray[numpy.float64]"), "(r, 3, 3)")
      .def_prop_ro(
          "moment2",
          [](const Moments& m) {
            return numpy_view(m, m->moment2.values, {m->moment2.cols, 3, 3});
          },
          nb::sig("def moment2(self) -> numpy.typing.NDArray[numpy.float64]"),
          "(r(r+1)/2, 3, 3), pairs (0, 0), (0, 1), ...");
  module.def(
      "frame_moments", [](const Model& model) { return without_gil([&] { return share(frame_moments(*model)); }); },
      nb::arg("model"), "A model's moments about its mass centre at rest.");
  module.def(
      "free_frame", [](const Model& model) { return without_gil([&] { return share(free_frame(*model)); }); },
      nb::arg("model"), "The moments of a free body, for BodyGroup(..., frame=): its bodies fly.");
  module.def(
      "rest_moments", [](const Moments& moments) { return share(rest_moments(*moments)); }, nb::arg("moments"),
      "Without the coupling of rotation and deformation, for BodyGroup(..., frame=): inertia as at rest.");
  module.def(
      "base_frame",
      [](const Model& model, const std::array<double, 3>& origin) {
        return without_gil([&] { return share(base_frame(*model, origin)); });
      },
      nb::arg("model"), nb::arg("origin") = std::array<double, 3>{0, 0, 0},
      "The moments of a body on a base that the caller moves, about a point of it [m], for BodyGroup(..., frame=, "
      "motion=\"prescribed\").");
  module.def(
      "principal_inertia", [](const Moments& m) { return principal_inertia(*m); }, nb::arg("moments"),
      "Of the body at rest [kg m^2], ascending.");
  module.def(
      "mean_axis_error", [](const Moments& m) { return mean_axis_error(*m); }, nb::arg("moments"));
}

}  // namespace quartic::python
