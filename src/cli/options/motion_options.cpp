#include "cli/options/motion_options.hpp"

#include <map>
#include <string>
#include <vector>

#include "cli/options/arguments.hpp"
#include "cli/values/option_checks.hpp"
#include "quartic/error.hpp"
#include "quartic/participation.hpp"

namespace quartic::cli {

namespace {

std::map<std::string, Integrator> integrators_by_name() {
  std::map<std::string, Integrator> result;
  for (int i = 0; i < integrator_count; ++i) {
    const auto integrator = static_cast<Integrator>(i);
    result.emplace(integrator_name(integrator), integrator);
  }
  return result;
}

}  // namespace

void add_frame_options(CLI::App& command, MotionOptions& options) {
  constexpr double most = 1e12;  // far beyond any memory, far below an overflow
  command.add_option("--steps", options.frames, "Frames N after the start")
      ->check(positive_number() & CLI::Range(1.0, most))
      ->capture_default_str();
  command.add_option("--dt", options.frame_time, "Time between frames [s]")
      ->check(positive_number())
      ->capture_default_str();
  command.add_option("--substeps", options.substeps, "Steps from one frame to the next")
      ->check(positive_number())
      ->capture_default_str();
}

void add_integration_options(CLI::App& command, MotionOptions& options, bool exponential) {
  const auto integration = "Integration";
  std::vector<std::string> names;
  for (const auto& [name, integrator] : integrators_by_name()) names.push_back(name);
  if (exponential) names.emplace_back(exponential_integrator);
  command.add_option("--integrator", options.integrator, "Time stepping")
      ->check(CLI::IsMember(names))
      ->capture_default_str()
      ->group(integration);
  command.add_option("--newton", options.batch.newton_iterations, "Newton iterations per step")
      ->check(positive_number())
      ->capture_default_str()
      ->group(integration);
  command.add_option("--rayleigh-mass", options.batch.rayleigh_mass, "Damping by the mass matrix [1/s]")
      ->check(non_negative_number())
      ->capture_default_str()
      ->group(integration);
  command.add_option("--rayleigh-stiffness", options.batch.rayleigh_stiffness, "Damping by the stiffness matrix [s]")
      ->check(non_negative_number())
      ->capture_default_str()
      ->group(integration);
  command
      .add_option("--damping-ratios", options.damping_ratios,
                  "F1,RATIO1,F2,RATIO2: both Rayleigh numbers from damping ratios at two frequencies [Hz]")
      ->check(given())
      ->excludes("--rayleigh-mass")
      ->excludes("--rayleigh-stiffness")
      ->group(integration);
}

void add_strain_damping_option(CLI::App& command, MotionOptions& options) {
  command
      .add_option("--strain-damping", options.strain_damping,
                  "Damping by strain rates beside Rayleigh's: the viscous stress is this time [s] times the elastic "
                  "moduli times the strain's rate")
      ->check(non_negative_number())
      ->group("Integration");
}

void set_decay(const std::string& t60, BatchOptions& options) {
  if (t60.empty()) return;
  const RayleighDamping damping = parse_decay_times("--t60", t60);
  options.rayleigh_mass = damping.mass;
  options.rayleigh_stiffness = damping.stiffness;
}

void add_warp_option(CLI::App& command, std::string& warp, const std::string& description) {
  command.add_option("--warp", warp, description)->check(CLI::IsMember({"none", "modal", "rotation-strain"}));
}

Warp parse_warp(const std::string& name) {
  if (name == "modal") return Warp::modal;
  return name == "rotation-strain" ? Warp::rotation_strain : Warp::none;
}

double step_share(Integrator integrator) {
  return integrator == Integrator::newmark || integrator == Integrator::backward_euler ? 1 : 0.5;
}

RayleighDamping parse_decay_times(const std::string& option, const std::string& text) {
  const std::vector<double> numbers = parse_numbers(option, text);
  if (numbers.empty() || numbers.size() % 2 != 0)
    throw UsageError(option + " takes pairs of a frequency [Hz] and a time [s], F1,T1[,F2,T2,...], not '" + text + "'");
  std::vector<DecayTime> times;
  for (std::size_t n = 0; n < numbers.size(); n += 2) times.push_back({numbers[n], numbers[n + 1]});
  try {
    return rayleigh_damping(times);
  } catch (const InputError& error) {
    throw InputError(option + ": " + error.what());
  }
}

BatchOptions batch_options(const MotionOptions& options, bool unreduced) {
  BatchOptions result = options.batch;
  if (options.integrator != exponential_integrator) result.integrator = integrators_by_name().at(options.integrator);
  if (!options.damping_ratios.empty()) {
    const auto [f1, ratio1, f2, ratio2] = parse_numbers<4>("--damping-ratios", options.damping_ratios);
    const RayleighDamping damping = rayleigh_damping({f1, ratio1}, {f2, ratio2});
    result.rayleigh_mass = damping.mass;
    result.rayleigh_stiffness = damping.stiffness;
  }
  if (unreduced && result.integrator != Integrator::newmark && result.integrator != Integrator::backward_euler)
    throw UsageError("an unreduced body is stepped by --integrator newmark or backward-euler, not by " +
                     options.integrator);
  return result;
}

}  // namespace quartic::cli
