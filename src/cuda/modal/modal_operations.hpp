// Modal batches on a device.
#pragma once

#include "core/modal/modal_operations.hpp"

namespace quartic::cuda {

extern const ModalOperations modal_operations;

}  // namespace quartic::cuda
