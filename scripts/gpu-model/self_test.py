#!/usr/bin/env python3
"""Tests of this folder, against what can be worked out by hand; needs no nvdisasm."""
import unittest

import hot_loops
import multiprocessor
import sass

# As nvdisasm prints a loop. Upper words: stall 4 and scoreboard 0 set; stall 2 and 0 waited for; stall 5.
TEXT = """
.text._Z4spinILi3EEvv:
.L_x_0:
        /*0000*/                   LDS.128 R4, [R2] ;       /* 0x0000000002047984 */
                                                            /* 0x000e080000000c00 */
        /*0010*/                   FFMA R8, R4.reuse, R5, R8 ;  /* 0x0000000504087223 */
                                                            /* 0x041fe40000000008 */
        /*0020*/              @!P0 BRA `(.L_x_0) ;          /* 0xfffffffffffc8947 */
                                                            /* 0x000fea000383ffff */
"""


def multiply_add(target=8, factors=(4, 5), stall=1, op="FFMA"):
    made = sass.Instruction(op, f"R{target}, R{factors[0]}, R{factors[1]}, R{target}", "")
    made.stall = stall
    return made


def share(instructions, warps, costs=multiprocessor.Costs()):
    result = multiprocessor.Multiprocessor(costs).run([[[(i, False) for i in instructions]] * warps])
    return result.multiply_adds / 4 / result.cycles


class Parsing(unittest.TestCase):
    def test_instructions_have_their_control_codes(self):
        kernel, = sass.parse(TEXT)
        self.assertEqual(kernel.name, "spin<3>")
        load, fma, branch = kernel.instructions
        self.assertEqual((load.op, load.stall, load.sets, load.waits), ("LDS.128", 4, 0, ()))
        self.assertEqual((fma.stall, fma.sets, fma.waits), (2, 7, (0,)))
        self.assertEqual(fma.sources(), [(0, 4, True), (1, 5, False), (2, 8, False)])
        self.assertEqual((branch.predicate, branch.target(), branch.stall), ("@!P0", ".L_x_0", 5))
        self.assertEqual(kernel.loops(), [(0, 2)])
        self.assertEqual(kernel.blocks(), [(0, 3)])


class Banks(unittest.TestCase):
    def test_three_operands_of_one_parity_conflict(self):
        self.assertTrue(multiprocessor.bank_conflict(multiply_add(8, (4, 6)), {}))
        self.assertFalse(multiprocessor.bank_conflict(multiply_add(8, (4, 5)), {}))
        self.assertFalse(multiprocessor.bank_conflict(multiply_add(8, (4, 4)), {}), "one register is read once")
        self.assertFalse(multiprocessor.bank_conflict(multiply_add(8, (4, 6)), {0: 4}), "kept from the one before")


class Cycles(unittest.TestCase):
    def test_independent_multiply_adds_reach_the_full_rate(self):
        self.assertGreater(share([multiply_add(8 + n % 2) for n in range(1000)], 4), 0.99)

    def test_stalls_of_a_lone_warp_are_lost_and_others_fill_them(self):
        chain = [multiply_add(stall=4) for _ in range(250)]
        self.assertAlmostEqual(share(chain, 4), 0.25, delta=0.01)
        self.assertGreater(share(chain, 16), 0.98)

    def test_a_conflict_costs_a_cycle(self):
        self.assertAlmostEqual(share([multiply_add(8, (4, 6)) for _ in range(1000)], 4), 0.5, delta=0.01)

    def test_double_takes_two_cycles(self):
        self.assertAlmostEqual(share([multiply_add(op="DFMA") for _ in range(500)], 4), 0.5, delta=0.01)

    def test_shared_memory_is_one_pipe(self):
        load = sass.Instruction("LDS.128", "R4, [R2]", "")
        result = multiprocessor.Multiprocessor().run([[[(load, False)] * 100] * 8])
        self.assertEqual(result.shared, 8 * 100 * 2)
        self.assertAlmostEqual(result.cycles, 8 * 100 * 2, delta=50)

    def test_a_barrier_waits_for_all(self):
        barrier = sass.Instruction("BAR.SYNC", "0x0", "")
        slow = [(multiply_add(stall=10), False)] * 50 + [(barrier, False)]
        result = multiprocessor.Multiprocessor().run([[slow, [(barrier, False), (multiply_add(), False)]]])
        self.assertGreaterEqual(result.cycles, 500)


class Budgets(unittest.TestCase):
    def kernel(self, loads):
        instructions = [multiply_add(8 + n % 2) for n in range(200)]
        instructions += [sass.Instruction("LDS.128", "R4, [R2]", "") for _ in range(2 * loads)]
        return sass.Kernel("product", instructions, {})

    def test_ratios_are_per_multiply_add(self):
        self.assertEqual(hot_loops.budget_lines([self.kernel(10)]), ["product | 1.10 | 0.10 | 0.00"])

    def test_matrix_instructions_count_for_more(self):
        instructions = [multiply_add(op="HMMA")] * 16 + [sass.Instruction("FADD", "R4, R5, R6", "")] * 16
        self.assertEqual(hot_loops.budget_lines([sass.Kernel("product", instructions, {})]), ["product | 2.00 | 0.00 | 0.00"])
        self.assertEqual(hot_loops.budget_lines([sass.Kernel("short", instructions[1:16], {})]), [])

    def test_what_is_above_is_told(self):
        budget = ["product | 1.10 | 0.10 | 0.00"]
        self.assertEqual(hot_loops.excess(hot_loops.budget_lines([self.kernel(10)]), budget), [])
        failures = hot_loops.excess(hot_loops.budget_lines([self.kernel(20)]), budget)
        self.assertEqual(len(failures), 2)
        self.assertIn("0.20 loads per multiply-add, the table allows 0.10", failures[1])
        self.assertEqual(hot_loops.excess(["other | 9.00 | 9.00 | 9.00"], budget), [], "no budget, no excess")


if __name__ == "__main__":
    unittest.main()
