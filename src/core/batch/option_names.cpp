#include <array>
#include <cstddef>
#include <string_view>

#include "quartic/batch.hpp"

namespace quartic {
namespace {

constexpr std::array<std::string_view, integrator_count> integrator_names = {
    "newmark", "backward-euler", "central-differences", "energy-conserving"};
constexpr std::array<std::string_view, evaluation_count> evaluation_names = {"strict", "latency", "accurate", "cublas",
                                                                             "tensor"};

template <class Option, std::size_t count>
std::string_view name(const std::array<std::string_view, count>& names, Option option) {
  const auto place = static_cast<std::size_t>(option);
  return place < count ? names[place] : "unknown";
}

}  // namespace

std::string_view integrator_name(Integrator integrator) {
  return name(integrator_names, integrator);
}

std::string_view evaluation_name(Evaluation evaluation) {
  return name(evaluation_names, evaluation);
}

}  // namespace quartic
