// What `Batch` asks of its arguments.
#pragma once

#include <span>

#include "quartic/batch.hpp"

namespace quartic {

// For batches of precision T, in which what is finite must stay so.

/// Checks an energy and, if its rank isn't 0, its strain form. @throws InputError
void check(const QuarticEnergy& energy, const StrainForm& strain_form);
/// Nothing for a cubature of rank 0. The rest is of the same group. @throws InputError
void check_cubature_beside(const Cubature& cubature, int rank, const StrainForm& strain_form,
                           std::span<const EnclosedVolume> chambers, Backend backend);
/// Checks the volumes of chambers of bodies of this rank. @throws InputError
void check(std::span<const EnclosedVolume> chambers, int rank);

/// Checks groups without a `force_model` and options. @throws InputError that names the option
template <class T>
void check(std::span<const BodyGroup> groups, const BatchOptions& options);

/// Checks options alone. @throws InputError that names the option
template <class T>
void check_options(const BatchOptions& options);

/// Checks the arguments of Batch::step. @throws InputError
template <class T>
void check_step(double dt, int substeps);

/// Checks that `values` has one entry per body, each finite and >= 0. @throws InputError that names it
template <class T>
void check_damping(std::span<const double> values, const char* name, std::int64_t bodies);

/// Checks a group's constant damping, which may be none, for bodies of this rank. @throws InputError
template <class T>
void check_damping_matrix(const Matrix& damping, int rank);

/// Checks the argument of Batch::set_stiffness_scale. @throws InputError
template <class T>
void check_stiffness_scale(std::span<const double> values, std::int64_t bodies);

/// Checks the pressures of Batch::set_pressure. @throws InputError
template <class T>
void check_pressure(std::span<const double> values, std::int64_t bodies);

/// Checks the number of a chamber of a batch whose groups have up to `count`. @throws InputError
QUARTIC_EXPORT void check_chamber(int chamber, int count);

/// Checks the arguments of Batch::set_load_curves. @throws InputError
template <class T>
void check_curves(std::span<const LoadCurve> curves, std::span<const std::int32_t> curve_of_body, std::int64_t bodies);

/// Checks the views of copy_state, on the host and on a device. @throws InputError that tells both shapes
QUARTIC_EXPORT void check_equal_shapes(std::int64_t from_rank, std::int64_t from_bodies, std::int64_t to_rank,
                                       std::int64_t to_bodies);

/// Checks the argument of Batch::set_status. @throws InputError
void check_status(std::span<const BodyStatus> status, std::int64_t bodies);

/// Checks the argument of Batch::set_flags. @throws InputError
void check_flags(std::span<const BodyFlags> flags, std::int64_t bodies);

/// Checks the shapes of where bodies start, but for the rows of q and its velocity. @throws InputError
template <class T>
QUARTIC_EXPORT void check_start_shapes(const Batch<T>& batch, const BodyStart<T>& start);

/// Checks moments for Batch::set_frame. @throws InputError
void require_frame(const FrameMoments& frame, int rank, FrameMotion motion);

/// Checks a range, which may be none, for bodies of this rank. @throws InputError
void check_range_of(const ModelRange& range, int rank);

}  // namespace quartic
