// Batches and vertices in device memory, on a CUDA stream of the caller's: for rendering, learning and other programs
// that keep their data on the GPU. Link `quartic::cuda`. `quartic/cuda/batch.hpp`, `embedding.hpp` and `world.hpp`
// are the only headers that use CUDA types.
//
// Contract of every function that takes a stream:
// - It only enqueues work in that stream: it doesn't synchronise, allocate (but see `step`) or read host memory, and
//   may be captured into a graph of the caller's. Errors of the work itself are reported at the next synchronisation.
// - Arrays are device pointers of the device that the batch or embedding was made on, whichever device is current. The
//   null stream is that device's default stream.
// - The order of summation is fixed: results are bitwise the same in each run and for each number of bodies.
// - Arguments are checked before anything is enqueued. @throws InputError, also for pointers that the device can't use;
//   DeviceError if a CUDA call fails
#pragma once

#include "quartic/cuda/batch.hpp"
#include "quartic/cuda/device_state.hpp"
#include "quartic/cuda/embedding.hpp"
#include "quartic/cuda/vertices.hpp"
#include "quartic/cuda/world.hpp"
