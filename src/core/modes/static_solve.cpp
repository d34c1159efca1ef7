#include "core/modes/static_solve.hpp"

#include "core/modes/device_system.hpp"
#include "core/modes/elastic_system.hpp"
#include "cpu/modes/block_space.hpp"

namespace quartic {

void ElasticSystem::Impl::solve_static(Eigen::Ref<Eigen::MatrixXd> f) const {
  if (device != nullptr) {
    device->solve_static(f);
    return;
  }
  if (rigid.cols() == 0) {  // in place
    factor->solve(f);
    return;
  }
  CpuBlockSpace space(*this);
  Eigen::MatrixXd block = f;
  quartic::solve_static(space, block);
  f = block;
}

}  // namespace quartic
