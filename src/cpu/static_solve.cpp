#include "core/static_solve.hpp"

#include "core/device_system.hpp"
#include "core/elastic_system.hpp"
#include "cpu/block_space.hpp"

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
