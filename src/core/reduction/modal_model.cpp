// What draws motions in linear modes.
#include "quartic/error.hpp"
#include "quartic/fem.hpp"
#include "quartic/model.hpp"
#include "quartic/participation.hpp"
#include "quartic/trajectory.hpp"

namespace quartic {

ReducedModel modal_model(const ReducedModel& model) {
  if (model.eigenvalues.empty())
    throw InputError(
        "the model has no linear modes: they were those of other materials, if it was edited; reduce again");
  ReducedModel modal;
  modal.mesh = model.mesh;
  modal.fixed_vertices = model.fixed_vertices;
  modal.constraints = model.constraints;
  modal.mass_matrix = model.mass_matrix;
  modal.rigid_modes = model.rigid_modes;
  modal.eigenvalues = model.eigenvalues;
  modal.linear_modes = model.linear_modes;
  modal.basis = model.linear_modes;
  modal.unit_acceleration =
      model.rank() == 0 ? model.unit_acceleration
                        : participation_factors(mass_matrix(model.mesh, model.mass_matrix), model.linear_modes.map());
  modal.surface = model.surface;
  return modal;
}

}  // namespace quartic
