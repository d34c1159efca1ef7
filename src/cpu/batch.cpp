// Tiles of bodies, shared out among the threads of the batch.
#include <algorithm>
#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "core/aligned_array.hpp"
#include "core/batch_impl.hpp"
#include "core/elastic_energy.hpp"
#include "core/thread_pool.hpp"
#include "core/time_stepping.hpp"
#include "cpu/integrators.hpp"
#include "cpu/tile.hpp"

namespace quartic::cpu {
namespace {

template <class T>
class CpuBatch final : public BatchImpl<T> {
 public:
  CpuBatch(const QuarticEnergy& energy, const BatchOptions& options);

  StateView<T> state(StateArray which) override;
  void step(double dt, int substeps) override;
  [[nodiscard]] std::span<const BodyStatus> status() const override { return status_; }
  void reset_status() override { std::fill(status_.begin(), status_.end(), BodyStatus::ok); }
  void elastic_energy(std::span<double> result) override;
  void kinetic_energy(std::span<double> result) override;

 private:
  void step_tile(Tile<T>& tile, const StepSettings<T>& settings, int substeps) const;
  [[nodiscard]] int rank() const { return this->energy().rank; }
  [[nodiscard]] std::int64_t bodies() const { return this->options().bodies; }
  [[nodiscard]] std::int64_t tile_count() const { return (bodies() + lanes<T> - 1) / lanes<T>; }

  PackedCoefficients<T> coefficients_;
  BatchArrays<T> arrays_;
  std::vector<BodyStatus> status_;
  ThreadPool pool_;
  std::vector<Tile<T>> tiles_;               // workspace: one per thread
  std::vector<std::vector<double>> points_;  // (1, q) of a body: one per thread
};

template <class T>
int thread_count(const BatchOptions& options) {
  const std::int64_t tiles = (options.bodies + lanes<T> - 1) / lanes<T>;
  const int wanted = options.threads > 0 ? options.threads : default_thread_count();
  return static_cast<int>(std::min<std::int64_t>(wanted, tiles));
}

template <class T>
CpuBatch<T>::CpuBatch(const QuarticEnergy& energy, const BatchOptions& options)
    : BatchImpl<T>(energy, options),
      coefficients_(energy),
      status_(static_cast<std::size_t>(options.bodies), BodyStatus::ok),
      pool_(thread_count<T>(options)) {
  arrays_.pitch = padded<T>(options.bodies);
  for (AlignedArray<T>* array : {&arrays_.q, &arrays_.velocity, &arrays_.acceleration, &arrays_.force})
    *array = AlignedArray<T>(energy.rank * arrays_.pitch);
  for (int i = 0; i < pool_.thread_count(); ++i) {
    tiles_.emplace_back(coefficients_);
    points_.emplace_back(static_cast<std::size_t>(energy.rank) + 1, 1.0);
  }
}

template <class T>
StateView<T> CpuBatch<T>::state(StateArray which) {
  const AlignedArray<T>* arrays[] = {&arrays_.q, &arrays_.velocity, &arrays_.acceleration, &arrays_.force};
  return {arrays[static_cast<std::size_t>(which)]->data(), rank(), bodies(), arrays_.pitch, 1};
}

template <class T>
void CpuBatch<T>::step(double dt, int substeps) {
  const StepSettings<T> settings(this->options(), dt);
  std::atomic<std::int64_t> next{0};
  pool_.run(std::ssize(tiles_), [&](std::int64_t workspace) {
    Tile<T>& tile = tiles_[static_cast<std::size_t>(workspace)];
    for (std::int64_t index = next++; index < tile_count(); index = next++) {
      const std::int64_t first = index * lanes<T>;
      const auto count = static_cast<std::size_t>(std::min<std::int64_t>(lanes<T>, bodies() - first));
      tile.load(arrays_, first, std::span(status_).subspan(static_cast<std::size_t>(first), count));
      step_tile(tile, settings, substeps);
    }
  });
}

template <class T>
void CpuBatch<T>::step_tile(Tile<T>& tile, const StepSettings<T>& settings, int substeps) const {
  for (int substep = 0; substep < substeps && tile.live() != 0; ++substep) {
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

template <class T>
void CpuBatch<T>::elastic_energy(std::span<double> result) {
  std::atomic<std::int64_t> next{0};
  pool_.run(std::ssize(points_), [&](std::int64_t workspace) {
    std::vector<double>& point = points_[static_cast<std::size_t>(workspace)];
    for (std::int64_t body = next++; body < bodies(); body = next++) {
      for (int i = 0; i < rank(); ++i)
        point[static_cast<std::size_t>(i) + 1] = double{arrays_.q.data()[i * arrays_.pitch + body]};
      result[static_cast<std::size_t>(body)] = quartic::elastic_energy(this->energy(), point);
    }
  });
}

template <class T>
void CpuBatch<T>::kinetic_energy(std::span<double> result) {
  std::fill(result.begin(), result.end(), 0.0);
  for (int i = 0; i < rank(); ++i)
    for (std::int64_t body = 0; body < bodies(); ++body) {
      const double v{arrays_.velocity.data()[i * arrays_.pitch + body]};
      result[static_cast<std::size_t>(body)] += 0.5 * v * v;
    }
}

}  // namespace

template <class T>
std::unique_ptr<BatchImpl<T>> make_batch(const QuarticEnergy& energy, const BatchOptions& options) {
  return std::make_unique<CpuBatch<T>>(energy, options);
}

template std::unique_ptr<BatchImpl<float>> make_batch(const QuarticEnergy&, const BatchOptions&);
template std::unique_ptr<BatchImpl<double>> make_batch(const QuarticEnergy&, const BatchOptions&);

}  // namespace quartic::cpu
