#include "cpu/energy/evaluator.hpp"

#include <cstddef>
#include <type_traits>
#include <utility>

#include "core/energy/cubature.hpp"
#include "core/energy/elastic_energy.hpp"
#include "core/energy/enclosed_volume.hpp"
#include "cpu/energy/body_kernels.hpp"
#include "cpu/energy/cubature_kernels.hpp"
#include "cpu/energy/strain_kernels.hpp"
#include "cpu/energy/tile_kernels.hpp"

namespace quartic::cpu {
namespace {

using SharedModel = std::shared_ptr<const ForceModel>;

/// A force model in the form that the kernels take.
template <class Coefficients>
class CoefficientsEvaluator final : public Evaluator<typename Coefficients::System> {
 public:
  using T = typename Coefficients::System::Number;

  CoefficientsEvaluator(SharedModel model, Coefficients coefficients)
      : Evaluator<typename Coefficients::System>(coefficients.rank, coefficients.chambers),
        model_(std::move(model)),
        coefficients_(std::move(coefficients)),
        kernels_(Coefficients::kernels()) {}

  [[nodiscard]] bool is_quartic() const override { return !model_->has_cubature(); }
  [[nodiscard]] std::int64_t h_rows() const override { return coefficients_.h_rows(); }
  [[nodiscard]] std::int64_t workspace_rows() const override { return coefficients_.workspace_rows(); }
  void evaluate(const T* q, const T* pressures, T* workspace, T* h) const override {
    kernels_.evaluate(coefficients_, q, pressures, workspace, h);
  }
  void apply(T weight, const T* q, const T* pressures, T* workspace, const T* h, T* x, T* y) const override {
    kernels_.apply(coefficients_, weight, q, pressures, workspace, h, x, y);
  }
  [[nodiscard]] double energy(const double* point) const override {
    const double points = model_->has_cubature() ? add_points(model_->cubature, point + 1, nullptr, nullptr) : 0;
    if (model_->has_cubature() && model_->cubature.base == ControlVariate::none) return points;
    return points + elastic_energy(model_->energy.coefficients.data(), static_cast<std::size_t>(this->rank()) + 1,
                                   [&](std::size_t a) { return point[a]; });
  }
  [[nodiscard]] double volume(int chamber, std::span<const double> q) const override {
    return volume_at(model_->chambers[static_cast<std::size_t>(chamber)], q);
  }

 private:
  SharedModel model_;
  Coefficients coefficients_;
  const EvaluatorKernels<T, Coefficients>& kernels_;
};

template <class Coefficients>
std::unique_ptr<Evaluator<typename Coefficients::System>> evaluator_of(SharedModel model, Coefficients coefficients) {
  return std::make_unique<CoefficientsEvaluator<Coefficients>>(std::move(model), std::move(coefficients));
}

}  // namespace

template <class System>
std::unique_ptr<Evaluator<System>> make_evaluator(SharedModel model) {
  using T = typename System::Number;
  const ForceModel& of = *model;
  if constexpr (std::is_same_v<System, BodySystem<T>>)
    return evaluator_of(std::move(model), SymmetricCoefficients<T>(of.energy, of.chambers));
  else if (of.has_cubature())
    return evaluator_of(std::move(model), CubatureCoefficients<T>(of.cubature));
  else if (of.has_strain_form())
    return evaluator_of(std::move(model), StrainCoefficients<T>(of.energy, of.chambers, of.strain_form));
  else
    return evaluator_of(std::move(model), PackedCoefficients<T>(of.energy, of.chambers));
}

template std::unique_ptr<Evaluator<LaneSystem<float>>> make_evaluator(SharedModel);
template std::unique_ptr<Evaluator<LaneSystem<double>>> make_evaluator(SharedModel);
template std::unique_ptr<Evaluator<BodySystem<float>>> make_evaluator(SharedModel);
template std::unique_ptr<Evaluator<BodySystem<double>>> make_evaluator(SharedModel);

}  // namespace quartic::cpu
