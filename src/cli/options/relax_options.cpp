#include "cli/options/relax_options.hpp"

#include <algorithm>
#include <vector>

#include "cli/options/arguments.hpp"
#include "quartic/sketch.hpp"

namespace quartic::cli {

namespace {

// A column per load of the recording.
Matrix read_loads(const std::string& path, std::int64_t vertices) {
  const std::vector<RecordedLoad> recorded = read_recorded_loads(path, vertices);
  Matrix loads(3 * vertices, std::ssize(recorded));
  for (std::size_t n = 0; n < recorded.size(); ++n)
    std::ranges::copy(force_vector(recorded[n].forces, vertices), loads.col(static_cast<std::int64_t>(n)).begin());
  return loads;
}

}  // namespace

void add_relax_options(CLI::App& command, RelaxArguments& arguments) {
  command
      .add_option("--relax", arguments.relax,
                  "Relax strains, so that the model locks less: off, a share from 0 to 1 (0.75 for any body, 0.9 to "
                  "0.95 for thin ones), or automatic, which calibrates it with unreduced equilibria")
      ->capture_default_str();
  command.add_option("--relax-loads", arguments.loads,
                     "Recorded forces (.csv) that --relax automatic calibrates with before its own");
}

RelaxOptions parse_relax(const RelaxArguments& arguments, std::int64_t vertices) {
  RelaxOptions options;
  options.automatic = arguments.relax == "automatic";
  if (!arguments.loads.empty()) {
    if (!options.automatic) throw UsageError("--relax-loads needs --relax automatic");
    options.loads = read_loads(arguments.loads, vertices);
  }
  if (options.automatic || arguments.relax == "off") return options;
  try {
    options.share = parse_numbers<1>("--relax", arguments.relax)[0];
  } catch (const UsageError&) {
    options.share = -1;
  }
  if (!(*options.share >= 0 && *options.share <= 1))
    throw UsageError("--relax takes off, a share from 0 to 1, or automatic, not '" + arguments.relax + "'");
  return options;
}

}  // namespace quartic::cli
