#include "quartic/material.hpp"

#include <cmath>
#include <sstream>

#include "quartic/error.hpp"

namespace quartic {
namespace {

void require(bool ok, const std::string& where, const char* name, double value, const char* rule) {
  if (ok) return;
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << where << ": " << name << " is " << value << ", but must be " << rule;
  throw InputError(text.str());
}

}  // namespace

void check_material(const Material& material, const std::string& where) {
  const auto& [E, nu, rho] = material;
  require(std::isfinite(E) && E > 0, where, "Young's modulus", E, "positive [Pa]");
  require(nu > -1 && nu < 0.5, where, "Poisson's ratio", nu, "above -1 and below 0.5");
  require(std::isfinite(rho) && rho > 0, where, "density", rho, "positive [kg/m^3]");
}

}  // namespace quartic
