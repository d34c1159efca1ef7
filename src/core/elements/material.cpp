#include "quartic/material.hpp"

#include <array>
#include <cmath>
#include <sstream>

#include "quartic/error.hpp"

namespace quartic {
namespace {

constexpr std::array<std::string_view, material_law_count> law_names = {
    "stvk", "stable-neo-hookean", "neo-hookean-polynomial", "mooney-rivlin", "corotational"};

void require(bool ok, const std::string& where, const char* name, double value, const char* rule) {
  if (ok) return;
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << where << ": " << name << " is " << value << ", but must be " << rule;
  throw InputError(text.str());
}

}  // namespace

std::string_view material_law_name(MaterialLaw law) {
  const auto n = static_cast<std::size_t>(law);
  return n < law_names.size() ? law_names[n] : "unknown";
}

MaterialLaw find_material_law(std::string_view name) {
  std::string known;
  for (std::size_t n = 0; n < law_names.size(); ++n) {
    if (law_names[n] == name) return static_cast<MaterialLaw>(n);
    known += (n == 0 ? "" : n + 1 < law_names.size() ? ", " : " and ") + std::string(law_names[n]);
  }
  throw InputError("there is no material law '" + std::string(name) + "'; there are " + known);
}

Material mooney_rivlin_material(double c10, double c01, double bulk_modulus, double density, const std::string& where) {
  const double mu = 2 * (c10 + c01);
  require(c10 >= 0 && std::isfinite(c10), where, "c10", c10, "at least 0 [Pa]");
  require(c01 >= 0 && std::isfinite(c01), where, "c01", c01, "at least 0 [Pa]");
  require(mu > 0, where, "c10 + c01", c10 + c01, "positive [Pa]");
  require(bulk_modulus > 0 && std::isfinite(bulk_modulus), where, "the bulk modulus", bulk_modulus,
          "positive and finite [Pa]: nearly incompressible instead of incompressible");
  const Material material = {.youngs_modulus = 9 * bulk_modulus * mu / (3 * bulk_modulus + mu),
                             .poissons_ratio = (3 * bulk_modulus - 2 * mu) / (2 * (3 * bulk_modulus + mu)),
                             .density = density,
                             .law = MaterialLaw::mooney_rivlin,
                             .mooney_share = c01 / (c10 + c01)};
  check_material(material, where);
  return material;
}

void check_material(const Material& material, const std::string& where) {
  const auto& [E, nu, rho, law, share] = material;
  require(std::isfinite(E) && E > 0, where, "Young's modulus", E, "positive [Pa]");
  require(nu > -1 && nu < 0.5, where, "Poisson's ratio", nu, "above -1 and below 0.5");
  require(std::isfinite(rho) && rho > 0, where, "density", rho, "positive [kg/m^3]");
  require(static_cast<int>(law) < material_law_count, where, "the material law", static_cast<double>(law),
          "one of MaterialLaw");
  if (law == MaterialLaw::mooney_rivlin)
    require(share >= 0 && share <= 1, where, "the Mooney share c01 / (c10 + c01)", share, "between 0 and 1");
}

}  // namespace quartic
