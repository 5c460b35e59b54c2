"""Forked, spawned and interrupted processes, and threads."""

from __future__ import annotations

import concurrent.futures
import contextlib
import ctypes.util
import gc
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import komadori
from komadori import Board, Move, batch, search, training

pytestmark = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")

PACKAGE = str(Path(komadori.__file__).resolve().parents[1])
POSITION = "startpos moves 7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b"


def run(program: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A program in a fresh interpreter."""
    path = os.pathsep.join(p for p in (PACKAGE, os.environ.get("PYTHONPATH", "")) if p)
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": path, "PYTHONWARNINGS": "ignore", **environment},
        check=False,
    )


def test_importing_loads_neither_the_library_nor_numpy() -> None:
    done = run("""
        import sys
        import komadori
        from komadori import _native
        assert "numpy" not in sys.modules
        assert _native._library is None
        komadori.Move.NONE, komadori.Square(3), komadori.Color.BLACK, komadori.Hand(), komadori.__version__
        assert _native._library is None
        komadori.Board().legal_moves()
        assert _native._library is not None
        assert "numpy" not in sys.modules
    """)
    assert done.returncode == 0, done.stderr


# What every worker does: it uses everything that needs the library, in ways that need Go's scheduler and its collector.
WORK = '''
import os, sys, threading, time
import numpy as np
import komadori
from komadori import _native, batch, search, training

def records():
    board = komadori.Board.from_position("startpos moves 7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b")
    return training.game_records(board, [0] * 8, komadori.GameResult.DRAW)

def work(rows, expected, rounds):
    searcher = search.Searcher(hash_mb=1)
    many = np.tile(rows, 16)
    for n in range(rounds):
        found = training.decode(rows)
        assert found.features1.sum() == expected
        assert len(training.decode(many, threads=2, outputs=["label", "key"]).label) == len(many)
        if n % 20 == 0:
            _native.call_long("kmd_collect")
            result = searcher.search(komadori.Board(), nodes=200)
            assert komadori.Board().is_legal(result.best_move)
    searcher.close()

def in_children(count, body, limit=240):
    """Forks children that run body(number); gives those that failed or hang."""
    waiting = {}
    for number in range(count):
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                body(number)
                status = 0
            except BaseException:
                import traceback
                traceback.print_exc()
            finally:
                sys.stderr.flush()
                os._exit(status)
        waiting[pid] = number
    bad, until = [], time.monotonic() + limit
    while waiting:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid:
            number = waiting.pop(pid)
            if status:
                bad.append((number, status))
        elif time.monotonic() > until:
            for pid in waiting:
                os.kill(pid, 9)
            return bad + [(number, "hangs") for number in waiting.values()]
        else:
            time.sleep(0.002)
    return bad
'''


def test_two_hundred_workers_forked_while_threads_are_inside() -> None:
    done = run(
        WORK
        + """
rows = records()
expected = training.decode(rows).features1.sum()
boards = [komadori.Board.from_position("startpos moves 7g7f 3c3d 2g2f") for _ in range(8)]
states = [(b.to_position(), b.key) for b in boards]
idle = komadori.Board.from_position("startpos moves 7g7f 3c3d")
stop = threading.Event()

def decode_all_the_time():
    many = np.tile(rows, 64)
    while not stop.is_set():
        training.decode(many, threads=2, outputs=["features2", "label"])

def search_all_the_time():
    with search.Searcher(hash_mb=1) as searcher:
        while not stop.is_set():
            searcher.search(komadori.Board(), nodes=2000)

def collect_all_the_time():
    while not stop.is_set():
        _native.call_long("kmd_collect")

def push_and_pop(board):
    move = komadori.Move.from_usi("8c8d")
    while not stop.is_set():
        board.push(move)
        board.pop()

threads = [threading.Thread(target=f) for f in (decode_all_the_time, search_all_the_time, collect_all_the_time)]
threads += [threading.Thread(target=push_and_pop, args=(b,)) for b in boards[:2]]
for t in threads:
    t.start()

def body(number):
    # Boards made before the fork go on working, with their history; one that was busy works or says that it was lost.
    for board, (position, key) in zip(boards, states):
        try:
            while board.history_length > 3:
                board.pop()
            assert board.to_position() == position and board.key == key
            board.push_usi("8c8d")
            assert board.pop().to_usi() == "8c8d" and board.key == key
        except komadori.HandleError:
            assert board in boards[:2]
    assert idle.history_length == 2 and str(idle.pop()) == "3c3d" and idle.turn == komadori.Color.WHITE
    made = [komadori.Board() for _ in range(50)]
    assert len({id(b) for b in made}) == 50 and all(len(b.legal_moves()) == 30 for b in made)
    work(rows, expected, 20)

bad = []
for _ in range(10):
    bad += in_children(20, body)
stop.set()
for t in threads:
    t.join()
assert not bad, bad
# The parent goes on.
assert idle.history_length == 2
work(rows, expected, 20)
print("good")
"""
    )
    assert done.stdout.strip() == "good", done.stdout + done.stderr
    assert done.returncode == 0, done.stderr


def test_a_worker_works_for_long() -> None:
    done = run(
        WORK
        + """
rows = records()
expected = training.decode(rows).features1.sum()
def body(number):
    for _ in range(2):
        work(rows, expected, 500)
bad = in_children(2, body)
assert not bad, bad
print("good")
"""
    )
    assert done.stdout.strip() == "good", done.stdout + done.stderr


def test_children_of_children() -> None:
    done = run(
        WORK
        + """
rows = records()
expected = training.decode(rows).features1.sum()
board = komadori.Board.from_position("startpos moves 7g7f")
def body(depth):
    work(rows, expected, 2)
    assert board.history_length == 1
    board.push_usi("3c3d"); board.pop()
    if depth < 5:
        assert in_children(1, lambda number: body(depth + 1)) == []
assert in_children(1, lambda number: body(0)) == []
print("good")
"""
    )
    assert done.stdout.strip() == "good", done.stdout + done.stderr


def test_children_of_children_with_threads() -> None:
    """In each generation threads decode, search and collect while the next one is forked."""
    done = run(
        WORK
        + """
import gc
rows = records()
expected = training.decode(rows).features1.sum()
board = komadori.Board.from_position("startpos moves 7g7f 3c3d")

def generation(depth):
    stop = threading.Event()

    def decodes():
        while not stop.is_set():
            assert training.decode(rows, threads=2).features1.sum() == expected

    def searches():
        with search.Searcher(hash_mb=1) as searcher:
            while not stop.is_set():
                searcher.search(komadori.Board(), nodes=500)

    def collects():
        while not stop.is_set():
            _native.call_long("kmd_collect")
            gc.collect()

    threads = [threading.Thread(target=f) for f in (decodes, searches, collects)]
    for t in threads:
        t.start()
    assert board.history_length == 2 and str(board.pop()) == "3c3d"
    board.push_usi("3c3d")
    if depth < 4:
        assert in_children(2 if depth == 0 else 1, lambda number: generation(depth + 1)) == []
    stop.set()
    for t in threads:
        t.join()
    assert board.history_length == 2

generation(0)
print("good")
"""
    )
    assert done.stdout.strip() == "good", done.stdout + done.stderr


def test_forks_in_signal_handlers() -> None:
    """A handler that forks while the thread it interrupts waits for the library. A child that goes on with what its parent waited for is told so."""
    if not hasattr(signal, "setitimer"):
        pytest.skip("no timers here")
    done = run(
        WORK
        + """
import signal
from komadori import mate
rows = np.tile(records(), 500)
expected = training.decode(rows, outputs=["key"]).key.sum()
board = komadori.Board.from_position("startpos moves 7g7f 3c3d")
searcher = search.Searcher(hash_mb=1)

def soon(handler):
    signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.02)

forked = 0
def fork_and_wait(*_):
    def body(number):
        assert board.history_length == 2
        assert training.decode(rows[:8]).label.shape == (8,)
        assert searcher.search(board, nodes=200).nodes > 0
    global forked
    assert in_children(1, body) == []
    forked += 1
    soon(fork_and_wait)

soon(fork_and_wait)
while forked < 8:
    assert training.decode(rows, threads=2, outputs=["key"]).key.sum() == expected
    assert board.is_legal(searcher.search(board, nodes=20_000).best_move)
    board.copy().legal_moves()
signal.setitimer(signal.ITIMER_REAL, 0)

def in_both(work, in_child):
    pids = []
    parent = os.getpid()

    def fork(*_):
        if in_child is not None and not _native._jobs:
            soon(fork)  # nothing is waited for just now
        else:
            pids.append(os.fork())

    soon(fork)
    status = 1
    try:
        try:
            work(lambda: not pids)
            found = None
        except komadori.HandleError as error:
            found = komadori.HandleError
        if os.getpid() != parent:
            assert found is in_child, found
            assert board.is_legal(searcher.search(board, nodes=200).best_move)
            status = 0
    except BaseException:
        import traceback
        traceback.print_exc()
        if os.getpid() == parent:
            raise
    finally:
        if os.getpid() != parent:
            sys.stderr.flush()
            os._exit(status)
    assert found is None and os.waitpid(pids[0], 0)[1] == 0

def until(what):
    def work(wanted):
        what()
        while wanted():
            what()
    return work

def watch():
    for _ in searcher.analyse(board, movetime_ms=100):
        pass

in_both(until(lambda: searcher.search(board, movetime_ms=100)), komadori.HandleError)
in_both(until(watch), komadori.HandleError)
in_both(until(lambda: mate.solve(komadori.Board("4k4/9/9/9/9/9/9/9/4K4 b B4S18P 1"), movetime_ms=100)), komadori.HandleError)
in_both(until(lambda: search.analyse_batch([board] * 4, movetime_ms=50, threads=2)), komadori.HandleError)
in_both(until(lambda: training.decode(rows, outputs=["key"])), None)
in_both(until(lambda: komadori.kifu.parse_batch(["position startpos moves 7g7f 3c3d"] * 4000)), None)
print("good")
"""
    )
    assert done.stdout.strip() == "good", done.stdout + done.stderr


@pytest.mark.parametrize("module", ["komadori.viewer", "json"])
def test_a_fork_while_another_thread_imports(module: str) -> None:
    """The child begins the import anew, that of a module of Python's own which ours need, too; it used to wait for ever."""
    done = run(f"""
        import os, signal, sys, threading, time
        import komadori

        class Slow:
            def find_spec(self, name, path=None, target=None):
                if name == {module!r}:
                    begun.set()
                    time.sleep(0.2)

        begun = threading.Event()
        sys.modules.pop({module!r}, None)
        sys.meta_path.insert(0, Slow())
        importer = threading.Thread(target=__import__, args=("komadori.viewer",))
        importer.start()
        begun.wait()
        if (pid := os.fork()) == 0:
            signal.alarm(60)
            import komadori.viewer
            os._exit(0 if komadori.viewer.Viewer else 1)
        assert os.waitpid(pid, 0)[1] == 0
        importer.join()
    """)
    assert (done.returncode, done.stderr) == (0, "")


def test_fork_before_the_first_use_and_during_the_first_load() -> None:
    done = run(
        WORK
        + """
def first(number):
    work(records(), training.decode(records()).features1.sum(), 2)
assert in_children(4, first) == []
loaders = [threading.Thread(target=komadori.Board) for _ in range(4)]
for t in loaders:
    t.start()
assert in_children(8, first) == []
for t in loaders:
    t.join()
assert in_children(4, first) == []
print("good")
"""
    )
    assert done.stdout.strip() == "good", done.stdout + done.stderr


def test_boards_dropped_in_a_child_do_not_load_the_library() -> None:
    done = run("""
        import os, gc
        import komadori
        from komadori import _native
        boards = [komadori.Board() for _ in range(_native.MOST_FREE_SLOTS + 4)]
        if (pid := os.fork()) == 0:
            boards.pop().close()
            boards.clear()
            gc.collect()
            assert _native._library is None
            assert len(_native.free_slots) == _native.MOST_FREE_SLOTS
            assert len(_native._unclosed) == 4
            fresh = komadori.Board()  # has a slot of the parent's
            assert len(fresh.legal_moves()) == 30
            assert len(_native.free_slots) == _native.MOST_FREE_SLOTS - 1
            assert not _native._unclosed
            os._exit(0)
        assert os.waitpid(pid, 0)[1] == 0
    """)
    assert done.returncode == 0, done.stderr


def test_a_searcher_is_made_anew_in_a_child() -> None:
    done = run("""
        import os
        import komadori
        from komadori import search
        searcher = search.Searcher(hash_mb=1)
        board = komadori.Board()
        first = searcher.search(board, nodes=500)
        if (pid := os.fork()) == 0:
            assert searcher.search(board, nodes=500).best_move == first.best_move
            searcher.close()
            os._exit(0)
        assert os.waitpid(pid, 0)[1] == 0
        assert searcher.search(board, nodes=500).nodes > 0
    """)
    assert done.returncode == 0, done.stderr


def _in_worker(board: Board) -> tuple[str, str, int]:
    board.push_usi("7i6h")
    found = training.decode(training.game_records(board, [0] * board.history_length, 2), outputs=["label"])
    return board.to_position(), search.Searcher(hash_mb=1).search(board, nodes=300).best_move.to_usi(), int(found.label.sum())


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_pools(method: str) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method} here")
    board = Board.from_position(POSITION)
    before = board.to_position()
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as pool:
        answers = list(pool.map(_in_worker, [board] * 6))
    assert len(set(answers)) == 1
    assert answers[0][0] == before + " 7i6h"
    assert board.to_position() == before


def test_a_forkserver_that_used_the_library(tmp_path: Path) -> None:
    """Modules that a forkserver loads before it forks may have boards of their own, and searched."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        pytest.skip("no forkserver here")
    (tmp_path / "preloaded.py").write_text(
        "import komadori\nfrom komadori import search\nboard = komadori.Board.from_position('startpos moves 7g7f')\n"
        "searcher = search.Searcher(hash_mb=1)\nfirst = searcher.search(board, nodes=300).best_move\n"
        "def work(_):\n    board.push_usi('3c3d')\n    board.pop()\n    return first == search.Searcher(hash_mb=1).search(board, nodes=300).best_move\n"
    )
    done = run(f"""
        import multiprocessing, sys
        sys.path.insert(0, {str(tmp_path)!r})
        if __name__ == "__main__":
            context = multiprocessing.get_context("forkserver")
            context.set_forkserver_preload(["preloaded"])
            import preloaded
            with context.Pool(2, maxtasksperchild=2) as pool:
                print(pool.map(preloaded.work, range(8), chunksize=1))
    """)
    assert done.stdout.strip() == str([True] * 8), done.stdout + done.stderr


def test_ctrl_c_ends_a_pool() -> None:
    """Ctrl-C goes to all processes of a terminal: none stays."""
    if not hasattr(os, "killpg"):
        pytest.skip("no process groups here")
    program = textwrap.dedent("""
        import multiprocessing, os
        import komadori
        from komadori import search
        def work(_):
            os.write(1, b"%d\\n" % os.getpid())  # in one piece, as two write at once
            search.Searcher(hash_mb=1).search(komadori.Board(), infinite=True)
        komadori.Board()
        with multiprocessing.get_context("fork").Pool(2) as pool:
            pool.map(work, range(2), chunksize=1)
    """)
    environment = {**os.environ, "PYTHONPATH": PACKAGE, "PYTHONWARNINGS": "ignore"}
    child = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True
    )
    assert child.stdout is not None
    try:
        workers = [int(child.stdout.readline()) for _ in range(2)]
        time.sleep(0.3)
        os.killpg(child.pid, signal.SIGINT)
        child.communicate(timeout=120)  # the pipes are closed when the last process is gone
        assert child.returncode != 0
        for pid in workers:
            with pytest.raises(ProcessLookupError):
                os.kill(pid, 0)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)  # a search without an end that outlives its test has a processor for itself


def test_threads_give_the_same_answers() -> None:
    board = Board.from_position(POSITION)
    rows = np.tile(training.game_records(board, [5] * 8, 0), 500)
    whole = training.decode(rows, threads=1)

    def work(number: int) -> bool:
        found = training.decode(rows, threads=1 + number % 3)
        own = Board.from_position(POSITION)
        for _ in range(200):
            own.push(own.legal_moves()[number % 5])
            own.pop()
        assert own == board
        return bool((found.features1 == whole.features1).all() and (found.features2 == whole.features2).all() and (found.label == whole.label).all())

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(16)))


def test_one_board_in_many_threads_stays_whole() -> None:
    board = Board()
    move = Move.from_usi("7g7f")
    done = 0

    def work(_: int) -> int:
        good = 0
        for _ in range(500):
            try:
                board.push(move)
                board.pop()
                good += 1
            except (komadori.IllegalMoveError, komadori.HandleError, IndexError):
                pass
        return good

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        done = sum(pool.map(work, range(8)))
    while board.history_length:
        board.pop()
    assert done > 0
    assert board == Board()
    assert len(board.legal_moves()) == 30


def test_a_searcher_serves_one_thread() -> None:
    searcher, board = search.Searcher(hash_mb=1), Board()
    started = threading.Event()

    class Enough(Exception):
        pass

    def progress(_: search.SearchResult) -> None:
        started.set()
        if refused:
            raise Enough

    refused: list[bool] = []

    def long() -> None:
        with pytest.raises(Enough):
            searcher.search(board, infinite=True, on_progress=progress)

    thread = threading.Thread(target=long)
    thread.start()
    try:
        assert started.wait(60)
        with pytest.raises(komadori.HandleError):
            searcher.search(board, depth=1)
    finally:
        refused.append(True)
        thread.join()
    assert searcher.search(board, depth=2).depth == 2


# Another copy of the library at work in the process: a second Go runtime, as a program has it that uses two libraries written in Go.
SECOND = """
import ctypes, shutil, tempfile
from komadori import _native
other = ctypes.CDLL(shutil.copy(_native.path(), tempfile.mkdtemp() + "/other.so"))
other_board, other_job = ctypes.c_uint64(), ctypes.c_uint64()
assert other.kmd_board_new(ctypes.byref(other_board)) == 0
assert other.kmd_perft_start(other_board, 20, ctypes.byref(other_job)) == 0

def other_is_well():
    assert other.kmd_job_wait(other_job, 0) == -8 and other.kmd_collect() == 0  # KMD_ERR_BUSY
    assert other.kmd_job_cancel(other_job) == 0 and other.kmd_job_finish(other_job, None) == -10  # KMD_ERR_CANCELLED
"""

INTERRUPTED = """
    import os, signal, sys, threading, time
    import numpy as np
    import komadori
    from komadori import kifu, mate, search, training

    board = komadori.Board.from_position("startpos moves 7g7f 3c3d 2g2f 8c8d")
    rows = np.tile(training.game_records(board, [0] * 4, 2), 1_000_000)
    training.decode(rows[:10])
    searcher = search.Searcher(hash_mb=1)
    jobs = {
        "search": lambda: searcher.search(board, movetime_ms=100_000),
        "perft": lambda: komadori.perft(board, 12),
        "mate": lambda: mate.solve(komadori.Board("4k4/9/9/9/9/9/9/9/4K4 b B4S18P 1"), nodes=10**15),
        "decode": lambda: training.decode(rows, outputs=["label", "key"], threads=1),
        "masks": lambda: komadori.batch.legal_mask(rows, threads=1, out=np.empty((len(rows), 2187), bool)),
        "searches": lambda: search.analyse_batch([board] * 4, movetime_ms=100_000, threads=2),
        "mates": lambda: mate.solve_batch([komadori.Board("4k4/9/9/9/9/9/9/9/4K4 b B4S18P 1")] * 4, nodes=10**15, threads=2),
        "records": lambda: kifu.parse_batch(["position startpos moves 7g7f 3c3d 2g2f"] * 3_000_000, threads=1),
    }
    name = sys.argv[1] if len(sys.argv) > 1 else os.environ["JOB"]
    late = []
    for delay in (0.0, 0.001, 0.3):
        sent = []
        def send():
            time.sleep(delay)
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)
        thread = threading.Thread(target=send)
        try:
            thread.start()
            jobs[name]()
            raise SystemExit(f"{name} was not interrupted")
        except KeyboardInterrupt:
            late.append(time.monotonic() - sent[0])
        thread.join()
        # and the library works on
        assert len(komadori.Board().legal_moves()) == 30
        assert searcher.search(board, depth=2).depth == 2
        assert len(training.decode(rows[:100]).label) == 100
        assert komadori.perft(komadori.Board(), 2) == 900
    print("good", *(f"{t * 1000:.0f} ms" for t in late))
"""


@pytest.mark.parametrize("job", ["search", "perft", "mate", "decode", "masks", "searches", "mates", "records"])
def test_interrupt(job: str) -> None:
    done = run(INTERRUPTED, JOB=job)
    assert done.stdout.startswith("good"), done.stdout + done.stderr
    assert done.returncode == 0, done.stderr


def test_interrupt_beside_a_second_runtime() -> None:
    done = run(SECOND + textwrap.dedent(INTERRUPTED) + "other_is_well()\n", JOB="search")
    assert done.stdout.startswith("good"), done.stdout + done.stderr
    assert done.returncode == 0, done.stderr


def test_ctrl_c_ends_a_script() -> None:
    program = "import komadori; print('go', flush=True); komadori.search.Searcher(hash_mb=1).search(komadori.Board(), infinite=True)"
    child = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": PACKAGE}
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "go\n"
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=60)
    assert "KeyboardInterrupt" in errors
    assert child.returncode != 0


ENDINGS = {
    "exit": "sys.exit(0)",
    "at once": "os._exit(0)",
    "raised": "raise SystemExit",
    "end": "",
    "closed": "del board",
    "search": "behind(lambda: search.Searcher(hash_mb=1).search(board, movetime_ms=60_000))",
    "searches": "behind(lambda: search.analyse_batch([board] * 100, movetime_ms=60_000, threads=2))",
    "mates": "behind(lambda: mate.solve_batch([komadori.Board('4k4/9/9/9/9/9/9/9/4K4 b B4S18P 1')] * 100, nodes=10**15, threads=2))",
    "records": "behind(lambda: [kifu.parse_batch(['position startpos moves 7g7f'] * 4096) for _ in range(10**6)])",
    "engine": "behind(lambda: usi.serve(os.pipe()[0], os.pipe()[1], ['go infinite']))",
    "joined": "\n".join(
        [
            "def work():",
            "    try:",
            "        search.Searcher(hash_mb=1).search(board, movetime_ms=600_000)",
            "    except komadori.CancelledError:",
            "        pass",
            "threading.Thread(target=work).start()  # which the interpreter waits for",
            "time.sleep(0.2)",
        ]
    ),
    "analysis": "analysis = search.Searcher(hash_mb=1).analyse(board); next(analysis)",
    "analyses": "analyses = [iter(search.Searcher(hash_mb=1).analyse(board)) for _ in range(20)]; [next(a) for a in analyses]",
    "all": "\n".join(
        [
            "for _ in range(4):",
            "    behind(lambda: search.Searcher(hash_mb=1, threads=2).search(board, movetime_ms=60_000))",
            "    behind(lambda: komadori.perft(komadori.Board(), 12))",
            "os.kill(os.getpid(), signal.SIGINT)",
        ]
    ),
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_interpreter_ends(ending: str) -> None:
    """With whatever is running: it is stopped, nothing hangs and nothing is said."""
    done = run(
        textwrap.dedent("""
        import os, signal, sys, threading, time
        import komadori
        from komadori import kifu, mate, search, usi
        board = komadori.Board()
        keep = komadori.Board().legal_moves()
        def behind(work):
            threading.Thread(target=work, daemon=True).start()
            time.sleep(0.05)
        signal.signal(signal.SIGINT, lambda *_: sys.exit(0))
        """)
        + ENDINGS[ending]
    )
    assert done.returncode == 0 and done.stderr == "", (done.returncode, done.stderr)


def test_pickles_in_another_process() -> None:
    board = Board.from_position(POSITION)
    values = (board, board.moves(), board.legal_moves(), search.Searcher(hash_mb=2))
    text = pickle.dumps(values).hex()
    done = run(f"""
        import pickle
        board, moves, legal, searcher = pickle.loads(bytes.fromhex({text!r}))
        print(board.to_position(), len(moves), len(legal), searcher)
    """)
    assert done.stdout.strip() == f"{board.to_position()} 8 {len(board.legal_moves())} Searcher(threads=1, hash_mb=2)", done.stderr


def test_a_small_address_space_is_an_import_error() -> None:
    if sys.platform != "linux":
        pytest.skip("address space limits are tried on Linux alone")
    done = run("""
        import resource
        import komadori
        resource.setrlimit(resource.RLIMIT_AS, (600 << 20, 600 << 20))
        try:
            komadori.Board()
        except ImportError as error:
            print(error)
    """)
    assert "ulimit" in done.stdout, done.stderr


def test_a_missing_or_foreign_library_is_an_import_error(tmp_path: Path) -> None:
    foreign = tmp_path / "libkomadori.so"
    foreign.write_bytes(b"no library")
    for path in (foreign, tmp_path / "missing.so"):
        done = run("import komadori\ntry:\n    komadori.Board()\nexcept ImportError as error:\n    print('said:', error)", KOMADORI_LIBRARY=str(path))
        assert done.stdout.startswith("said:"), done.stderr


def test_memory_does_not_grow() -> None:
    if sys.platform != "linux":
        pytest.skip("reads /proc")

    def resident() -> int:
        gc.collect()
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")

    rows = np.tile(training.game_records(Board.from_position(POSITION), [0] * 8, 0), 64)
    out = training.decode(rows)

    def round_of_work() -> None:
        for _ in range(200):
            with Board.from_position(POSITION) as board:
                board.copy().legal_moves()
            training.decode(rows, out=out)
            batch.legal_moves(rows)

    round_of_work()
    before = resident()
    for _ in range(5):
        round_of_work()
    assert resident() - before < 32 << 20


def test_a_search_that_starts_while_the_interpreter_ends_does_not_hold_it() -> None:
    program = "import threading\nfrom komadori import Board, search\nthreading.Thread(target=lambda: search.Searcher(1).search(Board(), depth=100)).start()\n"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert "InternalError" not in run.stderr, run.stderr


def test_a_file_that_shrinks_while_mapped_is_an_error(tmp_path: Path) -> None:
    program = (
        "import os, sys\nimport numpy as np\nfrom komadori import Board, GameResult, training\n"
        "board = Board(); board.push_usi('7g7f')\n"
        "records = np.repeat(training.game_records(board, [0], GameResult.DRAW), 100_000)\n"
        "training.write(sys.argv[1], records)\n"
        "mapped = training.open(sys.argv[1])\nos.truncate(sys.argv[1], 3800)\n"
        "try:\n    training.decode(mapped[50_000:51_000])\nexcept OSError as error:\n    print('OSError', error)\n"
        "print(training.decode(records[:3]).label)\n"
    )
    run = subprocess.run([sys.executable, "-c", program, str(tmp_path / "x.hcpe")], capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0 and run.stdout.startswith("OSError"), run.stderr[-2000:]
    assert "[59 59 59]" in run.stdout


def test_an_analysis_is_the_parents() -> None:
    """In a forked child an analysis under way is an error and its searcher new; the parent's goes on."""
    done = run("""
        import gc, os
        from komadori import Board, HandleError
        from komadori.search import Searcher, analyse_batch

        searcher, board = Searcher(hash_mb=2), Board()
        analysis = searcher.analyse(board, multipv=2)
        depth = next(analysis).depth
        for _ in range(3):
            child = os.fork()
            if child == 0:
                good = False
                try:
                    analysis.result()
                except HandleError:
                    searcher.stop()
                    analysis.close()
                    good = [info.depth for info in searcher.analyse(board, depth=2)] == [1, 2] and len(analyse_batch([board] * 5, depth=1)) == 5
                    del analysis
                    gc.collect()
                os._exit(0 if good else 1)
            assert os.waitpid(child, 0)[1] == 0
        analysis.stop()
        assert analysis.result().stopped and analysis.result().depth >= depth
        print("good")
    """)
    assert done.stdout == "good\n", done.stderr


def test_a_library_that_is_another_is_an_import_error() -> None:
    """A file that loads and is no library of komadori, or one that lacks a function."""
    other = ctypes.util.find_library("m")
    if other is None or sys.platform != "linux":
        pytest.skip("no other library to try")
    path = next((p for p in Path("/proc/self/maps").read_text().split() if "/libc" in p or "/libm" in p), None)
    if path is None:
        pytest.skip("no other library to try")
    done = run(
        """
        import ctypes, komadori
        from komadori import _native
        for _ in range(2):
            try:
                komadori.Board()
            except ImportError as error:
                print("said:", error)
        class Other:
            bare = ctypes.PyDLL(None)
        try:
            _native.hot.load(Other)
        except ImportError as error:
            print("said:", error)
        """,
        KOMADORI_LIBRARY=path,
    )
    assert done.stdout.count("said:") == 3 and done.stdout.count("no library of komadori, or of another version") == 3, done.stdout + done.stderr


def test_no_more_threads_is_an_import_error() -> None:
    if sys.platform != "linux":
        pytest.skip("limits of threads are tried on Linux alone")
    done = run("""
        import os, resource, threading
        import komadori
        from komadori import _native
        _native.path()
        resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
        if os.geteuid() == 0:
            os.setuid(65534)
        try:
            threading.Thread(target=print).start()
            print("skip: threads are not limited here")
        except RuntimeError:
            try:
                komadori.Board()
            except ImportError as error:
                print("said:", error)
    """)
    assert done.stdout.startswith(("said: komadori needs threads", "skip")), done.stdout + done.stderr


def test_forks_that_python_does_not_see() -> None:
    """fork() called from C: searchers, boards and jobs of the parent, and such forks within such forks."""
    if sys.platform != "linux":
        pytest.skip("calls fork of the C library")
    done = run("""
        import ctypes, gc, os
        import komadori
        from komadori import HandleError, _native, search
        fork = ctypes.PyDLL(None).fork

        searcher = search.Searcher(hash_mb=1)
        board = komadori.Board.from_position("startpos moves 7g7f 3c3d")
        first = searcher.search(board, nodes=500)
        analysis = searcher.analyse(komadori.Board())
        next(analysis)

        def child(depth):
            pid = fork()
            if pid:
                assert os.waitpid(pid, 0)[1] == 0, depth
                return
            status = 1
            try:
                other = search.Searcher(hash_mb=1).analyse(komadori.Board())  # its job has the number of the parent's
                next(other)
                try:
                    analysis.result()
                    raise AssertionError("an analysis of the parent goes on in a child")
                except HandleError:
                    pass
                analysis.close()
                next(other)  # is not what was closed
                other.close()
                fresh = search.Searcher(hash_mb=1)
                assert searcher.search(board, nodes=500).nodes > 0 and fresh.search(board, nodes=500).best_move == first.best_move
                assert board.history_length == 2 and board.pop().to_usi() == "3c3d"
                board.push_usi("3c3d")
                _native.call_long("kmd_collect")
                if depth < 3:
                    child(depth + 1)
                status = 0
            except BaseException:
                import traceback
                traceback.print_exc()
            finally:
                os._exit(status)

        for _ in range(3):
            child(0)
        next(analysis)
        analysis.close()
        assert searcher.search(board, nodes=500).nodes > 0
        print("good")
    """)
    assert done.stdout == "good\n", done.stdout + done.stderr


def test_exec_while_searching() -> None:
    done = run("""
        import os, sys, threading
        import komadori
        from komadori import search
        if len(sys.argv) > 1:
            print("again", search.Searcher(hash_mb=1).search(komadori.Board(), depth=1).depth, flush=True)
        else:
            analysis = search.Searcher(hash_mb=1).analyse(komadori.Board())
            next(analysis)
            threading.Thread(target=lambda: komadori.perft(komadori.Board(), 12), daemon=True).start()
            os.execv(sys.executable, [sys.executable, "-c", "import sys; sys.argv.append('x')\\nimport komadori\\nfrom komadori import search\\n"
                     "print('again', search.Searcher(hash_mb=1).search(komadori.Board(), depth=1).depth)"])
    """)
    assert done.stdout == "again 1\n", done.stdout + done.stderr


def test_a_daemon_works(tmp_path: Path) -> None:
    """A process that leaves its terminal and parents behind by forking twice, after the library was used."""
    done = run(f"""
        import os, sys, time
        import komadori
        from komadori import _native, search
        board = komadori.Board.from_position("startpos moves 7g7f")
        out = {str(tmp_path / "daemon")!r}
        if os.fork():
            for _ in range(600):
                if os.path.exists(out):
                    break
                time.sleep(0.1)
            print(open(out).read())
            sys.exit()
        os.setsid()
        if os.fork():
            os._exit(0)
        os.chdir("/")
        null = os.open(os.devnull, os.O_RDWR)
        for fd in (0, 1, 2):
            os.dup2(null, fd)
        board.push_usi("3c3d")
        _native.call_long("kmd_collect")
        best = search.Searcher(hash_mb=1, threads=2).search(board, nodes=2000).best_move
        with open(out + ".part", "w") as file:
            file.write(f"{{board.to_position()}} {{board.is_legal(best)}}")
        os.rename(out + ".part", out)
        os._exit(0)
    """)
    assert done.stdout.strip() == "position startpos moves 7g7f 3c3d True", done.stdout + done.stderr


@pytest.mark.parametrize("runtimes", [1, 2])
@pytest.mark.parametrize("handled", [False, True])
def test_sigterm_ends_a_search(handled: bool, runtimes: int) -> None:
    program = SECOND * (runtimes - 1) + textwrap.dedent(f"""
        import signal, sys
        import komadori
        from komadori import search
        if {handled}:
            signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
        print("go", flush=True)
        search.Searcher(hash_mb=1).search(komadori.Board(), infinite=True)
    """)
    child = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": PACKAGE}
    )
    assert child.stdout is not None and child.stdout.readline() == "go\n"
    time.sleep(0.3)
    child.send_signal(signal.SIGTERM)
    child.communicate(timeout=120)
    assert child.returncode == (7 if handled else -signal.SIGTERM)


@pytest.mark.parametrize("runtimes", [1, 2])
def test_faulthandler_prints_and_the_process_dies(runtimes: int) -> None:
    done = run(
        SECOND * (runtimes - 1)
        + textwrap.dedent("""
        import faulthandler, signal
        import komadori
        from komadori import search
        faulthandler.enable()
        next(search.Searcher(hash_mb=1).analyse(komadori.Board()))
        faulthandler.dump_traceback_later(600)
        # To this thread: another one's would still be printing while this one sends the next.
        signal.raise_signal(signal.SIGSEGV)
        signal.raise_signal(signal.SIGSEGV)
        print("alive")
        """)
    )
    assert done.returncode < 0 and "alive" not in done.stdout, (done.returncode, done.stdout, done.stderr)
    assert "most recent call first" in done.stderr, done.stderr


@pytest.mark.parametrize("runtimes", [1, 2])
def test_a_profiler_that_uses_signals(runtimes: int) -> None:
    """SIGPROF a thousand times a second, with one Go runtime in the process and with a second one at work in it."""
    if not hasattr(signal, "setitimer"):
        pytest.skip("no timers here")
    done = run(f"""
        import ctypes, shutil, signal, tempfile
        import numpy as np
        import komadori
        from komadori import _native, search, training
        board = komadori.Board.from_position("startpos moves 7g7f 3c3d 2g2f 8c8d")
        rows = np.tile(training.game_records(board, [0] * 4, 2), 2000)
        expected = training.decode(rows).features1.sum()
        others = []
        for _ in range({runtimes} - 1):
            copied = shutil.copy(_native.path(), tempfile.mkdtemp() + "/other.so")
            others.append(ctypes.CDLL(copied))
        ticks = []
        signal.signal(signal.SIGPROF, lambda *_: ticks.append(1))
        signal.setitimer(signal.ITIMER_PROF, 0.001, 0.001)
        searcher = search.Searcher(hash_mb=1, threads=2)
        while len(ticks) < 60:
            assert training.decode(rows, threads=2).features1.sum() == expected
            assert board.is_legal(searcher.search(board, nodes=5000).best_move)
            _native.call_long("kmd_collect")
            for other in others:
                handle = ctypes.c_uint64()
                assert other.kmd_board_new(ctypes.byref(handle)) == 0 and other.kmd_collect() == 0 and other.kmd_board_close(handle) == 0
        signal.setitimer(signal.ITIMER_PROF, 0)
        print("good")
    """)
    assert done.stdout == "good\n", done.stdout + done.stderr


def test_full_disks_and_broken_pipes(tmp_path: Path) -> None:
    """Whatever writes files: one that cannot be written is an OSError with its number, leaves nothing behind and the old file as it was."""
    if not Path("/dev/full").exists():
        pytest.skip("no full device here")
    done = run(f"""
        import errno, os, resource, signal
        import numpy as np
        from komadori import Board, GameResult, kifu, tools, training, usi
        board = Board(); board.push_usi("7g7f")
        records = np.repeat(training.game_records(board, [0], GameResult.DRAW), 100_000)
        different = records[:60_000].copy()
        different["bestMove16"] = np.arange(60_000)
        place, source = {str(tmp_path)!r} + "/place/", {str(tmp_path / "source.hcpe")!r}
        os.mkdir(place)
        training.write(source, records)
        old = b"what was there"
        with open(place + "old.hcpe", "wb") as file:
            file.write(old)

        def writer():
            with training.Writer(place + "w.hcpe") as file:
                for _ in range(4):
                    file.write(records[:50_000])

        def record():
            game = kifu.read("position startpos moves 7g7f 3c3d")
            game.last.comment = "a comment " * 300_000
            game.write(place + "r.kif")

        jobs = {{
            "write": lambda: training.write(place + "a.hcpe", records),
            "replace": lambda: training.write(place + "old.hcpe", records),
            "writer": writer,
            "record": record,
            "convert": lambda: tools.convert(source, place + "b.psv"),
            "shuffle": lambda: tools.shuffle(source, place + "c.hcpe"),
            "spill": lambda: tools.shuffle(source, source + ".shuffled.hcpe", memory=1 << 20, temporary=place),
            "split": lambda: tools.split(source, [(place + "d.hcpe", 0.5), (place + "e.hcpe", 0.5)], by="row"),
            "sample": lambda: tools.sample(source, place + "f.hcpe", rows=90_000),
            "dedupe": lambda: tools.dedupe(different, place + "g.hcpe", by="move"),
        }}
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, resource.RLIM_INFINITY))
        for name, job in jobs.items():
            try:
                job()
            except OSError as error:
                if error.errno == errno.EFBIG and os.listdir(place) == ["old.hcpe"] and open(place + "old.hcpe", "rb").read() == old:
                    continue
                print(name, error, os.listdir(place))
            else:
                print(name, "did not fail")
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        training.write(place + "old.hcpe", records)
        full = os.open("/dev/full", os.O_WRONLY)
        try:
            usi.serve(None, full, ["usi"])
        except OSError as error:
            assert error.errno == errno.ENOSPC
        print(len(training.open(place + "old.hcpe")))
    """)
    assert done.stdout == "100000\n", done.stdout + done.stderr


def test_no_memory_for_boards_is_an_error() -> None:
    if sys.platform != "linux":
        pytest.skip("address space limits are tried on Linux alone")
    done = run("""
        import gc, resource
        import komadori
        from komadori import search
        board = komadori.Board()
        board.legal_moves()
        size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        gc.disable()
        resource.setrlimit(resource.RLIMIT_AS, (size + (24 << 20), resource.RLIM_INFINITY))
        kept = [None] * 1_000_000
        try:
            for n in range(len(kept)):
                kept[n] = komadori.Board()
        except MemoryError:
            pass
        made = n
        try:
            search.Searcher(hash_mb=4096).search(board, nodes=10)
        except MemoryError:
            made += 1 << 20
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        kept.clear()
        board.push_usi("7g7f")
        assert komadori.Board().legal_moves() == komadori.Board().legal_moves() and made > 1 << 20
        print("good")
    """)
    assert done.stdout == "good\n", done.stdout + done.stderr


@pytest.mark.parametrize("job", ["mate", "mates", "searches", "threads", "decode", "moves", "record", "records", "writing"])
def test_no_memory_is_an_error(job: str, tmp_path: Path) -> None:
    """Where a limit leaves some megabytes: what does not fit is a MemoryError, and the process goes on."""
    if sys.platform != "linux":
        pytest.skip("address space limits are tried on Linux alone")
    done = run(
        f"""
        import os, resource, sys
        import numpy as np
        import komadori
        from komadori import Board, batch, kifu, mate, search, training
        board = Board.from_position("startpos moves 7g7f 3c3d 2g2f 8c8d")
        rows = np.tile(training.game_records(board, [0] * 4, 2), 10_000)
        problem = Board("4k4/9/9/9/9/9/9/9/4K4 b B4S18P 1")
        line = "position startpos moves 7g7f 3c3d 2g2f 8c8d"
        text = "\\n".join([line] * 300_000)
        jobs = {{
            "mate": lambda: mate.solve(problem, memory_mb=4096),
            "mates": lambda: mate.solve_batch([problem] * 8, threads=2),
            "searches": lambda: search.analyse_batch([board] * 8, nodes=1000, threads=2),
            "threads": lambda: search.Searcher(hash_mb=1, threads=64).search(board, nodes=10_000),
            "decode": lambda: training.decode(rows, threads=64),
            "moves": lambda: batch.legal_moves(rows, threads=64),
            "record": lambda: kifu.read_games(text),
            "records": lambda: kifu.parse_batch([line] * 100_000),
            "writing": lambda: training.convert(rows, {str(tmp_path / "x.hcpe3")!r}),
        }}
        training.decode(rows[:10]); kifu.parse_batch([line] * 10); batch.legal_moves(rows[:10]); search.Searcher(hash_mb=1).search(board, nodes=100)
        size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        for margin in (4, 64):
            resource.setrlimit(resource.RLIMIT_AS, (size + (margin << 20), resource.RLIM_INFINITY))
            try:
                jobs[os.environ["JOB"]]()
            except MemoryError:
                pass
            finally:
                resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            assert len(board.legal_moves()) > 10 and board.is_legal(search.Searcher(hash_mb=1).search(board, nodes=100).best_move)
        print("good")
        """,
        JOB=job,
    )
    assert done.stdout == "good\n", done.stdout + done.stderr
