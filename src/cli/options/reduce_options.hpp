// What `reduce` and `modes` share beyond the body: how the model is computed and reported.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/body_options.hpp"
#include "cli/options/relax_options.hpp"
#include "cli/options/surface_options.hpp"
#include "quartic/model.hpp"

namespace quartic::cli {

struct ReduceArguments {
  BodyOptions body;
  SurfaceOptions surface;  ///< of `reduce` alone
  RelaxArguments relax;    ///< likewise
  std::optional<int> modes, rank;
  std::string mass = "consistent";
  std::string backend = "cpu";
  std::string derivatives = "static";
  std::vector<std::string> chambers;  ///< names, of `reduce` alone
  CubatureOptions cubature;           ///< likewise
  bool takes_cubature = false;        ///< one of its options was given
  double stiff_share = 0;
  bool no_derivatives = false;
  bool no_mirror_planes = false;
  bool region_parts = false;
  bool modes_only = false;  ///< the command is `modes`
  std::string snapshots;    ///< the basis comes from this file
  double separation = 0;    ///< that the snapshots keep
  std::string output;
  bool json = false;
};

/// Adds the options that both commands have.
void add_reduce_arguments(CLI::App& command, ReduceArguments& arguments);

/// Reads the body, computes the model, writes it and reports.
void run_reduce(const ReduceArguments& arguments);

}  // namespace quartic::cli
