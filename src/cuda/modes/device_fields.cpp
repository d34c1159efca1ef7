#include "cuda/modes/device_fields.hpp"

#include <algorithm>
#include <utility>

#include "cuda/base/kept_memory.hpp"
#include "cuda/modes/block_space.hpp"
#include "cuda/modes/mass_qr.hpp"

namespace quartic::cuda {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

CudaFields::CudaFields(CudaElasticSystem& system, DeviceMatrix fields)
    : system_(system), fields_(std::move(fields)), count_(fields_.cols()) {}

// By panels, to bound the memory of the products.
VectorXd CudaFields::mass_norms() const {
  const DeviceGuard guard(system_.device());
  const KeptMemory kept;
  const CudaBlockSpace space(system_);
  VectorXd norms(count_);
  for (Index first = 0; first < count_; first += qr_panel_size) {
    const Index width = std::min(qr_panel_size, count_ - first);
    DeviceMatrix panel(fields_.rows(), width, system_.stream());
    for (Index j = 0; j < width; ++j) copy_column(fields_.col(first + j), panel.col(j));
    norms.segment(first, width) = space.column_products(panel, space.mass_times(panel)).cwiseMax(0).cwiseSqrt();
  }
  return norms;
}

void CudaFields::copy_column(const double* from, double* to) const {
  check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(fields_.rows()) * sizeof(double), cudaMemcpyDeviceToDevice,
                        system_.stream()),
        "copy on the device");
}

// In place: those that are left out go to the end, which makes the order a permutation, along whose cycles columns
// move.
void CudaFields::arrange(const std::vector<Index>& order, const VectorXd& scales) {
  const DeviceGuard guard(system_.device());
  const CudaBlockSpace space(system_);
  std::vector<Index> source = order;
  std::vector<bool> used(static_cast<std::size_t>(count_)), done(used.size());
  for (const Index j : order) used[static_cast<std::size_t>(j)] = true;
  for (std::size_t j = 0; j < used.size(); ++j)
    if (!used[j]) source.push_back(static_cast<Index>(j));
  DeviceMatrix saved(fields_.rows(), 1, system_.stream());
  for (std::size_t start = 0; start < source.size(); ++start) {
    if (done[start]) continue;
    copy_column(fields_.col(static_cast<Index>(start)), saved.data());
    std::size_t at = start;
    while (!done[at]) {
      done[at] = true;
      const auto from = static_cast<std::size_t>(source[at]);
      copy_column(from == start ? saved.data() : fields_.col(source[at]), fields_.col(static_cast<Index>(at)));
      at = from;
    }
  }
  count_ = std::ssize(order);
  for (Index j = 0; j < count_; ++j) {
    DeviceMatrix scaled = space.zeros(1);
    copy_column(fields_.col(j), saved.data());
    space.add_scaled(scaled, saved, scales.segment(j, 1));
    copy_column(scaled.data(), fields_.col(j));
  }
}

MatrixXd CudaFields::orthonormalize() {
  const DeviceGuard guard(system_.device());
  const KeptMemory kept;
  DevicePanels panels(system_, fields_);
  MatrixXd r = mass_qr_by_panels(panels, count_);
  count_ = r.rows();
  return r;
}

void CudaFields::combine(const MatrixXd& coefficients) {
  const DeviceGuard guard(system_.device());
  const CudaBlockSpace space(system_);
  DeviceMatrix combined = space.zeros(coefficients.cols());
  space.add_product(combined, fields_, coefficients);
  fields_ = std::move(combined);
  count_ = coefficients.cols();
}

void CudaFields::remove_rigid_motions() {
  const DeviceGuard guard(system_.device());
  CudaBlockSpace(system_).project(fields_);
}

MatrixXd CudaFields::mass_products() const {
  const DeviceGuard guard(system_.device());
  const CudaBlockSpace space(system_);
  return space.inner(fields_, space.mass_times(fields_)).topLeftCorner(count_, count_);
}

Matrix CudaFields::to_host() const {
  const DeviceGuard guard(system_.device());
  return CudaBlockSpace(system_).to_host(fields_, count_);
}

}  // namespace quartic::cuda
