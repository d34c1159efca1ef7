#include "core/sound/audible_modes.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "core/base/number_text.hpp"
#include "core/surface/embedding_check.hpp"
#include "quartic/error.hpp"
#include "quartic/modal_batch.hpp"

namespace quartic {
namespace {

void require(bool condition, const char* name, const char* range, double value) {
  if (!condition)
    throw InputError("SoundOptions::" + std::string(name) + " must be " + range + ", not " + number_text(value, 6));
}

void check(const SoundOptions& options) {
  require(options.rate >= 8000 && options.rate <= 384000, "rate", "in 8000 .. 384000 Hz", options.rate);
  require(options.highest > 0 && options.highest < 0.5, "highest", "in (0, 0.5)", options.highest);
  require(options.max_strikes >= 1 && options.max_strikes <= 1000000, "max_strikes", "in 1 .. 1000000",
          options.max_strikes);
}

}  // namespace

Oscillators audible_oscillators(std::span<const double> eigenvalues, const SoundOptions& options) {
  check(options);
  if (eigenvalues.empty())
    throw InputError("the model has no linear modes, so it makes no sound; if its materials were edited, reduce again");
  ModalOptions modal;
  modal.rayleigh_mass = options.damping.mass;
  modal.rayleigh_stiffness = options.damping.stiffness;
  modal.damping_ratios = options.damping_ratios;
  const ModalBatch<double> batch(eigenvalues, modal);  // checks, and has the damping of each mode
  double largest = 0;
  for (const double lambda : eigenvalues) largest = std::max(largest, lambda);
  Oscillators result;
  for (std::size_t i = 0; i < eigenvalues.size(); ++i) {
    const double lambda = batch.eigenvalues()[i], s = batch.damping()[i] / 2;
    const double w = std::sqrt(std::max(lambda - s * s, 0.0));
    if (lambda <= 1e-10 * largest) {  // a rigid mode, but for round-off
      ++result.counts.rigid;
    } else if (w <= 1e-6 * s || w == 0) {
      ++result.counts.overdamped;
    } else if (std::sqrt(lambda) > 2 * std::numbers::pi * options.highest * options.rate) {
      ++result.counts.above;
    } else {
      result.numbers.push_back(static_cast<std::int64_t>(i));
      result.rates.emplace_back(-s, w);
    }
  }
  result.counts.audible = std::ssize(result.numbers);
  return result;
}

ModeRows::ModeRows(const ReducedModel& model, std::span<const std::int64_t> numbers)
    : vertices_(model.linear_modes.rows / 3),
      count_(std::ssize(numbers)),
      rows_(static_cast<std::size_t>(model.linear_modes.rows * count_)) {
  for (std::int64_t i = 0; i < count_; ++i) {
    const std::span<const double> mode = model.linear_modes.col(numbers[static_cast<std::size_t>(i)]);
    for (std::size_t row = 0; row < mode.size(); ++row)
      rows_[row * static_cast<std::size_t>(count_) + static_cast<std::size_t>(i)] = mode[row];
  }
  if (!model.surface) return;
  require_sound_embedding(*model.surface, vertices_);
  on_surface_ = model.surface->vertex_count(), width_ = model.surface->width;
  hangs_on_ = model.surface->volume_vertices, weights_ = model.surface->weights;
}

void ModeRows::add(std::int64_t vertex, double weight, const std::array<double, 3>& force,
                   std::span<double> result) const {
  const double* rows = rows_.data() + 3 * vertex * count_;
  for (std::int64_t i = 0; i < count_; ++i)
    result[static_cast<std::size_t>(i)] +=
        weight * (force[0] * rows[i] + force[1] * rows[count_ + i] + force[2] * rows[2 * count_ + i]);
}

void ModeRows::product(std::int64_t vertex, VertexOf of, const std::array<double, 3>& force,
                       std::span<double> result) const {
  std::ranges::fill(result, 0.0);
  if (of == VertexOf::mesh) return add(vertex, 1, force, result);
  for (auto place = static_cast<std::size_t>(vertex * width_); place < static_cast<std::size_t>((vertex + 1) * width_);
       ++place)
    if (weights_[place] != 0) add(hangs_on_[place], weights_[place], force, result);
}

}  // namespace quartic
