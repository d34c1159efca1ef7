#!/usr/bin/env python3
"""Prints the results of cuda_bench as a table: bench-table.py bench.json"""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    report = json.load(file)
print(f"{report['context'].get('device', 'unknown device')}, {report['context']['date']}\n")
print("| what | bodies/s | share of multiply-adds | share of tensor cores | share of copy rate |")
print("|---|---|---|---|---|")
for run in report["benchmarks"]:
    if run.get("error_occurred"):
        print(f"| {run['name']} | {run['error_message']} | | | |")
        continue
    shares = [f"{run[key]:.2f}" if key in run else "" for key in ("of_fma", "of_tensor", "of_copy")]
    name = run["name"].removesuffix("/manual_time")
    print(f"| {name} | {run['bodies/s']:.3g} | {' | '.join(shares)} |")
