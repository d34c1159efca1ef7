// Any law at a point: of numbers, or of vectors with a point per lane.
#pragma once

#include <type_traits>

#include "core/laws/corotational.hpp"
#include "core/laws/law_at_point.hpp"

namespace quartic {
namespace point_law_details {

template <class V>
inline constexpr int lanes_of = static_cast<int>(sizeof(V) / sizeof(V{}[0]));

template <class K>
[[nodiscard]] QUARTIC_POINT double lane_of(const K& value, int lane) {
  if constexpr (std::is_arithmetic_v<K>)
    return static_cast<double>(value);
  else
    return static_cast<double>(value[lane]);
}

/// Calls body(constants, a, result) in double for each lane and scatters its `count` results.
template <int count, class V, class K, class Body>
QUARTIC_POINT void by_lanes(const LawConstants<K>& k, const V* a, V* result, const Body& body) {
  double from[9], to[count];
  if constexpr (std::is_arithmetic_v<V>) {
    for (int n = 0; n < 9; ++n) from[n] = static_cast<double>(a[n]);
    body(LawConstants<double>{k.lambda, k.mu, k.shear, k.volume, k.logarithmic, k.mooney}, from, to);
    for (int n = 0; n < count; ++n) result[n] = static_cast<V>(to[n]);
  } else {
    using Number = decltype(+V{}[0]);
    for (int lane = 0; lane < lanes_of<V>; ++lane) {
      for (int n = 0; n < 9; ++n) from[n] = static_cast<double>(a[n][lane]);
      const LawConstants<double> own = {lane_of(k.lambda, lane), lane_of(k.mu, lane),          lane_of(k.shear, lane),
                                        lane_of(k.volume, lane), lane_of(k.logarithmic, lane), lane_of(k.mooney, lane)};
      body(own, from, to);
      for (int n = 0; n < count; ++n) result[n][lane] = static_cast<Number>(to[n]);
    }
  }
}

}  // namespace point_law_details

/// psi [J/m^3] of one point. @param a F - I
[[nodiscard]] QUARTIC_HD inline double law_energy(MaterialLaw law, const LawConstants<double>& k, const double* a) {
  if (law == MaterialLaw::corotational) return corotational_energy(k, corotational_frame(a));
  if (law == MaterialLaw::stvk) {
    double e[9], s[9];
    green_strain(k, a, e, s);
    return inner(s, e) / 2;
  }
  Strain<double> s;
  set_strain(a, s);
  return polynomial_energy(k, a, s) + (k.logarithmic == 0 ? 0 : k.logarithmic / 2 * logarithm_part(s.stretch));
}

/// P = dpsi/dF [Pa].
template <class V, class K>
QUARTIC_POINT void law_stress(MaterialLaw law, const LawConstants<K>& k, const V* a, V* p) {
  if (law == MaterialLaw::stvk) {
    stvk_stress(k, a, p);
  } else if (law == MaterialLaw::corotational) {
    point_law_details::by_lanes<9>(k, a, p, [](const LawConstants<double>& own, const double* from, double* to) {
      corotational_stress(own, corotational_frame(from), to);
    });
  } else {
    Strain<V> s;
    set_strain(a, s);
    smooth_stress(k, a, s, p);
  }
}

/// C = dP/dF [Pa], 45 entries.
template <class V, class K>
QUARTIC_POINT void law_tangent(MaterialLaw law, const LawConstants<K>& k, const V* a, V* c) {
  if (law == MaterialLaw::stvk) {
    stvk_tangent(k, a, c);
  } else if (law == MaterialLaw::corotational) {
    point_law_details::by_lanes<45>(k, a, c, [](const LawConstants<double>& own, const double* from, double* to) {
      corotational_tangent(own, corotational_frame(from), to);
    });
  } else {
    Strain<V> s;
    set_strain(a, s);
    smooth_tangent(k, s, c);
  }
}

}  // namespace quartic
