"""Streams of accelerations: packets as struct reads them, and receivers as NumPy integrates."""

import struct
import zlib

import numpy as np
import pytest

import quartic as qt

H = 0.01


def moving(model, **options):
    batch = qt.Batch(model, bodies=3, dtype="float64", rayleigh_mass=0.5, **options)
    batch.force[:] = np.linspace(-1, 1, 15).reshape(3, 5)
    return batch


def integrate(rule, accelerations, q, v):
    """The rule, by NumPy."""
    motion = [(q, v)]
    for a, b in zip(accelerations, accelerations[1:]):
        q = q + H * v + H * H * (rule.before * a + rule.after * b)
        v = v + H * ((1 - rule.gamma) * a + rule.gamma * b)
        motion.append((q, v))
    return motion


def test_packets_are_what_the_page_says(model):
    batch = moving(model)
    fingerprint = qt.stream_fingerprint(model)
    sender = qt.AccelerationSender(batch, step=H, fingerprint=fingerprint, type="fp64")
    sender.send()
    batch.step(H)
    (packet,) = sender.send()
    magic, version, kind, number_type, zero, model_hash, step, h, first, count, rank, number, payload_crc, size = \
        struct.unpack("<4s4BQQdQ5I", packet[:60])
    assert (magic, version, kind, number_type, zero) == (b"QACC", 1, 1, 2, 0)
    assert (model_hash, step, h, first, count, rank, number) == (fingerprint, 1, H, 0, 3, 5, 1)
    assert size == len(packet) - 64 and payload_crc == zlib.crc32(packet[64:])
    assert struct.unpack("<I", packet[60:64])[0] == zlib.crc32(packet[:60])
    assert np.array_equal(np.frombuffer(packet[64:]).reshape(5, 3).T, np.asarray(batch.acceleration))


@pytest.mark.parametrize("integrator", ["newmark", "backward-euler", "energy-conserving"])
def test_receivers_integrate_as_numpy_does(model, integrator):
    batch = moving(model, integrator=integrator)
    sender = qt.AccelerationSender(batch, step=H, type="fp64")
    rule = qt.acceleration_rule(batch)
    receiver = qt.AccelerationReceiver(5, 3, recovery="zero")
    q, taken = np.asarray(receiver.q), []
    for step in range(40):
        for packet in sender.send():
            if step != 20:
                assert receiver.receive(packet) == ("state" if step == 0 else "taken")
        if step > 0:
            receiver.advance()
        taken.append(np.array(batch.acceleration) * (step != 20))
        if step == 20:
            lost = np.array(batch.acceleration)
        if step == 39:
            break
        batch.step(H)
    expected_q, expected_v = integrate(rule, taken, np.zeros((3, 5)), np.zeros((3, 5)))[-1]
    assert np.allclose(q, expected_q, rtol=0, atol=1e-14) and np.allclose(receiver.velocity.numpy(), expected_v, rtol=0, atol=1e-13)
    dq, dv = qt.loss_distortion(rule, H, 19)
    assert np.allclose(np.asarray(batch.q) - q, dq * lost, rtol=0, atol=1e-12)
    assert np.allclose(np.asarray(batch.velocity) - receiver.velocity.numpy(), dv * lost, rtol=0, atol=1e-12)
    assert receiver.missing() == [20] and receiver.counts["guessed"] == 3 and not receiver.stopped.any()


def test_late_accelerations_are_made_up_for(model):
    batch = moving(model)
    sender, receiver = qt.AccelerationSender(batch, step=H, type="fp64"), qt.AccelerationReceiver(5, 3, recovery="late")
    reader = qt.PacketReader()
    for step in range(30):
        for packet in sender.send():
            if step != 12:
                reader.feed(packet + b"noise")
        if step == 16:
            for packet in sender.send_again(12):
                reader.feed(packet)
        while (packet := reader.next()) is not None:
            receiver.receive(packet)
        while receiver.step < step:
            receiver.advance()
        if step < 29:
            batch.step(H)
    assert np.allclose(receiver.q.numpy(), np.asarray(batch.q), rtol=0, atol=1e-13)
    assert receiver.counts["repaired"] == 1 and receiver.missing() == [] and reader.skipped_bytes > 0


def test_exact_steps_need_a_closed_loop(model):
    batch = qt.ModalBatch(model.eigenvalues, bodies=2, dtype="float64")
    batch.impulse(0, np.ones(3))
    assert qt.acceleration_rule(batch).of_differences
    with pytest.raises(qt.InputError, match="closed_loop"):
        qt.AccelerationSender(batch, step=H)
    sender = qt.AccelerationSender(batch, step=H, type="fp64", closed_loop=True)
    receiver = qt.AccelerationReceiver(3, 2)
    for step in range(50):
        for packet in sender.send():
            receiver.receive(packet)
        while receiver.step < step:
            receiver.advance()
        if step < 49:
            batch.step(H)
    assert receiver.started and receiver.latest == 49 and receiver.step_length == H
    assert np.allclose(receiver.q.numpy(), np.asarray(batch.q), rtol=0, atol=1e-12)


def test_a_reset_receiver_takes_a_sender_that_begins_anew(model):
    receiver = qt.AccelerationReceiver(5, 3, window=4)
    (first,) = qt.AccelerationSender(moving(model), step=H, type="fp64").send()
    assert receiver.receive(first) == "state"
    for _ in range(9):
        receiver.advance()
    batch = moving(model)
    batch.step(H)
    (again,) = qt.AccelerationSender(batch, step=H, type="fp64").send()
    assert receiver.receive(again) == "late"
    receiver.reset()
    assert receiver.step == -1 and not receiver.started
    assert receiver.receive(again) == "state" and receiver.step == 0
    assert np.array_equal(receiver.q.numpy(), np.asarray(batch.q))


def test_what_isnt_ours_is_refused(model):
    batch = moving(model)
    (packet,) = qt.AccelerationSender(batch, step=H, fingerprint=7).send()
    receiver = qt.AccelerationReceiver(5, 3, fingerprint=8)
    assert receiver.receive(packet) == "foreign"
    assert qt.AccelerationReceiver(5, 3, fingerprint=7).receive(packet[:-1]) == "damaged"
    assert receiver.receive(b"") == "damaged"
    assert receiver.counts["damaged"] == 1 and receiver.counts["foreign"] == 1 and receiver.step == -1
    with pytest.raises(qt.InputError, match="stiffness"):
        qt.AccelerationReceiver(5, 3, recovery="model")
    with pytest.raises(qt.InputError, match="recovery"):
        qt.AccelerationReceiver(5, recovery="best")
    assert qt.AccelerationReceiver(5, recovery="model", stiffness=np.eye(5)).step == -1
    with pytest.raises(qt.InputError, match="batch"):
        qt.AccelerationSender(model, step=H)
