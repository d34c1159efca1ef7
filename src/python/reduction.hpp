// Words of the options of reductions.
#pragma once

#include <vector>

#include "python/choices.hpp"
#include "python/shared.hpp"

namespace quartic::python {

inline constexpr Choice<MassMatrix, 2> mass_matrices{
    {{"consistent", MassMatrix::consistent}, {"lumped", MassMatrix::lumped}}};
inline constexpr Choice<ModesMethod, 3> modes_methods{
    {{"automatic", ModesMethod::automatic}, {"lobpcg", ModesMethod::lobpcg}, {"lanczos", ModesMethod::lanczos}}};
inline constexpr Choice<DerivativeKind, 2> derivative_kinds{
    {{"static", DerivativeKind::statics}, {"inertial", DerivativeKind::inertial}}};

/// omega^2 [rad^2/s^2] as frequencies [Hz], a NumPy array.
[[nodiscard]] nb::object frequencies(const std::vector<double>& eigenvalues);

}  // namespace quartic::python
