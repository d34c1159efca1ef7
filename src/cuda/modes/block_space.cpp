#include "cuda/modes/block_space.hpp"

#include <utility>

#include "cuda/algebra/block_algebra.hpp"
#include "cuda/base/matrix_copies.hpp"

namespace quartic::cuda {
ModesMethod CudaBlockSpace::faster_method() const {
  return system_.factor().solves_together() ? ModesMethod::lobpcg : ModesMethod::lanczos;
}

DeviceMatrix CudaBlockSpace::times(const SparseView& a, const Block& x) const {
  DeviceMatrix y(x.rows(), x.cols(), stream());
  multiply(a, x, y, stream());
  return y;
}

DeviceMatrix CudaBlockSpace::solve(Block b) {
  solves_ += static_cast<int>(b.cols());
  system_.factor().solve(b);
  return b;
}

void CudaBlockSpace::project(Block& x) const {
  remove(system_.rigid(), system_.mass_rigid(), x);
}

void CudaBlockSpace::project_forces(Block& f) const {
  remove(system_.mass_rigid(), system_.rigid(), f);
}

void CudaBlockSpace::remove(const DeviceMatrix& q, const DeviceMatrix& p, Block& x) const {
  if (q.cols() == 0 || x.cols() == 0) return;
  const auto n = static_cast<int>(x.rows()), m = static_cast<int>(x.cols()), r = static_cast<int>(q.cols());
  const DeviceMatrix c(r, m, stream());
  system_.cublas().multiply(CUBLAS_OP_T, CUBLAS_OP_N, r, m, n, 1, p.const_view(), x.const_view(), 0, c.view());
  system_.cublas().multiply(CUBLAS_OP_N, CUBLAS_OP_N, n, m, r, -1, q.const_view(), c.const_view(), 1, x.view());
}

DeviceMatrix CudaBlockSpace::random(Eigen::Index cols) {
  Eigen::MatrixXd x(rows(), cols);
  for (Eigen::Index i = 0; i < x.size(); ++i) x.data()[i] = static_cast<double>(engine_() >> 11) * 0x1p-52 - 1;
  return from_host(x);
}

DeviceMatrix CudaBlockSpace::zeros(Eigen::Index cols) const {
  DeviceMatrix x(rows(), cols, stream());
  x.fill_zero(stream());
  return x;
}

void CudaBlockSpace::copy_columns(const double* from, Block& to, std::int64_t first, std::int64_t count) const {
  if (count == 0) return;
  const std::size_t bytes = static_cast<std::size_t>(to.rows() * count) * sizeof(double);
  check(cudaMemcpyAsync(to.col(first), from, bytes, cudaMemcpyDeviceToDevice, stream()), "copy on the device");
}

DeviceMatrix CudaBlockSpace::copy(const Block& x) const {
  DeviceMatrix y(x.rows(), x.cols(), stream());
  copy_columns(x.data(), y, 0, x.cols());
  return y;
}

DeviceMatrix CudaBlockSpace::select(const Block& x, const std::vector<Eigen::Index>& columns) const {
  DeviceMatrix y(x.rows(), std::ssize(columns), stream());
  for (std::size_t j = 0; j < columns.size(); ++j) copy_columns(x.col(columns[j]), y, static_cast<std::int64_t>(j), 1);
  return y;
}

DeviceMatrix CudaBlockSpace::from_host(const Eigen::MatrixXd& x) const {
  return to_device(x, stream());
}

Matrix CudaBlockSpace::to_host(const Block& x, Eigen::Index columns) const {
  Matrix y(x.rows(), columns);
  x.copy_to(y.values, stream());
  return y;
}

void CudaBlockSpace::append(Block& x, const Block& more) const {
  DeviceMatrix both(rows(), x.cols() + more.cols(), stream());
  copy_columns(x.data(), both, 0, x.cols());
  copy_columns(more.data(), both, x.cols(), more.cols());
  x = std::move(both);
}

Eigen::MatrixXd CudaBlockSpace::inner(const Block& x, const Block& y) const {
  Eigen::MatrixXd result(x.cols(), y.cols());
  if (result.size() == 0) return result;
  const auto a = static_cast<int>(x.cols()), b = static_cast<int>(y.cols());
  const DeviceMatrix product(a, b, stream());
  system_.cublas().multiply(CUBLAS_OP_T, CUBLAS_OP_N, a, b, static_cast<int>(x.rows()), 1, x.const_view(),
                            y.const_view(), 0, product.view());
  product.copy_to({result.data(), static_cast<std::size_t>(result.size())}, stream());
  return result;
}

void CudaBlockSpace::add_product(Block& y, const Block& x, const Eigen::MatrixXd& c) const {
  if (c.size() == 0) return;
  const DeviceMatrix factors = to_device(c, stream());
  system_.cublas().multiply(CUBLAS_OP_N, CUBLAS_OP_N, static_cast<int>(y.rows()), static_cast<int>(c.cols()),
                            static_cast<int>(c.rows()), 1, x.const_view(), factors.const_view(), 1, y.view());
}

void CudaBlockSpace::add_scaled(Block& y, const Block& x, const Eigen::VectorXd& c) const {
  const DeviceMatrix factors = to_device(c, stream());
  cuda::add_scaled(y, x, factors.data(), stream());
}

void CudaBlockSpace::scale_and_add(Block& y, const Eigen::VectorXd& c, const Block& x) const {
  const DeviceMatrix factors = to_device(c, stream());
  cuda::scale_and_add(y, factors.data(), x, stream());
}

Eigen::VectorXd CudaBlockSpace::column_products(const Block& x, const Block& y) const {
  const std::int64_t segments = (x.rows() + segment_rows - 1) / segment_rows;
  const DeviceMatrix on_device(segments, x.cols(), stream());
  sum_products(x, y, on_device.data(), stream());
  Eigen::MatrixXd sums(segments, x.cols());
  on_device.copy_to({sums.data(), static_cast<std::size_t>(sums.size())}, stream());
  Eigen::VectorXd result = Eigen::VectorXd::Zero(x.cols());
  for (Eigen::Index segment = 0; segment < segments; ++segment) result += sums.row(segment).transpose();
  return result;
}

}  // namespace quartic::cuda
