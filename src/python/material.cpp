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
         ", density=" + number(m.density) +
         (m.law == MaterialLaw::stvk ? "" : ", law='" + std::string(material_law_name(m.law)) + "'") +
         (m.law == MaterialLaw::mooney_rivlin ? ", mooney_share=" + number(m.mooney_share) : "") + ")";
}

}  // namespace

void bind_materials(nb::module_& module) {
  nb::class_<Material>(module, "Material", "A homogeneous material of one of several laws.")
      .def(
          "__init__",
          [](Material* self, double youngs_modulus, double poissons_ratio, double density, const std::string& law,
             double mooney_share) {
            const Material material{youngs_modulus, poissons_ratio, density, find_material_law(law), mooney_share};
            check_material(material, "Material");
            new (self) Material(material);
          },
          nb::arg("youngs_modulus"), nb::arg("poissons_ratio"), nb::arg("density"), nb::arg("law") = "stvk",
          nb::arg("mooney_share") = 0.3,
          "E [Pa] > 0, nu in (-1, 1/2), rho [kg/m^3] > 0; law \"stvk\", \"stable-neo-hookean\",\n"
          "\"neo-hookean-polynomial\", \"mooney-rivlin\" with c01 / (c10 + c01) as mooney_share, or\n"
          "\"corotational\".")
      .def_ro("youngs_modulus", &Material::youngs_modulus)
      .def_ro("poissons_ratio", &Material::poissons_ratio)
      .def_ro("density", &Material::density)
      .def_prop_ro(
          "law", [](const Material& m) { return std::string(material_law_name(m.law)); }, "The law's name.")
      .def_ro("mooney_share", &Material::mooney_share)
      .def_prop_ro("lame_lambda", &lame_lambda, "First Lame constant [Pa].")
      .def_prop_ro("lame_mu", &lame_mu, "Shear modulus [Pa].")
      .def(
          "__eq__",
          [](const Material& a, nb::handle b) {
            if (!nb::isinstance<Material>(b)) return false;
            return a == nb::cast<const Material&>(b);
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
