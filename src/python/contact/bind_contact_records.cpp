// What contacts have done, for sound.
#include <nanobind/stl/array.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "python/contact/contact.hpp"
#include "python/contact/world.hpp"
#include "quartic/contact_records.hpp"

namespace quartic::python {
namespace {

namespace fs = std::filesystem;
using Vector = std::array<double, 3>;

void bind_record(nb::module_& module) {
  nb::class_<ContactRecord>(module, "ContactRecord", "One point's touch of one shape.")
      .def(
          "__init__",
          [](ContactRecord* self, double time, double duration, std::int32_t point, const Vector& impulse,
             std::int64_t body, std::int32_t shape, const Vector& position) {
            new (self) ContactRecord{time, duration, body, shape, point, position, impulse};
          },
          nb::arg("time"), nb::arg("duration"), nb::arg("point"), nb::arg("impulse"), nb::kw_only(),
          nb::arg("body") = 0, nb::arg("shape") = 0, nb::arg("position") = Vector{},
          "time, duration [s]; point of the bound tree; impulse on the body [N s], along its own axes; body and shape "
          "by number; position in the world [m].")
      .def_ro("time", &ContactRecord::time)
      .def_ro("duration", &ContactRecord::duration)
      .def_ro("body", &ContactRecord::body)
      .def_ro("shape", &ContactRecord::shape)
      .def_ro("point", &ContactRecord::point)
      .def_ro("position", &ContactRecord::position)
      .def_ro("impulse", &ContactRecord::impulse);
}

}  // namespace

void bind_contact_records(nb::module_& module) {
  bind_record(module);
  nb::class_<ContactRecorder>(module, "ContactRecorder", "Makes records of a world's contacts, step by step.")
      .def(nb::init<>())
      .def(
          "record",
          [](ContactRecorder& recorder, const WorldObject& world, double dt) {
            alone(world, [&](auto& own) { recorder.record(own, dt); });
          },
          nb::arg("world"), nb::arg("dt"), "After each `world.step(dt)` of one substep; dt [s].")
      .def_prop_ro(
          "records", [](const ContactRecorder& r) { return std::vector<ContactRecord>(r.records()); },
          "Contacts that are over, in the order in which they ended.")
      .def("all_records", &ContactRecorder::all_records, "The same with those that last, cut off now.");
  module.def(
      "contact_strikes",
      [](const Model& model, const PythonTree& tree, const std::vector<ContactRecord>& records,
         std::optional<std::int64_t> body) { return contact_strikes(*model, *tree, records, body); },
      nb::arg("model"), nb::arg("tree"), nb::arg("records"), nb::kw_only(), nb::arg("body") = nb::none(),
      "Contacts as strikes of half sines, of one body or of all.");
  module.def(
      "write_contact_records",
      [](const std::vector<ContactRecord>& records, const fs::path& path) { write_contact_records(records, path); },
      nb::arg("records"), nb::arg("path"), "Lines time,duration,body,shape,point,x,y,z,jx,jy,jz.");
  module.def("read_contact_records", &read_contact_records, nb::arg("path"));
}

}  // namespace quartic::python
