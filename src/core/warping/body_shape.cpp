// Where coordinates take vertices: linearly, or warped.
#include <string>

#include "quartic/error.hpp"
#include "quartic/model.hpp"
#include "quartic/warping.hpp"

namespace quartic {
namespace {

StateView<const double> one_body(std::span<const double> q) {
  return {q.data(), std::ssize(q), 1, 1, std::ssize(q)};
}

/// U q
class LinearShape final : public BodyShape {
 public:
  /// @param basis must outlive this object
  explicit LinearShape(const Matrix& basis) : basis_(basis) {}
  explicit LinearShape(Matrix&& basis) : own_(std::move(basis)), basis_(own_) {}
  LinearShape(const LinearShape&) = delete;
  LinearShape& operator=(const LinearShape&) = delete;
  [[nodiscard]] std::int64_t rank() const override { return basis_.cols; }
  [[nodiscard]] std::int64_t vertex_count() const override { return basis_.rows / 3; }
  [[nodiscard]] const Matrix* basis() const override { return &basis_; }

 private:
  void fill(std::span<const double> q, std::span<double> displacements) const override {
    Eigen::VectorXd::Map(displacements.data(), basis_.rows).noalias() =
        basis_.map() * Eigen::VectorXd::Map(q.data(), basis_.cols);
  }

  Matrix own_;
  const Matrix& basis_;
};

class ModalShape final : public BodyShape {
 public:
  explicit ModalShape(ModalWarp warp) : warp_(std::move(warp)) {}
  [[nodiscard]] std::int64_t rank() const override { return warp_.rank(); }
  [[nodiscard]] std::int64_t vertex_count() const override { return warp_.vertex_count(); }

 private:
  void fill(std::span<const double> q, std::span<double> displacements) const override {
    warp_.displacements<double>(one_body(q), {}, displacements);
  }

  ModalWarp warp_;
};

/// Of the mesh's vertices, or of a surface that hangs on them.
class RotationStrainShape final : public BodyShape {
 public:
  RotationStrainShape(const ReducedModel& model, const SurfaceEmbedding* surface)
      : basis_(model.basis), warp_(model.mesh, model.fixed_vertices) {
    if (surface != nullptr) surface_ = *surface;
  }
  [[nodiscard]] std::int64_t rank() const override { return basis_.cols; }
  [[nodiscard]] std::int64_t vertex_count() const override {
    return surface_ ? surface_->vertex_count() : warp_.vertex_count();
  }

 private:
  void fill(std::span<const double> q, std::span<double> displacements) const override {
    Matrix warped = warp_.warp(basis_.map() * Eigen::VectorXd::Map(q.data(), basis_.cols));
    if (surface_) warped = surface_basis(*surface_, warped.map());
    std::copy(warped.values.begin(), warped.values.end(), displacements.begin());
  }

  const Matrix& basis_;
  RotationStrainWarp warp_;
  std::optional<SurfaceEmbedding> surface_;
};

void require_warpable(const ReducedModel& model, Warp warp) {
  if (model.rank() < 1) throw InputError("the model has no basis, so there is nothing that moves");
  if (warp == Warp::none) return;
  if (!model.constraints.empty() || !model.mesh.joints.empty())
    throw InputError(
        "warping knows bodies that are held by whole vertices, or free; this one is held in single directions or has "
        "joints, which a warp wouldn't keep: show it without warp");
}

std::unique_ptr<BodyShape> make_shape(const ReducedModel& model, const SurfaceEmbedding* surface, Warp warp) {
  require_warpable(model, warp);
  const auto basis = model.basis.map();
  switch (warp) {
    case Warp::none:
      if (surface != nullptr) return std::make_unique<LinearShape>(surface_basis(*surface, basis));
      return std::make_unique<LinearShape>(model.basis);
    case Warp::modal:
      return std::make_unique<ModalShape>(surface != nullptr ? ModalWarp(model.mesh, basis, *surface)
                                                             : ModalWarp(model.mesh, basis));
    case Warp::rotation_strain:
      return std::make_unique<RotationStrainShape>(model, surface);
  }
  throw InputError("there is no warp of the number " + std::to_string(static_cast<int>(warp)));
}

}  // namespace

BodyShape::~BodyShape() = default;

void BodyShape::displacements(std::span<const double> q, std::span<double> displacements) const {
  if (std::ssize(q) != rank() || std::ssize(displacements) != 3 * vertex_count())
    throw InputError("the shape takes " + std::to_string(rank()) + " coordinates to " +
                     std::to_string(3 * vertex_count()) + " numbers, not " + std::to_string(q.size()) + " to " +
                     std::to_string(displacements.size()));
  fill(q, displacements);
}

std::unique_ptr<BodyShape> body_shape(const ReducedModel& model, Warp warp) {
  return make_shape(model, nullptr, warp);
}

std::unique_ptr<BodyShape> surface_shape(const ReducedModel& model, const SurfaceEmbedding& surface, Warp warp) {
  return make_shape(model, &surface, warp);
}

}  // namespace quartic
