"""Fuzzes every target of the Go core, one at a time, and keeps account of the processor time that each has had.

    python tools/fuzz.py GO [--time 30s] [--rounds 1] [--only WORD] [--log fuzz.tsv]

With a log (tab-separated: date, package, target, seconds of wall clock and of processor, executions, inputs that reached something new, result) a later
run goes on where the times are lowest, and a summary by target is printed at the end. A finding is printed whole, lies under testdata/fuzz of its
package from then on as a test, and makes the exit status 1; the other targets are fuzzed all the same.
"""

from __future__ import annotations

import argparse
import datetime
import re
import resource
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path


def targets(go: str) -> list[tuple[str, str]]:
    """Package and name of every fuzz target."""
    found = []
    packages = subprocess.run([go, "list", "./core/..."], capture_output=True, text=True, check=True).stdout.split()
    for package in packages:
        listed = subprocess.run([go, "test", "-list", "^Fuzz", package], capture_output=True, text=True)
        if listed.returncode != 0:
            sys.exit(listed.stdout + listed.stderr)
        found += [(package, line) for line in listed.stdout.splitlines() if line.startswith("Fuzz")]
    return found


def spent(log: Path | None) -> dict[tuple[str, str], list[float]]:
    """Seconds of processor time, executions and findings of each target."""
    sums: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0.0, 0, 0])
    if log is not None and log.exists():
        for line in log.read_text(encoding="utf-8").splitlines():
            _, package, target, _, cpu, executions, _, result = line.split("\t")
            total = sums[package, target]
            total[0], total[1], total[2] = total[0] + float(cpu), total[1] + int(executions), total[2] + (result != "ok")
    return sums


def fuzz(go: str, package: str, target: str, seconds: str) -> tuple[str, str]:
    """Fuzzes one target; gives a line of the log and what it printed when it found something."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    command = [go, "test", "-run", "^$", "-fuzz", f"^{target}$", "-fuzztime", seconds, package]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    progress = re.findall(r"execs: (\d+).*?new interesting: (\d+)", run.stdout) or [("0", "0")]
    result = "ok" if run.returncode == 0 else "FOUND"
    date = datetime.datetime.now().isoformat(timespec="seconds")
    line = "\t".join([date, package, target, f"{time.monotonic() - began:.1f}", f"{cpu:.1f}", *progress[-1], result])
    return line, "" if run.returncode == 0 else run.stdout


def main() -> int:
    parser = argparse.ArgumentParser(description="Fuzzes every target of the Go core.")
    parser.add_argument("go")
    parser.add_argument("--time", default="30s", help="for each target, in Go's notation")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--only", default="", help="targets whose package or name holds this")
    parser.add_argument("--log", type=Path)
    arguments = parser.parse_args()
    found = 0
    for _ in range(arguments.rounds):
        sums = spent(arguments.log)
        chosen = [t for t in targets(arguments.go) if arguments.only in "/".join(t)]
        for package, target in sorted(chosen, key=lambda t: sums[t][0]):
            line, trouble = fuzz(arguments.go, package, target, arguments.time)
            print(line, flush=True)
            if trouble:
                print(trouble, flush=True)
                found += 1
            if arguments.log is not None:
                with arguments.log.open("a", encoding="utf-8") as file:
                    file.write(line + "\n")
    if sums := spent(arguments.log):
        for (package, target), (cpu, executions, findings) in sorted(sums.items()):
            print(f"{package + '.' + target:50} {cpu / 3600:6.2f} processor hours  {int(executions):12,} executions  {int(findings)} findings")
        print(f"{'all':50} {sum(s[0] for s in sums.values()) / 3600:6.2f} processor hours")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
