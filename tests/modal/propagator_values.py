"""Writes propagator_values.hpp: flows of damped oscillators to 120 digits, by the exponential of a matrix (Taylor's series of the
matrix over 2^n, squared n times) alone, whatever the damping. Needs mpmath: python3 propagator_values.py > propagator_values.hpp"""
from math import sqrt

import mpmath as mp

mp.mp.dps = 220  # so that 120 are left behind all squarings


def exponential(a):
    norm = max(sum(abs(a[i, j]) for j in range(4)) for i in range(4))
    squarings = max(0, int(mp.ceil(mp.log(norm + 1, 2))) + 8)
    a = a / mp.mpf(2) ** squarings
    term, total = mp.eye(4), mp.eye(4)
    for n in range(1, 90):
        term = term * a / n
        total = total + term
    for _ in range(squarings):
        total = total * total
    return total


def entries(eigenvalue, damping, h):
    # (z, v h, f h^2, h^2 times the force's rise over h) in times of h
    l, c, h = mp.mpf(eigenvalue), mp.mpf(damping), mp.mpf(h)
    e = exponential(mp.matrix([[0, 1, 0, 0], [-l * h * h, -c * h, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]]))
    return [e[0, 0] - 1, e[0, 1] * h, e[1, 0] / h, e[1, 1] - 1, e[0, 2] * h * h, e[0, 3] * h * h, e[1, 3] * h]


def text(x):  # as a double has it: what is too small for one is 0
    return "0.0" if abs(x) < 1e-300 else mp.nstr(x, 17, min_fixed=0, max_fixed=0)


print("""// Written by propagator_values.py; do not edit. Flows of damped oscillators, to the last bit of a double.
#pragma once

namespace quartic::test {

/// Entries of `ModalPropagator`; v_force is zv.
struct PropagatorValues {
  double eigenvalue, damping, h, zz_less_one, zv, vz, vv_less_one, z_force, z_ramp, v_ramp;
};

// clang-format off
inline constexpr PropagatorValues propagator_values[] = {""")
for eigenvalue in [0.0, 1e-12, 1e-3, 1.0, 1e4, 1e8, 4e10]:
    w = sqrt(eigenvalue)
    for h in [1 / 44100, 1e-3, 1 / 60, 1.0, 100.0]:
        dampings = [0.0, 1e-9, 0.1, 50.0, 0.02 * w, 2 * w * (1 - 1e-9), 2 * w, 2 * w * (1 + 1e-9), 3 * w, 2e4 * w]
        for damping in sorted(set(dampings)):
            numbers = [repr(x) for x in (eigenvalue, damping, h)]
            numbers += [text(x) for x in entries(eigenvalue, damping, h)]
            print("    {" + ", ".join(numbers) + "},")
print("""};
// clang-format on

}  // namespace quartic::test""")
