"""A cycle model of one multiprocessor of an H100: four schedulers, each issuing one instruction per cycle, in order within
a warp, and one pipe of shared memory for all.

Its constants are from NVIDIA's documents and from measurements that others published, not from ours: expect +-15 %.
"""
from collections import Counter
from dataclasses import dataclass


@dataclass(frozen=True)
class Costs:
    """Cycles. Of a pipe: per warp instruction; latencies: from issue to the result."""
    fma: float = 1
    fma2: float = 2
    dfma: float = 2
    hmma: float = 6.5     # m16n8k8 on TF32 or m16n8k16 on bfloat16 by mma.sync
    dmma: float = 32
    alu: float = 2        # also IMAD
    memory: float = 2
    special: float = 8
    shared_latency: float = 23
    paired_vector: float = 2  # of shared memory, a 16-byte load where pairs of lanes agree
    vector: float = 4         # a 16-byte load or store of other addresses
    l1_latency: float = 34
    l2_latency: float = 260
    branch: float = 8     # behind one that is taken
    barrier: float = 12
    queue: float = 24     # of shared memory: how far requests may be ahead of its pipe


def pipe(instruction, costs):
    base = instruction.base
    if base in ("FFMA", "FMUL", "FADD"):
        return "fma", costs.fma
    if base in ("FFMA2", "FMUL2", "FADD2"):
        return "fma", costs.fma2
    if base == "IMAD":
        return "fma", costs.alu
    if base in ("DFMA", "DMUL", "DADD", "DSETP"):
        return "fp64", costs.dfma
    if base in ("HMMA", "DMMA"):
        return "tensor", costs.hmma if base == "HMMA" else costs.dmma
    if base in ("MUFU", "I2F", "F2I", "F2F"):
        return "special", costs.special
    if base in ("LDS", "STS", "LDG", "STG", "LD", "ST", "LDGSTS", "LDC", "ULDC", "LDCU", "ATOMS", "LDSM", "SHFL"):
        return "memory", costs.memory
    if base in ("BAR", "BRA", "BSSY", "BSYNC", "DEPBAR", "LDGDEPBAR", "WARPSYNC", "EXIT", "CALL", "RET", "NOP"):
        return "branch", 1
    return "alu", costs.alu


def shared_cycles(instruction, costs):
    """Of shared memory's pipe. Loads of 16 bytes count as such where pairs of lanes agree, as in the products; stores don't."""
    if instruction.never:
        return 0
    if instruction.base in ("LDS", "STS"):
        wide = costs.paired_vector if instruction.base == "LDS" else costs.vector
        return wide if ".128" in instruction.op else 2 if ".64" in instruction.op else 1
    return {"LDGSTS": 4, "SHFL": 1}.get(instruction.base, 0)


def bank_conflict(instruction, kept):
    """Whether three operands that aren't kept from the instruction before lie in one of the two register banks."""
    registers = {register for slot, register, _ in instruction.sources() if kept.get(slot) != register}
    return max(sum(1 for r in registers if r % 2 == bank) for bank in (0, 1)) >= 3


class _Warp:
    def __init__(self, trace, block):
        self.trace, self.block = trace, block
        self.at, self.ready, self.scoreboards = 0, 0, [0] * 6
        self.waiting, self.kept, self.copies = False, {}, 0

    def done(self):
        return self.at >= len(self.trace)


@dataclass
class Result:
    cycles: int
    issued: int           # of all schedulers
    multiply_adds: int
    conflicts: int
    shared: float         # cycles of shared memory's pipe
    marks: dict           # (warp, instruction that was asked for): cycles of its issue


class Multiprocessor:
    """Runs warps, each a trace of instructions: lists of (instruction, whether it goes to L2)."""

    def __init__(self, costs=Costs(), schedulers=4):
        self.costs, self.schedulers = costs, schedulers
        self._static = {}

    def _facts(self, i):
        facts = self._static.get(id(i))
        if facts is None:
            checked = i.base in ("FFMA", "FADD", "FMUL", "FFMA2")
            facts = (*pipe(i, self.costs), shared_cycles(i, self.costs), checked, i)
            self._static[id(i)] = facts
        return facts

    def run(self, blocks, marks=()):
        marked = {id(i) for i in marks}
        warps = [_Warp(trace, b) for b, block in enumerate(blocks) for trace in block]
        places = [n for block in blocks for n in range(len(block))]
        turns = [[w for w, n in zip(warps, places) if n % self.schedulers == s] for s in range(self.schedulers)]
        pipes = [{} for _ in turns]
        last = [0] * self.schedulers
        arrived = [[] for _ in blocks]
        shared_free, shared_busy, time, counts, seen = 0.0, 0.0, 0, Counter(), {}
        left = len(warps)
        while left:
            issued, next_time = False, float("inf")
            for s, own in enumerate(turns):
                chosen = None
                order = own[last[s]:last[s] + 1] + own[:last[s]] + own[last[s] + 1:]  # the last one, then the oldest
                for warp in order:
                    if warp.waiting or warp.done():
                        continue
                    instruction, _ = warp.trace[warp.at]
                    start = max([warp.ready] + [warp.scoreboards[n] for n in instruction.waits])
                    name = self._facts(instruction)[0]
                    start = max(start, pipes[s].get(name, 0))
                    if name == "memory":
                        start = max(start, shared_free - self.costs.queue)
                    if start <= time:
                        chosen = warp
                        break
                    next_time = min(next_time, start)
                if chosen is None:
                    continue
                warp, issued = chosen, True
                last[s] = own.index(warp)
                instruction, from_l2 = warp.trace[warp.at]
                name, cycles, shared, checked, _ = self._facts(instruction)
                extra = 1 if checked and bank_conflict(instruction, warp.kept) else 0
                warp.kept = {slot: r for slot, r, kept in instruction.sources() if kept} if checked else {}
                pipes[s][name] = max(pipes[s].get(name, 0), time) + cycles + extra
                warp.ready = time + max(instruction.stall, 1) + extra
                counts["issued"] += 1
                counts["conflicts"] += extra
                if instruction.base in ("FFMA", "FFMA2", "DFMA", "HMMA", "DMMA"):
                    counts["multiply_adds"] += 1
                end = time + 6
                if instruction.base in ("LDS", "STS", "SHFL"):
                    begin = max(shared_free, time + 4)
                    shared_free, shared_busy = begin + shared, shared_busy + shared
                    end = begin + shared + self.costs.shared_latency - 4
                elif instruction.base in ("LDGSTS", "LDG", "LD", "STG", "ST"):
                    begin = max(shared_free, time + 4)
                    shared_free, shared_busy = begin + 1, shared_busy + 1 + shared
                    far = from_l2 or instruction.base == "LDGSTS"
                    end = begin + (20 if instruction.base in ("STG", "ST")
                                   else self.costs.l2_latency if far else self.costs.l1_latency)
                    if instruction.base == "LDGSTS":
                        warp.copies = max(warp.copies, end)
                elif instruction.base == "LDGDEPBAR":
                    end = max(warp.copies, time + 2)
                elif instruction.base in ("LDC", "ULDC", "LDCU"):
                    end = time + 30
                elif name in ("special", "fp64", "tensor"):
                    end = time + {"special": 24, "fp64": 16, "tensor": 33}[name]
                elif instruction.base in ("S2R", "R2UR", "S2UR"):
                    end = time + 25
                if instruction.sets < 6:
                    warp.scoreboards[instruction.sets] = max(warp.scoreboards[instruction.sets], end)
                if instruction.releases < 6:
                    read = end - self.costs.shared_latency + 8 if instruction.base in ("LDS", "STS") else time + 12
                    warp.scoreboards[instruction.releases] = max(warp.scoreboards[instruction.releases], read)
                if instruction.base == "BRA":
                    warp.ready += self.costs.branch
                if id(instruction) in marked:
                    seen.setdefault((warps.index(warp), id(instruction)), []).append(time)
                warp.at += 1
                if warp.done():
                    left -= 1
                if instruction.base == "BAR" and "ARV" not in instruction.op:
                    warp.waiting = True
                    arrived[warp.block].append(warp)
                here = arrived[warp.block]
                if here and len(here) == sum(1 for w in warps if w.block == warp.block and (w.waiting or not w.done())):
                    for other in here:
                        other.waiting, other.ready = False, max(other.ready, time + self.costs.barrier)
                    here.clear()
            time = time + 1 if issued else max(time + 1, int(min(next_time, time + 1e6)))
        return Result(time, counts["issued"], counts["multiply_adds"], counts["conflicts"], shared_busy, seen)
