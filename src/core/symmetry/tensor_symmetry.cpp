#include "core/energy/parity.hpp"
#include "quartic/symmetry.hpp"

namespace quartic {

TensorSymmetry tensor_symmetry(const QuarticEnergy& energy) {
  const Parities found = parities(energy);
  return {.parities = found.count, .work_share = work_share(found)};
}

}  // namespace quartic
