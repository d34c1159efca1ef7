// Products of the models' coefficients with the bodies that have candidates.
#pragma once

#include "cuda/base/runtime.hpp"
#include "cuda/contact/near_view.hpp"

namespace quartic::cuda {

/// All products of the seats that are open. @param flies whether any body does
void multiply_near_bodies(const NearView& near, bool flies, cudaStream_t stream);

}  // namespace quartic::cuda
