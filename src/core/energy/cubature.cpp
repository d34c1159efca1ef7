#include "core/energy/cubature.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "core/energy/quartic_polynomial.hpp"
#include "core/laws/point_law.hpp"
#include "core/laws/projected_tangent.hpp"
#include "quartic/error.hpp"
#include "quartic/force_model.hpp"
#include "quartic/matrix.hpp"

namespace quartic {
namespace {

constexpr std::array<std::string_view, 3> base_names = {"none", "stiffness", "stvk"};

void require_count(std::size_t count, std::int64_t wanted, const char* what) {
  if (std::cmp_not_equal(count, wanted))
    throw InputError(std::string("a cubature's ") + what + " must have " + std::to_string(wanted) + " numbers, not " +
                     std::to_string(count));
}

void check_point(const Cubature& c, std::size_t p) {
  const auto require = [&](bool good, const char* what) {
    if (!good) throw InputError("point " + std::to_string(p) + " of the cubature has " + what);
  };
  require(std::isfinite(c.weights[p]) && c.weights[p] >= 0, "a weight that is negative or not finite");
  require(std::isfinite(c.volumes[p]) && c.volumes[p] > 0, "a volume that isn't positive");
  require(c.points[p].element >= 0 && c.points[p].point >= 0, "a negative number of its element or point");
  const PointMaterial& m = c.materials[p];
  require(static_cast<int>(m.law) < material_law_count, "an unknown material law");
  require(std::isfinite(m.lambda) && m.mu > 0 && std::isfinite(m.mu) && 3 * m.lambda + 2 * m.mu > 0,
          "Lame constants that no material has");
  require(m.mooney_share >= 0 && m.mooney_share <= 1, "a Mooney share outside [0, 1]");
}

}  // namespace

Material material_of(const PointMaterial& point) {
  const double sum = point.lambda + point.mu;
  return {.youngs_modulus = point.mu * (3 * point.lambda + 2 * point.mu) / sum,
          .poissons_ratio = point.lambda / (2 * sum),
          .density = 1,
          .law = point.law,
          .mooney_share = point.mooney_share};
}

std::string_view control_variate_name(ControlVariate base) {
  const auto n = static_cast<std::size_t>(base);
  return n < base_names.size() ? base_names[n] : "unknown";
}

ControlVariate find_control_variate(std::string_view name) {
  const auto found = std::ranges::find(base_names, name);
  if (found == base_names.end())
    throw InputError("there is no control variate '" + std::string(name) + "'; there are none, stiffness and stvk");
  return static_cast<ControlVariate>(found - base_names.begin());
}

void check_cubature(const Cubature& c) {
  if (c.rank < 1 || c.rank > rank_limit)
    throw InputError("the rank of a cubature must be 1 .. " + std::to_string(rank_limit) + ", not " +
                     std::to_string(c.rank));
  const std::int64_t count = c.count();
  if (static_cast<std::size_t>(c.base) >= base_names.size())
    throw InputError("a cubature's control variate must be one of ControlVariate");
  if (c.tangent != LawTangent::exact && c.tangent != LawTangent::projected)
    throw InputError("a cubature's tangent must be one of LawTangent");
  require_count(c.points.size(), count, "points");
  require_count(c.volumes.size(), count, "volumes");
  require_count(c.materials.size(), count, "materials");
  require_count(c.gradients.size(), 9 * count * c.rank, "gradients");
  for (std::size_t p = 0; std::cmp_less(p, count); ++p) check_point(c, p);
  const auto finite = [](double x) { return std::isfinite(x); };
  if (!std::ranges::all_of(c.gradients, finite)) throw InputError("a gradient of the cubature isn't a finite number");
  if (c.stiffness.rows != c.rank || c.stiffness.cols != c.rank || !std::ranges::all_of(c.stiffness.values, finite))
    throw InputError("a cubature needs the stiffness at rest, of shape (rank, rank) with finite numbers");
  require_count(c.stiffness.values.size(), std::int64_t{c.rank} * c.rank, "stiffness");
  if (const auto k = c.stiffness.map(); (k - k.transpose()).norm() > 1e-12 * k.norm())
    throw InputError("a cubature's stiffness at rest must be symmetric");
  if (c.base == ControlVariate::stvk) {
    check(c.base_energy);
    if (c.base_energy.rank != c.rank)
      throw InputError("the cubature's base energy is of rank " + std::to_string(c.base_energy.rank) + ", not " +
                       std::to_string(c.rank));
  } else if (c.base_energy.rank != 0) {
    throw InputError("a cubature has a base energy with the control variate stvk alone");
  }
}

double point_energy(ControlVariate base, const PointMaterial& material, const double* a) {
  const LawConstants<double> k = law_constants(material);
  double energy = law_energy(material.law, k, a);
  if (base == ControlVariate::stvk) energy -= law_energy(MaterialLaw::stvk, k, a);
  if (base == ControlVariate::stiffness) {
    double p[9];
    linear_stress(k, a, p);
    energy -= inner(p, a) / 2;
  }
  return energy;
}

void point_response(const Cubature& cubature, const PointMaterial& material, const double* a, double* p, double* c) {
  const LawConstants<double> k = law_constants(material);
  double base[45];
  law_stress(material.law, k, a, p);
  if (cubature.base != ControlVariate::none) {
    if (cubature.base == ControlVariate::stvk)
      stvk_stress(k, a, base);
    else
      linear_stress(k, a, base);
    for (int n = 0; n < 9; ++n) p[n] -= base[n];
  }
  if (c == nullptr) return;
  if (cubature.tangent == LawTangent::projected)
    projected_tangent(material_of(material), a, c);
  else
    law_tangent(material.law, k, a, c);
  if (cubature.base == ControlVariate::stvk) {
    stvk_tangent(k, a, base);
    for (int n = 0; n < 45; ++n) c[n] -= base[n];
  } else if (cubature.base == ControlVariate::stiffness) {
    for (int row = 0; row < 9; ++row)
      for (int column = row; column < 9; ++column) c[packed(row, column)] -= linear_tangent(k, row, column);
  }
}

QuarticEnergy base_polynomial(const Cubature& cubature) {
  if (cubature.base == ControlVariate::stvk) return cubature.base_energy;
  if (cubature.base == ControlVariate::stiffness) return stiffness_energy(cubature);
  return {cubature.rank, std::vector<double>(static_cast<std::size_t>(quartic_coefficient_count(cubature.rank)))};
}

QuarticEnergy stiffness_energy(const Cubature& cubature) {
  check_cubature(cubature);
  const auto r = static_cast<std::size_t>(cubature.rank);
  QuarticEnergy energy{cubature.rank,
                       std::vector<double>(static_cast<std::size_t>(quartic_coefficient_count(cubature.rank)))};
  for (std::size_t i = 0; i < r; ++i)  // V = 1/24 S_abcd ...: 12 of the 24 orders of 0, 0, i, j
    for (std::size_t j = i; j < r; ++j)
      energy.coefficients[sorted_index(0, 0, i + 1, j + 1, r)] = 2 * cubature.stiffness.values[j * r + i];
  return energy;
}

double add_points(const Cubature& cubature, const double* q, double* force, Matrix* stiffness) {
  const auto r = static_cast<std::size_t>(cubature.rank);
  std::vector<double> product;  // w v C A
  if (stiffness != nullptr) product.resize(9 * r);
  double energy = 0;
  for (std::size_t point = 0; point < cubature.weights.size(); ++point) {
    const double scale = cubature.weights[point] * cubature.volumes[point];
    if (scale == 0) continue;
    const double* gradients = cubature.gradients.data() + 9 * r * point;
    double a[9], p[9], c[45];
    for (std::size_t n = 0; n < 9; ++n) {
      a[n] = 0;
      for (std::size_t i = 0; i < r; ++i) a[n] += gradients[n * r + i] * q[i];
    }
    const PointMaterial& material = cubature.materials[point];
    energy += scale * point_energy(cubature.base, material, a);
    if (force == nullptr) continue;
    point_response(cubature, material, a, p, stiffness != nullptr ? c : nullptr);
    for (std::size_t n = 0; n < 9; ++n)
      for (std::size_t i = 0; i < r; ++i) force[i] += scale * p[n] * gradients[n * r + i];
    if (stiffness == nullptr) continue;
    std::ranges::fill(product, 0.0);
    for (int n = 0; n < 9; ++n)
      for (int m = 0; m < 9; ++m) {
        const double entry = scale * c[packed(std::min(n, m), std::max(n, m))];
        for (std::size_t i = 0; i < r; ++i)
          product[static_cast<std::size_t>(n) * r + i] += entry * gradients[static_cast<std::size_t>(m) * r + i];
      }
    for (std::size_t j = 0; j < r; ++j)
      for (std::size_t n = 0; n < 9; ++n) {
        const double gradient = gradients[n * r + j];
        for (std::size_t i = 0; i <= j; ++i) stiffness->values[j * r + i] += gradient * product[n * r + i];
      }
  }
  if (stiffness != nullptr)
    for (std::size_t j = 0; j < r; ++j)
      for (std::size_t i = 0; i < j; ++i) stiffness->values[i * r + j] = stiffness->values[j * r + i];
  return energy;
}

ReducedForces evaluate(const Cubature& cubature, std::span<const double> q) {
  check_cubature(cubature);
  const std::int64_t r = cubature.rank;
  if (std::ssize(q) != r)
    throw InputError("q has " + std::to_string(q.size()) + " entries, but the cubature's rank is " + std::to_string(r));
  ReducedForces result;
  if (cubature.base == ControlVariate::stvk) {
    result = evaluate(cubature.base_energy, q);
  } else {
    result.force.resize(q.size());
    result.stiffness = Matrix(r, r);
    if (cubature.base == ControlVariate::stiffness) {
      result.stiffness = cubature.stiffness;
      for (std::int64_t j = 0; j < r; ++j)
        for (std::int64_t i = 0; i < r; ++i)
          result.force[static_cast<std::size_t>(i)] += cubature.stiffness(i, j) * q[static_cast<std::size_t>(j)];
      for (std::size_t i = 0; i < q.size(); ++i) result.energy += result.force[i] * q[i] / 2;
    }
  }
  result.energy += add_points(cubature, q.data(), result.force.data(), &result.stiffness);
  return result;
}

ForceModel::ForceModel(Cubature forces_from) {
  check_cubature(forces_from);
  energy = base_polynomial(forces_from);
  cubature = std::move(forces_from);
}

}  // namespace quartic
