"""Compiled kernels as nvdisasm prints them: instructions with the control codes that the assembler wrote, basic blocks, loops.

Control codes are bits of an instruction's upper 64: stall count 41-44, scoreboard that a result sets 46-48, scoreboard
that read operands set 49-51 (7: none), scoreboards that are waited for 52-57, operands to keep for the next one 58-61.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field

MULTIPLY_ADDS = ("FFMA", "FFMA2", "DFMA", "HMMA", "DMMA")
LOADS = ("LDS", "LDG", "LD", "LDL", "LDSM")


class NoDisassembler(Exception):
    pass


def disassembler():
    """nvdisasm: by the variable NVDISASM, of the toolkit, or of the Python package nvidia-cuda-nvdisasm."""
    places = [os.environ.get("NVDISASM"), shutil.which("nvdisasm"), "/usr/local/cuda/bin/nvdisasm"]
    places += [found for folder in sys.path for found in glob.glob(os.path.join(folder, "nvidia/*/bin/nvdisasm"))]
    for place in places:
        if place and os.access(place, os.X_OK):
            return place
    raise NoDisassembler("no nvdisasm here: pip install nvidia-cuda-nvdisasm, or say where it is by the variable NVDISASM")


@dataclass
class Instruction:
    op: str  # with its modifiers
    operands: str
    predicate: str
    stall: int = 0
    sets: int = 7
    releases: int = 7
    waits: tuple = ()
    base: str = field(init=False)
    never: bool = field(init=False)

    def __post_init__(self):
        self.base = self.op.split(".")[0]
        self.never = self.predicate == "@!PT"

    def control(self, bits):
        self.stall, self.sets, self.releases = bits >> 41 & 15, bits >> 46 & 7, bits >> 49 & 7
        self.waits = tuple(n for n in range(6) if bits >> 52 + n & 1)

    def sources(self):
        """(operand slot, register, kept for the next instruction) of an arithmetic instruction."""
        found = []
        for slot, text in enumerate(self.operands.split(",")[1:4]):
            match = re.match(r"[-|~\s]*R(\d+)(\.reuse)?", text.strip())
            if match:
                found.append((slot, int(match.group(1)), match.group(2) is not None))
        return found

    def target(self):
        match = re.search(r"`\((\.L_x_\d+)\)", self.operands)
        return match.group(1) if match else None


@dataclass
class Kernel:
    name: str
    instructions: list
    labels: dict  # name: number of the instruction behind it

    def blocks(self):
        """Straight stretches of instructions, as (first, behind the last)."""
        starts = {0} | set(self.labels.values())
        for n, i in enumerate(self.instructions):
            if i.base in ("BRA", "EXIT", "RET", "CALL", "BRX"):
                starts.add(n + 1)
        edges = sorted(s for s in starts if s <= len(self.instructions)) + [len(self.instructions)]
        return [(a, b) for a, b in zip(edges, edges[1:]) if a < b]

    def loops(self):
        """(first, last) instruction of each loop, by its branch backwards."""
        found = set()
        for n, i in enumerate(self.instructions):
            target = self.labels.get(i.target()) if i.base == "BRA" else None
            if target is not None and target < n:
                found.add((target, n))
        return sorted(found)


def plain_name(symbol):
    name = subprocess.run(["c++filt", symbol], capture_output=True, text=True, check=True).stdout.strip()
    name = re.sub(r"\(anonymous namespace\)::|quartic::cuda::|^void ", "", name)
    return re.sub(r"\(.*", "", name)


def read_kernels(cubin):
    return parse(subprocess.run([disassembler(), "-hex", "-c", cubin], capture_output=True, text=True, check=True).stdout)


def parse(text):
    """Kernels of what `nvdisasm -hex -c` prints."""
    kernels, kernel = [], None
    for line in text.splitlines():
        if match := re.match(r"\.text\.(\S+):", line):
            kernel = Kernel(plain_name(match.group(1)), [], {})
            kernels.append(kernel)
        elif kernel is None:
            continue
        elif match := re.match(r"\s*(\.L_x_\d+):", line):
            kernel.labels[match.group(1)] = len(kernel.instructions)
        elif match := re.match(r"\s*/\*[0-9a-f]{4,}\*/\s+(@\S+)?\s*(\S+)\s*(.*?)\s*;\s*/\* 0x[0-9a-f]{16} \*/", line):
            kernel.instructions.append(Instruction(match.group(2), match.group(3), match.group(1) or ""))
        elif (match := re.match(r"\s*/\* 0x([0-9a-f]{16}) \*/", line)) and kernel.instructions:
            kernel.instructions[-1].control(int(match.group(1), 16))
    return kernels
