// Marks functions that kernels call, too.
#pragma once

#ifdef __CUDACC__
#define QUARTIC_HD __host__ __device__
#else
#define QUARTIC_HD
#endif
