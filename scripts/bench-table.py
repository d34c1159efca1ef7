#!/usr/bin/env python3
"""Prints what cuda_bench and its like measured as tables: bench-table.py lines.jsonl

Beside measured times of steps stand those that the cycle model predicts (scripts/gpu-model/predictions.json, of an H100) and
the least possible: the multiply-adds of a step at the rate of multiply-adds of the same run.
"""
import json
import os
import re
import sys

COLUMNS = [("over pipeline", "over_pipeline", ".2f"), ("time over strict", "of_strict", ".2f"),
           ("share of multiply-adds", "of_fma", ".2f"), ("share of tensor cores", "of_tensor", ".2f"),
           ("share of copy rate", "of_copy", ".2f"), ("over CPU", "over_cpu", ".1f"), ("of syrk", "of_syrk", ".2f")]


def row(cells):
    return "| " + " | ".join(cells) + " |"


def table(titles, rows):
    return "\n".join([row(titles), "|---" * len(titles) + "|", *map(row, rows)]) + "\n"


def entry(line):
    return re.sub(r"/(iterations:\d+|manual_time)", "", line["name"])


def microseconds(seconds):
    return format(1e6 * seconds, ".3g")


def step_cells(line, predictions):
    """Of a step of all bodies: measured, predicted, least possible."""
    bodies = re.search(r"/B:(\d+)", line["name"])
    if "bodies/s" not in line or not bodies:
        return ["", "", ""]
    seconds = int(bodies.group(1)) / line["bodies/s"]
    predicted = predictions.get(entry(line))
    return [microseconds(seconds), "" if predicted is None else format(predicted, ".3g"),
            microseconds(seconds * line["of_fma"]) if "of_fma" in line else ""]


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    with open(os.path.join(os.path.dirname(__file__), "gpu-model/predictions.json"), encoding="utf-8") as file:
        predictions = json.load(file)["microseconds per step"]
    calibration = [line for line in lines if "model" in line]
    runs = [line for line in lines if "model" not in line]
    if calibration:
        print(table(["what the model takes for granted", "measured", "model", ""],
                    [[line["name"].split("/", 1)[1], format(line["measured"], ".3g"), format(line["model"], ".3g"),
                      line["unit"]] for line in calibration]))
    if runs:
        print(f"{runs[0]['device']}, {runs[0]['date'][:10]}\n")
        print(table(["what", "us per step", "predicted", "least possible", *[title for title, _, _ in COLUMNS]],
                    [[entry(line), line["error"]] + [""] * (len(COLUMNS) + 2) if "error" in line else
                     [entry(line), *step_cells(line, predictions),
                      *[format(line[name], form) if name in line else "" for _, name, form in COLUMNS]]
                     for line in runs]))


if __name__ == "__main__":
    main()
