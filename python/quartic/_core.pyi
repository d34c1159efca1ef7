"""Reduced-order simulation of deformable bodies: the library quartic."""

from collections.abc import Mapping, Sequence
import enum
import os
from typing import Any, Literal, overload

import numpy
import numpy.typing

import quartic._typing


version: str = '0.1.0'

class Error(Exception):
    """The base of quartic's exceptions."""

class InputError(Error, ValueError):
    """Arguments or data that can't be used."""

class ParseError(InputError):
    """A file violates its format, in .filename at line .lineno (0: in none)."""

    filename: str = ''

    lineno: int = 0

class FileError(InputError, OSError):
    """A file can't be opened, read or written."""

class NumericalError(Error, ArithmeticError):
    """A computation failed: no convergence, an indefinite matrix."""

class BackendUnavailable(Error, RuntimeError):
    """The backend isn't there."""

class DeviceError(Error, RuntimeError):
    """The device failed."""

class Array:
    """
    Memory of quartic's, seen by others without a copy: torch.from_dlpack(a), numpy.asarray(a), memoryview(a). A view stays valid, and keeps the memory, when what it came from is deleted.
    """

    @property
    def shape(self) -> tuple[int, ...]: ...

    @property
    def strides(self) -> tuple[int, ...]:
        """In bytes, as NumPy's."""

    @property
    def dtype(self) -> str:
        """"float32", "float64", "int32", ..."""

    @property
    def device(self) -> str: ...

    @property
    def read_only(self) -> bool: ...

    def numpy(self) -> quartic._typing.AnyArray:
        """
        The same memory as a NumPy array; of a GPU a copy, for which this waits.
        """

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...

    def __array__(self, dtype: object = None, copy: bool | None = None) -> quartic._typing.AnyArray: ...

    def __dlpack__(self, *, stream: int | None = None, max_version: tuple[int, int] | None = None, dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> Any: ...

    def __dlpack_device__(self) -> tuple[int, int]: ...

    def __len__(self) -> int: ...

    def __getitem__(self, index: Any) -> Any:
        """As NumPy's."""

    def __setitem__(self, index: Any, value: Any) -> None:
        """As NumPy's."""

    def __eq__(self, other: object) -> Any:
        """Entry by entry, as NumPy's."""

    def __ne__(self, other: object) -> Any: ...

    def __repr__(self) -> str: ...

    __dlpack_c_exchange_api__: Any

def cuda_available() -> bool:
    """
    Whether device="cuda" works; if not, cuda_unavailable_reason() says why.
    """

def cuda_unavailable_reason() -> str:
    """What is missing for device="cuda"; "" if nothing is."""

class Material:
    """A homogeneous material of one of several laws."""

    def __init__(self, youngs_modulus: float, poissons_ratio: float, density: float, law: str = 'stvk', mooney_share: float = 0.3) -> None:
        """
        E [Pa] > 0, nu in (-1, 1/2), rho [kg/m^3] > 0; law "stvk", "stable-neo-hookean",
        "neo-hookean-polynomial", "mooney-rivlin" with c01 / (c10 + c01) as mooney_share, or
        "corotational".
        """

    @property
    def youngs_modulus(self) -> float: ...

    @property
    def poissons_ratio(self) -> float: ...

    @property
    def density(self) -> float: ...

    @property
    def law(self) -> str:
        """The law's name."""

    @property
    def mooney_share(self) -> float: ...

    @property
    def lame_lambda(self) -> float:
        """First Lame constant [Pa]."""

    @property
    def lame_mu(self) -> float:
        """Shear modulus [Pa]."""

    def __eq__(self, other: object) -> bool: ...

    def __repr__(self) -> str: ...

class Region:
    """A part of a body with one material, or none yet."""

    def __init__(self, name: str, material: Material | None = None) -> None: ...

    @property
    def name(self) -> str: ...

    @property
    def material(self) -> Material | None: ...

class VolumeMesh:
    """Vertices, elements and regions. Doesn't change once it is made."""

    def __init__(self, vertices: quartic._typing.ArrayLike, elements: Mapping[str, quartic._typing.ArrayLike], *, material: Material | None = None, regions: Sequence[Region] | None = None, element_region: quartic._typing.Indices = (), vertex_sets: Mapping[str, quartic._typing.Indices] = {}, hexahedron_rule: str = 'gauss-3x3x3') -> None:
        """
        vertices (n, 3) float64 [m]; elements {"tet4": (count, 4), ...}, 0-based, in VTK's order.
        """

    @property
    def vertices(self) -> numpy.typing.NDArray[numpy.float64]:
        """Rest positions [m], (n, 3)."""

    @property
    def elements(self) -> dict[str, numpy.typing.NDArray[numpy.int32]]: ...

    @property
    def element_region(self) -> numpy.typing.NDArray[numpy.int32]:
        """Of each element its number in `regions`; -1: in none."""

    @property
    def regions(self) -> list[Region]: ...

    @property
    def vertex_sets(self) -> dict[str, numpy.typing.NDArray[numpy.int32]]: ...

    @property
    def masses(self) -> list[PointMass]:
        """That are attached to vertices."""

    @property
    def warnings(self) -> list[str]:
        """What the reader repaired or skipped."""

    @property
    def vertex_count(self) -> int: ...

    @property
    def element_count(self) -> int: ...

    def with_materials(self, materials: Sequence[Material]) -> VolumeMesh:
        """The mesh with these materials, one per region."""

    def __repr__(self) -> str: ...

def read_mesh(path: str | os.PathLike[str]) -> VolumeMesh:
    """Reads a volume mesh; the format is recognised by the content."""

def write_mesh(mesh: VolumeMesh, path: str | os.PathLike[str], binary: bool = False) -> list[str]:
    """
    Writes .msh, .vtu or .veg; returns a sentence for everything that the format can't hold.
    """

def read_fixed_vertices(path: str | os.PathLike[str], vertex_count: int) -> numpy.typing.NDArray[numpy.int32]:
    """Reads a .bou file; 0-based."""

def write_fixed_vertices(vertices: quartic._typing.Indices, path: str | os.PathLike[str]) -> None: ...

class BoxSelection:
    """The vertices that a box selects, and how near to it others are."""

    @property
    def vertices(self) -> numpy.typing.NDArray[numpy.int32]: ...

    @property
    def tolerance(self) -> float: ...

    @property
    def just_outside(self) -> int: ...

    @property
    def just_outside_distance(self) -> float: ...

    @property
    def nearest_outside(self) -> int: ...

    @property
    def nearest_outside_distance(self) -> float: ...

def select_in_box(mesh: VolumeMesh, box: Sequence[float], tolerance: float | None = None) -> BoxSelection:
    """Vertices within a distance [m] from the box x0, y0, z0, x1, y1, z1."""

def vertices_in_box(mesh: VolumeMesh, box: Sequence[float]) -> numpy.typing.NDArray[numpy.int32]: ...

def find_vertex_set(mesh: VolumeMesh, name: str) -> numpy.typing.NDArray[numpy.int32]: ...

def find_regions(mesh: VolumeMesh, name: str) -> list[int]: ...

def make_quadratic(mesh: VolumeMesh) -> VolumeMesh:
    """The mesh with quadratic elements; edges stay straight."""

def repair_orientation(mesh: VolumeMesh) -> tuple[VolumeMesh, int]:
    """
    The mesh with elements of negative volume turned round, and their number.
    """

def weld_vertices(mesh: VolumeMesh, tolerance: float | None = None) -> tuple[VolumeMesh, int]:
    """
    The mesh with vertices within the tolerance [m] made one, and the number of those removed.
    """

def boundary_triangles(mesh: VolumeMesh) -> numpy.typing.NDArray[numpy.int32]:
    """The boundary surface, (t, 3), wound outwards."""

class MeshReport:
    """What check_mesh found; elements and vertices count from 0."""

    @property
    def inverted(self) -> int: ...

    @property
    def degenerate(self) -> int: ...

    @property
    def slivers(self) -> int: ...

    @property
    def first_inverted(self) -> int: ...

    @property
    def first_degenerate(self) -> int: ...

    @property
    def worst_element(self) -> int: ...

    @property
    def worst_quality(self) -> float: ...

    @property
    def repeated_elements(self) -> int: ...

    @property
    def unreferenced_vertices(self) -> int: ...

    @property
    def coincident_vertices(self) -> int: ...

    @property
    def coincident_between_components(self) -> int: ...

    @property
    def elements_without_region(self) -> int: ...

    @property
    def regions_without_material(self) -> int: ...

    @property
    def regions_without_elements(self) -> int: ...

    @property
    def interface_triangles(self) -> int: ...

    @property
    def components(self) -> int: ...

    @property
    def volume(self) -> float:
        """[m^3]"""

    @property
    def mass(self) -> float | None:
        """[kg]; None if a material is missing."""

    @property
    def bounding_box(self) -> list[float]: ...

    @property
    def warnings(self) -> list[str]:
        """A sentence per finding."""

    @property
    def hints(self) -> list[str]: ...

def check_mesh(mesh: VolumeMesh) -> MeshReport:
    """Checks a mesh without changing or rejecting it."""

def require_no_repairs(mesh: VolumeMesh) -> None:
    """
    Raises InputError for a mesh that `reduce` would repair, or accept with a warning.
    """

class FoldedElements:
    """Elements whose Jacobian has both signs."""

    @property
    def count(self) -> int: ...

    @property
    def first(self) -> int:
        """Element number; -1: none."""

    @property
    def ratio(self) -> float:
        """Of that element: the least determinant over the largest."""

    @property
    def place(self) -> list[float]:
        """Where it is least [m]."""

def folded_elements(mesh: VolumeMesh) -> FoldedElements:
    """Which elements are folded, wherever in them."""

class LockingEstimate:
    """How much too stiff linear elements are in bending."""

    @property
    def stiffness_ratio(self) -> float:
        """Over the exact stiffness, 1 or more."""

    @property
    def frequency_ratio(self) -> float: ...

    @property
    def element(self) -> int:
        """Where; -1: nothing was measured."""

    @property
    def thickness(self) -> float:
        """[m]"""

    @property
    def elements_across(self) -> float: ...

    @property
    def poissons_ratio(self) -> float: ...

def estimate_locking(mesh: VolumeMesh) -> LockingEstimate:
    """
    The place of a mesh that locks most, but for a twentieth of its boundary.
    """

def locking_hints(mesh: VolumeMesh) -> list[str]:
    """
    A sentence if elements lock so that frequencies come out more than 5 % too high, else none.
    """

def make_box(length: float = 1.0, width: float = 0.1, height: float = 0.1, cells_x: int = 20, cells_y: int = 2, cells_z: int = 2, type: str = 'hex8', material: Material = ...) -> tuple[VolumeMesh, numpy.typing.NDArray[numpy.int32]]:
    """
    A box cut into elements; mesh and the fixed vertices, those of the face x = 0.
    """

def make_beam(resolution: int = 40, type: str = 'hex8') -> tuple[VolumeMesh, numpy.typing.NDArray[numpy.int32]]:
    """A cantilever of 1 m x 0.1 m x 0.08 m and its fixed vertices."""

def make_bridge(resolution: int = 100, type: str = 'hex8') -> tuple[VolumeMesh, numpy.typing.NDArray[numpy.int32]]:
    """A foot bridge, fixed at both ends."""

def make_spoon(resolution: int = 100, type: str = 'hex8') -> tuple[VolumeMesh, numpy.typing.NDArray[numpy.int32]]:
    """A spoon, fixed at the end of its handle."""

def make_tower(resolution: int = 140, type: str = 'hex8') -> tuple[VolumeMesh, numpy.typing.NDArray[numpy.int32]]:
    """A lattice tower, fixed at its feet."""

def make_basket(resolution: int = 40, type: str = 'hex8') -> tuple[VolumeMesh, numpy.typing.NDArray[numpy.int32]]:
    """A basket of ribs and rings, fixed at its floor."""

def make_heart(resolution: int = 37, type: str = 'hex8') -> tuple[VolumeMesh, numpy.typing.NDArray[numpy.int32]]:
    """A solid heart, fixed around the cleft between its lobes."""

def split_into_tetrahedra(mesh: VolumeMesh) -> VolumeMesh:
    """Splits each hex8 into six tetrahedra."""

class Constraint:
    """A linear equation between displacements: the sum of its terms is 0."""

    def __init__(self, terms: Sequence[tuple[int, Sequence[float]]], origin: str = 'a constraint') -> None:
        """terms: (vertex, (a, b, c)), a u_x + b u_y + c u_z each."""

    @property
    def terms(self) -> list[tuple[int, list[float]]]: ...

    @property
    def origin(self) -> str: ...

class Supports:
    """What holds a body: in place of a list of fixed vertices."""

    def __init__(self, fixed_vertices: quartic._typing.Indices = (), constraints: Sequence[Constraint] = []) -> None: ...

    @property
    def constraints(self) -> list[Constraint]: ...

class PointMass:
    """A mass [kg] at a vertex, which moves with it."""

    def __init__(self, vertex: int, mass: float) -> None: ...

    @property
    def vertex(self) -> int: ...

    @property
    def mass(self) -> float: ...

class Spring:
    """A spring of energy stiffness / 2 s^2, s being the sum of its terms."""

    def __init__(self, terms: Sequence[tuple[int, Sequence[float]]], stiffness: float) -> None:
        """terms as of Constraint; stiffness [N/m]."""

    @property
    def terms(self) -> list[tuple[int, list[float]]]: ...

    @property
    def stiffness(self) -> float: ...

class RayleighDamping:
    """C = mass M + stiffness K."""

    @property
    def mass(self) -> float:
        """[1/s]."""

    @property
    def stiffness(self) -> float:
        """[s]."""

    def ratio(self, frequency: float) -> float:
        """Of a mode of this frequency [Hz]."""

def hold_along(vertices: quartic._typing.Indices, direction: Sequence[float], origin: str = 'a support') -> list[Constraint]:
    """Holds vertices along a direction of any length."""

def hold_normals(mesh: VolumeMesh, vertices: quartic._typing.Indices, origin: str = 'a support') -> list[Constraint]:
    """
    Holds vertices along the normals of the boundary faces that they make up.
    """

def hold_mean(vertices: quartic._typing.Indices, direction: Sequence[float], origin: str = 'a support') -> Constraint:
    """Holds the mean displacement of vertices along a direction."""

def link_rigidly(mesh: VolumeMesh, vertices: quartic._typing.Indices, origin: str = 'a rigid link') -> list[Constraint]:
    """Vertices that move as one infinitesimally rigid body: joints."""

def tie_vertices(mesh: VolumeMesh, vertices: quartic._typing.Indices, surface: quartic._typing.Indices, largest_gap: float, origin: str = 'a tie') -> list[Constraint]:
    """
    Vertices that follow the nearest points of a surface of the mesh: joints.
    """

def spread_mass(mesh: VolumeMesh, vertices: quartic._typing.Indices, mass: float) -> list[PointMass]:
    """A mass [kg] over a set of vertices, by area on faces."""

def springs_to_ground(mesh: VolumeMesh, vertices: quartic._typing.Indices, stiffness: float) -> list[Spring]:
    """
    Springs of a set of vertices to the ground, together so stiff along each axis [N/m].
    """

def spread_mass_per_area(mesh: VolumeMesh, vertices: quartic._typing.Indices, mass_per_area: float) -> list[PointMass]:
    """A mass per area [kg/m^2] on the boundary faces that vertices make up."""

def springs_between(mesh: VolumeMesh, a: quartic._typing.Indices, b: quartic._typing.Indices, stiffness: float) -> list[Spring]:
    """
    Springs between the means of two sets of vertices, so stiff along each axis [N/m].
    """

def mean_rotation(mesh: VolumeMesh, vertices: quartic._typing.Indices, axis: Sequence[float]) -> list[tuple[int, list[float]]]:
    """
    Terms of the mean rotation of vertices about an axis [rad], for a torsional Spring.
    """

def with_rigid_mass(mesh: VolumeMesh, vertices: quartic._typing.Indices, mass: float, centre: Sequence[float], *, inertia: Sequence[float] = (0, 0, 0, 0, 0, 0), link: str = 'rigid') -> VolumeMesh:
    """
    The mesh with a rigid body that moves with vertices, rigidly or in the mean: mass [kg], mass centre [m], inertia about it [kg m^2]: xx, yy, zz, xy, xz, yz.
    """

def with_attachments(mesh: VolumeMesh, *, joints: Sequence[Constraint] = [], masses: Sequence[PointMass] = [], springs: Sequence[Spring] = []) -> VolumeMesh:
    """The mesh with these joints, masses and springs besides its own."""

def freedom_map(mesh: VolumeMesh, supports: Supports | quartic._typing.Indices) -> tuple[tuple[numpy.typing.NDArray[numpy.float64], tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32]]], tuple[int, int]]:
    """
    T of u = T x as ((factors, (rows, columns)), shape), which scipy.sparse.coo_array takes.
    """

def participation_factors(model: ReducedModel) -> numpy.typing.NDArray[numpy.float64]:
    """
    Of the model's linear modes, (k, 3); their squares are effective masses [kg].
    """

@overload
def rayleigh_damping(frequency1: float, ratio1: float, frequency2: float, ratio2: float) -> RayleighDamping:
    """Rayleigh's numbers from damping ratios at two frequencies [Hz]."""

@overload
def rayleigh_damping(times: Sequence[tuple[float, float]]) -> RayleighDamping:
    """
    The same from (frequency [Hz], T60 [s]) pairs: after T60 an amplitude is a thousandth.
    """

def modal_damping(energy: QuarticEnergy, ratios: quartic._typing.ArrayLike, *, driven: int = 0) -> numpy.typing.NDArray[numpy.float64]:
    """
    D for BodyGroup(damping=...): damping ratios of the natural modes, the last one for all further, (r, r) [1/s].
    """

def spread_force(mesh: VolumeMesh, vertices: quartic._typing.Indices, force: Sequence[float]) -> numpy.typing.NDArray[numpy.float64]:
    """
    A force [N] over a set of vertices, by area on faces: forces on all vertices, (n, 3).
    """

def traction_forces(mesh: VolumeMesh, vertices: quartic._typing.Indices, traction: Sequence[float]) -> numpy.typing.NDArray[numpy.float64]:
    """
    A traction [Pa] on the boundary faces of a set: forces on all vertices, (n, 3).
    """

def pressure_forces(mesh: VolumeMesh, vertices: quartic._typing.Indices, pressure: float) -> numpy.typing.NDArray[numpy.float64]:
    """
    A dead pressure [Pa] against the normals at rest of a set's faces: forces on all vertices, (n, 3).
    """

def face_area(mesh: VolumeMesh, vertices: quartic._typing.Indices) -> float:
    """Of the boundary faces whose vertices are all in the set [m^2]."""

def load_totals(mesh: VolumeMesh, force: quartic._typing.ArrayLike, point: Sequence[float] = [0.0, 0.0, 0.0]) -> tuple[list[float], list[float]]:
    """
    Force [N] and moment about a point [N m] of forces on all vertices at rest.
    """

def read_loads(path: str | os.PathLike[str], mesh: VolumeMesh) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]] | None, list[str]]:
    """
    Of an Abaqus or CalculiX deck: forces on all vertices, (n, 3), gravity, (3,), temperature (n,) and expansion (regions,) or None, and what is left out.
    """

def drive_sets(model: ReducedModel, sets: Sequence[tuple[quartic._typing.Indices, Sequence[float]]]) -> tuple[ReducedModel, numpy.typing.NDArray[numpy.float64]]:
    """
    The model with a coordinate for each set (vertices, direction) that is moved, behind its own, and C, (r + sets, sets): C s are the coordinates at rest for small displacements s [m], and its last rows what batch.force takes of them.
    """

def hold_coordinates(energy: QuarticEnergy, values: quartic._typing.ArrayLike) -> QuarticEnergy:
    """
    The energy with its last coordinates held at these values, exactly: a quartic of the others.
    """

class BaseAcceleration:
    """
    The acceleration of a base over time: linear between samples, zero outside of them.
    """

    def __init__(self, times: quartic._typing.ArrayLike, accelerations: quartic._typing.ArrayLike) -> None:
        """
        times [s] ascending, (samples,); accelerations [m/s^2], (samples, 3); float64.
        """

    @property
    def times(self) -> list[float]: ...

    @property
    def accelerations(self) -> list[list[float]]: ...

    def at(self, time: float) -> list[float]:
        """The acceleration at a time [s]."""

def read_base_acceleration(path: str | os.PathLike[str]) -> BaseAcceleration:
    """Reads text lines time,ax,ay,az [s, m/s^2]."""

def heated_energy(model: ReducedModel, temperature: float | quartic._typing.ArrayLike, expansion: float | quartic._typing.ArrayLike) -> QuarticEnergy:
    """
    The energy of a body that is warmer by temperature [K], a number or one per vertex, with an expansion [1/K], a number or one per region. A batch that is made of it has no chambers.
    """

def thermal_force(mesh: VolumeMesh, displacement: quartic._typing.ArrayLike, temperature: float | quartic._typing.ArrayLike, expansion: float | quartic._typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
    """What heat adds to the internal force on all vertices, (n, 3) [N]."""

class QuarticEnergy:
    """The reduced StVK energy as one symmetric tensor."""

    def __init__(self, rank: int, coefficients: quartic._typing.ArrayLike) -> None:
        """
        The C(r+4, 4) distinct values S_abcd, a <= b <= c <= d in 0..r, lexicographic [J].
        """

    @property
    def rank(self) -> int: ...

    @property
    def coefficients(self) -> numpy.typing.NDArray[numpy.float64]: ...

    def evaluate(self, q: quartic._typing.ArrayLike) -> tuple[float, numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]:
        """
        Energy V [J], force dV/dq (r) and stiffness (r, r) of one body at q (r), in double.
        """

class StrainForm:
    """The same energy as half a sum of squared strains."""

    def __init__(self, rank: int, factor: quartic._typing.ArrayLike) -> None:
        """
        L, upper triangular with p = r + r(r+1)/2 rows: row by row from the diagonal on.
        """

    @property
    def rank(self) -> int: ...

    @property
    def factor(self) -> numpy.typing.NDArray[numpy.float64]: ...

    def evaluate(self, q: quartic._typing.ArrayLike) -> tuple[float, numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]:
        """
        Energy V [J], force dV/dq (r) and stiffness (r, r) of one body at q (r), in double.
        """

    def damping(self, q: quartic._typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
        """
        D / tau, (r, r), of damping by strain rates (Batch.set_strain_damping) at q.
        """

def reduce_strains(model: ReducedModel, *, progress: quartic._typing.Progress | None = None) -> StrainForm:
    """
    A model's energy as a sum of squares, for Batch(..., evaluation="accurate").
    """

class MirrorPlane:
    """The points x with normal . x = offset."""

    @property
    def normal(self) -> list[float]:
        """Of length 1."""

    @property
    def offset(self) -> float:
        """[m]"""

class TensorSymmetry:
    """What zeros of an energy's tensor save."""

    @property
    def parities(self) -> int:
        """Independent ones, 0 to 3; a mirror plane is one."""

    @property
    def work_share(self) -> float:
        """Multiply-adds over those of a tensor without zeros."""

def mirror_planes(mesh: VolumeMesh, fixed_vertices: Supports | quartic._typing.Indices) -> list[MirrorPlane]:
    """Planes at right angles, three at most, that mirror a body onto itself."""

def tensor_symmetry(energy: QuarticEnergy) -> TensorSymmetry:
    """Found in exact zeros of the tensor alone."""

class FrameMoments:
    """
    Sums of mass over products of 1, X and U: a body's inertia at every deformation.
    """

    @property
    def mass(self) -> float:
        """[kg]"""

    @property
    def origin(self) -> list[float]:
        """Where X is zero, in the mesh's coordinates [m]."""

    @property
    def first_moment(self) -> list[float]: ...

    @property
    def rank(self) -> int: ...

    @property
    def unit_acceleration(self) -> numpy.typing.NDArray[numpy.float64]:
        """(3, r)"""

    @property
    def moment0(self) -> numpy.typing.NDArray[numpy.float64]:
        """(3, 3) [kg m^2]"""

    @property
    def moment1(self) -> numpy.typing.NDArray[numpy.float64]:
        """(r, 3, 3)"""

    @property
    def moment2(self) -> numpy.typing.NDArray[numpy.float64]:
        """(r(r+1)/2, 3, 3), pairs (0, 0), (0, 1), ..."""

def frame_moments(model: ReducedModel) -> FrameMoments:
    """A model's moments about its mass centre at rest."""

def free_frame(model: ReducedModel) -> FrameMoments:
    """
    The moments of a free body, for BodyGroup(..., frame=): its bodies fly.
    """

def rest_moments(moments: FrameMoments) -> FrameMoments:
    """
    Without the coupling of rotation and deformation, for BodyGroup(..., frame=): inertia as at rest.
    """

def base_frame(model: ReducedModel, origin: Sequence[float] = [0.0, 0.0, 0.0]) -> FrameMoments:
    """
    The moments of a body on a base that the caller moves, about a point of it [m], for BodyGroup(..., frame=, motion="prescribed").
    """

def principal_inertia(moments: FrameMoments) -> list[float]:
    """Of the body at rest [kg m^2], ascending."""

def mean_axis_error(moments: FrameMoments) -> float: ...

class SparseMatrix:
    """
    A matrix in compressed rows. Symmetric ones have both triangles. Doesn't change once it is made.
    """

    def __init__(self, shape: tuple[int, int], row_offsets: quartic._typing.Indices, columns: quartic._typing.Indices, values: quartic._typing.ArrayLike) -> None:
        """
        Row i has the entries row_offsets[i] to row_offsets[i + 1], columns ascending; SciPy's csr_array calls them indptr, indices and data.
        """

    @property
    def shape(self) -> tuple[int, int]: ...

    @property
    def row_offsets(self) -> numpy.typing.NDArray[numpy.int32]: ...

    @property
    def columns(self) -> numpy.typing.NDArray[numpy.int32]: ...

    @property
    def values(self) -> numpy.typing.NDArray[numpy.float64]: ...

    def scipy(self) -> Any:
        """The same memory as a csr_array of SciPy's, which has to be there."""

class Factorization:
    """The Cholesky factor of a symmetric positive definite matrix."""

    def __init__(self, matrix: SparseMatrix, *, method: str = 'automatic', backend: str = 'cpu', updatable: bool = False) -> None:
        """
        method: automatic, mumps or eigen, on a GPU also cudss or cusolver; updatable: for `update`.
        """

    def solve(self, b: quartic._typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
        """A^-1 b for b (rows) or (rows, m) of float64."""

    def update(self, matrix: SparseMatrix) -> None:
        """Factorises another matrix with the same pattern."""

    @property
    def rows(self) -> int: ...

    @property
    def name(self) -> str: ...

    @property
    def factor_nonzeros(self) -> int: ...

def mass_matrix(mesh: VolumeMesh, kind: str = 'consistent', *, backend: str = 'cpu') -> SparseMatrix:
    """M [kg], (3n, 3n): consistent, or lumped."""

def stiffness_matrix(mesh: VolumeMesh, *, backend: str = 'cpu') -> SparseMatrix:
    """K at rest [N/m], (3n, 3n)."""

def tangent_stiffness(mesh: VolumeMesh, displacement: quartic._typing.ArrayLike) -> SparseMatrix:
    """K at displacements (n, 3), (3n, 3n)."""

def rigid_modes(mesh: VolumeMesh, mass: SparseMatrix, fixed_vertices: Supports | quartic._typing.Indices) -> numpy.typing.NDArray[numpy.float64]:
    """
    Infinitesimal rigid motions that the supports leave, mass-orthonormal, (m, n, 3).
    """

def internal_force(mesh: VolumeMesh, displacement: quartic._typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
    """Elastic force R(u) on all vertices, (n, 3) [N]."""

def strain_energy(mesh: VolumeMesh, displacement: quartic._typing.ArrayLike) -> float:
    """Elastic energy [J] at displacements (n, 3)."""

def force_hessian(mesh: VolumeMesh, fields: quartic._typing.ArrayLike, pairs: quartic._typing.ArrayLike, *, backend: str = 'cpu') -> numpy.typing.NDArray[numpy.float64]:
    """
    The second derivative of R at rest along fields[i] and fields[j] for each pair (i, j), (pairs, n, 3).
    """

class InternalForces:
    """
    Energy, internal force and stiffness of one mesh, for repeated evaluation at displacements (n, 3) of float64 [m].
    """

    def __init__(self, mesh: VolumeMesh) -> None: ...

    def energy(self, displacement: quartic._typing.ArrayLike) -> float:
        """[J]"""

    def force(self, displacement: quartic._typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
        """R(u) [N], (n, 3)."""

    def stiffness(self, displacement: quartic._typing.ArrayLike) -> SparseMatrix:
        """K(u) [N/m]."""

    def viscous_stiffness(self, displacement: quartic._typing.ArrayLike) -> SparseMatrix:
        """D(u) [N/m] of damping by strain rates: K without its geometric part."""

class ElasticSystem:
    """K and M of a body, and their factor."""

    @overload
    def __init__(self, mesh: VolumeMesh, fixed_vertices: Supports | quartic._typing.Indices, *, mass_matrix: str = 'consistent', factorization: str = 'automatic', backend: str = 'cpu') -> None: ...

    @overload
    def __init__(self, stiffness: SparseMatrix, mass: SparseMatrix, fixed_vertices: Supports | quartic._typing.Indices, *, rigid_modes: quartic._typing.ArrayLike | None = None, factorization: str = 'automatic', backend: str = 'cpu') -> None:
        """
        Of matrices of your own; rigid_modes (m, n, 3) of a body that isn't held.
        """

    @property
    def mass(self) -> SparseMatrix:
        """M [kg], (3n, 3n)."""

    @property
    def dof_count(self) -> int: ...

    @property
    def free_dof_count(self) -> int: ...

    @property
    def rigid_mode_count(self) -> int: ...

    @property
    def factorization_name(self) -> str: ...

class LinearModes:
    """The lowest elastic modes, ascending."""

    @property
    def eigenvalues(self) -> numpy.typing.NDArray[numpy.float64]:
        """omega^2 [rad^2/s^2], (k)."""

    @property
    def frequencies(self) -> numpy.typing.NDArray[numpy.float64]:
        """[Hz], (k)."""

    @property
    def vectors(self) -> numpy.typing.NDArray[numpy.float64]:
        """Mass-orthonormal, (k, n, 3)."""

    @property
    def residuals(self) -> numpy.typing.NDArray[numpy.float64]:
        """Backward errors, (k)."""

    @property
    def rigid_modes(self) -> int: ...

    @property
    def iterations(self) -> int: ...

    @property
    def warnings(self) -> list[str]: ...

def linear_modes(system: ElasticSystem, *, count: int = 20, method: str = 'automatic', tolerance: float = 1e-12, iteration_limit: int = 200, seed: int = 1, progress: quartic._typing.Progress | None = None) -> LinearModes:
    """Solves K x = lambda M x for the lowest elastic pairs."""

class ModalDerivatives:
    """How modes change along modes."""

    @property
    def pairs(self) -> numpy.typing.NDArray[numpy.int32]:
        """(p, 2)"""

    @property
    def vectors(self) -> numpy.typing.NDArray[numpy.float64]:
        """Not normalised, (p, n, 3)."""

def modal_derivatives(mesh: VolumeMesh, system: ElasticSystem, modes: LinearModes, *, kind: str = 'static', progress: quartic._typing.Progress | None = None) -> ModalDerivatives:
    """Of all pairs of modes: static, or inertial."""

def scaled_fields(modes: LinearModes, derivatives: ModalDerivatives, mass: SparseMatrix) -> numpy.typing.NDArray[numpy.float64]:
    """The fields (k, n, 3) whose mass_pca is the standard basis."""

class CalibrationLoad:
    """A load that the share of a relaxation was calibrated with."""

    @property
    def amplitude(self) -> float:
        """Largest linear displacement over the body's largest extent."""

    @property
    def unrelaxed_error(self) -> float:
        """Of the equilibrium, relative, in the mass norm."""

    @property
    def relaxed_error(self) -> float: ...

    @property
    def use(self) -> str:
        """'used', or why it wasn't."""

class Relaxation:
    """What a model's energy is relaxed by."""

    @property
    def share(self) -> float:
        """beta, from 0 to 1."""

    @property
    def reach(self) -> float:
        """Largest linear energy of its states [J]."""

    @property
    def products(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        t, (n, r(r+1)/2): V = energy + share / 2 |t m|^2 with the products m of q_i q_j, i <= j.
        """

    @property
    def has_region_parts(self) -> bool: ...

    @property
    def calibration(self) -> list[CalibrationLoad]: ...

def relaxable_share(model: ReducedModel, q: quartic._typing.ArrayLike) -> float:
    """
    The share of the energy at q (r) that more displacements would take away: tells of locking.
    """

def linear_energy(model: ReducedModel, q: quartic._typing.ArrayLike) -> float:
    """1/2 q^T K q with K at rest [J]: what `Relaxation.reach` bounds."""

class StateTrust:
    """How far a state can be trusted."""

    @property
    def relaxable_share(self) -> float: ...

    @property
    def linear_energy(self) -> float:
        """[J]"""

    @property
    def beyond_reach(self) -> bool:
        """Whether that is more than the relaxation's reach."""

def state_trust(model: ReducedModel, q: quartic._typing.ArrayLike) -> StateTrust:
    """
    relaxable_share and linear_energy of q (r), and whether it is beyond the model's reach.
    """

def unrelaxed(model: ReducedModel) -> QuarticEnergy:
    """The model's energy before it was relaxed."""

def evaluate_law(material: Material, deformation_gradient: quartic._typing.ArrayLike, *, tangent: str = 'exact') -> tuple[float, numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]:
    """
    Energy [J/m^3], stress dpsi/dF (3, 3) and tangent (3, 3, 3, 3) [Pa] of a law at F (3, 3); tangent "exact" or "projected", without its negative eigenvalues.
    """

class CubatureError:
    """An error over several states."""

    @property
    def median(self) -> float: ...

    @property
    def ninetieth(self) -> float:
        """Percentile."""

    @property
    def largest(self) -> float: ...

class CubatureReport:
    """How wrong a cubature is on states it wasn't trained on."""

    @property
    def states(self) -> int: ...

    @property
    def force(self) -> CubatureError: ...

    @property
    def energy(self) -> CubatureError: ...

    @property
    def tangent(self) -> CubatureError: ...

    @property
    def equilibrium(self) -> CubatureError: ...

    @property
    def residual(self) -> float: ...

    @property
    def tolerance(self) -> float: ...

    @property
    def seed(self) -> int: ...

class Cubature:
    """The reduced energy of any material law, summed up at a few points."""

    @property
    def rank(self) -> int: ...

    @property
    def count(self) -> int:
        """Number of points."""

    @property
    def base(self) -> str: ...

    @property
    def points(self) -> numpy.typing.NDArray[numpy.int32]:
        """Element and point of its rule, (T, 2)."""

    @property
    def weights(self) -> numpy.typing.NDArray[numpy.float64]: ...

    @property
    def volumes(self) -> numpy.typing.NDArray[numpy.float64]:
        """Of the points [m^3]."""

    @property
    def gradients(self) -> numpy.typing.NDArray[numpy.float64]:
        """d u_i / d X_J of each basis vector, (T, 3, 3, r)."""

    @property
    def stiffness(self) -> numpy.typing.NDArray[numpy.float64]:
        """K(0) of all points, (r, r)."""

    @property
    def report(self) -> CubatureReport | None:
        """Of the training, if there is one."""

    def evaluate(self, q: quartic._typing.ArrayLike) -> tuple[float, numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]:
        """
        Energy V [J], force dV/dq (r) and stiffness (r, r) of one body at q (r), in double.
        """

def full_cubature(mesh: VolumeMesh, basis: quartic._typing.ArrayLike, *, base: str = 'stiffness') -> Cubature:
    """All quadrature points, each of weight 1; basis (r, n, 3)."""

def train_cubature(mesh: VolumeMesh, basis: quartic._typing.ArrayLike, *, base: str = 'stiffness', tangent: str = 'exact', tolerance: float = 0.01, points: int = 0, samples: int = 200, fresh_samples: int = 40, amplitude: float = 0.3, states: str = 'mixed', tangent_rows: bool = True, candidates: int = 20000, seed: int = 1, progress: quartic._typing.Progress | None = None) -> Cubature:
    """
    Chooses points and weights by non-negative least squares; points=0: as many as the tolerance takes.
    """

def judge_cubature(mesh: VolumeMesh, basis: quartic._typing.ArrayLike, cubature: Cubature, *, states: int = 40, amplitude: float = 0.3, seed: int = 1) -> CubatureReport:
    """Errors on equilibria under random loads."""

class ReducedModel:
    """
    All that simulating and drawing a body need. Doesn't change once it is made; arrays are views of it.
    """

    @property
    def basis(self) -> numpy.typing.NDArray[numpy.float64]:
        """U as fields, (r, n, 3)."""

    @property
    def linear_modes(self) -> numpy.typing.NDArray[numpy.float64]:
        """(k, n, 3)"""

    @property
    def unit_acceleration(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        Reduced forces of 1 m/s^2 along x, y, z, (3, r): gravity @ model.unit_acceleration.
        """

    @property
    def eigenvalues(self) -> numpy.typing.NDArray[numpy.float64]:
        """omega^2 [rad^2/s^2], (k)."""

    @property
    def frequencies(self) -> numpy.typing.NDArray[numpy.float64]:
        """Of the linear modes [Hz], (k)."""

    @property
    def fixed_vertices(self) -> numpy.typing.NDArray[numpy.int32]: ...

    @property
    def rank(self) -> int: ...

    @property
    def mesh(self) -> VolumeMesh: ...

    @property
    def energy(self) -> QuarticEnergy: ...

    @property
    def cubature(self) -> Cubature | None:
        """What its forces come from, in place of the energy."""

    @property
    def relaxation(self) -> Relaxation | None:
        """What relaxed the energy, if anything did."""

    @property
    def supports(self) -> Supports:
        """What holds it."""

    @property
    def rigid_modes(self) -> int:
        """Their number: 0 for a held body."""

    @property
    def mass_matrix(self) -> str: ...

    @property
    def has_region_parts(self) -> bool:
        """Whether materials can be edited."""

    @property
    def chambers(self) -> list[Chamber]:
        """That pressures act in, by number."""

    @property
    def created_by(self) -> str: ...

    @property
    def notices(self) -> list[str]:
        """What a file held and was left out."""

    def __repr__(self) -> str: ...

def load_model(path: str | os.PathLike[str]) -> ReducedModel:
    """Reads a .qrt file."""

def save_model(model: ReducedModel, path: str | os.PathLike[str]) -> None:
    """Writes a .qrt file."""

class ReduceReport:
    """Details of a run of `reduce`."""

    @property
    def residuals(self) -> list[float]:
        """Of the linear modes."""

    @property
    def stages(self) -> list[tuple[str, float]]:
        """Name and seconds of each."""

    @property
    def warnings(self) -> list[str]: ...

    @property
    def factorization(self) -> str:
        """The solver that factorised K."""

    @property
    def mirror_planes(self) -> list[MirrorPlane]:
        """That were found."""

@overload
def reduce(mesh: VolumeMesh, fixed_vertices: Supports | quartic._typing.Indices, *, modes: int | None = None, rank: int | None = None, derivatives: bool = True, energy: bool = True, derivative_kind: str = 'static', stiff_share: float = 0.0, mirror_planes: bool = True, region_parts: bool = False, relax: float | str | None = None, relax_loads: quartic._typing.ArrayLike | None = None, mass_matrix: str = 'consistent', modes_method: str = 'automatic', backend: str = 'cpu', progress: quartic._typing.Progress | None = None, report: Literal[False] = False) -> ReducedModel:
    """
    Mesh to reduced model, all stages. Without modes= and rank= 20 and 30, or fewer where the body has fewer; no fixed vertices: a free body. relax= is a share of strains to relax, 0.75 for any body and 0.9 to 0.95 for thin ones, or "automatic", calibrated with relax_loads= first, forces (k, n, 3) [N]. stiff_share= is the share of the basis that is chosen by energy; mirror_planes= makes the basis even or odd in planes that mirror the body, which saves half of a step's work or more. progress(stage, fraction) may raise to cancel; report=True returns (model, report).
    """

@overload
def reduce(mesh: VolumeMesh, fixed_vertices: Supports | quartic._typing.Indices, *, modes: int | None = None, rank: int | None = None, derivatives: bool = True, energy: bool = True, derivative_kind: str = 'static', stiff_share: float = 0.0, mirror_planes: bool = True, region_parts: bool = False, relax: float | str | None = None, relax_loads: quartic._typing.ArrayLike | None = None, mass_matrix: str = 'consistent', modes_method: str = 'automatic', backend: str = 'cpu', progress: quartic._typing.Progress | None = None, report: Literal[True]) -> tuple[ReducedModel, ReduceReport]:
    """With details of the run."""

def reduce_with_basis(mesh: VolumeMesh, fixed_vertices: Supports | quartic._typing.Indices, basis: quartic._typing.ArrayLike, *, region_parts: bool = False, relax: float | str | None = None, relax_loads: quartic._typing.ArrayLike | None = None, mass_matrix: str = 'consistent', progress: quartic._typing.Progress | None = None) -> ReducedModel:
    """A model on the caller's own fields, (k, n, 3) float64."""

class BodyFlags(enum.IntFlag):
    """What has happened to a body; bits of Batch.flags."""

    none = 0

    inverted = 1

    strained = 2

    not_converged = 4

    contacts_lost = 8

    too_fast = 16

class ModelRange:
    """Points of a model's elements that tell whether a body is in its range."""

    @property
    def rank(self) -> int: ...

    @property
    def points(self) -> int: ...

    @property
    def elements(self) -> numpy.typing.NDArray[numpy.int64]: ...

    @property
    def gradients(self) -> numpy.typing.NDArray[numpy.float64]:
        """(points, 3, 3, r)"""

def model_range(model: ReducedModel, *, points: int = 32, directions: int = 256) -> ModelRange:
    """Chooses the points, for BodyGroup(..., range=)."""

def range_flags(range: ModelRange, q: quartic._typing.ArrayLike) -> BodyFlags:
    """`inverted` and `strained` of one body, in double."""

class Chamber:
    """The faces around a closed cavity, which a pressure acts on."""

    @property
    def name(self) -> str: ...

    @property
    def faces(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        (f, 8): corners, -1 for a fourth that isn't there, then middles of edges or -1.
        """

def find_chamber(mesh: VolumeMesh, vertices: str | quartic._typing.Indices, name: str = '') -> Chamber:
    """
    The chamber between boundary faces whose vertices are all among these, or in the vertex set of this name.
    """

def find_cavities(mesh: VolumeMesh) -> list[Chamber]:
    """All closed cavities inside the body: cavity-1, cavity-2, ..."""

def enclosed_volume(mesh: VolumeMesh, chamber: Chamber, u: quartic._typing.ArrayLike | None = None) -> float:
    """[m^3], at rest or at displacements u, (n, 3)."""

def enclosed_volume_gradient(mesh: VolumeMesh, chamber: Chamber, u: quartic._typing.ArrayLike | None = None) -> numpy.typing.NDArray[numpy.float64]:
    """dV/du [m^2], (n, 3): the forces of 1 Pa."""

def add_chamber(model: ReducedModel, chamber: Chamber) -> ReducedModel:
    """
    The model with a chamber of its mesh, in which Batch.set_pressure acts on its bodies.
    """

class BodyGroup:
    """Bodies of one model, side by side in a batch."""

    def __init__(self, model: ReducedModel | QuarticEnergy | Cubature, bodies: int = 1, *, strain_form: StrainForm | None = None, forces_from: StrainForm | None = None, range: ModelRange | None = None, frame: FrameMoments | None = None, motion: str = 'free', chambers: bool = True, damping: quartic._typing.ArrayLike | None = None, driven: int = 0) -> None:
        """
        strain_form: for evaluation="accurate"; forces_from: what this group's forces come from with any evaluation; range: for check_range; frame: free_frame(model), of bodies that fly; or base_frame(model) with motion="prescribed", on a base that the caller moves; chambers: those of the model, for set_pressure, which make steps a bit longer; damping: a constant part of it, (r, r), as modal_damping makes it; driven: how many of the last coordinates go where force() says, as those of drive_sets.
        """

    @property
    def bodies(self) -> int: ...

class BodyStatus(enum.IntEnum):
    """The status of a body."""

    ok = 0

    regularised = 1
    """The system matrix needed a shift at least once."""

    diverged = 2
    """Frozen at its last finite state."""

class LoadCurve:
    """
    A factor over time, linear between points; two at the same time make a jump.
    """

    def __init__(self, times: Sequence[float], scales: Sequence[float]) -> None: ...

    @property
    def times(self) -> list[float]:
        """[s], ascending."""

    @property
    def scales(self) -> list[float]: ...

def checkpoint_has_poses(path: str | os.PathLike[str]) -> bool:
    """
    Whether a .qstate file is of bodies with poses, whose groups have a frame.
    """

def checkpoint_has_pressures(path: str | os.PathLike[str]) -> bool:
    """
    Whether the bodies of a .qstate file are under pressure, whose groups have chambers.
    """

def checkpoint_has_strain_damping(path: str | os.PathLike[str]) -> bool:
    """
    Whether the bodies of a .qstate file are damped by strain rates, whose batch needs forms first.
    """

class Batch:
    """
    Bodies of one or several models, stepped together. The state starts at zero. Calls from several threads take turns.
    """

    def __init__(self, model: ReducedModel | QuarticEnergy | BodyGroup | Sequence[BodyGroup | tuple[ReducedModel | QuarticEnergy, int]], *, bodies: int = 1, dtype: str = 'float32', device: str = 'cpu', integrator: str = 'newmark', evaluation: str = 'strict', newmark_beta: float = 0.25, newmark_gamma: float = 0.5, rayleigh_mass: float = 0.0, rayleigh_stiffness: float = 0.0, newton_iterations: int = 1, newton_tolerance: float = 0.0, threads: int = 0, stream: quartic._typing.Stream | None = None) -> None:
        """
        integrator: newmark, backward-euler, central-differences or energy-conserving; evaluation: strict, latency or accurate, on a GPU also cublas or tensor. A list of groups: [(model, bodies), BodyGroup(...), ...]. device: cpu, cuda or cuda:1; stream: the CUDA stream of its work, by default the legacy default stream.
        """

    def step(self, dt: float, substeps: int = 1, force: quartic._typing.ArrayLike | None = None, stream: quartic._typing.Stream | None = None) -> None:
        """
        Advances every body by `substeps` steps of dt / substeps [s] under the present force; a given one (B, r), of the batch's dtype and any strides, is copied to `force` first. On a GPU this only enqueues the work, in the batch's stream or the given one.
        """

    @property
    def rank(self) -> int: ...

    @property
    def bodies(self) -> int: ...

    @property
    def dtype(self) -> str: ...

    @property
    def device(self) -> str:
        """"cpu", "cuda:0", ..."""

    @property
    def stream(self) -> int | None:
        """The number of its CUDA stream, 1 for the legacy default one."""

    @property
    def group_count(self) -> int: ...

    def group(self, group: int) -> tuple[int, int, int]:
        """First body, number of bodies, and rank."""

    @property
    def time(self) -> float:
        """Simulated time [s]."""

    @time.setter
    def time(self, arg: float, /) -> None: ...

    def __len__(self) -> int: ...

    def __repr__(self) -> str: ...

    @property
    def q(self) -> Array:
        """
        Reduced coordinates [m sqrt(kg)], (B, r): the batch's own memory, as the next three.
        """

    @property
    def velocity(self) -> Array: ...

    @property
    def acceleration(self) -> Array: ...

    @property
    def force(self) -> Array:
        """Reduced external force, constant until it is changed."""

    @property
    def status(self) -> Array:
        """
        BodyStatus of each body, (B) int32, read-only: a copy of what it is now; on a GPU the batch's own memory.
        """

    def reset_status(self) -> None:
        """Sets the status of all bodies to ok; their state doesn't change."""

    def set_status(self, status: quartic._typing.Indices) -> None: ...

    def enclosed_volume(self, chamber: int = 0) -> Array:
        """Of a chamber of each body [m^3], (B)."""

    @property
    def flags(self) -> Array:
        """
        BodyFlags of each body since the last reset, (B) uint32, read-only, as `status`.
        """

    def reset_flags(self) -> None: ...

    def set_flags(self, flags: quartic._typing.Indices) -> None: ...

    def check_range(self) -> Array:
        """
        `inverted` and `strained` of the present q, (B) uint32; also added to `flags`.
        """

    def elastic_energy(self) -> Array:
        """[J], (B) float64."""

    def kinetic_energy(self) -> Array:
        """[J], (B) float64."""

    def linear_momentum(self) -> Array:
        """Of free bodies [kg m/s], (B, 3) float64; zero for others."""

    def angular_momentum(self) -> Array:
        """Of free bodies about their mass centres [kg m^2/s], (B, 3) float64."""

    def save_checkpoint(self, path: str | os.PathLike[str]) -> None:
        """
        Writes all that is needed to go on, bit by bit, but for models and options (.qstate).
        """

    def load_checkpoint(self, path: str | os.PathLike[str]) -> list[str]:
        """
        Goes on from a file; returns a sentence for each option that isn't the saved batch's.
        """

    def set_rayleigh_damping(self, mass: float | quartic._typing.ArrayLike, stiffness: float | quartic._typing.ArrayLike, *, stream: quartic._typing.Stream | None = None) -> None:
        """
        alpha [1/s] and beta [s] of C = alpha M + beta K(q): numbers for all bodies, or arrays (B). With arrays on the batch's GPU nothing waits, and their numbers aren't checked.
        """

    def set_stiffness_scale(self, scale: float | quartic._typing.ArrayLike, *, stream: quartic._typing.Stream | None = None) -> None:
        """
        What R(q) and K(q) of each body are multiplied with, > 0: all of its Young's moduli. As damping.
        """

    def set_strain_damping(self, time: float | quartic._typing.ArrayLike, forms: StrainForm | Sequence[StrainForm | None] | None = None) -> None:
        """
        Damps by strain rates, tau [s] times the moduli: a number for all bodies, or an array (B). forms: of reduce_strains, one for each group, or one for all; None for what the group has from an earlier call, or that its forces come from. On the CPU.
        """

    @property
    def strain_damping(self) -> Array:
        """tau of each body [s], (B) float64: a copy."""

    def set_pressure(self, pressure: float | quartic._typing.ArrayLike, chamber: int = 0, *, stream: quartic._typing.Stream | None = None) -> None:
        """
        The pressure in a chamber of the model [Pa] above that outside, which follows the surface: a number for all bodies, or an array (B). As damping.
        """

    def set_gas(self, amount: float | quartic._typing.ArrayLike, chamber: int = 0, *, atmosphere: float = 101325.0) -> None:
        """
        Shuts a gas that keeps p V [J], absolute, into a chamber: a number for all bodies, or an array (B); 0 takes it out. It pushes with p V / volume - atmosphere [Pa], beside set_pressure.
        """

    def gas_amount(self, chamber: int = 0) -> Array:
        """p V of the gas in a chamber [J], (B) float64; 0 where there is none."""

    def gas_pressure(self, chamber: int = 0) -> Array:
        """What the gas pushes with now [Pa] above the atmosphere, (B) float64."""

    def gas_atmosphere(self) -> float:
        """Outside of all chambers with a gas [Pa]; 0 if there is none."""

    def gas_energy(self) -> Array:
        """
        Of all gases and the atmosphere that they push away [J], from rest on, (B) float64.
        """

    def pressure(self, chamber: int = 0) -> Array:
        """(B): a copy."""

    @property
    def chamber_count(self) -> int: ...

    @property
    def rayleigh_mass(self) -> Array:
        """(B): a copy."""

    @property
    def rayleigh_stiffness(self) -> Array:
        """(B): a copy."""

    @property
    def stiffness_scale(self) -> Array:
        """(B): a copy."""

    def set_load_curves(self, curves: Sequence[LoadCurve], curve_of_body: quartic._typing.Indices) -> None:
        """
        The force on body b is force[b] times curve curve_of_body[b] at time t; -1: times 1.
        """

    @property
    def pose(self) -> Array:
        """
        Position of the mass centre [m] and rotation as a quaternion x y z w, (B, 7): the batch's own memory.
        """

    @property
    def twist(self) -> Array:
        """
        Velocity [m/s] in world axes, angular velocity [rad/s] in the body's, (B, 6).
        """

    @property
    def twist_rate(self) -> Array:
        """Rate of the twist, (B, 6)."""

    @property
    def wrench(self) -> Array:
        """
        External force [N] and torque about the mass centre [N m], in world axes, (B, 6).
        """

    def has_frame(self, group: int = 0) -> bool:
        """Whether the group's bodies have poses."""

    def frame_motion(self, group: int = 0) -> str:
        """Whether the caller moves the group's frame."""

    def world_twist(self) -> numpy.typing.NDArray[numpy.float32 | numpy.float64]:
        """A copy of the twist with the angular velocity in world axes, (B, 6)."""

    def set_world_twist(self, twist: quartic._typing.ArrayLike) -> None:
        """
        Sets the twist from velocities in world axes, (B, 6), at the present poses.
        """

    def add_gravity(self, acceleration: Sequence[float]) -> None:
        """
        Uniform gravity [m/s^2] in world axes: into the wrench of free bodies, once; off the twist rate of those on a base, after each time that this is set.
        """

    def base_wrench(self) -> numpy.typing.NDArray[numpy.float32 | numpy.float64]:
        """
        Force [N] and torque about its origin [N m] with which the base moves each body, in world axes, (B, 6).
        """

    def reset(self, mask_or_ids: quartic._typing.Indices | None = None, *, q: quartic._typing.ArrayLike | None = None, velocity: quartic._typing.ArrayLike | None = None, pose: quartic._typing.ArrayLike | None = None, twist: quartic._typing.ArrayLike | None = None, stream: quartic._typing.Stream | None = None) -> None:
        """
        Puts the bodies of a boolean mask (B), or those of these numbers, or all, at their start, zero where nothing is given; of q (B, r) and so on only their rows are read. Loads and all other bodies stay as they are. On a GPU nothing waits for a mask (B) of bool or uint8, or int32 numbers, that are there; what only the device knows isn't checked.
        """

    def advance(self, state: Sequence[quartic._typing.ArrayLike], force: quartic._typing.ArrayLike, dt: float, substeps: int = 1, *, out: Sequence[quartic._typing.ArrayLike], stream: quartic._typing.Stream | None = None) -> None:
        """
        Steps as a function: `out` is the (q, velocity, acceleration) behind `substeps` steps from `state` under `force`, all (B, r). It may be the state itself. What the batch had as its own state, force and status is lost.
        """

class UnreducedBody:
    """
    A body of which every vertex moves: what reduced ones are compared with.
    """

    def __init__(self, mesh: VolumeMesh, fixed_vertices: Supports | quartic._typing.Indices, *, integrator: str = 'newmark', newmark_beta: float = 0.25, newmark_gamma: float = 0.5, rayleigh_mass: float = 0.0, rayleigh_stiffness: float = 0.0, strain_damping: float = 0.0, newton_iterations: int = 1, newton_tolerance: float = 0.0, mass_matrix: str = 'consistent', chambers: Sequence[Chamber] | None = None, factorization: str = 'automatic', temperature: float | quartic._typing.ArrayLike | None = None, expansion: float | quartic._typing.ArrayLike | None = None) -> None:
        """
        At rest. integrator: newmark or backward-euler; factorization: automatic, mumps or eigen; temperature and expansion as for heated_energy.
        """

    def step(self, dt: float, substeps: int = 1) -> None:
        """Advances by `substeps` steps of dt / substeps [s]."""

    @property
    def mass(self) -> SparseMatrix:
        """M [kg], (3n, 3n)."""

    @property
    def factorization_name(self) -> str: ...

    @property
    def displacement(self) -> Array:
        """u [m], (n, 3): the body's own memory, as the next three."""

    @property
    def velocity(self) -> Array: ...

    @property
    def acceleration(self) -> Array: ...

    @property
    def force(self) -> Array:
        """External force on each vertex [N], constant until it is changed."""

    @property
    def status(self) -> BodyStatus: ...

    def reset_status(self) -> None: ...

    def elastic_energy(self) -> float:
        """[J]"""

    def kinetic_energy(self) -> float:
        """[J]"""

    def set_pressure(self, pressure: float, chamber: int = 0) -> None:
        """In a chamber [Pa] above that outside, from the next step on."""

    def pressure(self, chamber: int = 0) -> float: ...

    def enclosed_volume(self, chamber: int = 0) -> float:
        """Of a chamber now [m^3]."""

def gravity_force(mass: SparseMatrix, acceleration: Sequence[float]) -> numpy.typing.NDArray[numpy.float64]:
    """
    The force of a uniform acceleration [m/s^2] on each vertex, (n, 3) [N].
    """

class Equilibrium:
    """The result of a static solve."""

    @property
    def solution(self) -> numpy.typing.NDArray[numpy.float64]:
        """u [m], (n, 3), or q, (r): of the last load that was reached."""

    @property
    def converged(self) -> bool:
        """Whether it holds the whole load."""

    @property
    def stable(self) -> bool:
        """Whether the stiffness there is positive definite."""

    @property
    def load_factor(self) -> float:
        """The part of the load that it holds."""

    @property
    def residual(self) -> float:
        """Unbalanced force, relative."""

    @property
    def energy_error(self) -> float:
        """Last correction, relative."""

    @property
    def load_steps(self) -> int: ...

    @property
    def iterations(self) -> int: ...

    @property
    def regularised(self) -> int: ...

class StaticSolver:
    """Equilibria of one unreduced, held body under any number of loads."""

    def __init__(self, mesh: VolumeMesh, fixed_vertices: Supports | quartic._typing.Indices, *, load_steps: int = 1, halvings: int = 10, newton_iterations: int = 100, tolerance: float = 1e-10, chambers: Sequence[Chamber] | None = None, factorization: str = 'automatic', temperature: float | quartic._typing.ArrayLike | None = None, expansion: float | quartic._typing.ArrayLike | None = None, progress: quartic._typing.Progress | None = None) -> None: ...

    def solve(self, force: quartic._typing.ArrayLike, start: quartic._typing.ArrayLike | None = None, pressure: quartic._typing.ArrayLike | None = None) -> Equilibrium:
        """
        From start (n, 3), or rest, while the force grows to `force` (n, 3) [N], and pressures (chambers) from 0. What can't be reached is told by `converged`.
        """

    @property
    def factorization_name(self) -> str: ...

def reduced_equilibrium(model: ReducedModel | QuarticEnergy | Cubature, force: quartic._typing.ArrayLike, start: quartic._typing.ArrayLike | None = None, pressure: quartic._typing.ArrayLike | None = None, *, gas: quartic._typing.ArrayLike | None = None, atmosphere: float = 101325.0, load_steps: int = 1, halvings: int = 10, newton_iterations: int = 100, tolerance: float = 1e-10, progress: quartic._typing.Progress | None = None) -> Equilibrium:
    """
    R(q) = f for a reduced force (r), also of a cubature, and under pressures in a model's chambers, or with gases in them that keep p V = gas [J], as Batch.set_gas.
    """

def reduced_equilibria(model: ReducedModel | QuarticEnergy, forces: quartic._typing.ArrayLike, *, load_steps: int = 1, halvings: int = 10, newton_iterations: int = 100, tolerance: float = 1e-10, progress: quartic._typing.Progress | None = None) -> list[Equilibrium]:
    """For several reduced forces (k, r), each from rest."""

def inverted_elements(mesh: VolumeMesh, displacement: quartic._typing.ArrayLike) -> int:
    """How many elements displacements (n, 3) invert or flatten."""

class Basis:
    """A mass-orthonormal basis, and what it was made from."""

    @property
    def vectors(self) -> numpy.typing.NDArray[numpy.float64]:
        """(r, n, 3)"""

    @property
    def singular_values(self) -> numpy.typing.NDArray[numpy.float64]:
        """Of all fields in the mass norm, descending."""

    @property
    def numerical_rank(self) -> int: ...

def mass_pca(fields: quartic._typing.ArrayLike, mass: SparseMatrix, rank: int) -> Basis:
    """
    The basis of this rank that has the most of the fields (k, n, 3) in the mass norm.
    """

def mass_pca_up_to(fields: quartic._typing.ArrayLike, mass: SparseMatrix, rank: int) -> Basis:
    """The same, of a lower rank where the fields have no higher one."""

def mass_orthonormalize(fields: quartic._typing.ArrayLike, mass: SparseMatrix) -> numpy.typing.NDArray[numpy.float64]:
    """Fields (k, n, 3) that span the same and are mass-orthonormal."""

def orthonormality_error(basis: quartic._typing.ArrayLike, mass: SparseMatrix) -> float:
    """The largest entry of |U^T M U - I|."""

def reduce_energy(mesh: VolumeMesh, basis: quartic._typing.ArrayLike, *, backend: str = 'cpu', progress: quartic._typing.Progress | None = None) -> QuarticEnergy:
    """The energy of a mesh on any fields (r, n, 3), exactly."""

class Snapshots:
    """Displacements of all vertices at several times."""

    def __init__(self, displacements: quartic._typing.ArrayLike, time: quartic._typing.ArrayLike | None = None) -> None:
        """
        displacements [m] (N, n, 3), time [s] (N), float64; without time 0, 1, 2, ...
        """

    @property
    def displacements(self) -> numpy.typing.NDArray[numpy.float64]:
        """[m], (N, n, 3)"""

    @property
    def time(self) -> numpy.typing.NDArray[numpy.float64]: ...

    def __len__(self) -> int: ...

def save_snapshots(snapshots: Snapshots, path: str | os.PathLike[str]) -> None:
    """Writes a .qsnap file."""

def load_snapshots(path: str | os.PathLike[str]) -> Snapshots: ...

@overload
def write_pvd(mesh: VolumeMesh, snapshots: Snapshots, path: str | os.PathLike[str]) -> None:
    """A series for ParaView, a frame for each snapshot."""

@overload
def write_pvd(model: ReducedModel, trajectory: Trajectory, path: str | os.PathLike[str]) -> None:
    """A series of body 0 for ParaView."""

def select_separated(fields: quartic._typing.ArrayLike, mass: SparseMatrix, separation: float) -> numpy.typing.NDArray[numpy.int64]:
    """
    Which fields are that far, in parts of the longest one, from zero and from those selected before.
    """

def captured_energy(singular_values: quartic._typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
    """
    The share of the fields that the first 1, 2, ... vectors of their mass-PCA have.
    """

class RecordedLoad:
    """The forces on vertices at one time of a recording."""

    def __init__(self, time: float, vertices: quartic._typing.Indices, forces: quartic._typing.ArrayLike) -> None:
        """time [s]; forces [N] (v, 3), float64, on these vertices."""

    @property
    def time(self) -> float: ...

    @property
    def vertices(self) -> numpy.typing.NDArray[numpy.int32]: ...

    @property
    def forces(self) -> numpy.typing.NDArray[numpy.float64]:
        """[N], (v, 3)"""

def read_recorded_loads(path: str | os.PathLike[str], vertex_count: int) -> list[RecordedLoad]:
    """Reads text lines time,vertex,fx,fy,fz."""

def write_recorded_loads(loads: Sequence[RecordedLoad], path: str | os.PathLike[str]) -> None: ...

def force_vector(load: RecordedLoad, vertex_count: int) -> numpy.typing.NDArray[numpy.float64]:
    """A load on all vertices, (n, 3) [N]."""

def select_loads(loads: Sequence[RecordedLoad], separation: float) -> list[int]:
    """
    Which loads are that far, in parts of the largest one, from zero and from the last one selected.
    """

def follow_loads(solver: StaticSolver, loads: Sequence[RecordedLoad]) -> list[tuple[int, Equilibrium]]:
    """
    Equilibria of a StaticSolver under one load after the other, each from the last: (number of the load, Equilibrium); those that can't be reached are left out.
    """

class MaterialEdit:
    """
    A model's run-time data for other materials, in coordinates q' with q = T q'.
    """

    @property
    def energy(self) -> QuarticEnergy: ...

    @property
    def transform(self) -> numpy.typing.NDArray[numpy.float64]:
        """T, (r, r)."""

    @property
    def unit_acceleration(self) -> numpy.typing.NDArray[numpy.float64]:
        """Of q', (3, r)."""

    @property
    def shift(self) -> list[float]:
        """Of the mass centre at rest [m]."""

    @property
    def moments(self) -> FrameMoments | None: ...

    @property
    def relaxation(self) -> Relaxation | None: ...

    @property
    def notices(self) -> list[str]:
        """What couldn't be carried over."""

def edit_materials(model: ReducedModel, materials: Sequence[Material]) -> MaterialEdit:
    """
    The model's run-time data for other materials, one per region; needs reduce(..., region_parts=True).
    """

def with_materials(model: ReducedModel, materials: Sequence[Material]) -> ReducedModel:
    """The whole model for other materials."""

def apply_edit(batch: Batch, edit: MaterialEdit, previous: MaterialEdit | None = None, group: int = 0) -> None:
    """
    Gives a running batch the edit's energy, and its state the new coordinates.
    """

def keep_basis_vectors(model: ReducedModel, kept: Sequence[int]) -> ReducedModel:
    """The model with some of its basis vectors."""

class Embedding:
    """Vertices of a model that are moved by q, and take forces."""

    def __init__(self, model: ReducedModel, vertices: quartic._typing.Indices | None = None, *, surface: bool = False, device: str = 'cpu') -> None:
        """
        All vertices of the mesh, or some, or surface=True: those of the surface that the model draws.
        """

    @property
    def vertex_count(self) -> int: ...

    @property
    def rest_positions(self) -> numpy.typing.NDArray[numpy.float64]:
        """[m], (v, 3)."""

    @property
    def triangles(self) -> numpy.typing.NDArray[numpy.int32]:
        """Of a surface, (t, 3); else none."""

    @property
    def device(self) -> str:
        """"cpu", "cuda:0", ..."""

    def displacements(self, q: quartic._typing.ArrayLike, out: quartic._typing.ArrayLike | None = None, *, stream: quartic._typing.Stream | None = None) -> Any:
        """
        U q [m], (B, v, 3), for q (B, r) of float32 or float64: in a new quartic.Array, or in `out`, which is returned. On a GPU in float32, and in the stream of q, or the given one.
        """

    def positions(self, q: quartic._typing.ArrayLike, out: quartic._typing.ArrayLike | None = None, *, pose: quartic._typing.ArrayLike | None = None, stream: quartic._typing.Stream | None = None) -> Any:
        """
        Rest positions plus U q [m], (B, v, 3); with the poses of free bodies, (B, 7), where these take them.
        """

    def add_vertex_forces(self, forces: quartic._typing.ArrayLike, reduced_force: quartic._typing.ArrayLike, *, q: quartic._typing.ArrayLike | None = None, pose: quartic._typing.ArrayLike | None = None, wrench: quartic._typing.ArrayLike | None = None, stream: quartic._typing.Stream | None = None) -> None:
        """
        Adds U^T f of forces (B, v, 3) [N] to a reduced force (B, r), such as batch.force. With q, pose and wrench of bodies that fly, on the CPU: forces in world axes on their points as they lie now, which also add to the wrench (B, 6).
        """

class TriangleMesh:
    """A surface of triangles; open, a soup, or not a manifold."""

    def __init__(self, vertices: quartic._typing.ArrayLike, triangles: quartic._typing.ArrayLike) -> None:
        """vertices (n, 3) float64 [m]; triangles (t, 3), 0-based."""

    @property
    def vertices(self) -> numpy.typing.NDArray[numpy.float64]: ...

    @property
    def triangles(self) -> numpy.typing.NDArray[numpy.int32]: ...

    @property
    def warnings(self) -> list[str]: ...

def read_triangle_mesh(path: str | os.PathLike[str]) -> TriangleMesh:
    """Reads OBJ, PLY, STL or glTF, recognised by content."""

class Voxelization:
    """A surface as cubes of one size."""

    @property
    def mesh(self) -> VolumeMesh: ...

    @property
    def edge(self) -> float:
        """Of a cube [m]."""

    @property
    def surface_voxels(self) -> int: ...

    @property
    def interior_voxels(self) -> int: ...

    @property
    def added_voxels(self) -> int: ...

    @property
    def cavity_voxels(self) -> int: ...

    @property
    def parts(self) -> list[int]:
        """Voxels of each, descending."""

    @property
    def volume(self) -> float:
        """[m^3]"""

    @property
    def enclosed_volume(self) -> float | None:
        """By the surface; None: open."""

    @property
    def thickness(self) -> float | None:
        """[m]"""

def voxelize(surface: TriangleMesh, *, resolution: int = 64, region: str = 'voxels', material: Material | None = None, only_largest_part: bool = False) -> Voxelization:
    """
    All cubes of a lattice that the surface meets or encloses, `resolution` along the longest axis.
    """

class SurfaceReport:
    """Properties and defects of a surface."""

    @property
    def components(self) -> int:
        """Parts that share no vertex."""

    @property
    def boundary_edges(self) -> int: ...

    @property
    def nonmanifold_edges(self) -> int: ...

    @property
    def misoriented_edges(self) -> int: ...

    @property
    def degenerate_triangles(self) -> int: ...

    @property
    def repeated_triangles(self) -> int: ...

    @property
    def unreferenced_vertices(self) -> int: ...

    @property
    def coincident_vertices(self) -> int: ...

    @property
    def area(self) -> float:
        """[m^2]"""

    @property
    def enclosed_volume(self) -> float | None:
        """[m^3]; None: open."""

    @property
    def bounding_box(self) -> list[float]:
        """x0, y0, z0, x1, y1, z1 [m]"""

    @property
    def warnings(self) -> list[str]:
        """A sentence for each finding."""

    @property
    def closed(self) -> bool: ...

def check_surface(surface: TriangleMesh) -> SurfaceReport:
    """Checks a surface without changing or rejecting it."""

class BoundaryCurving:
    """What curve_boundary did with the edges of a boundary."""

    @property
    def curved(self) -> int:
        """Edges whose middle moved onto the surface."""

    @property
    def on_surface(self) -> int: ...

    @property
    def off_surface(self) -> int: ...

    @property
    def at_crease(self) -> int: ...

    @property
    def would_fold(self) -> int: ...

    @property
    def largest_distance(self) -> float:
        """That a middle was moved by [m]."""

    @property
    def volume_before(self) -> float:
        """[m^3]"""

    @property
    def volume_after(self) -> float: ...

    @property
    def enclosed_volume(self) -> float | None:
        """By the surface [m^3]; None: open."""

    @property
    def away_from_surface(self) -> bool:
        """Whether the mesh's volume is farther from the surface's than before."""

def curve_boundary(mesh: VolumeMesh, surface: TriangleMesh) -> tuple[VolumeMesh, BoundaryCurving]:
    """
    The mesh of quadratic elements with middles of its boundary's edges on the surface that it was made for, and what was done.
    """

class EmbedReport:
    """How well a surface and a volume fit."""

    @property
    def inside(self) -> int: ...

    @property
    def outside(self) -> int: ...

    @property
    def largest_distance(self) -> float:
        """[m]"""

    @property
    def farthest_vertex(self) -> int: ...

    @property
    def warnings(self) -> list[str]: ...

def embed_surface(model: ReducedModel, surface: TriangleMesh, *, max_distance: float | None = None) -> tuple[ReducedModel, EmbedReport]:
    """
    The model, drawn by this surface, and how well they fit: see Embedding(model, surface=True).
    """

class BoundTree:
    """
    Contact points of a body in a tree of spheres that hold them, whatever q is.
    """

    @property
    def triangles(self) -> numpy.typing.NDArray[numpy.int32]:
        """Of the drawn surface, on which points are, (p)."""

    @property
    def weights(self) -> numpy.typing.NDArray[numpy.float64]:
        """Barycentric coordinates there, (p, 3)."""

    @property
    def positions(self) -> numpy.typing.NDArray[numpy.float64]:
        """Of the points at rest [m], (p, 3)."""

    @property
    def areas(self) -> numpy.typing.NDArray[numpy.float64]:
        """Shares of the surface at rest [m^2], (p)."""

    @property
    def basis(self) -> numpy.typing.NDArray[numpy.float64]:
        """U of the points as fields, (r, p, 3)."""

    @property
    def nodes(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        First child, number of children, first point, number of points, (n, 4); leaves have no children.
        """

    @property
    def rest_spheres(self) -> numpy.typing.NDArray[numpy.float64]:
        """Centre and radius at rest [m], (n, 4)."""

    @property
    def rank(self) -> int: ...

    @property
    def point_count(self) -> int: ...

    @property
    def node_count(self) -> int: ...

    def spheres(self, q: quartic._typing.ArrayLike) -> numpy.typing.NDArray[numpy.float32 | numpy.float64]:
        """
        Centres and radii [m] of all nodes, (B, n, 4), in the mesh's coordinates; q (B, r), float32 or float64.
        """

    def __repr__(self) -> str: ...

def bound_tree(model: ReducedModel, spacing: float = float('inf')) -> BoundTree:
    """
    Of the vertices of the model's surface, and points between them so that none is farther than spacing [m] along an edge.
    """

def refitted(tree: BoundTree, model: ReducedModel) -> BoundTree:
    """The same points in the same tree for the model's present basis."""

def require_sound(tree: BoundTree) -> None:
    """
    Checks all that spheres rely on; raises an InputError that says what isn't so.
    """

def add_bound_tree(model: ReducedModel, tree: BoundTree) -> ReducedModel:
    """The model with the tree, which its file keeps and edits take along."""

def stored_bound_tree(model: ReducedModel) -> BoundTree | None:
    """The model's own tree, if it has one."""

class PlaneShape:
    """What lies below normal . x = offset [m] is solid."""

    def __init__(self, normal: Sequence[float] = (0, 0, 1), offset: float = 0.0) -> None: ...

    @property
    def normal(self) -> list[float]: ...

    @property
    def offset(self) -> float: ...

class SphereShape:
    """About the origin; radius [m]."""

    def __init__(self, radius: float) -> None: ...

    @property
    def radius(self) -> float: ...

class CapsuleShape:
    """A cylinder along z with half spheres at its ends [m]."""

    def __init__(self, radius: float, half_length: float) -> None: ...

    @property
    def radius(self) -> float: ...

    @property
    def half_length(self) -> float: ...

class BoxShape:
    """About the origin, its sides along the axes; half sizes [m]."""

    def __init__(self, half_size: Sequence[float]) -> None: ...

    @property
    def half_size(self) -> list[float]: ...

class DistanceGrid:
    """Signed distances at the points of a lattice, linear between them."""

    def __init__(self, origin: Sequence[float], spacing: float, values: quartic._typing.ArrayLike) -> None:
        """
        First point [m], spacing [m], distances [m], (nz, ny, nx) float64, >= 0 on the faces.
        """

    @property
    def origin(self) -> list[float]: ...

    @property
    def spacing(self) -> float: ...

    @property
    def values(self) -> numpy.typing.NDArray[numpy.float64]: ...

class Shape:
    """A solid in its own frame, made once and shared by colliders."""

    def __init__(self, geometry: PlaneShape | SphereShape | CapsuleShape | BoxShape | DistanceGrid | TriangleMesh | Shape) -> None:
        """A mesh must be closed, its triangles counter-clockwise from outside."""

    def distance(self, points: quartic._typing.ArrayLike) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]:
        """
        Gaps [m], (n,), below 0 inside, and normals, (n, 3), at points (n, 3) of the shape's frame.
        """

    @property
    def slope(self) -> float:
        """The gaps of two points differ by at most so many times their distance."""

def distance_grid(shape: Shape | PlaneShape | SphereShape | CapsuleShape | BoxShape | TriangleMesh, low: Sequence[float], high: Sequence[float], spacing: float) -> DistanceGrid:
    """
    The distances of a shape on a lattice around the box from low to high [m].
    """

class Collider:
    """A shape in the world. Doesn't change once it is made."""

    def __init__(self, shape: Shape | PlaneShape | SphereShape | CapsuleShape | BoxShape | DistanceGrid | TriangleMesh, *, pose: Sequence[float] = (0, 0, 0, 0, 0, 0, 1), twist: Sequence[float] = (0, 0, 0, 0, 0, 0)) -> None:
        """
        pose: position [m] and quaternion x y z w of the shape's frame; twist: its velocity [m/s] and angular velocity [rad/s], world axes.
        """

    @property
    def shape(self) -> Shape: ...

    @property
    def pose(self) -> list[float]: ...

    @property
    def twist(self) -> list[float]: ...

def moved(collider: Collider, time: float) -> Collider:
    """To where its twist takes it after a time [s]."""

def moving_to(collider: Collider, pose: Sequence[float], time: float) -> Collider:
    """
    With the twist by which it is at a pose after a time [s], the short way round.
    """

class PoseTrack:
    """Poses at times, for colliders that an animation moves."""

    def __init__(self, times: quartic._typing.ArrayLike, poses: quartic._typing.ArrayLike) -> None:
        """
        times [s], ascending, (n,), and poses, (n, 7): position [m], quaternion x y z w.
        """

    @property
    def times(self) -> numpy.typing.NDArray[numpy.float64]: ...

    @property
    def poses(self) -> numpy.typing.NDArray[numpy.float64]: ...

    def at(self, time: float) -> list[float]:
        """The pose at a time [s]: even between two, else the first or the last."""

def read_pose_track(path: str | os.PathLike[str], *, node: str = '') -> PoseTrack:
    """
    Text lines time,x,y,z or time,x,y,z,qx,qy,qz,qw, or the way of a node in a glTF file: the only one that moves if it isn't named.
    """

class Contacts:
    """
    Points of bodies in or near shapes, in order of body, shape and point: arrays, read-only.
    """

    @property
    def body(self) -> numpy.typing.NDArray[numpy.int64]: ...

    @property
    def shape(self) -> numpy.typing.NDArray[numpy.int32]:
        """Of the colliders."""

    @property
    def point(self) -> numpy.typing.NDArray[numpy.int32]:
        """Of the bound tree."""

    @property
    def position(self) -> numpy.typing.NDArray[numpy.float64]:
        """In the world [m], (c, 3)."""

    @property
    def normal(self) -> numpy.typing.NDArray[numpy.float64]:
        """Of the shape, (c, 3)."""

    @property
    def gap(self) -> numpy.typing.NDArray[numpy.float64]:
        """[m], below 0 inside."""

    @property
    def area(self) -> numpy.typing.NDArray[numpy.float64]:
        """The point's share of the surface at rest [m^2]."""

    @property
    def force(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        On the body [N], (c, 3); zero of contacts that were found without a step.
        """

    def __len__(self) -> int: ...

def touching_leaves(tree: BoundTree, spheres: quartic._typing.ArrayLike, q: quartic._typing.ArrayLike, colliders: Sequence[Collider], *, pose: quartic._typing.ArrayLike | None = None, frame: FrameMoments | None = None, margin: float | quartic._typing.ArrayLike | None = None) -> numpy.typing.NDArray[numpy.int64]:
    """
    Body, shape and node of leaves whose spheres, of tree.spheres(q), come as near to a shape as the margin [m], (k, 3).
    """

def leaf_contacts(tree: BoundTree, leaves: quartic._typing.ArrayLike, q: quartic._typing.ArrayLike, colliders: Sequence[Collider], *, pose: quartic._typing.ArrayLike | None = None, frame: FrameMoments | None = None, margin: float | quartic._typing.ArrayLike | None = None) -> Contacts:
    """Points of these leaves with a gap below the margin [m]."""

def find_contacts(tree: BoundTree, q: quartic._typing.ArrayLike, colliders: Sequence[Collider], *, pose: quartic._typing.ArrayLike | None = None, frame: FrameMoments | None = None, margin: float | quartic._typing.ArrayLike | None = None) -> Contacts:
    """
    All stages. q (B, r) and pose (B, 7) as a Batch has them, float32 or float64; frame: of the bodies that have poses; margin [m]: of all bodies or of each, (B).
    """

class World:
    """
    A batch on the CPU and the shapes that its bodies meet. Calls take turns with those of the batch.
    """

    def __init__(self, batch: Batch, trees: BoundTree | Sequence[BoundTree | None], *, stiffness: float = 1e7, dissipation: float = 0.0, friction: float = 0.5, friction_velocity: float = 1e-3, iterations: int = 40, tolerance: float = 1e-9) -> None:
        """
        trees: of the batch's groups, None for those that touch nothing; stiffness [Pa/m], dissipation [s/m], friction, and the speed below which it is smooth [m/s].
        """

    def step(self, dt: float, substeps: int = 1) -> None:
        """As Batch.step, with contacts; moves the colliders by their twists."""

    @property
    def batch(self) -> Batch:
        """Its state, loads and parameters may be changed between steps."""

    @property
    def colliders(self) -> tuple[Collider, ...]:
        """
        To be set between steps: world.colliders = [*world.colliders, another].
        """

    @colliders.setter
    def colliders(self, value: Sequence[Collider], /) -> None: ...

    def contacts(self) -> Contacts:
        """
        Points that were in a shape at the end of the last substep, with their forces.
        """

    def contact_wrench(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        Sum of each body's contact forces then [N], and torque [N m] about its mass centre, or the mesh's origin without a frame; world axes, (B, 6).
        """

    def contact_impulse(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        Impulses [N s] of the last call of `step`, and about the world's origin [N m s], (B, 6); zero without a frame.
        """

class CollisionSurface:
    """
    The closed surface of a model's bodies, by the points of its bound tree.
    """

    def __init__(self, model: ReducedModel, tree: BoundTree) -> None: ...

    @property
    def triangles(self) -> numpy.typing.NDArray[numpy.int32]:
        """Points of the tree, (t, 3)."""

class BodyContacts:
    """Points of bodies in or near other bodies: arrays, read-only."""

    @property
    def body(self) -> numpy.typing.NDArray[numpy.int64]: ...

    @property
    def other(self) -> numpy.typing.NDArray[numpy.int64]:
        """In or near which it is."""

    @property
    def point(self) -> numpy.typing.NDArray[numpy.int32]:
        """Of the body's bound tree."""

    @property
    def corners(self) -> numpy.typing.NDArray[numpy.int32]:
        """Of the nearest triangle: points of the other's bound tree, (c, 3)."""

    @property
    def weights(self) -> numpy.typing.NDArray[numpy.float64]:
        """Barycentric coordinates there, (c, 3)."""

    @property
    def position(self) -> numpy.typing.NDArray[numpy.float64]:
        """Of the point, in the world [m], (c, 3)."""

    @property
    def normal(self) -> numpy.typing.NDArray[numpy.float64]:
        """Of the other's surface, (c, 3)."""

    @property
    def gap(self) -> numpy.typing.NDArray[numpy.float64]:
        """[m], below 0 inside."""

    @property
    def area(self) -> numpy.typing.NDArray[numpy.float64]:
        """Half the point's share of the surface at rest [m^2]."""

    @property
    def force(self) -> numpy.typing.NDArray[numpy.float64]:
        """On the body [N], (c, 3); the other has the opposite one."""

    def __len__(self) -> int: ...

class CollisionReport:
    """Of the last substep."""

    @property
    def islands(self) -> int:
        """Bodies with points near each other, as a whole."""

    @property
    def bodies(self) -> int:
        """In islands."""

    @property
    def largest_island(self) -> int:
        """Its bodies."""

    @property
    def contacts(self) -> int: ...

    @property
    def unsettled_islands(self) -> int:
        """Whose impulses still changed by more than the tolerance."""

def let_collide(world: World, surfaces: CollisionSurface | Sequence[CollisionSurface | None], *, sweeps: int = 50, ids: Sequence[int] = [], environments: Sequence[int] = []) -> None:
    """
    From now on the world's bodies meet each other. surfaces: of the batch's groups, of the world's trees; ids: of the bodies, all different; environments: bodies of different ones never meet.
    """

def body_contacts(world: World) -> BodyContacts:
    """Between bodies at the end of the last substep."""

def collision_report(world: World) -> CollisionReport: ...

def save_world(world: World, path: str | os.PathLike[str]) -> None:
    """As Batch.save_checkpoint, with the forces that contacts begin with."""

def load_world(world: World, path: str | os.PathLike[str]) -> list[str]:
    """As Batch.load_checkpoint, to go on bit by bit."""

class ContactRecord:
    """One point's touch of one shape."""

    def __init__(self, time: float, duration: float, point: int, impulse: Sequence[float], *, body: int = 0, shape: int = 0, position: Sequence[float] = [0.0, 0.0, 0.0]) -> None:
        """
        time, duration [s]; point of the bound tree; impulse on the body [N s], along its own axes; body and shape by number; position in the world [m].
        """

    @property
    def time(self) -> float: ...

    @property
    def duration(self) -> float: ...

    @property
    def body(self) -> int: ...

    @property
    def shape(self) -> int: ...

    @property
    def point(self) -> int: ...

    @property
    def position(self) -> list[float]: ...

    @property
    def impulse(self) -> list[float]: ...

class ContactRecorder:
    """Makes records of a world's contacts, step by step."""

    def __init__(self) -> None: ...

    def record(self, world: World, dt: float) -> None:
        """After each `world.step(dt)` of one substep; dt [s]."""

    @property
    def records(self) -> list[ContactRecord]:
        """Contacts that are over, in the order in which they ended."""

    def all_records(self) -> list[ContactRecord]:
        """The same with those that last, cut off now."""

def contact_strikes(model: ReducedModel, tree: BoundTree, records: Sequence[ContactRecord], *, body: int | None = None) -> list[Strike]:
    """Contacts as strikes of half sines, of one body or of all."""

def write_contact_records(records: Sequence[ContactRecord], path: str | os.PathLike[str]) -> None:
    """Lines time,duration,body,shape,point,x,y,z,jx,jy,jz."""

def read_contact_records(path: str | os.PathLike[str]) -> list[ContactRecord]: ...

class HapticSample:
    """What a step of a HapticBall gives; positions [m], forces [N]."""

    @property
    def step(self) -> int:
        """Steps so far."""

    @property
    def time(self) -> float:
        """Of the batch [s]."""

    @property
    def device(self) -> list[float]: ...

    @property
    def ball(self) -> list[float]: ...

    @property
    def force(self) -> list[float]:
        """On the hand."""

    @property
    def contact_force(self) -> list[float]:
        """On the ball."""

    @property
    def contacts(self) -> int:
        """Points that are in the ball."""

class HapticBall:
    """A ball in a hand, coupled to a device, as a world's last collider."""

    def __init__(self, world: World, device: Sequence[float], *, period: float = 1e-3, radius: float = 0.02, stiffness: float = 500.0, damping: float = 0.0, device_damping: float = 0.5, largest_force: float = 1e300) -> None:
        """
        device: where it is [m]; period of a step [s], radius [m], the coupling's stiffness [N/m] and damping [N s/m], the device's own damping [N s/m], and the largest force that it bears [N].
        """

    def step(self, device: Sequence[float]) -> HapticSample:
        """Has the device there [m], moves the ball and steps the world."""

    @property
    def sample(self) -> HapticSample:
        """Of the last step."""

    @property
    def world(self) -> World: ...

def largest_passive_stiffness(device_damping: float, damping: float, period: float) -> float:
    """
    Stiffness up to which a coupling is passive [N/m], 2 (device_damping - damping) / period.
    """

class Trajectory:
    """Frames of a batch; frame 0 is the start."""

    def __init__(self, time: quartic._typing.ArrayLike | list[float], q: quartic._typing.ArrayLike, status: quartic._typing.Indices | None = None, flags: quartic._typing.Indices | None = None, pose: quartic._typing.ArrayLike | None = None, twist: quartic._typing.ArrayLike | None = None, coordinates: str = 'basis', warp: str = 'none') -> None:
        """
        time (frames) [s], q (frames, B, r) of float32 or float64, status at the end (B); of bodies that fly pose (frames, B, 7) and twist (frames, B, 6); coordinates: basis, as of Batch, or linear-modes, as of ModalBatch; warp, of linear modes: none, modal or rotation-strain.
        """

    @property
    def bodies(self) -> int: ...

    @property
    def rank(self) -> int: ...

    @property
    def frames(self) -> int: ...

    @property
    def time(self) -> numpy.typing.NDArray[numpy.float64]:
        """[s]"""

    @property
    def q(self) -> numpy.typing.NDArray[numpy.float64]:
        """(frames, B, r)"""

    @property
    def coordinates(self) -> str: ...

    @property
    def warp(self) -> str: ...

    @property
    def pose(self) -> numpy.typing.NDArray[numpy.float64]:
        """Of bodies that fly, (frames, B, 7); else without frames."""

    @property
    def twist(self) -> numpy.typing.NDArray[numpy.float64]:
        """As pose, (frames, B, 6)."""

    @property
    def status(self) -> numpy.typing.NDArray[numpy.int32]: ...

    @property
    def flags(self) -> numpy.typing.NDArray[numpy.uint32]:
        """Empty: none."""

def load_trajectory(path: str | os.PathLike[str]) -> Trajectory:
    """Reads a .qtraj file."""

def save_trajectory(trajectory: Trajectory, path: str | os.PathLike[str]) -> None:
    """Writes a .qtraj file."""

def write_csv(trajectory: Trajectory, path: str | os.PathLike[str]) -> None:
    """One row per frame of body 0."""

def modal_model(model: ReducedModel) -> ReducedModel:
    """
    The model with its linear modes as its basis: what draws a motion in linear modes.
    """

def body_trajectory(trajectory: Trajectory, body: int) -> Trajectory:
    """One body's part, which is then body 0."""

def write_glb(model: ReducedModel, trajectory: Trajectory, path: str | os.PathLike[str], bodies: str = 'automatic') -> list[str]:
    """
    Animated glTF of body 0's surface, or of all bodies that fly; bodies: "automatic", "first" or "all"; returns warnings.
    """

def write_usd(model: ReducedModel, trajectory: Trajectory, path: str | os.PathLike[str], motion: str = 'blend-shapes', bodies: str = 'automatic') -> list[str]:
    """
    USD of body 0's surface, or of all bodies that fly, as blend shapes or points; returns warnings.
    """

def write_pc2(model: ReducedModel, trajectory: Trajectory, path: str | os.PathLike[str]) -> list[str]:
    """Point cache of body 0's surface; returns warnings."""

def write_mdd(model: ReducedModel, trajectory: Trajectory, path: str | os.PathLike[str]) -> list[str]:
    """Point cache of body 0's surface; returns warnings."""

def write_vtu(model: ReducedModel, path: str | os.PathLike[str]) -> None:
    """Mesh, modes and basis for ParaView."""

class ModalPropagator:
    """
    (z, v) after h of z'' + c z' + lambda z = f0 + (f1 - f0) t/h, from (z, v) before.
    """

    @property
    def flow(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Of (z, v) without a force, row by row."""

    @property
    def zz_less_one(self) -> float: ...

    @property
    def zv(self) -> float: ...

    @property
    def vz(self) -> float: ...

    @property
    def vv_less_one(self) -> float: ...

    @property
    def z_force(self) -> float:
        """Of f0, to z."""

    @property
    def v_force(self) -> float: ...

    @property
    def z_ramp(self) -> float:
        """Of f1 - f0, to z."""

    @property
    def v_ramp(self) -> float: ...

def modal_propagator(eigenvalue: float, damping: float, h: float) -> ModalPropagator:
    """Of lambda [1/s^2], c [1/s] and h [s], none negative."""

class ModalBatch:
    """
    Linear bodies of one model by their modes, stepped exactly at any time step.
    """

    def __init__(self, eigenvalues: quartic._typing.ArrayLike, *, bodies: int = 1, dtype: str = 'float32', device: str = 'cpu', damping: RayleighDamping | None = None, damping_ratios: quartic._typing.ArrayLike | None = None, hold: str = 'zero-order', threads: int = 0) -> None:
        """
        eigenvalues: float64, as ReducedModel has them; damping_ratios: added by mode, (k) float64; hold: zero-order or first-order, what the force is within a step; device: cpu, cuda or cuda:1.
        """

    @property
    def rank(self) -> int: ...

    @property
    def bodies(self) -> int: ...

    @property
    def dtype(self) -> str: ...

    @property
    def eigenvalues(self) -> numpy.typing.NDArray[numpy.float64]:
        """[1/s^2], (k)."""

    @property
    def damping(self) -> numpy.typing.NDArray[numpy.float64]:
        """c of each mode [1/s], (k)."""

    @property
    def overdamped_modes(self) -> int:
        """How many creep."""

    @property
    def q(self) -> Array:
        """
        Modal coordinates [m sqrt(kg)], (B, k): on the CPU the batch's own memory, on a GPU a read-only copy. An assignment copies numbers in. So the next three.
        """

    @q.setter
    def q(self, value: quartic._typing.ArrayLike, /) -> None: ...

    @property
    def velocity(self) -> Array:
        """[m sqrt(kg)/s], (B, k)."""

    @velocity.setter
    def velocity(self, value: quartic._typing.ArrayLike, /) -> None: ...

    @property
    def force(self) -> Array:
        """Phi^T f [N/sqrt(kg)], (B, k), constant until it is changed."""

    @force.setter
    def force(self, value: quartic._typing.ArrayLike, /) -> None: ...

    @property
    def force_before(self) -> Array:
        """From which a step with hold="first-order" starts."""

    @force_before.setter
    def force_before(self, value: quartic._typing.ArrayLike, /) -> None: ...

    @property
    def status(self) -> numpy.typing.NDArray[numpy.int32]:
        """BodyStatus of each body, a copy."""

    def reset_status(self) -> None: ...

    def set_status(self, status: quartic._typing.Indices) -> None: ...

    def kinetic_energy(self) -> numpy.typing.NDArray[numpy.float64]:
        """[J], (B)."""

    def elastic_energy(self) -> numpy.typing.NDArray[numpy.float64]:
        """[J], (B)."""

    def step(self, dt: float, substeps: int = 1) -> None:
        """Moves by dt [s]; the forces are held over all of it."""

    def advance(self, t: float) -> None:
        """Moves by t [s] >= 0 at once under a constant force."""

    def impulse(self, body: int, jump: quartic._typing.ArrayLike, delay: float = 0.0) -> None:
        """
        A jump of the velocity, (k) float64, in `delay` seconds: of an impulse J [N s] at a vertex, modes[:, vertex] @ J.
        """

    @property
    def waiting_impulses(self) -> int: ...

    @property
    def time(self) -> float:
        """[s]"""

    @time.setter
    def time(self, arg: float, /) -> None: ...

class ExponentialBatch:
    """Nonlinear bodies of one model whose pitch doesn't depend on the step."""

    def __init__(self, energy: QuarticEnergy, *, bodies: int = 1, dtype: str = 'float32', damping: RayleighDamping | None = None, highest: float = 0.45, sweeps: int = 12, threads: int = 0) -> None:
        """
        highest: oscillators up to this share of the steps' frequency; sweeps: of the others towards rest in a step, at most.
        """

    @property
    def rank(self) -> int: ...

    @property
    def bodies(self) -> int: ...

    @property
    def eigenvalues(self) -> numpy.typing.NDArray[numpy.float64]:
        """Of the stiffness at rest [1/s^2], ascending."""

    def oscillators(self, h: float) -> int:
        """How many coordinates swing with steps of h [s]."""

    def step(self, dt: float, substeps: int = 1) -> None: ...

    @property
    def time(self) -> float:
        """[s]"""

    @time.setter
    def time(self, arg: float, /) -> None: ...

    @property
    def q(self) -> Array:
        """(B, r): the batch's own memory, as the next two."""

    @property
    def velocity(self) -> Array: ...

    @property
    def force(self) -> Array: ...

    @property
    def status(self) -> numpy.typing.NDArray[numpy.int32]: ...

    @property
    def flags(self) -> numpy.typing.NDArray[numpy.uint32]:
        """
        BodyFlags.not_converged of bodies whose stiff coordinates didn't come to rest.
        """

    def reset_status(self) -> None: ...

    def reset_flags(self) -> None: ...

    def elastic_energy(self) -> numpy.typing.NDArray[numpy.float64]:
        """[J], (B)."""

    def kinetic_energy(self) -> numpy.typing.NDArray[numpy.float64]:
        """[J], (B)."""

class SoundWeights:
    """How loud each mode is in each channel."""

    def __init__(self, values: quartic._typing.ArrayLike, signal: str = 'displacement', times: quartic._typing.ArrayLike | None = None) -> None:
        """
        values (channels, k), float64, or (m, channels, k) at times [s] (m), linear between; signal: displacement, velocity or acceleration of the modes.
        """

    @property
    def signal(self) -> str: ...

    @property
    def channels(self) -> int: ...

    @property
    def values(self) -> numpy.typing.NDArray[numpy.float64]:
        """(channels, k), or (m, channels, k) of weights that change; a copy."""

    @property
    def times(self) -> numpy.typing.NDArray[numpy.float64]:
        """[s], (m); none: the weights stay. A copy."""

def constant_weights(model: ReducedModel) -> SoundWeights:
    """1 for each mode."""

def pickup_weights(model: ReducedModel, vertex: int, direction: Sequence[float], vertex_of: str = 'mesh') -> SoundWeights:
    """
    The velocity of a vertex along a direction; vertex_of: mesh, or surface, the embedded one.
    """

def monopole_weights(model: ReducedModel, distance: float = 1.0, air_density: float = 1.204) -> SoundWeights:
    """
    Sound pressure [Pa] at a distance [m] from a body that is small beside the wave length.
    """

def listener_weights(model: ReducedModel, times: Sequence[float], positions: Sequence[Sequence[float]], air_density: float = 1.204) -> SoundWeights:
    """
    Sound pressure [Pa] for a listener who walks straight from one position [m], in the mesh's coordinates, to the next.
    """

def moving_weights(times: Sequence[float], weights: Sequence[SoundWeights]) -> SoundWeights:
    """Weights at times [s], linear between."""

def read_sound_weights(path: str | os.PathLike[str], signal: str = 'displacement') -> SoundWeights:
    """
    A line of k numbers per channel; of weights that change, a line `time T` before each moment's.
    """

def stacked(weights: Sequence[SoundWeights]) -> SoundWeights:
    """Several weights of one signal as channels."""

class Strike:
    """A blow on a vertex."""

    def __init__(self, vertex: int, impulse: Sequence[float], *, time: float | None = None, length: float = 0.0, gain: float = 1.0, vertex_of: str = 'mesh') -> None:
        """
        impulse [N s]; time of the stream [s], None for the next sample; length of the contact [s], during which the force is a half sine; gain: factor of what is heard of it; vertex_of: mesh, or surface, the embedded one.
        """

    @property
    def vertex(self) -> int: ...

    @property
    def impulse(self) -> list[float]: ...

    @property
    def time(self) -> float | None: ...

    @property
    def length(self) -> float: ...

    @property
    def gain(self) -> float: ...

    @property
    def vertex_of(self) -> str: ...

class AudibleModes:
    """What becomes of a model's modes in a sound."""

    @property
    def audible(self) -> int: ...

    @property
    def rigid(self) -> int:
        """Left out, as the next two."""

    @property
    def above(self) -> int:
        """`highest` of the rate."""

    @property
    def overdamped(self) -> int: ...

class Sound:
    """Samples at a rate."""

    def __init__(self, samples: quartic._typing.ArrayLike, rate: float = 44100.0) -> None:
        """samples (frames, channels), float32."""

    @property
    def rate(self) -> float: ...

    @property
    def channels(self) -> int: ...

    @property
    def samples(self) -> numpy.typing.NDArray[numpy.float32]:
        """(frames, channels)"""

    @property
    def modes(self) -> AudibleModes: ...

    def __len__(self) -> int: ...

def render_sound(model: ReducedModel, strikes: Sequence[Strike], duration: float, weights: SoundWeights, *, recording: Sequence[RecordedLoad] = [], rate: float = 44100.0, damping: RayleighDamping | None = None, damping_ratios: quartic._typing.ArrayLike | None = None, highest: float = 0.45, recording_of: str = 'mesh') -> Sound:
    """
    The sound of strikes and of a recording of forces; duration [s]. Modes above `highest` of the rate are left out. recording_of: what the recording's vertices count, mesh or surface.
    """

def normalize(sound: Sound, peak: float = 0.89) -> tuple[Sound, float]:
    """The sound whose largest sample is `peak` in size, and the factor."""

def write_wav(sound: Sound, path: str | os.PathLike[str], format: str = 'float32') -> int:
    """
    format: float32, pcm16 or pcm24; returns how many samples were beyond full scale of whole numbers.
    """

class SoundStream:
    """
    Sound in blocks, for an audio callback. Strikes may come from another thread.
    """

    def __init__(self, model: ReducedModel, weights: SoundWeights, *, dtype: str = 'float32', rate: float = 44100.0, damping: RayleighDamping | None = None, damping_ratios: quartic._typing.ArrayLike | None = None, highest: float = 0.45, max_strikes: int = 64) -> None: ...

    def strike(self, strike: Strike) -> None: ...

    def add_input(self, vertex: int, direction: Sequence[float], vertex_of: str = 'mesh') -> int:
        """
        A force on a vertex, whose samples each block gets from now on; direction: of 1 N.
        """

    def set_weights(self, weights: SoundWeights, time: float) -> None:
        """
        From the next block on, weights go to these linearly in `time` [s]; from any thread.
        """

    @property
    def strikes(self) -> int:
        """That wait or act."""

    @property
    def channels(self) -> int: ...

    @property
    def rate(self) -> float: ...

    @property
    def modes(self) -> AudibleModes: ...

    @property
    def time(self) -> float:
        """Of the next sample [s]."""

    def process(self, frames: int, inputs: quartic._typing.ArrayLike | None = None) -> numpy.typing.NDArray[Any]:
        """
        The next samples, (frames, channels), of the stream's dtype; inputs [N], (inputs, frames).
        """

    def process_into(self, out: quartic._typing.ArrayLike, inputs: quartic._typing.ArrayLike | None = None) -> None:
        """The same, written to an array."""

    def add(self, out: quartic._typing.ArrayLike, inputs: quartic._typing.ArrayLike | None = None) -> None:
        """The same, added to what is there."""

class AccelerationRule:
    """
    q += h v + h^2 (before a + after a'), v += h ((1 - gamma) a + gamma a').
    """

    @property
    def before(self) -> float: ...

    @property
    def after(self) -> float: ...

    @property
    def gamma(self) -> float: ...

    @property
    def of_differences(self) -> bool: ...

def acceleration_rule(batch: Batch | ModalBatch) -> AccelerationRule:
    """That of the batch's integrator."""

def loss_distortion(rule: AccelerationRule, h: float, steps: int) -> tuple[float, float]:
    """
    What of q [s^2] and of the velocity [s] is missing so many steps after an acceleration of 1 was lost.
    """

def stream_fingerprint(model: ReducedModel, coordinates: str = 'basis') -> int:
    """Of the basis, or of the linear-modes."""

class AccelerationSender:
    """Makes packets of a batch's states, step after step."""

    def __init__(self, batch: Batch | ModalBatch, *, step: float, fingerprint: int = 0, type: str = 'fp32', closed_loop: bool = False, position_gain: float = 0.1, velocity_gain: float = 0.5, keyframe_interval: int = 0, history: int = 64, most_bytes: int = 65507) -> None:
        """
        step: h [s] of the batch's steps; type: fp16, fp32 or fp64; closed_loop: rounding doesn't add up, and exact steps can be sent; keyframe_interval: steps from one whole state to the next.
        """

    def send(self) -> list[bytes]:
        """Packets of the batch's present state, as the next step."""

    def send_again(self, step: int) -> list[bytes]:
        """
        Those of an earlier step; none if it isn't among the last `history` ones.
        """

    @property
    def steps(self) -> int:
        """That have been sent."""

class AccelerationReceiver:
    """Integrates accelerations that arrive in packets."""

    def __init__(self, rank: int, bodies: int = 1, *, recovery: str = 'hold', fingerprint: int = 0, window: int = 64, stiffness: quartic._typing.ArrayLike | None = None, damping: RayleighDamping | None = None, force: quartic._typing.ArrayLike | None = None) -> None:
        """
        recovery: zero, hold, interpolate, model (with the stiffness at rest, (r, r) float64) or late.
        """

    def receive(self, packet: bytes) -> str:
        """
        Returns what became of it: taken, state, repaired, late, duplicate, damaged, ...
        """

    def advance(self) -> None:
        """Moves by one step, with what is there."""

    def reset(self) -> None:
        """
        Forgets the motion: the next whole state is a first one, as of a sender that begins anew.
        """

    def has(self, step: int) -> bool: ...

    def missing(self) -> list[int]:
        """Steps whose accelerations are still missing."""

    @property
    def started(self) -> bool: ...

    @property
    def step(self) -> int: ...

    @property
    def latest(self) -> int: ...

    @property
    def step_length(self) -> float:
        """[s]"""

    @property
    def q(self) -> Array:
        """(B, r) float64: the receiver's own memory, read-only, as the next two."""

    @property
    def velocity(self) -> Array: ...

    @property
    def acceleration(self) -> Array: ...

    @property
    def stopped(self) -> numpy.typing.NDArray[numpy.uint8]:
        """1 for bodies that stay where they are."""

    @property
    def counts(self) -> dict[str, int]:
        """Packets by what became of them, and accelerations that were guessed."""

class PacketReader:
    """Finds packets in a stream of bytes."""

    def __init__(self) -> None: ...

    def feed(self, bytes: bytes) -> None: ...

    def next(self) -> bytes | None:
        """None until there are more bytes."""

    @property
    def skipped_bytes(self) -> int: ...

def modal_rotation(mesh: VolumeMesh, fields: quartic._typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
    """Half the curl of fields (k, n, 3) at the vertices."""

class ModalWarp:
    """
    Modal warping: each vertex turns its linear displacement by its rotation.
    """

    def __init__(self, mesh: VolumeMesh, modes: quartic._typing.ArrayLike, map: str = 'integrated', force_map: str = 'exact') -> None:
        """
        modes (k, n, 3); map: integrated, or rotation as the course notes print it; force_map: exact or rotation.
        """

    @property
    def rank(self) -> int: ...

    @property
    def vertex_count(self) -> int: ...

    @property
    def modes(self) -> numpy.typing.NDArray[numpy.float64]:
        """(k, n, 3)"""

    @property
    def rotations(self) -> numpy.typing.NDArray[numpy.float64]:
        """Half the curl of modes, (k, n, 3)."""

    def displacements(self, q: quartic._typing.ArrayLike, vertices: quartic._typing.Indices | None = None) -> numpy.typing.NDArray[numpy.float32] | numpy.typing.NDArray[numpy.float64]:
        """Warped displacements [m] (B, n, 3) of q (B, k), float32 or float64."""

    def forces(self, q: quartic._typing.ArrayLike, forces: quartic._typing.ArrayLike, vertices: quartic._typing.Indices | None = None) -> numpy.typing.NDArray[numpy.float32] | numpy.typing.NDArray[numpy.float64]:
        """
        Forces on the modes (B, k) of forces [N] (B, vertices, 3) on the shape that is shown: J^T f.
        """

    def jacobian(self, q: quartic._typing.ArrayLike, vertices: quartic._typing.Indices | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        Derivative of the displacements by each coordinate, (k, vertices, 3), at q (k).
        """

    def largest_rotations(self, q: quartic._typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
        """The largest angle of a vertex [rad], of each body."""

class RotationStrainWarp:
    """Rotation-strain warping of displacements, by one solve each."""

    def __init__(self, mesh: VolumeMesh, fixed_vertices: quartic._typing.Indices | None = None) -> None: ...

    @property
    def vertex_count(self) -> int: ...

    @property
    def laplacian(self) -> SparseMatrix:
        """Of all vertices, (n, n)."""

    def warp(self, displacements: quartic._typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
        """Warped displacements of linear ones, (m, n, 3)."""

class HoldStatus:
    """What became of a body's constraints in the last step."""

    @property
    def iterations(self) -> int: ...

    @property
    def rank(self) -> int:
        """Of the constraints, at most 3 per vertex and k."""

    @property
    def distance(self) -> float:
        """The largest of a held vertex from its target [m]."""

    @property
    def converged(self) -> bool: ...

    @property
    def diverged(self) -> bool: ...

class HeldModes:
    """
    Bodies in their linear modes, shown by modal warping, under position constraints.
    """

    def __init__(self, eigenvalues: quartic._typing.ArrayLike, warp: ModalWarp, *, bodies: int = 1, rayleigh_mass: float = 0.0, rayleigh_stiffness: float = 0.0, iterations: int = 5, tolerance: float = 1e-13) -> None: ...

    def hold(self, body: int, vertices: quartic._typing.Indices, targets: quartic._typing.ArrayLike) -> None:
        """
        From the next step on; targets: displacements from rest [m], (vertices, 3).
        """

    def let_go(self, body: int) -> None: ...

    def step(self, dt: float) -> None: ...

    def hold_force(self, body: int) -> numpy.typing.NDArray[numpy.float64]:
        """That acted on the held vertices in the last step [N], (vertices, 3)."""

    @property
    def status(self) -> list[HoldStatus]: ...

    def reset_status(self) -> None: ...

    @property
    def q(self) -> Array:
        """(B, k): the bodies' own memory, as the next three."""

    @property
    def velocity(self) -> Array:
        """(B, k)"""

    @property
    def acceleration(self) -> Array:
        """(B, k)"""

    @property
    def force(self) -> Array:
        """On the modes, without the constraints', (B, k)."""
