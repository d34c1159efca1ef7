// What `ModalBatch` asks of its arguments, and what it makes of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "quartic/modal_batch.hpp"

namespace quartic {

/// Checks options for k modes. @throws InputError that names the option
template <class T>
void check_modal_options(const ModalOptions& options, std::int64_t rank);

/// The eigenvalues with zeros for what round-off made of them. @throws InputError
[[nodiscard]] std::vector<double> checked_eigenvalues(std::span<const double> eigenvalues);

/// c = alpha + beta lambda + 2 ratio sqrt(lambda) by mode. @throws InputError if one isn't finite
[[nodiscard]] std::vector<double> modal_damping(std::span<const double> eigenvalues, const ModalOptions& options);

/// Checks the arguments of ModalBatch::impulse. @throws InputError
template <class T>
void check_impulse(std::int64_t body, std::span<const double> jump, double delay, std::int64_t bodies,
                   std::int64_t rank);

}  // namespace quartic
