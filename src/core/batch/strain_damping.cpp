#include "quartic/strain_damping.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "core/batch/batch_checks.hpp"
#include "core/batch/batch_impl.hpp"
#include "core/energy/strain_damping.hpp"
#include "core/energy/strain_form.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

template <class T>
void check_forms(const Batch<T>& batch, std::span<const StrainForm> forms) {
  if (!forms.empty() && std::ssize(forms) != batch.group_count())
    throw InputError("set_strain_damping was given " + std::to_string(forms.size()) + " strain forms for " +
                     std::to_string(batch.group_count()) + " groups of bodies");
  for (std::size_t g = 0; g < forms.size(); ++g) {
    if (forms[g].rank == 0) continue;
    check(forms[g]);
    const std::int64_t rank = batch.group(static_cast<int>(g)).rank;
    if (forms[g].rank != rank)
      throw InputError("the strain form for group " + std::to_string(g) + " is of rank " +
                       std::to_string(forms[g].rank) + ", but its bodies have " + std::to_string(rank) +
                       " coordinates; make it on the basis of the same model (reduce_strains)");
  }
}

SharedStrainDamping shared(const StrainForm& form) {
  return std::make_shared<const StrainDampingForm>(strain_damping_form(form));
}

bool any_above_zero(std::span<const double> time) {
  return std::ranges::any_of(time, [](double t) { return t > 0; });
}

// By group; null where there is none.
template <class T>
std::vector<SharedStrainDamping> settle_forms(const Batch<T>& batch, std::span<const double> time,
                                              std::span<const StrainForm> forms) {
  std::vector<SharedStrainDamping> settled = batch.impl().strain_dampings();
  for (int g = 0; g < batch.group_count(); ++g) {
    const auto n = static_cast<std::size_t>(g);
    const GroupRange group = batch.group(g);
    const bool damped = any_above_zero(
        time.subspan(static_cast<std::size_t>(group.first_body), static_cast<std::size_t>(group.bodies)));
    if (n < forms.size() && forms[n].rank != 0)
      settled[n] = shared(forms[n]);
    else if (damped && settled[n] == nullptr && batch.force_model(g).has_strain_form())
      settled[n] = shared(batch.force_model(g).strain_form);
    else if (damped && settled[n] == nullptr)
      throw InputError("damping by strain rates needs a strain form of group " + std::to_string(g) +
                       "; give set_strain_damping one, which reduce_strains makes from mesh and basis");
  }
  return settled;
}

}  // namespace

template <class T>
void set_strain_damping(Batch<T>& batch, std::span<const double> time, std::span<const StrainForm> forms) {
  check_damping<T>(time, "the time of strain damping", batch.bodies());
  check_forms(batch, forms);
  std::vector<SharedStrainDamping> settled = settle_forms(batch, time, forms);
  std::vector<T> rounded;
  if (any_above_zero(time))
    std::ranges::transform(time, std::back_inserter(rounded), [](double t) { return static_cast<T>(t); });
  batch.impl().set_strain_damping(std::move(settled), std::move(rounded));
}

template <class T>
std::vector<double> strain_damping(const Batch<T>& batch) {
  const std::vector<T>& time = batch.impl().parameters().strain_damping;
  if (time.empty()) return std::vector<double>(static_cast<std::size_t>(batch.bodies()));
  return {time.begin(), time.end()};
}

Matrix strain_damping_matrix(const StrainForm& form, std::span<const double> q) {
  return products_of_derivatives(form, q);
}

template QUARTIC_EXPORT void set_strain_damping(Batch<float>&, std::span<const double>, std::span<const StrainForm>);
template QUARTIC_EXPORT void set_strain_damping(Batch<double>&, std::span<const double>, std::span<const StrainForm>);
template QUARTIC_EXPORT std::vector<double> strain_damping(const Batch<float>&);
template QUARTIC_EXPORT std::vector<double> strain_damping(const Batch<double>&);

}  // namespace quartic
