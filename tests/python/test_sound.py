"""Modal bodies and their sound against NumPy: oscillators by their complex roots."""

import threading
import wave

import numpy as np
import pytest

import quartic as qt

DECAY = [(200.0, 2.0), (4000.0, 0.4)]
RATE = 44100.0


@pytest.fixture(scope="module")
def damping():
    return qt.rayleigh_damping(DECAY)


def roots(model, damping):
    """Of z'' + c z' + lambda z, all underdamped: -c/2 + i w."""
    c = damping.mass + damping.stiffness * model.eigenvalues
    return -c / 2 + 1j * np.sqrt(model.eigenvalues - c * c / 4)


def ringing(root, jump, t):
    """Displacement and velocity t [s] after a jump of the velocity."""
    e = np.exp(root * t)
    return jump * e.imag / root.imag, jump * (root * e).imag / root.imag


def test_decay_times_are_what_was_asked_for(damping):
    for frequency, t60 in DECAY:
        rate = damping.mass + damping.stiffness * (2 * np.pi * frequency) ** 2
        assert 2 * np.log(1000) / rate == pytest.approx(t60, rel=1e-12)
    with pytest.raises(qt.InputError, match="Hz|negative"):
        qt.rayleigh_damping([(200.0, 0.4), (4000.0, 2.0)])


def test_propagators_are_exponentials():
    lam, c, h = 300.0, 7.0, 0.05
    p = qt.modal_propagator(lam, c, h)
    values, vectors = np.linalg.eig(np.array([[0, 1], [-lam, -c]]))
    flow = (vectors * np.exp(values * h)) @ np.linalg.inv(vectors)
    assert np.allclose(p.flow, flow.real, rtol=1e-13)
    assert p.v_force == p.zv and p.zz_less_one == pytest.approx(-lam * p.z_force, rel=1e-13)
    assert p.v_ramp == pytest.approx(p.z_force / h, rel=1e-13)


@pytest.mark.parametrize("dtype,error", [("float64", 1e-12), ("float32", 3e-5)])
def test_bodies_ring_as_numpy_says(model, damping, dtype, error):
    batch = qt.ModalBatch(model.eigenvalues, bodies=3, dtype=dtype, damping=damping)
    assert (batch.rank, batch.bodies, batch.dtype) == (3, 3, dtype) and batch.overdamped_modes == 0
    jump = model.linear_modes[:, 5] @ np.array([1.0, 2, 3])
    batch.impulse(1, jump, 0.013)
    batch.step(0.01)
    assert batch.waiting_impulses == 1 and not np.asarray(batch.q).any()
    batch.step(0.02, substeps=3)
    q, v = ringing(roots(model, damping), jump, 0.017)
    assert np.allclose(np.asarray(batch.q)[1], q, rtol=0, atol=error * np.abs(q).max())
    assert np.allclose(np.asarray(batch.velocity)[1], v, rtol=0, atol=error * np.abs(v).max())
    assert not np.asarray(batch.q)[[0, 2]].any() and not batch.status.any() and batch.time == pytest.approx(0.03)
    energy = (np.asarray(batch.velocity, np.float64) ** 2).sum(1) / 2
    assert np.allclose(batch.kinetic_energy(), energy, rtol=1e-6)


def test_state_is_shared_and_assigned(model):
    batch = qt.ModalBatch(model.eigenvalues, bodies=2, dtype="float64")
    q = np.asarray(batch.q)
    batch.q = np.arange(6.0).reshape(2, 3)
    assert np.array_equal(q, np.arange(6.0).reshape(2, 3))
    elastic = 0.5 * (model.eigenvalues * q**2).sum(1)
    assert np.allclose(batch.elastic_energy(), elastic, rtol=1e-14)
    force = np.array([[1.0, 2, 3], [4, 5, 6]])
    batch.q = np.zeros((2, 3))
    batch.force = force
    batch.advance(0.3)
    c = np.cos(np.sqrt(model.eigenvalues) * 0.3)
    assert np.allclose(q, force / model.eigenvalues * (1 - c), rtol=1e-10)
    with pytest.raises(qt.InputError, match="shape"):
        batch.q = np.zeros((3, 2))
    with pytest.raises(qt.InputError, match="overlap"):
        batch.q = q[:, ::-1]
    with pytest.raises(qt.InputError, match="hold"):
        qt.ModalBatch(model.eigenvalues, hold="second-order")
    with pytest.raises(qt.InputError, match="a mode at least"):
        qt.ModalBatch(np.zeros(0))


def test_weights_are_rows_of_the_modes(model):
    d = np.array([1.0, 2, 2])
    pickup = qt.pickup_weights(model, 7, d)
    assert pickup.signal == "velocity" and np.allclose(pickup.values[0], model.linear_modes[:, 7] @ d / 3, rtol=1e-13)
    ones = qt.constant_weights(model)
    assert np.array_equal(ones.values, np.ones((1, 3))) and ones.signal == "displacement"
    both = qt.stacked([pickup, qt.SoundWeights(pickup.values[:, ::-1].copy(), "velocity")])
    assert both.channels == 2 and np.array_equal(both.values[1], both.values[0, ::-1])
    quiet = qt.monopole_weights(model, distance=2.0)
    assert quiet.signal == "acceleration" and np.allclose(2 * quiet.values, qt.monopole_weights(model).values, rtol=1e-13)


def expected_sound(model, damping, weights, vertex, impulse, frames, start):
    t = np.arange(frames)[:, None] / RATE - start
    jump = model.linear_modes[:, vertex] @ impulse
    _, v = ringing(roots(model, damping), jump, np.maximum(t, 0))
    return (np.where(t > 0, v, 0)) @ weights.values.T


def test_sounds_are_numpy_s(model, damping):
    weights = qt.stacked([qt.pickup_weights(model, 7, [0, 0, 1]), qt.pickup_weights(model, 9, [0, 1, 1])])
    strike = qt.Strike(20, [0.1, 0.2, -0.3], time=0.0011, gain=2)
    sound = qt.render_sound(model, [strike], 0.05, weights, damping=damping)
    expected = expected_sound(model, damping, weights, 20, 2 * np.array([0.1, 0.2, -0.3]), 2205, 0.0011)
    assert sound.samples.shape == expected.shape == (len(sound), sound.channels) and sound.modes.audible == 3
    assert np.allclose(sound.samples, expected, rtol=0, atol=2e-7 * np.abs(expected).max())
    # In blocks, and added to what is there.
    stream = qt.SoundStream(model, weights, dtype="float64", damping=damping)
    stream.strike(strike)
    assert stream.strikes == 1
    first, rest = stream.process(800), np.ones((1405, 2))
    stream.add(rest)
    assert np.allclose(np.vstack([first, rest - 1]), expected, rtol=0, atol=1e-10 * np.abs(expected).max())
    assert stream.time == pytest.approx(2205 / RATE) and stream.strikes == 0


def test_inputs_are_forces(model, damping):
    weights = qt.pickup_weights(model, 7, [0, 0, 1])
    stream = qt.SoundStream(model, weights, dtype="float64", damping=damping)
    assert stream.add_input(20, [0, 0, 1]) == 0
    force = np.random.default_rng(5).standard_normal((1, 300))
    out = np.empty((300, 1))
    with pytest.raises(qt.InputError, match="inputs"):
        stream.process(300)
    stream.process_into(out, force)
    body = qt.ModalBatch(model.eigenvalues, dtype="float64", damping=damping, hold="first-order")
    velocity = np.asarray(body.velocity)
    expected = []
    for f in force[0]:
        # The first force rises from zero within the step before.
        body.force = f * model.linear_modes[None, :, 20, 2]
        body.step(1 / RATE)
        expected.append(weights.values @ velocity[0])
    assert np.allclose(out, expected, rtol=0, atol=1e-9 * np.abs(expected).max())


def modal_signals(model, damping, strike, frames):
    """Velocities of the modes, each a channel of its own."""
    weights = qt.SoundWeights(np.eye(len(model.eigenvalues)), "velocity")
    stream = qt.SoundStream(model, weights, dtype="float64", damping=damping)
    stream.strike(strike)
    return stream.process(frames)


def test_weights_change_linearly(model, damping):
    strike = qt.Strike(20, [0.1, 0.2, -0.3], time=0.001, length=0.004)
    modes = modal_signals(model, damping, strike, 900)
    values = np.random.default_rng(1).standard_normal((3, 2, 3))
    times = np.array([0.002, 0.0035, 0.012])
    weights = qt.SoundWeights(values, "velocity", times)
    assert np.array_equal(weights.values, values) and np.array_equal(weights.times, times) and weights.channels == 2
    joined = qt.moving_weights(times, [qt.SoundWeights(v.copy(), "velocity") for v in values])
    assert np.array_equal(joined.values, values)
    t = np.arange(900) / RATE
    flat = values.reshape(3, 6)
    at = np.stack([np.interp(t, times, flat[:, i]) for i in range(6)], axis=1).reshape(900, 2, 3)
    expected = np.einsum("nck,nk->nc", at, modes)
    stream = qt.SoundStream(model, weights, dtype="float64", damping=damping)
    stream.strike(strike)
    assert np.allclose(stream.process(900), expected, rtol=0, atol=1e-11 * np.abs(expected).max())
    with pytest.raises(qt.InputError, match="ascend"):
        qt.SoundStream(model, qt.SoundWeights(values, "velocity", np.array([0.0, 0.0, 1.0])))
    with pytest.raises(qt.InputError, match="shape"):
        qt.SoundWeights(values, "velocity", np.array([0.0, 1.0]))


def test_weights_are_set_while_it_sounds(model, damping):
    strike = qt.Strike(20, [0.1, 0.2, -0.3], time=0.0)
    modes = modal_signals(model, damping, strike, 800)
    first, second = np.array([1.0, -2, 3]), np.array([0.0, 5, 1])
    stream = qt.SoundStream(model, qt.SoundWeights(first[None], "velocity"), dtype="float64", damping=damping)
    stream.strike(strike)
    heard = [stream.process(300)]
    stream.set_weights(qt.SoundWeights(second[None], "velocity"), 0.005)
    heard.append(stream.process(500))
    share = np.clip((np.arange(800) - 300) / (0.005 * RATE), 0, 1)[:, None]
    expected = (((1 - share) * first + share * second) * modes).sum(1)
    assert np.allclose(np.concatenate(heard)[:, 0], expected, rtol=0, atol=1e-11 * np.abs(expected).max())
    with pytest.raises(qt.InputError, match="signal"):
        stream.set_weights(qt.constant_weights(model), 0.1)


def test_listeners_hear_by_their_distance(model):
    far = qt.listener_weights(model, [0.0, 1.0], [[100.0, 0, 0], [200.0, 0, 0]])
    assert far.signal == "acceleration" and far.times[0] == 0 and far.times[-1] == 1 and (np.diff(far.times) > 0).all()
    near = qt.monopole_weights(model).values[0]
    middle = model.mesh.vertices.mean(0)  # of a box, about
    for row, t in zip(far.values[:, 0], far.times):
        distance = np.linalg.norm([100 + 100 * t, 0, 0] - middle)
        assert np.allclose(row, near / distance, rtol=1e-2)


def test_contacts_are_strikes(model, tmp_path):
    tree = qt.bound_tree(model)
    records = [qt.ContactRecord(0.01, 0.002, 3, [1.0, 2, 3]), qt.ContactRecord(0.02, 0.001, 4, [0.0, 0, 1], body=1)]
    strikes = qt.contact_strikes(model, tree, records)
    assert np.allclose(np.sum([s.impulse for s in strikes], axis=0), [1, 2, 4])
    assert strikes[0].time == 0.01 and strikes[0].length == 0.002 and strikes[0].vertex_of == "mesh"
    assert len(qt.contact_strikes(model, tree, records, body=1)) == 1
    qt.write_contact_records(records, tmp_path / "c.csv")
    again = qt.read_contact_records(tmp_path / "c.csv")
    assert [(r.time, r.duration, r.point, r.body, r.impulse) for r in again] == [
        (r.time, r.duration, r.point, r.body, r.impulse) for r in records
    ]
    with pytest.raises(qt.InputError, match="point"):
        qt.contact_strikes(model, tree, [qt.ContactRecord(0.0, 0.1, 10**6, [0.0, 0, 1])])


def test_strikes_come_from_another_thread(model):
    stream = qt.SoundStream(model, qt.constant_weights(model), max_strikes=8)
    thread = threading.Thread(target=lambda: [stream.strike(qt.Strike(20, [0, 0, 1])) for _ in range(4)])
    thread.start()
    thread.join()
    assert stream.strikes == 4 and np.abs(stream.process(64)).max() > 0
    with pytest.raises(qt.InputError, match="vertex"):
        stream.strike(qt.Strike(10**6, [0, 0, 1]))


def test_wav_files_have_the_samples(tmp_path):
    samples = np.sin(np.linspace(0, 60, 3000)).astype(np.float32).reshape(1500, 2)
    sound, factor = qt.normalize(qt.Sound(samples, 48000.0), 0.5)
    assert factor == pytest.approx(0.5 / np.abs(samples).max(), rel=1e-6)
    assert np.allclose(sound.samples, factor * samples, rtol=1e-6)
    assert qt.write_wav(sound, tmp_path / "a.wav", "pcm16") == 0
    with wave.open(str(tmp_path / "a.wav")) as file:
        assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (48000, 2, 2)
        read = np.frombuffer(file.readframes(1500), "<i2").reshape(1500, 2)
    assert np.abs(read - sound.samples * 32768.0).max() <= 0.5 + 1e-3
    assert qt.write_wav(qt.Sound(4 * samples), tmp_path / "b.wav", "pcm24") > 1000
    with pytest.raises(qt.InputError, match="format"):
        qt.write_wav(sound, tmp_path / "c.wav", "mp3")


def test_modal_motions_are_drawn_by_their_modes(model, tmp_path):
    motion = qt.Trajectory([0.0, 0.1], np.ones((2, 1, 3)), coordinates="linear-modes")
    qt.save_trajectory(motion, tmp_path / "a.qtraj")
    assert qt.load_trajectory(tmp_path / "a.qtraj").coordinates == "linear-modes"
    drawn = qt.modal_model(model)
    assert np.array_equal(drawn.basis, model.linear_modes)
    qt.write_glb(drawn, motion, tmp_path / "a.glb")


@pytest.mark.parametrize("dtype,error", [("float64", 1e-10), ("float32", 1e-3)])
def test_exponential_steps_are_numpy_s(model, damping, dtype, error):
    """Kick, oscillators by their roots, sweeps, kick: with the energy's own force. What stays displaces as at rest."""
    lam, turn = np.linalg.eigh(model.energy.evaluate(np.zeros(5))[2])
    h = 1.0 / np.sqrt(lam[3])  # the stiffest follows at rest, or swings: as the batch counts
    batch = qt.ExponentialBatch(model.energy, bodies=2, dtype=dtype, damping=damping)
    swing = int((np.sqrt(lam) * h < 0.45 * 2 * np.pi).sum())
    assert batch.oscillators(h) == swing and np.allclose(batch.eigenvalues, lam, rtol=1e-9)
    start = turn @ (0.02 * np.sqrt(lam) * np.array([1, 0.5, -0.3, 0.2, 0]) * (np.arange(5) < swing))
    np.asarray(batch.velocity)[1] = start
    z, v = np.zeros(5), turn.T @ start
    c = damping.mass + damping.stiffness * lam
    matrices = [qt.modal_propagator(l, d, h) for l, d in zip(lam, c)]
    flows = [np.array(m.flow) for m in matrices]
    half = [((f[0, 0] - 1) * (f[1, 1] - 1) / f[0, 1] - f[1, 0]) / (2 * x) for f, x in zip(flows, lam)][:swing]
    nonlinear = lambda z: turn.T @ model.energy.evaluate(turn @ z)[1] - lam * z  # noqa: E731
    for _ in range(20):
        v[:swing] -= half * nonlinear(z)[:swing]
        for i in range(swing):
            z[i], v[i] = flows[i] @ (z[i], v[i])
        for _ in range(2):
            z[swing:] = -nonlinear(z)[swing:] / lam[swing:]
        v[:swing] -= half * nonlinear(z)[:swing]
        batch.step(h)
    q = turn @ z
    assert np.allclose(np.asarray(batch.q)[1], q, rtol=0, atol=error * np.abs(q).max())
    assert not np.asarray(batch.q)[0].any() and not batch.status.any() and batch.time == pytest.approx(20 * h)
    assert batch.kinetic_energy()[1] == pytest.approx(v @ v / 2, rel=50 * error)
    assert batch.elastic_energy()[1] == pytest.approx(model.energy.evaluate(q)[0], rel=50 * error)
