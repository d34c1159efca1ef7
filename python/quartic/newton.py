"""Reduced bodies in Newton: a solver whose bodies are the particles of `add_body`, one in each world.

The particles are where the reduced bodies are; they have mass, so that other parts of Newton see them, but no elements of their own.
Forces that anything puts into `State.particle_f`, contacts for example, act on the bodies.
"""

from __future__ import annotations

from typing import Any

import newton
import numpy as np
import warp as wp

from . import _core


@wp.kernel
def _gather_forces(particle_f: wp.array[wp.vec3], gravity: wp.array[wp.vec3], first: wp.array[int], rotation: wp.array[wp.mat33],
                   unit_acceleration: wp.array2d[float], vertex_force: wp.array3d[float], reduced: wp.array2d[float]):  # type: ignore[no-untyped-def]
    """Forces in the axes of each body: of its vertices, and reduced those of gravity."""
    body, n = wp.tid()
    back = wp.transpose(rotation[body])
    if n < vertex_force.shape[1]:
        f = back * particle_f[first[body] + n]
        for axis in range(3):
            vertex_force[body, n, axis] = f[axis]
    if n < reduced.shape[1]:
        g = back * gravity[body]
        reduced[body, n] = g[0] * unit_acceleration[0, n] + g[1] * unit_acceleration[1, n] + g[2] * unit_acceleration[2, n]


@wp.kernel
def _place_particles(position: wp.array3d[float], velocity: wp.array3d[float], first: wp.array[int], origin: wp.array[wp.vec3],
                     rotation: wp.array[wp.mat33], particle_q: wp.array[wp.vec3], particle_qd: wp.array[wp.vec3]):  # type: ignore[no-untyped-def]
    body, n = wp.tid()
    x = wp.vec3(position[body, n, 0], position[body, n, 1], position[body, n, 2])
    v = wp.vec3(velocity[body, n, 0], velocity[body, n, 1], velocity[body, n, 2])
    particle_q[first[body] + n] = origin[body] + rotation[body] * x
    particle_qd[first[body] + n] = rotation[body] * v


def add_body(builder: Any, model: _core.ReducedModel, xform: Any = None) -> int:
    """Adds the vertices of a held model as particles, and its boundary as triangles without stiffness. Returns the first particle.

    Replicate the builder for more worlds: the bodies of all of them are one batch of `SolverQuartic`.
    """
    if len(model.fixed_vertices) == 0 and not model.supports.constraints and model.rigid_modes == 6:
        raise _core.InputError("the model is free; in Newton, bodies are held: reduce it with supports")
    place = wp.transform_identity() if xform is None else wp.transform(*xform)
    rest, first = np.asarray(model.mesh.vertices), len(builder.particle_q)
    masses = vertex_masses(model)
    held = set(np.asarray(model.fixed_vertices).tolist())
    flags = [0 if n in held else int(newton.ParticleFlags.ACTIVE) for n in range(len(rest))]
    builder.add_particles([wp.transform_point(place, wp.vec3(*x)) for x in rest.tolist()], [wp.vec3(0.0)] * len(rest), masses.tolist(), flags=flags)
    corners = np.asarray(_core.boundary_triangles(model.mesh)) + first
    none = [0.0] * len(corners)
    builder.add_triangles(*corners.T.tolist(), tri_ke=none, tri_ka=none, tri_kd=none)
    return first


def vertex_masses(model: _core.ReducedModel) -> Any:
    """The mass of each vertex [kg]: equal shares of that of its tetrahedra, into which other linear elements are split, and its point masses; (n,)."""
    mesh, first = model.mesh, 0
    if not mesh.elements.keys() <= {"tet4", "tet10"}:
        mesh = _core.split_into_tetrahedra(mesh)
    masses = np.zeros(mesh.vertex_count)
    density = np.array([region.material.density if region.material else np.nan for region in mesh.regions])
    for elements in mesh.elements.values():
        corners = mesh.vertices[elements[:, :4]]
        volumes = np.abs(np.linalg.det(corners[:, 1:] - corners[:, :1])) / 6
        own = density[mesh.element_region[first : first + len(elements)]]
        np.add.at(masses, elements, (own * volumes / elements.shape[1])[:, None])
        first += len(elements)
    for point in model.mesh.masses:
        masses[point.vertex] += point.mass
    return masses


def reduce_tetmesh(mesh: Any, fixed_vertices: Any, **options: Any) -> _core.ReducedModel:
    """Reduces a newton.TetMesh with quartic's St. Venant-Kirchhoff material of the same stiffness at rest.

    Newton's k_mu and k_lambda are those of the stable neo-Hookean energy (Smith, de Goes and Kim 2018), whose Lame constants at rest
    are mu = 3/4 k_mu and lambda = k_lambda - 5/8 k_mu. Options are quartic.reduce's.
    """
    numbers = {}
    for name in ("k_mu", "k_lambda", "density"):
        values = np.unique(np.asarray(getattr(mesh, name), np.float64))
        if len(values) != 1:
            raise _core.InputError(f"the mesh's {name} differs between elements; split it into meshes of one material each")
        numbers[name] = float(values[0])
    mu, lame = 0.75 * numbers["k_mu"], numbers["k_lambda"] - 0.625 * numbers["k_mu"]
    if mu <= 0 or 3 * lame + 2 * mu <= 0:
        raise _core.InputError(f"the mesh's material isn't stable at rest: Lame's mu is {mu} Pa, lambda {lame} Pa")
    material = _core.Material(youngs_modulus=mu * (3 * lame + 2 * mu) / (lame + mu), poissons_ratio=lame / (2 * (lame + mu)),
                              density=numbers["density"])
    elements = {"tet4": np.asarray(mesh.tet_indices, np.int32).reshape(-1, 4)}
    own = _core.VolumeMesh(np.asarray(mesh.vertices, np.float64), elements, material=material)
    return _core.reduce(own, fixed_vertices, **options)


class SolverQuartic(newton.solvers.SolverBase):  # type: ignore[misc]
    """Steps the bodies of `add_body`, which all have the same model: one in each world, where the world's particles begin.

    The bodies' motion is kept here, in `batch`; of the state that comes in only `particle_f` is read. Work is done in Warp's current
    stream, and may be captured once two steps have run. Gravity is each world's own. Options are Batch's.
    """

    def __init__(self, model: Any, reduced: _core.ReducedModel, *, offset: int = 0, substeps: int = 1, **options: Any) -> None:
        """offset: of the body's first particle, behind the first one of its world."""
        super().__init__(model=model)
        starts = model.particle_world_start.numpy()[: model.world_count] + offset
        count, vertices = len(starts), reduced.mesh.vertex_count
        self._device, self.substeps = model.device, substeps
        place = f"cuda:{self._device.ordinal}" if self._device.is_cuda else "cpu"
        if self._device.is_cuda:
            options["stream"] = wp.get_stream(self._device)
        self.batch = _core.Batch(reduced, bodies=count, dtype="float32", device=place, **options)
        self._points = _core.Embedding(reduced, device=place)
        with wp.ScopedDevice(self._device):
            origin, rotation = _placements(model.particle_q.numpy(), starts, np.asarray(reduced.mesh.vertices))
            self._first = wp.array(starts.astype(np.int32), dtype=int)
            self._origin, self._rotation = wp.array(origin, dtype=wp.vec3), wp.array(rotation, dtype=wp.mat33)
            self._unit_acceleration = wp.array(np.asarray(reduced.unit_acceleration, np.float32), dtype=float)
            self._buffers = [wp.zeros((count, vertices, 3), dtype=float) for _ in range(3)]
            self._force = wp.zeros((count, self.batch.rank), dtype=float)

    def step(self, state_in: Any, state_out: Any, control: Any, contacts: Any, dt: float, *, observables: Any = None) -> None:
        forces, positions, velocities = self._buffers
        count, vertices = forces.shape[:2]
        stream = {"stream": wp.get_stream(self._device)} if self._device.is_cuda else {}
        wp.launch(_gather_forces, (count, max(vertices, self.batch.rank)), device=self._device,
                  inputs=[state_in.particle_f, self.model.gravity, self._first, self._rotation, self._unit_acceleration],
                  outputs=[forces, self._force])
        self._points.add_vertex_forces(forces, self._force, **stream)
        self.batch.step(dt, self.substeps, force=self._force, **stream)
        self._write(state_out, positions, velocities, stream)

    def _write(self, state: Any, positions: Any, velocities: Any, stream: dict[str, Any]) -> None:
        self._points.positions(self.batch.q, out=positions, **stream)
        self._points.displacements(self.batch.velocity, out=velocities, **stream)
        wp.launch(_place_particles, positions.shape[:2], device=self._device,
                  inputs=[positions, velocities, self._first, self._origin, self._rotation],
                  outputs=[state.particle_q, state.particle_qd])

    def reset(self, state: Any, world_mask: Any = None, flags: Any = None) -> None:
        """Bodies of the masked worlds, or of all, are at rest again; the state has their particles."""
        mask = None if world_mask is None else world_mask[: self.batch.bodies]
        self.batch.reset(mask, **({"stream": wp.get_stream(self._device)} if self._device.is_cuda else {}))
        self._write(state, *self._buffers[1:], {"stream": wp.get_stream(self._device)} if self._device.is_cuda else {})


def _placements(particles: Any, starts: Any, rest: Any) -> tuple[Any, Any]:
    """Position and rotation of each body, from where its particles are at the start."""
    centre = rest.mean(0)
    origins, rotations = [], []
    for start in starts:
        points = particles[start : start + len(rest)].astype(np.float64)
        if len(points) != len(rest):
            raise _core.InputError(f"the world whose body begins at particle {start} has too few particles for the model")
        u, _, vt = np.linalg.svd((rest - centre).T @ (points - points.mean(0)))
        rotation = vt.T @ np.diag([1, 1, np.sign(np.linalg.det(vt.T @ u.T))]) @ u.T
        origin = points.mean(0) - rotation @ centre
        if np.abs(rest @ rotation.T + origin - points).max() > 1e-4 * np.ptp(rest, 0).max():
            raise _core.InputError(f"the particles from {start} on aren't those of the model, which add_body adds")
        origins.append(origin)
        rotations.append(rotation)
    return np.array(origins, np.float32), np.array(rotations, np.float32)
