// Tiles of bodies, shared out among the threads of the batch.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/aligned_array.hpp"
#include "core/base/thread_pool.hpp"
#include "core/batch/batch_impl.hpp"
#include "core/batch/time_stepping.hpp"
#include "core/energy/elastic_energy.hpp"
#include "cpu/batch/integrators.hpp"
#include "cpu/batch/tile.hpp"
#include "cpu/energy/body_kernels.hpp"
#include "cpu/energy/strain_kernels.hpp"
#include "cpu/energy/tile_kernels.hpp"

namespace quartic::cpu {
namespace {

template <class Coefficients>
class CpuBatch final : public BatchImpl<typename Coefficients::Number> {
 public:
  using T = typename Coefficients::Number;
  /// @param models the coefficients of each group
  CpuBatch(std::vector<Coefficients> models, std::vector<BodyGroup> groups, const BatchOptions& options);

  StateView<T> state(StateArray which) override;
  void step(double dt, int substeps) override;
  [[nodiscard]] std::span<const BodyStatus> status() const override { return status_; }
  void set_status(std::span<const BodyStatus> status) override {
    std::copy(status.begin(), status.end(), status_.begin());
  }
  void reset_status() override { std::fill(status_.begin(), status_.end(), BodyStatus::ok); }
  void elastic_energy(std::span<double> result) override;
  void kinetic_energy(std::span<double> result) override;

 private:
  void take_energy(std::size_t group, const QuarticEnergy& energy) override {
    if constexpr (std::is_constructible_v<Coefficients, const QuarticEnergy&>) models_[group] = Coefficients(energy);
  }
  void step_tile(Tile<Coefficients>& tile, const StepSettings<T>& settings, double dt, int substeps) const;
  [[nodiscard]] std::int64_t bodies() const { return this->options().bodies; }

  std::vector<Coefficients> models_;  // by group
  std::vector<TileRange> ranges_;
  BatchArrays<T> arrays_;
  std::vector<BodyStatus> status_;
  ThreadPool pool_;
  std::vector<Tile<Coefficients>> tiles_;    // workspace: one per thread
  std::vector<std::vector<double>> points_;  // (1, q) of a body: one per thread
};

// Tiles never mix groups.
std::vector<TileRange> cut_into_tiles(const std::vector<GroupRange>& groups, int lanes) {
  std::vector<TileRange> tiles;
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (std::int64_t first = 0; first < groups[g].bodies; first += lanes)
      tiles.push_back(
          {g, groups[g].first_body + first, static_cast<int>(std::min<std::int64_t>(lanes, groups[g].bodies - first))});
  return tiles;
}

int thread_count(const BatchOptions& options, std::int64_t tiles) {
  const int wanted = options.threads > 0 ? options.threads : default_thread_count();
  return static_cast<int>(std::min<std::int64_t>(wanted, tiles));
}

template <class Coefficients>
CpuBatch<Coefficients>::CpuBatch(std::vector<Coefficients> models, std::vector<BodyGroup> groups,
                                 const BatchOptions& options)
    : BatchImpl<T>(std::move(groups), options),
      models_(std::move(models)),
      ranges_(cut_into_tiles(this->ranges(), Coefficients::lanes)),
      status_(static_cast<std::size_t>(options.bodies), BodyStatus::ok),
      pool_(thread_count(options, std::ssize(ranges_))) {
  arrays_.pitch = padded<T>(options.bodies);
  for (AlignedArray<T>* array : {&arrays_.q, &arrays_.velocity, &arrays_.acceleration, &arrays_.force})
    *array = AlignedArray<T>(this->rank() * arrays_.pitch);
  for (int i = 0; i < pool_.thread_count(); ++i) {
    tiles_.emplace_back(models_);
    points_.emplace_back(static_cast<std::size_t>(this->rank()) + 1, 1.0);
  }
}

template <class Coefficients>
auto CpuBatch<Coefficients>::state(StateArray which) -> StateView<T> {
  const AlignedArray<T>* arrays[] = {&arrays_.q, &arrays_.velocity, &arrays_.acceleration, &arrays_.force};
  return {arrays[static_cast<std::size_t>(which)]->data(), this->rank(), bodies(), arrays_.pitch, 1};
}

template <class Coefficients>
void CpuBatch<Coefficients>::step(double dt, int substeps) {
  const StepSettings<T> settings = step_settings<T>(this->options(), dt);
  std::atomic<std::size_t> next{0};
  pool_.run(std::ssize(tiles_), [&](std::int64_t workspace) {
    Tile<Coefficients>& tile = tiles_[static_cast<std::size_t>(workspace)];
    for (std::size_t index = next++; index < ranges_.size(); index = next++) {
      const TileRange& range = ranges_[index];
      tile.load(models_[range.group], arrays_, this->parameters(), range, status_);
      step_tile(tile, settings, dt, substeps);
    }
  });
  double time = this->time();
  for (int substep = 0; substep < substeps; ++substep) time += dt;
  this->set_time(time);
}

template <class Coefficients>
void CpuBatch<Coefficients>::step_tile(Tile<Coefficients>& tile, const StepSettings<T>& settings, double dt,
                                       int substeps) const {
  double time = this->time();
  for (int substep = 0; substep < substeps && tile.live() != 0; ++substep, time += dt) {
    tile.begin_step(time, time + dt);
    switch (this->options().integrator) {
      case Integrator::newmark:
      case Integrator::backward_euler:
        implicit_step(tile, settings);
        break;
      case Integrator::central_differences:
        central_differences_step(tile, settings, substep > 0);
        break;
      case Integrator::energy_conserving:
        energy_conserving_step(tile, settings);
        break;
    }
    tile.finish_step(arrays_);
  }
  tile.store(arrays_);
}

template <class Coefficients>
void CpuBatch<Coefficients>::elastic_energy(std::span<double> result) {
  for (std::size_t g = 0; g < this->ranges().size(); ++g) {
    const GroupRange& group = this->ranges()[g];
    std::atomic<std::int64_t> next{0};
    pool_.run(std::ssize(points_), [&](std::int64_t workspace) {
      std::vector<double>& point = points_[static_cast<std::size_t>(workspace)];
      for (std::int64_t n = next++; n < group.bodies; n = next++) {
        const std::int64_t body = group.first_body + n;
        for (std::int64_t i = 0; i < group.rank; ++i)
          point[static_cast<std::size_t>(i) + 1] = double{arrays_.q.data()[i * arrays_.pitch + body]};
        result[static_cast<std::size_t>(body)] =
            quartic::elastic_energy(this->energy(g).coefficients.data(), static_cast<std::size_t>(group.rank) + 1,
                                    [&](std::size_t a) { return point[a]; });
      }
    });
  }
}

template <class Coefficients>
void CpuBatch<Coefficients>::kinetic_energy(std::span<double> result) {
  std::fill(result.begin(), result.end(), 0.0);
  for (const GroupRange& group : this->ranges())
    for (std::int64_t i = 0; i < group.rank; ++i)
      for (std::int64_t body = group.first_body; body < group.first_body + group.bodies; ++body) {
        const double v{arrays_.velocity.data()[i * arrays_.pitch + body]};
        result[static_cast<std::size_t>(body)] += 0.5 * v * v;
      }
}

template <class Coefficients>
std::unique_ptr<CpuBatch<Coefficients>> make_batch_of(std::vector<BodyGroup> groups, const BatchOptions& options) {
  std::vector<Coefficients> models;
  for (const BodyGroup& group : groups) {
    if constexpr (std::is_constructible_v<Coefficients, const QuarticEnergy&>)
      models.emplace_back(group.energy);
    else
      models.emplace_back(group.energy, group.strain_form);
  }
  return std::make_unique<CpuBatch<Coefficients>>(std::move(models), std::move(groups), options);
}

}  // namespace

template <class T>
std::unique_ptr<BatchImpl<T>> make_batch(std::vector<BodyGroup> groups, const BatchOptions& options) {
  switch (options.evaluation) {
    case Evaluation::latency:
      return make_batch_of<SymmetricCoefficients<T>>(std::move(groups), options);
    case Evaluation::accurate:
      return make_batch_of<StrainCoefficients<T>>(std::move(groups), options);
    case Evaluation::strict:
    case Evaluation::cublas:
    case Evaluation::tensor:  // these two are refused before
      break;
  }
  return make_batch_of<PackedCoefficients<T>>(std::move(groups), options);
}

template std::unique_ptr<BatchImpl<float>> make_batch(std::vector<BodyGroup>, const BatchOptions&);
template std::unique_ptr<BatchImpl<double>> make_batch(std::vector<BodyGroup>, const BatchOptions&);

}  // namespace quartic::cpu
