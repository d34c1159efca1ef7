// The shared memory that a launch asks for.
#pragma once

#include <cuda_runtime.h>

#ifndef QUARTIC_CUDA_ON_HOST  // there, the stand-in for the CUDA headers has it
__device__ inline unsigned char* shared_memory() {
  extern __shared__ __align__(16) unsigned char bytes[];
  return bytes;
}
#endif
