// Materials, regions, and the types of elements.
#include <nanobind/stl/optional.h>

#include <optional>

#include "python/bindings.hpp"
#include "python/shared.hpp"

namespace quartic::python {
namespace {

std::string text_of(const Material& m) {
  const auto number = [](double x) { return nb::cast<std::string>(nb::repr(nb::float_(x))); };
  return "Material(youngs_modulus=" + number(m.youngs_modulus) + ", poissons_ratio=" + number(m.poissons_ratio) +
         ", density=" + number(m.density) + ")";
}

}  // namespace

void bind_materials(nb::module_& module) {
  nb::class_<Material>(module, "Material", "A homogeneous StVK material.")
      .def(
          "__init__",
          [](Material* self, double youngs_modulus, double poissons_ratio, double density) {
            const Material material{youngs_modulus, poissons_ratio, density};
            check_material(material, "Material");
            new (self) Material(material);
          },
          nb::arg("youngs_modulus"), nb::arg("poissons_ratio"), nb::arg("density"),
          "E [Pa] > 0, nu in (-1, 1/2), rho [kg/m^3] > 0.")
      .def_ro("youngs_modulus", &Material::youngs_modulus)
      .def_ro("poissons_ratio", &Material::poissons_ratio)
      .def_ro("density", &Material::density)
      .def_prop_ro("lame_lambda", &lame_lambda, "First Lame constant [Pa].")
      .def_prop_ro("lame_mu", &lame_mu, "Shear modulus [Pa].")
      .def(
          "__eq__",
          [](const Material& a, nb::handle b) {
            if (!nb::isinstance<Material>(b)) return false;
            const auto& other = nb::cast<const Material&>(b);
            return a.youngs_modulus == other.youngs_modulus && a.poissons_ratio == other.poissons_ratio &&
                   a.density == other.density;
          },
          nb::sig("def __eq__(self, other: object) -> bool"))
      .def("__repr__", &text_of);

  nb::class_<Region>(module, "Region", "A part of a body with one material, or none yet.")
      .def(
          "__init__",
          [](Region* self, std::string name, std::optional<Material> material) {
            new (self) Region{std::move(name), material};
          },
          nb::arg("name"), nb::arg("material") = nb::none())
      .def_ro("name", &Region::name)
      .def_ro("material", &Region::material);
}

}  // namespace quartic::python
