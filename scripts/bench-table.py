#!/usr/bin/env python3
"""Prints the results of cuda_bench as a table: bench-table.py bench.json"""
import json
import re
import sys

COLUMNS = [("bodies/s", "bodies/s", ".3g"), ("over pipeline", "over_pipeline", ".2f"),
           ("time over strict", "of_strict", ".2f"), ("share of multiply-adds", "of_fma", ".2f"),
           ("share of tensor cores", "of_tensor", ".2f"), ("share of copy rate", "of_copy", ".2f")]

with open(sys.argv[1], encoding="utf-8") as file:
    report = json.load(file)
print(f"{report['context'].get('device', 'unknown device')}, {report['context']['date']}\n")
print("| what | " + " | ".join(title for title, _, _ in COLUMNS) + " |")
print("|---" * (len(COLUMNS) + 1) + "|")
for run in report["benchmarks"]:
    name = re.sub(r"/(iterations:\d+|manual_time)", "", run["name"])
    if run.get("error_occurred"):
        cells = [run["error_message"]] + [""] * (len(COLUMNS) - 1)
    else:
        cells = [format(run[counter], form) if counter in run else "" for _, counter, form in COLUMNS]
    print(f"| {name} | " + " | ".join(cells) + " |")
