// How the kernels of a time step are started.
#pragma once

namespace quartic::cuda {

/// Tiles that are at work together, and what their kernels' grids are made of.
struct StepShape {
  int first_tile = 0;  // in the batch
  int tiles = 0;
  int row_blocks = 0;     // the largest of the models' at work
  int strain_blocks = 0;  // likewise
  int rank = 0;           // likewise
  int multiprocessors = 1;
  bool system_in_shared_memory = true;
  bool has_frame = false;  // bodies are free
  bool has_chambers = false;
};

}  // namespace quartic::cuda
