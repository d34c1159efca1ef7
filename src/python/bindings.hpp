// What each file adds to the module `quartic._core`.
#pragma once

#include <nanobind/nanobind.h>

namespace quartic::python {

void bind_devices(nanobind::module_& module);
void bind_materials(nanobind::module_& module);
void bind_meshes(nanobind::module_& module);
void bind_mesh_files(nanobind::module_& module);
void bind_mesh_checks(nanobind::module_& module);
void bind_shapes(nanobind::module_& module);
void bind_loads(nanobind::module_& module);
void bind_supports(nanobind::module_& module);
void bind_energies(nanobind::module_& module);
void bind_symmetry(nanobind::module_& module);
void bind_frames(nanobind::module_& module);
void bind_matrices(nanobind::module_& module);
void bind_elements(nanobind::module_& module);  ///< by bind_matrices
void bind_unreduced(nanobind::module_& module);
void bind_bases(nanobind::module_& module);
void bind_snapshots(nanobind::module_& module);  ///< by bind_bases, as the next
void bind_sketches(nanobind::module_& module);
void bind_modes(nanobind::module_& module);
void bind_models(nanobind::module_& module);
void bind_reduction(nanobind::module_& module);
void bind_ranges(nanobind::module_& module);
void bind_relaxations(nanobind::module_& module);
void bind_cubatures(nanobind::module_& module);
void bind_chambers(nanobind::module_& module);
void bind_groups(nanobind::module_& module);
void bind_batches(nanobind::module_& module);
void bind_contacts(nanobind::module_& module);
void bind_jax_step(nanobind::module_& module);  ///< nothing without XLA's headers
void bind_editing(nanobind::module_& module);
void bind_embeddings(nanobind::module_& module);
void bind_surfaces(nanobind::module_& module);
void bind_trajectories(nanobind::module_& module);
void bind_held_modes(nanobind::module_& module);
void bind_warping(nanobind::module_& module);

}  // namespace quartic::python
