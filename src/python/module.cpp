// The extension module `quartic._core`, which the package `quartic` shows as its own.
#include "python/arrays/array.hpp"
#include "python/bindings.hpp"
#include "python/errors.hpp"
#include "python/sound_bindings.hpp"
#include "quartic/version.hpp"

NB_MODULE(_core, module) {
  namespace python = quartic::python;
  module.doc() = "Reduced-order simulation of deformable bodies: the library quartic.";
  module.attr("version") = quartic::version;
  python::bind_errors(module);
  python::bind_arrays(module);
  python::bind_devices(module);
  python::bind_materials(module);
  python::bind_meshes(module);
  python::bind_mesh_files(module);
  python::bind_mesh_checks(module);
  python::bind_shapes(module);
  python::bind_supports(module);
  python::bind_loads(module);
  python::bind_energies(module);
  python::bind_symmetry(module);
  python::bind_frames(module);
  python::bind_matrices(module);
  python::bind_modes(module);
  python::bind_relaxations(module);
  python::bind_cubatures(module);
  python::bind_models(module);
  python::bind_reduction(module);
  python::bind_ranges(module);
  python::bind_chambers(module);
  python::bind_groups(module);
  python::bind_batches(module);
  python::bind_unreduced(module);
  python::bind_bases(module);
  python::bind_jax_step(module);
  python::bind_editing(module);
  python::bind_embeddings(module);
  python::bind_surfaces(module);
  python::bind_contacts(module);
  python::bind_trajectories(module);
  python::bind_modal_batches(module);
  python::bind_exponential(module);
  python::bind_sounds(module);
  python::bind_streaming(module);
  python::bind_warping(module);
  python::bind_held_modes(module);
}
