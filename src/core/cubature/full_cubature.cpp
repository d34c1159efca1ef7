#include "core/cubature/mesh_points.hpp"
#include "quartic/cubature_training.hpp"

namespace quartic {

Cubature full_cubature(const VolumeMesh& mesh, MatrixRef basis, ControlVariate base) {
  const PreparedMesh prepared(mesh);
  require_cubature_basis(prepared, basis);
  Cubature cubature = points_of(prepared, basis, all_points(mesh));
  set_base(prepared, basis, base, cubature);
  return cubature;
}

}  // namespace quartic
