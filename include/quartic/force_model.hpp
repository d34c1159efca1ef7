// What the forces of bodies are computed from.
#pragma once

#include <utility>
#include <vector>

#include "quartic/enclosed_volume.hpp"
#include "quartic/quartic_energy.hpp"

namespace quartic {

/// A quartic energy, alone or with its strain form. Stiffness and elastic energy are computed from the coefficients;
/// forces, too, or else from strains where there is a strain form: for `float` and slender, strongly bent bodies.
struct ForceModel {
  QuarticEnergy energy = {};
  StrainForm strain_form = {};  ///< of the same energy; rank 0 for none
  /// Of the same rank: what the pressure of each chamber (Batch::set_pressure) acts on.
  std::vector<EnclosedVolume> chambers = {};

  ForceModel() = default;
  ForceModel(QuarticEnergy forces_from)  // NOLINT(google-explicit-constructor): an energy is a force model
      : energy(std::move(forces_from)) {}
  ForceModel(QuarticEnergy stiffness_from, StrainForm forces_from)
      : energy(std::move(stiffness_from)), strain_form(std::move(forces_from)) {}
  ForceModel(QuarticEnergy forces_from, StrainForm strains, std::vector<EnclosedVolume> volumes)
      : energy(std::move(forces_from)), strain_form(std::move(strains)), chambers(std::move(volumes)) {}

  [[nodiscard]] bool has_strain_form() const { return strain_form.rank != 0; }
};

}  // namespace quartic
