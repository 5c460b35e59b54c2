"""Measures the page of a 300-move game in Chromium: its size and when it is first painted.

    python bench/viewer.py [--runs N] [--moves N] [--save FILE]

The game has comments, times, a variation at every tenth move and a score for every position. Each run is a new browser without a window and with an
empty profile, which shows a page of one character first and then the file: figures are those of the entries first-paint and first-contentful-paint of the
page's own Performance API, in milliseconds from the start of the navigation, and of the load event. "framed" is the same page as notebooks show it, in an
iframe; "first" is the page as the very first that the browser shows, with what the browser itself starts then.
Targets: under 300,000 bytes, first paint under 200 ms. Exits with 1 when one is missed, with 0 and a word where there is no Chromium.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
# The folders beside this file have names of packages, and are none.
sys.path = [entry for entry in sys.path if Path(entry or ".").resolve() != ROOT / "bench"]

MOST_BYTES, MOST_MS = 300_000, 200.0
FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1200,800", "--no-first-run", "--remote-debugging-pipe")
SCRIPT = """new Promise(done => new PerformanceObserver((list, observer) => {
  if (!list.getEntriesByName("first-contentful-paint").length) return;
  observer.disconnect();
  const paint = Object.fromEntries(performance.getEntriesByType("paint").map(e => [e.name, e.startTime]));
  const loaded = () => done(JSON.stringify({...paint, load: performance.getEntriesByType("navigation")[0].loadEventStart}));
  if (document.readyState == "complete") loaded(); else addEventListener("load", loaded);
}).observe({type: "paint", buffered: true}))"""


def page(moves: int) -> tuple[str, str]:
    """The page of a game, and what notebooks show of it."""
    from komadori import Board, Kifu, Move
    from komadori.search import Score
    from komadori.viewer import Viewer

    board, kifu = Board(), Kifu(headers={"棋戦": "A long game", "先手": "Black", "後手": "White"})
    node, scores = kifu.root, [Score(cp=0, view=board.turn)]
    state = 1
    for ply in range(moves):
        legal = [move for move in board.legal_moves() if not is_mate(board, move)]
        state = state * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1
        quiet = [move for move in legal if not board.piece_at(move.to_square)] or legal
        move: Move = quiet[(state >> 33) % len(quiet)]
        before, node = node, node.add(move, comment=f"comment of move {ply + 1}: 互角の形勢" if ply % 3 == 0 else "", time_ms=1000 * (ply % 60))
        if ply % 10 == 9 and len(legal) > 1:
            other = before.add(legal[0] if legal[0] != move else legal[-1], comment="another way")
            other.add(other.board().legal_moves()[0])
        board.push(move)
        scores.append(Score(cp=(state >> 40) % 800 - 400, view=board.turn))
    viewer = Viewer(kifu, scores)
    return viewer.html, "<!doctype html><meta charset=utf-8><p>A cell</p>" + viewer._repr_html_()


def is_mate(board: Any, move: Any) -> bool:
    """Whether the game would be over after a move."""
    board.push(move)
    over = board.is_checkmate()
    board.pop()
    return bool(over)


class Browser:
    """A Chromium that is told what to do through pipes."""

    def __init__(self, program: str, profile: Path) -> None:
        commands, self._out = os.pipe()
        self._in, answers = os.pipe()
        self._number, self._held = 0, b""
        # The browser reads from 3 and writes to 4.
        given = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (commands, answers)]
        start = f"import os, sys; os.dup2({given[0]}, 3); os.dup2({given[1]}, 4); os.execvp(sys.argv[1], sys.argv[1:])"
        arguments = [sys.executable, "-c", start, program, *FLAGS, f"--user-data-dir={profile}", "about:blank"]
        self._process = subprocess.Popen(arguments, pass_fds=given, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for end in (commands, answers, *given):
            os.close(end)

    def message(self) -> dict[str, Any]:
        while b"\0" not in self._held:
            part = os.read(self._in, 1 << 16)
            if not part:
                raise OSError("the browser is gone")
            self._held += part
        text, self._held = self._held.split(b"\0", 1)
        found: dict[str, Any] = json.loads(text)
        return found

    def call(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        words = {"id": self._number, "method": method, "params": parameters, **({"sessionId": session} if session else {})}
        os.write(self._out, json.dumps(words).encode() + b"\0")
        while True:
            got = self.message()
            if got.get("id") == self._number:
                if "error" in got:
                    raise OSError(f"{method}: {got['error']}")
                result: dict[str, Any] = got["result"]
                return result

    def paint(self, urls: Sequence[str]) -> dict[str, float]:
        """Shows pages one after another, and gives the times of the last."""
        target = next(one["targetId"] for one in self.call("Target.getTargets")["targetInfos"] if one["type"] == "page")
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable", session)
        found: dict[str, float] = {}
        for url in urls:
            self.call("Page.navigate", session, url=url)
            found = json.loads(self.call("Runtime.evaluate", session, expression=SCRIPT, awaitPromise=True)["result"]["value"])
        return found

    def close(self) -> None:
        self.call("Browser.close")
        self._process.wait(30)
        os.close(self._in)
        os.close(self._out)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--moves", type=int, default=300)
    parser.add_argument("--save", type=Path, help="keep the page here")
    options = parser.parse_args()
    program = shutil.which("chromium") or shutil.which("google-chrome")
    html, framed = page(options.moves)
    if options.save:
        options.save.write_text(html, encoding="utf-8")
    size = len(html.encode())
    print(f"{options.moves} moves: {size:,} bytes, target {MOST_BYTES:,}")
    good = size < MOST_BYTES
    if program is None:
        print("no Chromium: nothing was painted")
        return 0 if good else 1
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder, "empty.html")
        empty.write_text("<!doctype html><title>empty</title><p>.</p>", encoding="utf-8")
        for name, text, before in (("page", html, [empty]), ("framed", framed, [empty]), ("first", html, [])):
            path = Path(folder, f"{name}.html")
            path.write_text(text, encoding="utf-8")
            runs = []
            for run in range(options.runs):
                browser = Browser(program, Path(folder, f"profile-{name}-{run}"))
                runs.append(browser.paint([one.as_uri() for one in (*before, path)]))
                browser.close()
            for entry in ("first-paint", "first-contentful-paint", "load"):
                times = sorted(found[entry] for found in runs)
                print(f"{name:7}{entry:24}{statistics.median(times):7.0f} ms   ({', '.join(f'{t:.0f}' for t in times)})")
            good = good and (not before or statistics.median(found["first-paint"] for found in runs) < MOST_MS)
    print("all targets met" if good else f"a target is missed: first paint under {MOST_MS:.0f} ms, under {MOST_BYTES:,} bytes")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
