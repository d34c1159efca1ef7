#include "measure/machine_rates.hpp"
#include "measure/measurements.hpp"

namespace quartic::measure {
namespace {

constexpr int blas_size = 1024;

}  // namespace

std::vector<Measurement> measure_machine(const Plan& plan) {
  std::vector<Measurement> results;
  std::vector<int> threads = {1};
  if (plan.threads > 1) threads.push_back(plan.threads);
  for (const int t : threads) {
    const std::string suffix = t == 1 ? ", 1 thread" : ", " + std::to_string(t) + " threads";
    const auto add = [&](const std::string& name, double rate, const char* unit) {
      results.push_back({.name = name + suffix, .value = rate * 1e-9, .unit = unit});
    };
    const auto add_share = [&](const std::string& name, double rate, double peak) {
      results.push_back({.name = name + suffix,
                         .value = rate * 1e-9,
                         .unit = "GFLOP/s",
                         .baseline = "multiply-add",
                         .baseline_value = peak * 1e-9,
                         .ratio = rate / peak});
    };
    const double peak_float = multiply_add_rate<float>(t, plan.effort);
    const double peak_double = multiply_add_rate<double>(t, plan.effort);
    add("multiply-add float", peak_float, "GFLOP/s");
    add("multiply-add double", peak_double, "GFLOP/s");
    add_share("sgemm", gemm_rate<float>(t, blas_size, plan.effort), peak_float);
    add_share("dgemm", gemm_rate<double>(t, blas_size, plan.effort), peak_double);
    add_share("dsyrk", syrk_rate(t, blas_size, plan.effort), peak_double);
    add("copy", copy_rate(t, plan.effort), "GB/s");
  }
  return results;
}

}  // namespace quartic::measure
