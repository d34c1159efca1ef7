#include "cpu/fem/element_batches.hpp"

namespace quartic::cpu {

ElementBatches::ElementBatches(const ElementBlock& block, const Incidence& incidence, std::int64_t size)
    : incidence_(&incidence),
      elements_(block.count()),
      corners_(element_vertex_count(block.type)),
      size_(std::max<std::int64_t>(1, size)),
      starts_(static_cast<std::size_t>((elements_ + size_ - 1) / size_) + 1) {
  // Twice the same walk, first to count and then to fill.
  const auto for_each_visit = [&](const auto& visit) {
    for (std::size_t v = 0; v + 1 < incidence.offsets.size(); ++v) {
      std::int64_t last = -1;
      for (auto i = incidence.offsets[v]; i < incidence.offsets[v + 1]; ++i) {
        const std::int64_t batch = incidence.places[static_cast<std::size_t>(i)] / (size_ * corners_);
        if (batch != last) visit(static_cast<std::size_t>(batch), Visit{i, static_cast<std::int32_t>(v)});
        last = batch;
      }
    }
  };
  for_each_visit([&](std::size_t batch, const Visit&) { ++starts_[batch + 1]; });
  for (std::size_t b = 1; b < starts_.size(); ++b) starts_[b] += starts_[b - 1];
  visits_.resize(static_cast<std::size_t>(starts_.back()));
  std::vector<std::int64_t> next(starts_.begin(), starts_.end() - 1);
  for_each_visit(
      [&](std::size_t batch, const Visit& visit) { visits_[static_cast<std::size_t>(next[batch]++)] = visit; });
}

}  // namespace quartic::cpu
