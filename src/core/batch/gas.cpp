#include "quartic/gas.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/batch/batch_checks.hpp"
#include "core/batch/batch_impl.hpp"
#include "core/energy/enclosed_volume.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

void check_gas(std::span<const double> amount, double atmosphere, const BatchOptions& options) {
  if (std::ssize(amount) != options.bodies)
    throw InputError("set_gas was given " + std::to_string(amount.size()) + " amounts of gas for " +
                     std::to_string(options.bodies) + " bodies");
  for (std::size_t b = 0; b < amount.size(); ++b)
    if (!(amount[b] >= 0 && std::isfinite(amount[b])))
      throw InputError("the amount of gas of body " + std::to_string(b) + " must be finite and >= 0");
  if (!(atmosphere >= 0 && std::isfinite(atmosphere)))
    throw InputError("the atmosphere of set_gas must be finite and >= 0");
}

// use(body, amount) of the bodies that have a gas in the chamber.
template <class T, class Use>
void for_each_gas(const Batch<T>& batch, int chamber, const Use& use) {
  const std::vector<double> amount = gas_amount(batch, chamber);
  for (std::size_t b = 0; b < amount.size(); ++b)
    if (amount[b] > 0) use(b, amount[b]);
}

// At q = 0, of each body's group.
template <class T>
std::vector<double> rest_volumes(const Batch<T>& batch, int chamber) {
  std::vector<double> volumes;
  for (int g = 0; g < batch.group_count(); ++g) {
    const std::vector<EnclosedVolume>& chambers = batch.force_model(g).chambers;
    const std::vector<double> rest(static_cast<std::size_t>(batch.group(g).rank));
    const bool has_it = static_cast<std::size_t>(chamber) < chambers.size();
    volumes.insert(volumes.end(), static_cast<std::size_t>(batch.group(g).bodies),
                   has_it ? volume_at(chambers[static_cast<std::size_t>(chamber)], rest) : 0.0);
  }
  return volumes;
}

}  // namespace

template <class T>
void set_gas(Batch<T>& batch, std::span<const double> amount, int chamber, double atmosphere) {
  check_chamber(chamber, batch.chamber_count());
  check_gas(amount, atmosphere, batch.options());
  BodyParameters<T> parameters = batch.impl().parameters();
  const std::size_t bodies = amount.size();
  parameters.gas.resize(static_cast<std::size_t>(batch.chamber_count()) * bodies);
  const auto own = parameters.gas.begin() + static_cast<std::ptrdiff_t>(bodies) * chamber;
  std::ranges::copy(amount, own);
  for (int g = 0; g < batch.group_count(); ++g)  // as pressures of chambers that bodies haven't
    if (chamber >= std::ssize(batch.force_model(g).chambers))
      std::fill_n(own + batch.group(g).first_body, batch.group(g).bodies, 0.0);
  parameters.atmosphere = atmosphere;
  if (std::ranges::all_of(parameters.gas, [](double a) { return a == 0; })) {
    parameters.gas.clear();
    parameters.atmosphere = 0;
  }
  batch.impl().set_parameters(std::move(parameters));
}

template <class T>
std::vector<double> gas_amount(const Batch<T>& batch, int chamber) {
  check_chamber(chamber, batch.chamber_count());
  const std::vector<double>& all = batch.impl().parameters().gas;
  const std::int64_t bodies = batch.bodies();
  if (all.empty()) return std::vector<double>(static_cast<std::size_t>(bodies));
  return {all.begin() + bodies * chamber, all.begin() + bodies * (chamber + 1)};
}

template <class T>
double gas_atmosphere(const Batch<T>& batch) {
  return batch.impl().parameters().atmosphere;
}

template <class T>
std::vector<double> gas_pressure(const Batch<T>& batch, int chamber) {
  std::vector<double> pressure(static_cast<std::size_t>(batch.bodies()));
  const std::vector<double> volume = batch.enclosed_volume(chamber);
  for_each_gas(batch, chamber,
               [&](std::size_t b, double amount) { pressure[b] = amount / volume[b] - gas_atmosphere(batch); });
  return pressure;
}

template <class T>
std::vector<double> gas_energy(const Batch<T>& batch) {
  std::vector<double> energy(static_cast<std::size_t>(batch.bodies()));
  for (int c = 0; c < batch.chamber_count(); ++c) {
    const std::vector<double> volume = batch.enclosed_volume(c), rest = rest_volumes(batch, c);
    for_each_gas(batch, c, [&](std::size_t b, double amount) {
      energy[b] += gas_atmosphere(batch) * (volume[b] - rest[b]) - amount * std::log(volume[b] / rest[b]);
    });
  }
  return energy;
}

template QUARTIC_EXPORT void set_gas(Batch<float>&, std::span<const double>, int, double);
template QUARTIC_EXPORT void set_gas(Batch<double>&, std::span<const double>, int, double);
template QUARTIC_EXPORT std::vector<double> gas_amount(const Batch<float>&, int);
template QUARTIC_EXPORT std::vector<double> gas_amount(const Batch<double>&, int);
template QUARTIC_EXPORT double gas_atmosphere(const Batch<float>&);
template QUARTIC_EXPORT double gas_atmosphere(const Batch<double>&);
template QUARTIC_EXPORT std::vector<double> gas_pressure(const Batch<float>&, int);
template QUARTIC_EXPORT std::vector<double> gas_pressure(const Batch<double>&, int);
template QUARTIC_EXPORT std::vector<double> gas_energy(const Batch<float>&);
template QUARTIC_EXPORT std::vector<double> gas_energy(const Batch<double>&);

}  // namespace quartic
