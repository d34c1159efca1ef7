"""Relaxed strains: what Python shows, put together again by NumPy."""

import numpy as np
import pytest

import quartic as qt


@pytest.fixture(scope="module")
def plate():
    return qt.make_box(length=1, width=0.5, height=0.05, cells_x=5, cells_y=2, cells_z=1)


@pytest.fixture(scope="module")
def relaxed(plate):
    return qt.reduce(*plate, modes=4, rank=6, relax=0.9)


def monomials(q):
    return np.array([q[i] * q[j] for i in range(len(q)) for j in range(i, len(q))])


def test_energy_is_what_the_products_leave(plate, relaxed):
    whole = qt.reduce(*plate, modes=4, rank=6)
    assert whole.relaxation is None and relaxed.relaxation.share == 0.9 and relaxed.relaxation.calibration == []
    t = relaxed.relaxation.products
    assert t.shape[1] == 21
    stiffness = np.diag(whole.energy.evaluate(np.zeros(6))[2])
    for seed in range(5):
        q = np.random.default_rng(seed).normal(size=6) / np.sqrt(stiffness)
        v = whole.energy.evaluate(q)[0]
        taken = np.sum((t @ monomials(q)) ** 2) / 2
        assert relaxed.energy.evaluate(q)[0] == pytest.approx(v - 0.9 * taken, rel=1e-12)
        assert qt.unrelaxed(relaxed).evaluate(q)[0] == pytest.approx(v, rel=1e-12)
        assert qt.relaxable_share(relaxed, q) == pytest.approx(taken / v, rel=1e-10)
        assert qt.linear_energy(relaxed, q) == pytest.approx(q @ whole.energy.evaluate(np.zeros(6))[2] @ q / 2, rel=1e-12)


def test_strain_form_is_relaxed_too(relaxed):
    form = qt.reduce_strains(relaxed)
    q = np.full(6, 1e-2)
    assert form.evaluate(q)[0] == pytest.approx(relaxed.energy.evaluate(q)[0], rel=1e-10)
    qt.Batch([qt.BodyGroup(relaxed, strain_form=form)], evaluation="accurate").step(1e-3)


def test_files_keep_it(relaxed, tmp_path):
    qt.save_model(relaxed, tmp_path / "m.qrt")
    again = qt.load_model(tmp_path / "m.qrt")
    assert again.relaxation.share == 0.9 and again.relaxation.reach == relaxed.relaxation.reach > 0
    assert np.array_equal(again.relaxation.products, relaxed.relaxation.products)


def test_automatic_tells_its_loads(plate):
    model = qt.reduce(*plate, modes=4, rank=6, relax="automatic")
    loads = model.relaxation.calibration
    assert len(loads) == 16 and sum(load.use == "used" for load in loads) >= 3
    used = [load for load in loads if load.use == "used"]
    if model.relaxation.share > 0:
        assert np.mean([np.log(load.relaxed_error / load.unrelaxed_error) for load in used]) < 0


def test_callers_loads_come_first(plate):
    mesh, _ = plate
    loads = np.zeros((2, mesh.vertex_count, 3))
    loads[0, -1, 2], loads[1, -1, 2] = 1, -4
    for model in (
        qt.reduce(*plate, modes=3, rank=6, relax="automatic", relax_loads=loads),
        qt.reduce_with_basis(*plate, qt.reduce(*plate, modes=3, rank=6).basis, relax="automatic", relax_loads=loads),
    ):
        calibration = model.relaxation.calibration
        assert len(calibration) == 16
        assert calibration[1].amplitude == pytest.approx(4 * calibration[0].amplitude, rel=1e-10)
    with pytest.raises(qt.InputError, match="automatic"):
        qt.reduce(*plate, modes=3, rank=6, relax=0.5, relax_loads=loads)


def test_states_are_trusted_within_reach(relaxed):
    q = np.random.default_rng(1).normal(size=6)
    q *= np.sqrt(relaxed.relaxation.reach / qt.linear_energy(relaxed, q))
    for scale, beyond in ((0.999, False), (1.001, True)):
        trust = qt.state_trust(relaxed, scale * q)
        assert trust.beyond_reach is beyond
        assert trust.relaxable_share == qt.relaxable_share(relaxed, scale * q) > 0
        assert trust.linear_energy == pytest.approx(scale**2 * relaxed.relaxation.reach, rel=1e-12)


def test_what_is_refused(plate):
    for relax in ("much", 1.5, -0.1):
        with pytest.raises(qt.InputError, match="from 0 to 1|\\[0, 1\\]"):
            qt.reduce(*plate, modes=2, rank=2, relax=relax)
    with pytest.raises(qt.InputError, match="relax=0"):
        qt.relaxable_share(qt.reduce(*plate, modes=2, rank=2), np.zeros(2))


def test_edits_are_relaxed(plate):
    relaxed, plain = (qt.reduce(*plate, modes=4, rank=6, region_parts=True, relax=share) for share in (0.9, None))
    edit, bare = (qt.edit_materials(model, [qt.Material(2e6, 0.1, 900)]) for model in (relaxed, plain))
    assert edit.notices == [] and bare.relaxation is None and edit.relaxation.share == 0.9
    assert np.array_equal(edit.transform, bare.transform)
    for seed in range(5):
        q = np.random.default_rng(seed).normal(size=6) / np.sqrt(np.diag(bare.energy.evaluate(np.zeros(6))[2]))
        taken = np.sum((edit.relaxation.products @ monomials(q)) ** 2) / 2
        assert edit.energy.evaluate(q)[0] == pytest.approx(bare.energy.evaluate(q)[0] - 0.9 * taken, rel=1e-11)


def test_last_vectors_are_chosen_by_energy(plate):
    plain = qt.reduce(*plate, modes=4, rank=8)
    stiff = qt.reduce(*plate, modes=4, rank=8, stiff_share=0.25)
    change = np.abs(np.asarray(stiff.basis) - np.asarray(plain.basis)).max(axis=(1, 2))
    assert change[:6].max() < 1e-10 and change[6:].min() > 1e-4
    with pytest.raises(qt.InputError):
        qt.reduce(*plate, modes=4, rank=8, stiff_share=1)
