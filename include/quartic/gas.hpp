// A gas in closed chambers, which keeps p V: what is shut in pushes less as its chamber grows. Beside the pressures
// that Batch::set_pressure gives.
//
// At the same temperature, Boyle's law, the absolute pressure is a / V(q) with the gas' amount a = p V [J]; outside is
// the atmosphere's pressure b. The energy is b V - a log V, the force on coordinates (a / V - b) dV/dq, and the
// stiffness
//   -(a / V - b) d2V/dq2 + a / V^2 dV/dq dV/dq^T:
// exact, but no polynomial, so that it is added beside the energy's tensor.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "quartic/batch.hpp"
#include "quartic/export.hpp"

namespace quartic {

/// The pressure of the standard atmosphere [Pa].
inline constexpr double standard_atmosphere = 101325;

/// Shuts a gas into a chamber of each body, from the next step on, in place of what was there. Implicit steps and
/// central differences take its pressure where they take other forces; energy-conserving ones its mean over the step,
/// a log(V1 / V0) / (V1 - V0) - b, by which elastic + kinetic energy + gas_energy is kept to rounding (Gonzalez 1996).
/// All of it counts in the damping C = alpha I + beta K. A body whose volume falls to 0 gets BodyStatus::diverged. Each
/// evaluation of a body costs r^3/6 multiply-adds in double besides. Checkpoints keep it. On a device, bodies with
/// chambers aren't stepped by the fused kernel while there is a gas, and graphs that were captured before are invalid.
/// @param amount p V [J], absolute, shape (B), finite and >= 0; 0 for no gas, and then no atmosphere either
/// @param atmosphere outside of all chambers with a gas [Pa], finite and >= 0
/// @throws InputError for a wrong size or value, or a chamber that no group has; nothing is changed then
template <class T>
QUARTIC_EXPORT void set_gas(Batch<T>& batch, std::span<const double> amount, int chamber = 0,
                            double atmosphere = standard_atmosphere);

/// p V [J] of the gas in a chamber of each body, shape (B); 0 where there is none.
/// @throws InputError for a chamber that no group has
template <class T>
[[nodiscard]] QUARTIC_EXPORT std::vector<double> gas_amount(const Batch<T>& batch, int chamber = 0);

/// The atmosphere of `set_gas` [Pa]; 0 if there was no gas yet.
template <class T>
[[nodiscard]] QUARTIC_EXPORT double gas_atmosphere(const Batch<T>& batch);

/// What the gas pushes with now [Pa], a / V - b, shape (B), without what Batch::set_pressure gives; 0 where there is
/// none.
/// @throws InputError for a chamber that no group has
template <class T>
[[nodiscard]] QUARTIC_EXPORT std::vector<double> gas_pressure(const Batch<T>& batch, int chamber = 0);

/// The energy of the gases in all chambers of each body and of the atmosphere that they push away [J], shape (B):
/// sum of b (V - V0) - a log(V / V0), with the volume V0 at q = 0.
template <class T>
[[nodiscard]] QUARTIC_EXPORT std::vector<double> gas_energy(const Batch<T>& batch);

/// What is shut into the chambers of one body, for reduced_equilibrium (gas_equilibrium.hpp).
struct Gases {
  std::vector<double> amount;               ///< p V [J], absolute, shape (chambers), finite and >= 0; 0 for none
  double atmosphere = standard_atmosphere;  ///< outside of all chambers with a gas [Pa], finite and >= 0
};

}  // namespace quartic
