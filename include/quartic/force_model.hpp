// What the forces of bodies are computed from.
#pragma once

#include <utility>
#include <vector>

#include "quartic/cubature.hpp"
#include "quartic/enclosed_volume.hpp"
#include "quartic/export.hpp"
#include "quartic/quartic_energy.hpp"

namespace quartic {

/// A quartic energy, alone or with its strain form. Stiffness and elastic energy are computed from the coefficients;
/// forces, too, or else from strains where there is a strain form: for `float` and slender, strongly bent bodies. Or a
/// cubature, whose control variate the energy is: all three are then sums of both.
struct ForceModel {
  QuarticEnergy energy = {};
  StrainForm strain_form = {};  ///< of the same energy; rank 0 for none
  /// Of the same rank: what the pressure of each chamber (Batch::set_pressure) acts on.
  std::vector<EnclosedVolume> chambers = {};
  Cubature cubature = {};  ///< rank 0 for none

  ForceModel() = default;
  ForceModel(QuarticEnergy forces_from)  // NOLINT(google-explicit-constructor): an energy is a force model
      : energy(std::move(forces_from)) {}
  ForceModel(QuarticEnergy stiffness_from, StrainForm forces_from)
      : energy(std::move(stiffness_from)), strain_form(std::move(forces_from)) {}
  ForceModel(QuarticEnergy forces_from, StrainForm strains, std::vector<EnclosedVolume> volumes)
      : energy(std::move(forces_from)), strain_form(std::move(strains)), chambers(std::move(volumes)) {}

  /// The energy is the control variate's: zero, 1/2 q^T K(0) q or the StVK energy. @throws InputError as check_cubature
  QUARTIC_EXPORT ForceModel(Cubature forces_from);  // NOLINT(google-explicit-constructor): a force model, too

  [[nodiscard]] bool has_cubature() const { return cubature.rank != 0; }
  [[nodiscard]] bool has_strain_form() const { return strain_form.rank != 0; }
};

}  // namespace quartic
