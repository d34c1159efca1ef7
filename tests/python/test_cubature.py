"""Laws and cubatures: what C++ computes, computed again by NumPy."""

import numpy as np
import pytest

import quartic as qt

LAWS = ("stvk", "stable-neo-hookean", "neo-hookean-polynomial", "mooney-rivlin", "corotational")


def energy(law, f, lame, mu, share=0.3):
    """psi as the papers write it."""
    ic, j = np.sum(f * f), np.linalg.det(f)
    c = f.T @ f
    if law == "stvk":
        e = (c - np.eye(3)) / 2
        return lame / 2 * np.trace(e) ** 2 + mu * np.sum(e * e)
    if law == "stable-neo-hookean":
        m, k = 4 / 3 * mu, lame + 5 / 6 * mu
        a = 1 + 3 * m / (4 * k)
        value = lambda i, v: m / 2 * (i - 3) + k / 2 * (v - a) ** 2 - m / 2 * np.log(i + 1)
        return value(ic, j) - value(3, 1)
    if law == "corotational":
        u, s, vt = np.linalg.svd(f)
        sign = np.linalg.det(u) * np.linalg.det(vt)
        s = s * [1, 1, sign]
        return mu * np.sum((s - 1) ** 2) + lame / 2 * (s.sum() - 3) ** 2
    c01 = share * mu / 2 if law == "mooney-rivlin" else 0
    c10 = mu / 2 - c01
    second = (ic**2 - np.sum(c * c)) / 2
    return c10 * (ic - 3) + c01 * (second - 3) - (2 * c10 + 4 * c01) * (j - 1) + (lame + 2 * c10) / 2 * (j - 1) ** 2


@pytest.mark.parametrize("law", LAWS)
def test_law_at_a_point(law):
    material = qt.Material(1e5, 0.35, 1000, law=law)
    assert material.law == law and material.mooney_share == 0.3
    random = np.random.default_rng(1)
    for sign in (1, -1):
        f = (np.eye(3) + 0.3 * random.normal(size=(3, 3))) * [sign, 1, 1]
        value, stress, tangent = qt.evaluate_law(material, f)
        psi = lambda g: energy(law, g, material.lame_lambda, material.lame_mu)
        assert value == pytest.approx(psi(f), rel=1e-11)
        d, h = random.normal(size=(3, 3)), 1e-5
        assert np.sum(stress * d) == pytest.approx((psi(f + h * d) - psi(f - h * d)) / (2 * h), rel=1e-6, abs=1e-4)
        change = (qt.evaluate_law(material, f + h * d)[1] - qt.evaluate_law(material, f - h * d)[1]) / (2 * h)
        assert np.allclose(np.einsum("ijkl,kl->ij", tangent, d), change, rtol=1e-5, atol=1e-2)
        projected = qt.evaluate_law(material, f, tangent="projected")[2].reshape(9, 9)
        assert np.linalg.eigvalsh(projected).min() > -1e-9 * np.abs(projected).max()


@pytest.fixture(scope="module")
def rubber():
    material = qt.Material(1e5, 0.35, 1000, law="mooney-rivlin")
    mesh, fixed = qt.make_box(length=2, width=1, height=1, cells_x=4, cells_y=2, cells_z=2, material=material)
    basis = np.asarray(qt.reduce(mesh, fixed, modes=3, rank=4).basis)
    return mesh, fixed, basis, material


def test_full_cubature_is_the_sum_over_points(rubber):
    mesh, _, basis, material = rubber
    cubature = qt.full_cubature(mesh, basis, base="none")
    assert cubature.count == cubature.weights.size and np.all(cubature.weights == 1)
    q = 0.2 * np.random.default_rng(2).normal(size=4)
    f = np.eye(3) + cubature.gradients @ q
    v = sum(w * energy("mooney-rivlin", g, material.lame_lambda, material.lame_mu) for w, g in zip(cubature.volumes, f))
    p = np.array([qt.evaluate_law(material, g)[1] for g in f])
    value, force, _ = cubature.evaluate(q)
    assert value == pytest.approx(v, rel=1e-11)
    assert np.allclose(force, np.einsum("p,pij,pijr->r", cubature.volumes, p, cubature.gradients), rtol=1e-11)


def test_training_and_batches(rubber, tmp_path):
    mesh, fixed, basis, _ = rubber
    cubature = qt.train_cubature(mesh, basis, points=16, samples=40, fresh_samples=8, amplitude=0.15)
    assert cubature.count == 16 and cubature.points.shape == (16, 2) and cubature.report.states <= 8
    assert qt.judge_cubature(mesh, basis, cubature, states=8, amplitude=0.15).equilibrium.median < 0.05
    batch = qt.Batch(cubature, bodies=3, dtype="float64")
    batch.reset(velocity=np.ones((3, 4)))
    batch.step(1e-3, 10)
    assert np.all(np.isfinite(np.asarray(batch.q))) and np.any(np.asarray(batch.q))

    model = qt.reduce(mesh, fixed, modes=3, rank=4)
    assert model.cubature is not None and model.cubature.report.residual <= 0.01
    qt.save_model(model, tmp_path / "rubber.qrt")
    again = qt.load_model(tmp_path / "rubber.qrt")
    assert np.array_equal(again.cubature.weights, model.cubature.weights)
    assert again.mesh.regions[0].material == mesh.regions[0].material


def test_equilibria(rubber):
    mesh, fixed, _, _ = rubber
    model = qt.reduce(mesh, fixed, modes=3, rank=4)
    force = 0.05 * np.asarray(model.cubature.evaluate(np.zeros(4))[2]) @ np.ones(4)
    for holder in (model, model.cubature):
        found = qt.reduced_equilibrium(holder, force)
        assert found.converged
        assert np.allclose(model.cubature.evaluate(found.solution)[1], force, rtol=1e-8, atol=1e-8 * np.abs(force).max())
    with pytest.raises(qt.InputError, match="cubature"):
        qt.reduced_equilibrium(model, force, pressure=[1.0])
    with pytest.raises(qt.InputError, match="reduced_equilibrium"):
        qt.reduced_equilibria(model, [force])
