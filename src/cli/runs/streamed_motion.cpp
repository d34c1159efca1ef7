#include "cli/runs/streamed_motion.hpp"

#include <utility>

#include "quartic/modal_batch.hpp"

namespace quartic::cli {

namespace {

void set_all(const StateView<double>& view, std::span<const double> values) {
  for (std::int64_t i = 0; i < view.rank; ++i)
    for (std::int64_t body = 0; body < view.bodies; ++body) view(i, body) = values[static_cast<std::size_t>(i)];
}

template <class B>
class Bodies : public StreamedMotion {
 public:
  Bodies(B batch, double h) : batch_(std::move(batch)), h_(h) {}

  void step(std::span<const double> force) override {
    set_all(batch_.force(), force);
    batch_.step(h_);
  }
  std::span<const Packet> send(AccelerationSender& sender) const override { return sender.send(batch_); }
  [[nodiscard]] StateView<const double> q() const override { return batch_.q(); }
  [[nodiscard]] std::span<const BodyStatus> status() const override { return batch_.status(); }
  [[nodiscard]] AccelerationRule rule() const override {
    if constexpr (std::is_same_v<B, ModalBatch<double>>)
      return difference_rule;
    else
      return acceleration_rule(batch_.options());
  }

 private:
  B batch_;
  double h_;
};

}  // namespace

std::unique_ptr<StreamedMotion> streamed_bodies(const QuarticEnergy& energy, const BatchOptions& options, double h,
                                                std::span<const double> first_force) {
  Batch<double> batch(energy, options);
  // Its steps compute the first acceleration anew; the others take the zero that is there.
  if (options.integrator == Integrator::central_differences) set_all(batch.acceleration(), first_force);
  return std::make_unique<Bodies<Batch<double>>>(std::move(batch), h);
}

std::unique_ptr<StreamedMotion> streamed_modes(std::span<const double> eigenvalues, const BatchOptions& options,
                                               double h) {
  ModalBatch<double> batch(eigenvalues, {.bodies = options.bodies,
                                         .rayleigh_mass = options.rayleigh_mass,
                                         .rayleigh_stiffness = options.rayleigh_stiffness,
                                         .damping_ratios = {},
                                         .threads = options.threads});
  return std::make_unique<Bodies<ModalBatch<double>>>(std::move(batch), h);
}

}  // namespace quartic::cli
