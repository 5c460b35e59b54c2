"""Fuzzes every target of the Go core, one at a time, and keeps account of the processor time that each has had.

    python tools/fuzz.py GO [--time 30s] [--rounds 1] [--until SECONDS] [--workers N] [--only WORD] [--log fuzz.tsv]

With a log (tab-separated: date, package, target, seconds of wall clock and of processor, executions, inputs that reached something new, result) a later
run goes on where the times are lowest, and a summary by target is printed at the end. --until goes on, always with the target that has had least, till the
log has so many processor seconds for each: on a busy machine a time by the clock is no measure. A finding is printed whole, lies under testdata/fuzz of
its package from then on as a test, and makes the exit status 1; the other targets are fuzzed all the same, that one no more.
"""

from __future__ import annotations

import argparse
import datetime
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

Target = tuple[str, str]
"""A package and the name of a target in it."""


class Programs:
    """The test programs of the packages, built for fuzzing when they are first needed, so that no time of theirs goes to building."""

    def __init__(self, go: str, place: Path) -> None:
        self.go, self.place = go, place
        self.cache = Path(self.output("env", "GOCACHE").strip()) / "fuzz"
        listed = self.output("list", "-f", "{{.ImportPath}}\t{{.Dir}}", "./core/...")
        self.folders = dict(line.split("\t") for line in listed.splitlines())

    def output(self, *words: str) -> str:
        run = subprocess.run([self.go, *words], capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(run.stdout + run.stderr)
        return run.stdout

    def targets(self) -> list[Target]:
        found = []
        for package, folder in self.folders.items():
            names = [n for file in Path(folder).glob("*_test.go") for n in re.findall(r"^func (Fuzz\w+)\(", file.read_text(encoding="utf-8"), re.M)]
            found += [(package, name) for name in sorted(names)]
        return found

    def command(self, package: str, target: str, seconds: str, workers: int | None) -> list[str]:
        program = self.place / package.replace("/", "+")
        if not program.exists():
            self.output("test", "-c", "-fuzz", ".", "-o", str(program), package)
        words = [str(program), "-test.run=^$", f"-test.fuzz=^{target}$", f"-test.fuzztime={seconds}", f"-test.fuzzcachedir={self.cache / package}"]
        words.append("-test.fuzzminimizetime=50x")  # else Go spends a minute on every long input that reaches something new, and tries nothing else meanwhile
        return words + ([f"-test.parallel={workers}"] if workers else [])


def spent(log: Path | None) -> dict[Target, list[float]]:
    """Seconds of processor time, executions and findings of each target."""
    sums: dict[Target, list[float]] = defaultdict(lambda: [0.0, 0, 0])
    if log is not None and log.exists():
        for line in log.read_text(encoding="utf-8").splitlines():
            _, package, target, _, cpu, executions, _, result = line.split("\t")
            total = sums[package, target]
            total[0], total[1], total[2] = total[0] + float(cpu), total[1] + int(executions), total[2] + (result != "ok")
    return sums


def fuzz(programs: Programs, package: str, target: str, seconds: str, workers: int | None) -> tuple[str, str]:
    """Fuzzes one target; gives a line of the log and what it printed when it found something."""
    command = programs.command(package, target, seconds, workers)
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    run = subprocess.run(command, cwd=programs.folders[package], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    progress = re.findall(r"execs: (\d+).*?new interesting: (\d+)", run.stdout) or [("0", "0")]
    # Where workers are slow to end, Go calls the end of the time a failure.
    well = run.returncode == 0 or re.search(r"--- FAIL: \w+ \([\d.]+s\)\n    context deadline exceeded\n", run.stdout) is not None
    result = "ok" if well else "FOUND"
    date = datetime.datetime.now().isoformat(timespec="seconds")
    line = "\t".join([date, package, target, f"{time.monotonic() - began:.1f}", f"{cpu:.1f}", *progress[-1], result])
    return line, "" if well else run.stdout


def main() -> int:
    parser = argparse.ArgumentParser(description="Fuzzes every target of the Go core.")
    parser.add_argument("go")
    parser.add_argument("--time", default="30s", help="for each target, in Go's notation")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--until", type=float, metavar="SECONDS", help="of processor time that the log is to have for each target, in place of rounds")
    parser.add_argument("--workers", type=int, help="processes at a time, else as many as processors")
    parser.add_argument("--only", default="", help="targets whose package or name holds this")
    parser.add_argument("--log", type=Path)
    arguments = parser.parse_args()
    if arguments.until is not None and arguments.log is None:
        parser.error("--until needs --log")
    with tempfile.TemporaryDirectory() as place:
        programs = Programs(arguments.go, Path(place))
        chosen = [t for t in programs.targets() if arguments.only in "/".join(t)]
        bad: set[Target] = set()

        def run(target: Target) -> None:
            line, trouble = fuzz(programs, *target, arguments.time, arguments.workers)
            print(line, flush=True)
            if trouble:
                print(trouble, flush=True)
                bad.add(target)
            if arguments.log is not None:
                with arguments.log.open("a", encoding="utf-8") as file:
                    file.write(line + "\n")

        def hungry() -> list[Target]:
            sums = spent(arguments.log)
            return sorted((t for t in chosen if t not in bad), key=lambda t: sums[t][0])

        if arguments.until is None:
            for _ in range(arguments.rounds):
                for target in hungry():
                    run(target)
        else:
            while (left := hungry()) and spent(arguments.log)[left[0]][0] < arguments.until:
                run(left[0])
    if sums := spent(arguments.log):
        for (package, name), (cpu, executions, findings) in sorted(sums.items()):
            print(f"{package + '.' + name:50} {cpu / 3600:6.2f} processor hours  {int(executions):12,} executions  {int(findings)} findings")
        print(f"{'all':50} {sum(s[0] for s in sums.values()) / 3600:6.2f} processor hours")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
