"""Runs go test and prints what a reader needs: a line a package, how many rows of the vectors were compared, skips, and failures whole.

    python tools/gotest.py GO [arguments of go test]
"""

from __future__ import annotations

import json
import re
import subprocess
import sys


def main() -> int:
    go, *arguments = sys.argv[1:]
    run = subprocess.Popen([go, "test", "-json", "-timeout", "25m", *arguments], stdout=subprocess.PIPE, text=True, encoding="utf-8")
    assert run.stdout
    output: dict[tuple[str, str], list[str]] = {}
    passed = failed = skipped = 0
    for line in run.stdout:
        try:
            event = json.loads(line)
        except ValueError:
            print(line, end="")
            continue
        package, test = event.get("Package", event.get("ImportPath", "")), event.get("Test", "")
        key = (package, test)
        match event["Action"]:
            case "output" | "build-output":
                output.setdefault(key, []).append(event["Output"])
                if found := re.search(r"vectors: \S+ \d+ rows", event["Output"]):
                    print(f"    {found[0]}")
            case "pass" if test:
                passed += 1
                output.pop(key, None)
            case "skip" if test:
                skipped += 1
                print(f"    skipped {test}: {''.join(output.pop(key, [])[1:2]).strip()}")
            case "fail" if test:
                failed += 1
                print("".join(output.pop(key, [])), end="")
            case "pass" | "fail" | "build-fail" as action if not test:
                if action != "pass":
                    print("".join(output.get(key, [])), end="")
                print(f"{'ok  ' if action == 'pass' else 'FAIL'} {package} {event.get('Elapsed', 0):.1f}s", flush=True)
    code = run.wait()
    print(f"go: {passed} passed, {failed} failed, {skipped} skipped")
    return code


if __name__ == "__main__":
    sys.exit(main())
