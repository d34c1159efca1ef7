#!/usr/bin/env python3
"""What the inner loops of compiled kernels consist of, and how fast a multiprocessor would run them: hot_loops.py CUBIN...

A cubin is what `nvcc -cubin -arch=sm_90 ...` makes of a source. Of each straight stretch of instructions with at least 64
multiply-adds, or 8 matrix instructions (the products' loops are unrolled to such), a line says, per multiply-add or matrix instruction: instructions, instructions that load from
shared memory, cycles of shared memory's pipe, bank conflicts of registers; then, by the cycle model, the share of the
multiprocessor's multiply-adds with 1, 2 and 4 warps per scheduler.

--budgets FILE compares with a table of "kernel | instructions | loads | conflicts" per multiply-add, all of them at most, of
the stretch with most multiply-adds of each kernel that the table has; --update FILE writes it, of kernels with at least 128 in a
stretch, which are the products.
"""
import argparse
import math
import sys

import multiprocessor
import sass

LEAST_MULTIPLY_ADDS, LEAST_FOR_BUDGET = 64, 128
MATRIX_INSTRUCTION = 8  # multiply-adds that it counts as where these are too few
ALLOWANCE = (0.02, 0.02, 0.06)  # the compiler's choices vary a little from run to run, of registers most
COSTS = multiprocessor.Costs()
FULL_RATE = {"FFMA": 1, "FFMA2": 2, "DFMA": COSTS.dfma, "HMMA": 4, "DMMA": 32}  # cycles of a scheduler for each


class Stretch:
    def __init__(self, instructions):
        self.instructions = instructions
        self.multiply_adds = [i for i in instructions if i.base in sass.MULTIPLY_ADDS]
        self.weight = sum(MATRIX_INSTRUCTION if i.base in ("HMMA", "DMMA") else 1 for i in self.multiply_adds)
        # One packed instruction is two multiply-adds.
        self.work = sum(2 if i.base == "FFMA2" else 1 for i in self.multiply_adds)
        self.is_hot = self.weight >= LEAST_MULTIPLY_ADDS

    def ratios(self):
        kept, conflicts = {}, 0
        for i in self.instructions:
            arithmetic = i.base in ("FFMA", "FADD", "FMUL", "FFMA2")
            conflicts += arithmetic and multiprocessor.bank_conflict(i, kept)
            kept = {slot: r for slot, r, stays in i.sources() if stays} if arithmetic else {}
        loads = sum(1 for i in self.instructions if i.base in sass.LOADS and not i.never)
        return len(self.instructions) / self.work, loads / self.work, conflicts / self.work

    def shared_cycles(self):
        return sum(multiprocessor.shared_cycles(i, COSTS) for i in self.instructions) / self.work

    def share_of_rate(self, warps_per_scheduler):
        """Of the multiply-adds that a multiprocessor does: its warps run the stretch four times each."""
        trace = [(i, False) for i in self.instructions] * 4
        warps = 4 * warps_per_scheduler
        result = multiprocessor.Multiprocessor(COSTS).run([[trace] * warps])
        busy = sum(FULL_RATE[i.base] for i in self.multiply_adds) * 4 * warps_per_scheduler
        return busy / result.cycles


def stretches(kernel):
    return [s for a, b in kernel.blocks() if (s := Stretch(kernel.instructions[a:b])).is_hot]


def budget_lines(kernels):
    """A line for each kernel with hot stretches, of its longest: ratios with two digits, rounded up."""
    lines = []
    for kernel in sorted(kernels, key=lambda k: k.name):
        longest = max(stretches(kernel), key=lambda s: s.weight, default=None)
        if longest and longest.weight >= LEAST_FOR_BUDGET:
            lines.append(" | ".join([kernel.name, *(f"{math.ceil(100 * x - 1e-9) / 100:.2f}" for x in longest.ratios())]))
    return lines


def excess(lines, budgets):
    """What of `lines` the table doesn't allow."""
    allowed = {name: [float(x) for x in numbers] for name, *numbers in (b.split(" | ") for b in budgets)}
    failures = []
    for line in lines:
        name, *numbers = line.split(" | ")
        columns = zip(("instructions", "loads", "bank conflicts"), map(float, numbers), allowed.get(name, ()), ALLOWANCE)
        for what, number, most, more in columns:
            if number > most + more:
                failures.append(f"{name}: {number:.2f} {what} per multiply-add, the table allows {most:.2f}")
    return failures


def report(kernels):
    print("kernel | multiply-adds | instructions | loads | shared cycles | conflicts | share of rate by warps per scheduler: 1, 2, 4")
    for kernel in kernels:
        for s in stretches(kernel):
            instructions, loads, conflicts = s.ratios()
            shares = ", ".join(f"{s.share_of_rate(n):.2f}" for n in (1, 2, 4))
            print(f"{kernel.name} | {s.work} | {instructions:.2f} | {loads:.3f} | {s.shared_cycles():.2f} | {conflicts:.2f} | {shares}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cubins", nargs="+")
    parser.add_argument("--budgets")
    parser.add_argument("--update")
    options = parser.parse_args()
    try:
        kernels = [kernel for cubin in options.cubins for kernel in sass.read_kernels(cubin)]
    except sass.NoDisassembler as reason:
        print(f"hot_loops: {reason}")
        return 77
    if options.update:
        with open(options.update, "w", encoding="utf-8") as file:
            file.write("\n".join(["kernel | instructions | loads | bank conflicts, each per multiply-add at most",
                                  *budget_lines(kernels)]) + "\n")
    elif options.budgets:
        with open(options.budgets, encoding="utf-8") as file:
            failures = excess(budget_lines(kernels), file.read().splitlines()[1:])
        print("\n".join(failures) or f"{len(budget_lines(kernels))} kernels are within their budgets")
        return 1 if failures else 0
    else:
        report(kernels)
    return 0


if __name__ == "__main__":
    sys.exit(main())
