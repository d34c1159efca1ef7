#include <array>

#include "quartic/batch.hpp"

namespace quartic {
namespace {

constexpr std::array<std::string_view, integrator_count> integrator_names = {
    "newmark", "backward-euler", "central-differences", "energy-conserving"};
constexpr std::array<std::string_view, evaluation_count> evaluation_names = {"strict", "latency", "accurate", "cublas",
                                                                             "tensor"};

}  // namespace

std::string_view integrator_name(Integrator integrator) {
  return integrator_names.at(static_cast<std::size_t>(integrator));
}

std::string_view evaluation_name(Evaluation evaluation) {
  return evaluation_names.at(static_cast<std::size_t>(evaluation));
}

}  // namespace quartic
