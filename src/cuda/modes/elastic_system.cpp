#include "cuda/modes/elastic_system.hpp"

#include <algorithm>
#include <span>

#include "core/modes/solve_modes.hpp"
#include "core/modes/static_solve.hpp"
#include "cuda/base/devices.hpp"
#include "cuda/base/kept_memory.hpp"
#include "cuda/base/matrix_copies.hpp"
#include "cuda/modes/block_space.hpp"
#include "cuda/modes/reduction_memory.hpp"

namespace quartic::cuda {
namespace {

// Those that were assembled on the device, or null: the caller's, on the host.
const CudaElasticMatrices* assembled(const ElasticSystem::Impl& host) {
  return dynamic_cast<const CudaElasticMatrices*>(host.matrices.get());
}

// What stays on the device beside the factor.
std::size_t system_bytes(const ElasticSystem::Impl& host) {
  return (assembled(host) != nullptr ? 0
                                     : DeviceSparseMatrix::estimated_bytes(host.stiffness_free()) +
                                           DeviceSparseMatrix::estimated_bytes(host.mass_free())) +
         static_cast<std::size_t>(2 * host.rigid.size()) * sizeof(double) + Cublas::workspace_bytes;
}

const ElasticSystem::Impl& checked_size(const ElasticSystem::Impl& host) {
  require_device_memory(system_bytes(host), "the system of a body's stiffness and mass");
  return host;
}

}  // namespace

CudaElasticSystem::CudaElasticSystem(const ElasticSystem::Impl& host)
    : host_(checked_size(host)),
      factorization_(dynamic_cast<CudaFactorization&>(host.factor->impl())),
      guard_(std::make_unique<DeviceGuard>(factorization_.device())),
      cublas_("the backend 'cuda' of linear modes", "the backend 'cpu'"),
      cublas_workspace_(static_cast<std::int64_t>(Cublas::workspace_bytes), stream()),
      rigid_(to_device(host.rigid, stream())),
      mass_rigid_(to_device(host.mass_rigid, stream())) {
  if (const CudaElasticMatrices* there = assembled(host)) {
    stiffness_ = &there->device_stiffness();
    mass_ = &there->device_mass();
  } else {
    own_stiffness_ = std::make_unique<const DeviceSparseMatrix>(host.stiffness_free(), stream());
    own_mass_ = std::make_unique<const DeviceSparseMatrix>(host.mass_free(), stream());
    stiffness_ = own_stiffness_.get();
    mass_ = own_mass_.get();
  }
  cublas_.use(stream(), cublas_workspace_);
  guard_.reset();
}

CudaElasticSystem::~CudaElasticSystem() {
  guard_ = try_device(device());
}

FoundModes CudaElasticSystem::solve_modes(const ModesOptions& options) {
  const DeviceGuard guard(device());
  const KeptMemory kept;
  require_device_memory(eigensolver_bytes(host_.free_count(), options.count), "the eigensolver");
  CudaBlockSpace space(*this, options.seed);
  return quartic::solve_modes(space, host_, options);
}

void CudaElasticSystem::solve_static(DeviceMatrix& f) {
  CudaBlockSpace space(*this);
  quartic::solve_static(space, f);
}

void CudaElasticSystem::solve_static(Eigen::Ref<Eigen::MatrixXd> f) {
  const DeviceGuard guard(device());
  const KeptMemory kept;
  Matrix block = to_matrix(f);
  DeviceMatrix on_device(block.rows, block.cols, block.values, stream());
  solve_static(on_device);
  on_device.copy_to(block.values, stream());
  f = block.map();
}

}  // namespace quartic::cuda
