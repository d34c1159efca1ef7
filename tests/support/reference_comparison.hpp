// A batch beside plain steps of one body.
#pragma once

#include "quartic/batch.hpp"
#include "support/sample_energies.hpp"

namespace quartic::test {

/// Three steps with damping and a force, compared as |x - reference| <= tolerance max|reference|; T is float or double.
template <class T>
void compare_with_reference(const SumOfSquares& squares, const QuarticEnergy& energy, BatchOptions options,
                            double tolerance);

}  // namespace quartic::test
