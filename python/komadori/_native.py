"""Finds, loads and calls the library. The only module besides _abi that knows ctypes.

The library holds a Go runtime, which does not survive a fork. So importing the package loads nothing; the first call does. In a
child made by fork the next call loads a private copy, which takes over the boards of the parent (see include/komadori.h, kmd_adopt).
"""

from __future__ import annotations

import _thread
import atexit
import contextlib
import ctypes
import os
import re
import signal
import sys
import threading
from _ctypes import CFuncPtr
from collections.abc import Callable, Iterator, Sequence
from ctypes import (
    byref,
    c_bool,
    c_char,
    c_char_p,
    c_int32,
    c_int64,
    c_size_t,
    c_uint8,
    c_uint16,
    c_uint32,
    c_uint64,
    c_void_p,
    create_string_buffer,
    py_object,
)
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from . import _abi as abi
from . import _imports, errors
from .types import Color

_Self = TypeVar("_Self")
_Object = TypeVar("_Object")

_SUFFIX = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")

_VERSION = abi.KMD_VERSION_MAJOR * 1_000_000 + abi.KMD_VERSION_MINOR * 1_000 + abi.KMD_VERSION_PATCH

# Held while the library is loaded and while the process forks.
_lock = threading.RLock()


def _advice() -> str:
    """What brings the right library."""
    if os.environ.get("KOMADORI_LIBRARY"):
        return "it is that of KOMADORI_LIBRARY: unset this variable, or let it name another one"
    from ._install import anew

    return anew()


def _foreign(loaded: ctypes.CDLL, why: str) -> ImportError:
    """The error of a library that is not the one that these modules were made for."""
    return ImportError(f"{loaded._name} is no library of komadori, or of another version: {why}; {_advice()}")


class Functions:
    """The functions of a library with their types, each made when it is first asked for."""

    def __init__(self, loaded: ctypes.CDLL) -> None:
        self._loaded = loaded

    def __getattr__(self, name: str) -> Any:
        try:
            function = getattr(self._loaded, name)
        except AttributeError:
            raise _foreign(self._loaded, f"it lacks {name}") from None
        function.restype, function.argtypes = abi.FUNCTIONS[name]
        setattr(self, name, function)
        return function


class Library:
    """One loaded copy: ``slow`` gives the GIL back during a call, ``quick`` keeps it and is faster for short calls."""

    def __init__(self, path: str) -> None:
        loaded = ctypes.CDLL(path)
        self.bare = ctypes.PyDLL(path, handle=loaded._handle)
        self.slow, self.quick = Functions(loaded), Functions(self.bare)
        if self.quick.kmd_abi_version() != abi.KMD_ABI_VERSION or self.quick.kmd_version() != _VERSION:
            raise ImportError(f"{path} is of another version of komadori than its Python modules; {_advice()}")


class _Bare(CFuncPtr):
    """A function without types: arguments are passed as they are and the result is an int, which leaves ctypes the least to do. The GIL is kept."""

    _flags_ = ctypes.PyDLL._func_flags_


class Hot:
    """The calls that loops make, without argument conversion: pass Slot.quick, small integers, bytes, and prepared references.

    They return a number from 0 on or a negative status. A caller that gets one makes the declared call instead, which tells what is wrong, or
    succeeds after a fork that Python did not see.
    """

    push: Callable[[Any, int], int]
    pop: Callable[[Any], int]
    list: Callable[[Any, Any], int]
    generate: Callable[[Any, int, int, int, Any], int]
    words: Callable[[bytes, int, Any, Any], int]
    is_legal: Callable[[Any, int], int]
    is_checkmate: Callable[[Any], int]
    mate_in_one: Callable[[Any], int]
    mate: Callable[[Any, int, int, Any], int]
    set_sfen: Callable[[Any, bytes, int], int]
    set_hcp: Callable[[Any, bytes], int]
    set_packed_sfen: Callable[[Any, bytes], int]
    set_board: Callable[[Any, Any], int]
    set_flipped: Callable[[Any, Any], int]
    set_mirrored: Callable[[Any, Any], int]
    sfen: Callable[[Any, Any], int]
    to_hcp: Callable[[Any, Any], int]
    to_packed_sfen: Callable[[Any, Any], int]

    NAMES: ClassVar[dict[str, str]] = {
        **{name: f"kmd_quick_{name}" for name in ("pop", "list", "generate", "words", "is_legal", "is_checkmate", "mate_in_one", "mate", "set_sfen", "sfen")},
        **{
            name: f"kmd_board_{name}" for name in ("push", "set_hcp", "set_packed_sfen", "set_board", "set_flipped", "set_mirrored", "to_hcp", "to_packed_sfen")
        },
    }

    def unload(self) -> None:
        """Makes the next call load the library first."""
        for name in self.NAMES:
            setattr(self, name, self._lazy(name))

    def _lazy(self, name: str) -> Callable[..., int]:
        def load_and_call(*arguments: Any) -> int:
            library()
            return int(getattr(self, name)(*arguments))

        return load_and_call

    def load(self, loaded: Library) -> None:
        try:
            found = {name: _Bare((function_name, loaded.bare)) for name, function_name in self.NAMES.items()}
        except AttributeError as error:
            raise _foreign(loaded.bare, str(error)) from None
        for name, function in found.items():
            setattr(self, name, function)


hot = Hot()
hot.unload()

_library: Library | None = None
_dead: list[Library] = []  # copies of the parents of this process: never unloaded, their threads are gone
_level = 0  # forks between the process that loaded the library first and this one
_arena = 0  # where boards live
_unclosed: list[int] = []  # handles whose owner went away while no library was loaded


def level() -> int:
    """Changes in every forked child, for objects that must be made again there. It notices forks that Python did not see."""
    if _library is not None and _library.quick.kmd_alive() != 1:
        abandon()
    return _level


def is_loaded() -> bool:
    """Whether this process has the library already."""
    return _library is not None


def closed(what: str) -> Any:
    """Raises the error of a closed object."""
    raise errors.HandleError(f"the {what} is closed")


def library() -> Library:
    """The library of this process, loaded when need be."""
    return _library or _load()


def _candidates() -> list[str]:
    named = os.environ.get("KOMADORI_LIBRARY")
    if named:
        return [named]
    folder = os.path.join(os.path.dirname(os.path.realpath(__file__)), "_lib")
    plain, modern = (os.path.join(folder, f"libkomadori{level}{_SUFFIX}") for level in ("", "-v3"))
    return [modern, plain] if lacks_for_v3() == set() else [plain]


_V3 = {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"}


def lacks_for_v3() -> set[str] | None:
    """What the x86-64-v3 build uses and this processor lacks; None on systems where it is not asked, as their wheels have one build."""
    if sys.platform != "linux" or os.uname().machine != "x86_64":
        return None
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            flags = next(line for line in lines if line.startswith("flags"))
    except (OSError, StopIteration):
        return _V3
    return _V3 - set(flags.split())


def path() -> str:
    """The file of the library."""
    for candidate in _candidates():
        if os.path.isfile(candidate):
            return candidate
    raise ImportError(f"the library of komadori is missing, looked for {', '.join(_candidates())}; {_advice()}")


def _check_address_space() -> None:
    """Go reserves address space when it starts and aborts the process when it cannot: refuse before that."""
    if sys.platform != "linux":
        return
    import resource

    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY:
        return
    with open("/proc/self/statm", encoding="ascii") as numbers:
        pages = int(numbers.read().split()[0])
    needed = pages * resource.getpagesize() + 1_300_000_000
    if limit < needed:
        raise ImportError(f"komadori needs an address space of {needed >> 20} MiB, the limit (ulimit -v) is {limit >> 20} MiB")


def _check_musl() -> None:
    """Says what the loader's message about thread-local storage means."""
    import sysconfig

    if "musl" in f"{sysconfig.get_config_var('SOABI')}":
        raise ImportError("komadori cannot be loaded by a Python for musl (Alpine and its like), as Go's shared libraries cannot; use a Python for glibc")


# Threads that Go starts when it is loaded; one more is for the caller's first long call.
_THREADS = 6


def _check_threads() -> None:
    """Go ends the process when the system refuses it a thread: refuse before that, where the limit of the user or the container is reached."""
    gate = _thread.allocate_lock()
    with gate:
        for _ in range(_THREADS):
            try:
                _thread.start_new_thread(_pass, (gate,))
            except RuntimeError:
                raise ImportError("komadori needs threads of its own, and this process may start no more (ulimit -u, or a limit of its container)") from None


def _pass(gate: Any) -> None:
    with gate:
        pass


@contextlib.contextmanager
def _signals_blocked() -> Iterator[None]:
    """Threads started inside inherit the mask, so Go's threads leave signals such as SIGINT to Python's main thread."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _private_copy(original: str) -> Library:
    """Loads the library once more, from a file that the loader takes for another one."""
    with open(original, "rb") as file:
        content = file.read()
    if hasattr(os, "memfd_create"):
        fd = os.memfd_create("komadori")
        try:
            with open(fd, "wb", closefd=False) as copy:
                copy.write(content)
            # The loader compares names first: one that no parent has used.
            return Library("/proc/self/fd/" + "./" * _level + str(fd))
        finally:
            os.close(fd)
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        copied = os.path.join(folder, os.path.basename(original))
        with open(copied, "wb") as copy:
            copy.write(content)
        return Library(copied)


def _load() -> Library:
    global _library, _arena
    with _lock:
        if _library is not None:
            return _library
        _check_address_space()
        with _signals_blocked():
            # Not in a forked child: where Python did not see the fork, its own locks are those of the parent, and a thread could wait for ever.
            if not _dead:
                _check_threads()
            try:
                loaded = _private_copy(path()) if _dead else Library(path())
            except OSError as error:
                _check_musl()
                raise ImportError(f"the library of komadori cannot be loaded: {error}; if it is for another system or broken, {_advice()}") from error
            if loaded.quick.kmd_alive() != 1:
                raise ImportError("the library of komadori was loaded before a fork and a private copy could not be made")
            if _arena:
                if loaded.quick.kmd_adopt(_arena) != 0:
                    raise ImportError("the boards of the parent process could not be taken over")
            else:
                address = c_uint64()
                if loaded.quick.kmd_arena(byref(address)) != 0:
                    raise MemoryError("no memory for boards")
                _arena = address.value
                loaded.quick.kmd_set_turn_words(*(_lasting(color) for color in Color))
        hot.load(loaded)
        _library = loaded
        while _unclosed:
            loaded.quick.kmd_board_close(_unclosed.pop())
        return loaded


def _lasting(value: object) -> int:
    """The address of an object that is never freed from now on."""
    ctypes.pythonapi.Py_IncRef(py_object(value))
    return id(value)


def _before_fork() -> None:
    _lock.acquire()


def _after_fork_in_parent() -> None:
    _lock.release()


def _after_fork_in_child() -> None:
    global _level
    _level += 1
    _imports.forget()
    _jobs.clear()
    abandon()
    _lock.release()


def abandon() -> None:
    """Forgets a copy of the library that does not live in this process, with all that lived in it."""
    global _library, _level
    if _library is not None and _library.quick.kmd_alive() != 1:
        _level += 1  # for a fork that Python did not see; the loader has to be given a name that no parent has used
        _jobs.clear()  # a job of the new copy may get the number of one of the parent's
        _dead.append(_library)
        _library = None
        hot.unload()


def in_child() -> bool:
    """Whether this process has forked off from one that used the library. Where Python did not see the fork its locks may be the parent's."""
    return _level > 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child)


# ----------------------------------------------------------------------------------------------------------------- Calls


def fail(status: int) -> Any:
    """Raises the error of a status that the calling thread has just got."""
    raise _error(status)


# What an error of the library begins with: the operation, as Go and C name it, and the kind.
_PREFIX = re.compile(r"^[^\s:]+: [a-z/ ]+: ")


def in_python(message: str) -> str:
    """An error's line without the names of Go and C and without the kind: the traceback and the class say the same in words of Python."""
    return _PREFIX.sub("", message, count=1)


def _error(status: int) -> BaseException:
    e = abi.kmd_error()
    e.size = ctypes.sizeof(e)
    library().quick.kmd_last_error(byref(e))
    message = in_python(e.message.decode("utf-8", "replace"))
    row = e.row if e.row >= 0 else None
    offset = e.offset if e.offset >= 0 else None
    if status == abi.KMD_ERR_PARSE:
        return errors.ParseError(message, offset=offset, row=row)
    if status == abi.KMD_ERR_ILLEGAL_MOVE:
        return errors.IllegalMoveError(message, row=row)
    if status == abi.KMD_ERR_AMBIGUOUS_MOVE:
        return errors.AmbiguousMoveError(message, row=row)
    if status == abi.KMD_ERR_INVALID_POSITION:
        found = [errors.Problem.from_numbers(p.kind, p.color, p.square, p.piece_type) for p in e.problems[: e.problem_count]]
        return errors.InvalidPositionError(message, problems=found, row=row)
    if status == abi.KMD_ERR_INVALID_VALUE:
        return errors.InvalidValueError(message, row=row)
    if status in (abi.KMD_ERR_ARGUMENT, abi.KMD_ERR_BUFFER):
        return ValueError(message)
    if status == abi.KMD_ERR_CANCELLED:
        return errors.CancelledError(message)
    if status in (abi.KMD_ERR_HANDLE, abi.KMD_ERR_BUSY, abi.KMD_ERR_FORKED):
        return errors.HandleError(message)
    if status == abi.KMD_ERR_MEMORY:
        return MemoryError(message)
    if status == abi.KMD_ERR_IO:
        return OSError(e.errno_value, message)
    return errors.InternalError(e.message.decode("utf-8", "replace"))


def call(name: str, *arguments: Any) -> None:
    """A short call; the GIL is kept."""
    status = getattr(library().quick, name)(*arguments)
    if status == abi.KMD_ERR_FORKED:  # a fork that Python did not see
        abandon()
        status = getattr(library().quick, name)(*arguments)
    if status != 0:
        fail(status)


def call_long(name: str, *arguments: Any) -> None:
    """A call that may take a while; other Python threads run meanwhile."""
    status = getattr(library().slow, name)(*arguments)
    if status == abi.KMD_ERR_FORKED:
        abandon()
        status = getattr(library().slow, name)(*arguments)
    if status != 0:
        fail(status)


def new_board(name: str, *arguments: Any) -> c_uint64:
    """Calls a function that makes a board, and gives its handle."""
    handle = c_uint64()
    call(name, *arguments, byref(handle))
    return handle


def close_board(handle: c_uint64) -> None:
    """Closes a board. Never loads the library: a dead one's boards are closed when it is loaded next."""
    loaded = _library
    if loaded is None or loaded.quick.kmd_board_close(handle) == abi.KMD_ERR_FORKED:
        _unclosed.append(handle.value)


def close(name: str, handle: c_uint64) -> None:
    """Closes another object than a board. Never loads the library."""
    if _library is not None:
        getattr(_library.quick, name)(handle)


def text(name: str, *arguments: Any) -> str:
    """The text that a function writes into a buffer."""
    return text_bytes(name, *arguments).decode("utf-8")


def text_bytes(name: str, *arguments: Any, size: int = 256) -> bytes:
    """The text that a function writes into a buffer, as bytes; size is what it probably needs."""
    while True:
        buffer, needed = create_string_buffer(size), c_size_t()
        function = getattr(library().quick, name)
        status = function(*arguments, buffer, size, byref(needed))
        if status == abi.KMD_ERR_FORKED:
            abandon()
            continue
        if status == abi.KMD_ERR_BUFFER:
            size = needed.value
            continue
        if status != 0:
            fail(status)
        return buffer.raw[: needed.value]


def words(handle: c_uint64, style: int, moves: list[int]) -> list[str]:
    """The words of moves of a board, in one call."""
    n = len(moves)
    size = 32 * n  # no move takes more
    values, offsets, buffer = (c_uint16 * n)(*moves), (c_int64 * (n + 1))(), create_string_buffer(max(size, 1))
    call("kmd_board_format_moves", handle, style, values, n, offsets, buffer, size)
    raw, ends = buffer.raw, list(offsets)
    return [raw[ends[i] : ends[i + 1]].decode("utf-8") for i in range(n)]


def plain(name: str, value: int) -> int:
    """What a function of a plain value gives; it cannot fail."""
    if library().quick.kmd_alive() != 1:  # a fork that Python did not see
        abandon()
    return int(getattr(library().quick, name)(value))


def number(name: str, *arguments: Any) -> int:
    """The 32-bit number that a function finds."""
    out = c_int32()
    call(name, *arguments, byref(out))
    return out.value


def unsigned16(name: str, *arguments: Any) -> int:
    """The 16-bit move or label that a function finds."""
    out = c_uint16()
    call(name, *arguments, byref(out))
    return out.value


def unsigned32(name: str, *arguments: Any) -> int:
    """The 32-bit move that a function finds."""
    out = c_uint32()
    call(name, *arguments, byref(out))
    return out.value


def unsigned64(name: str, *arguments: Any) -> int:
    """The key that a function finds."""
    out = c_uint64()
    call(name, *arguments, byref(out))
    return out.value


def keys(handle: c_uint64) -> tuple[int, int, int]:
    """The keys of a board: of everything, of the pieces on it, of the hands."""
    key, board, hand = c_uint64(), c_uint64(), c_uint64()
    call("kmd_board_keys", handle, byref(key), byref(board), byref(hand))
    return key.value, board.value, hand.value


def two_words(name: str, *arguments: Any) -> tuple[int, int]:
    """The set of squares that a function finds."""
    out = (c_uint64 * 2)()
    call(name, *arguments, out)
    return out[0], out[1]


def raw(name: str, size: int, *arguments: Any) -> bytes:
    """The bytes that a function writes, of which there are ``size``."""
    buffer = create_string_buffer(size)
    call(name, *arguments, buffer)
    return buffer.raw


def codes(name: str, most: int, *arguments: Any) -> bytes:
    """The moves that a function lists, of which there are at most ``most``: two bytes each."""
    room = (c_uint16 * max(1, most))()
    n = count(name, *arguments, room, most)
    return bytes(room)[: 2 * n]


def problems(handle: c_uint64) -> list[errors.Problem]:
    """What is odd about a board's position."""
    return _problems("kmd_board_problems", handle)


def setup_problems(setup: abi.kmd_setup) -> list[errors.Problem]:
    """What is wrong or odd about a setup."""
    return _problems("kmd_setup_problems", byref(setup))


def _problems(name: str, of: Any) -> list[errors.Problem]:
    room = (abi.kmd_problem * abi.KMD_MAX_PROBLEMS)()
    return [errors.Problem.from_numbers(p.kind, p.color, p.square, p.piece_type) for p in room[: count(name, of, room, abi.KMD_MAX_PROBLEMS)]]


class Room:
    """Memory for a list of moves and their objects. Each is in one caller's hands at a time, who puts it back among Table.rooms."""

    __slots__ = ("codes", "moves", "objects", "request", "to_moves", "to_objects", "to_request")

    def __init__(self, table: Any) -> None:
        self.moves: Any = (c_char * (2 * abi.KMD_QUICK_MOVES))()
        self.objects: Any = (py_object * abi.KMD_MAX_LEGAL_MOVES)()
        self.request = struct(abi.kmd_quick_room)
        self.request.moves, self.request.words, self.request.picked = (ctypes.addressof(of) for of in (self.moves, table, self.objects))
        self.to_request, self.to_moves, self.to_objects = byref(self.request), byref(self.moves), byref(self.objects)
        self.codes = b""  # those whose objects were picked last


_MOST = abi.KMD_MAX_LEGAL_MOVES


class Table(Generic[_Object]):
    """An object for each 16-bit move value, made when first asked for and kept for ever. The library picks those of a list of moves."""

    def __init__(self, make: Callable[[int], _Object]) -> None:
        self._make = make
        self.known: dict[int, _Object] = {}  # those made so far
        self._objects: Any = None  # the same as an array of 65,536 objects
        self._reference: Any = None
        self.rooms: list[Room] = []  # those not in use; a shared one could be overwritten by another thread before it is read

    def new_room(self) -> Room:
        """A room, when there is none to be taken out of ``rooms``."""
        self._make_array()
        return Room(self._objects)

    def _make_array(self) -> None:
        if self._objects is None:
            self._objects = (py_object * (1 << 16))()
            self._reference = byref(self._objects)

    def __getitem__(self, value: int) -> _Object:
        try:
            return self.known[value]
        except KeyError:
            self._make_array()
            made = self.known[value] = self._objects[value] = self._make(value)
            return made

    def pick(self, codes: bytes) -> list[_Object]:
        """The objects of 16-bit values, without a step of Python for each."""
        try:
            room = self.rooms.pop()
        except IndexError:
            room = self.new_room()
        n = len(codes) >> 1
        found: list[_Object]
        if room.codes is codes or (n <= _MOST and hot.words(codes, n, self._reference, room.to_objects) == 0):
            room.codes = codes
            try:
                found = room.objects[:n]
                self.rooms.append(room)
                return found
            except ValueError:  # some are met for the first time
                pass
        found = [self[value] for value in memoryview(codes).cast("H")]
        room.codes = b""
        self.rooms.append(room)
        return found


# Fields of kmd_board_view that are read as attributes, and those that are read as something else than a number.
_ATTRIBUTES = {
    "turn_word": "turn",
    "ply": "ply",
    "key": "key",
    "moves": "history_length",
    "last_move": "_last_move",
    "in_check": "_in_check",
    "kings": "_kings",
    "hands": "_hands",
}
_TYPES: dict[str, Any] = {"turn_word": py_object, "in_check": c_bool}

if TYPE_CHECKING:

    class Published:
        """What the library publishes of a board."""

        turn: Color
        ply: int
        key: int
        history_length: int
        _last_move: int
        _in_check: bool
        _kings: Sequence[int]
        _hands: Sequence[int]

        @classmethod
        def from_address(cls: type[_Self], address: int) -> _Self: ...

else:

    class Published(ctypes.Structure):
        """What the library publishes of a board, read where it lies: these attributes are no calls, and no Python.

        Python never sees a board in the middle of a change: whatever changes one holds the GIL from its first step to its last, and a process can
        fork only between two such calls. So the sequence counter of kmd_board_view is not looked at.
        """

        __slots__ = ()
        _fields_ = [(_ATTRIBUTES.get(name, f"_view_{name}"), _TYPES.get(name, kind)) for name, kind in abi.kmd_board_view._fields_]


def check_board(board: object) -> None:
    """TypeError for what is no board."""
    if not isinstance(board, Published):
        raise TypeError(f"board must be Board, not {type(board).__name__}")


class Slot:
    """A place for a board in the library. The boards of Python hand it on to each other, which is cheaper than opening and closing."""

    __slots__ = ("address", "handle", "is_used", "packed", "quick", "sfen", "squares", "to_packed", "to_sfen", "view")

    def __init__(self, handle: c_uint64) -> None:
        view = c_void_p()
        call("kmd_board_get_view", handle, byref(view))
        assert view.value
        self.handle = handle
        self.quick = c_uint64.from_param(handle.value)
        self.address: int = view.value
        pieces = (c_uint8 * abi.KMD_SQUARES).from_address(view.value + abi.kmd_board_view.pieces.offset)
        self.squares = memoryview(pieces).cast("B").toreadonly()
        self.view = memoryview((c_char * ctypes.sizeof(abi.kmd_board_view)).from_address(view.value)).cast("B").toreadonly()
        self.is_used = False  # by a board that has been set to something

    def make_room(self) -> None:
        """Makes the places for results that one thread may overwrite while another reads them: both are of this board, and as good."""
        self.packed, self.sfen = (c_char * 32)(), (c_char * abi.KMD_SFEN_SIZE)()
        self.to_packed, self.to_sfen = byref(self.packed), byref(self.sfen)


# Slots whose boards went away. Each is an open board of the library, so that not many are kept.
free_slots: list[Slot] = []
MOST_FREE_SLOTS = 64


class ClosedSlot:
    """What a closed board has in the place of its slot."""

    handle = c_uint64(0)
    quick = c_uint64.from_param(0)

    @property
    def squares(self) -> Any:
        return closed("board")

    to_packed = to_sfen = view = squares


def size() -> c_size_t:
    """Room for a size that a function gives."""
    return c_size_t()


def size64() -> c_uint64:
    """Room for a 64-bit number that a function gives."""
    return c_uint64()


def count(name: str, *arguments: Any) -> int:
    """The number of things that a function counts or writes."""
    out = c_size_t()
    call(name, *arguments, byref(out))
    return out.value


_Struct = TypeVar("_Struct", bound=ctypes.Structure)


def struct(kind: type[_Struct], **fields: Any) -> _Struct:
    """A struct of the header that begins with its own size."""
    return kind(size=ctypes.sizeof(kind), **fields)


def reference(of: ctypes.Structure | c_size_t | c_uint64) -> Any:
    """A pointer argument to a struct, or to room for a number."""
    return byref(of)


def address(of: Any) -> int:
    """Where a struct or an array lies."""
    return ctypes.addressof(of)


def numbers16(values: list[int]) -> Any:
    """An array of 16-bit numbers."""
    return (c_uint16 * len(values))(*values)


def pointer(data: bytes) -> Any:
    """A pointer argument to bytes that are read during the call."""
    return c_char_p(data)


def encode(value: str) -> tuple[c_char_p, int]:
    """Text as pointer and length."""
    raw = value.encode("utf-8", "surrogatepass")
    return c_char_p(raw), len(raw)


# ------------------------------------------------------------------------------------------------------------------ Jobs

_jobs: set[int] = set()
_closing = False  # the interpreter is ending: a job that starts now is stopped at once


class Job:
    """A job in the background. It is stopped and ended when nobody holds it any more; in a forked child it is the parent's, and nothing."""

    __slots__ = ("_handle", "_level", "result")

    def __init__(self, name: str, *arguments: Any) -> None:
        self._handle = c_uint64()
        self._level = -1
        self.result = struct(abi.kmd_result)
        call(name, *arguments, byref(self._handle))  # an interrupt after this line still finds the handle
        self._level = level()
        _jobs.add(self._handle.value)
        if _closing:
            self.cancel()

    @property
    def is_open(self) -> bool:
        """Whether it has not been finished."""
        return self._handle.value != 0 and self._level in (-1, level())

    def wait(self, milliseconds: int = 20) -> bool:
        """Whether it is done, after waiting at most so long. The GIL is given up meanwhile, and a signal ends the wait."""
        self._want()
        status: int = library().slow.kmd_job_wait(self._handle, milliseconds)
        return status != abi.KMD_ERR_BUSY

    def call(self, name: str, *arguments: Any) -> None:
        """A short call of a function whose first argument is the job."""
        self._want()
        call(name, self._handle, *arguments)

    def codes(self, name: str, most: int) -> bytes:
        """``codes`` of a function whose first argument is the job."""
        self._want()
        return codes(name, most, self._handle)

    def poll(self) -> abi.kmd_result:
        """What it has found so far; good until the next call."""
        self.call("kmd_job_poll", byref(self.result))
        return self.result

    def cancel(self) -> None:
        """Asks it to stop soon."""
        if self.is_open:
            library().quick.kmd_job_cancel(self._handle)

    def finish(self, stopped_is_fine: bool = False) -> abi.kmd_result:
        """Ends it, once it is done, and gives its result. CancelledError when it was stopped, unless that is fine."""
        self._want()
        status = library().slow.kmd_job_finish(self._handle, byref(self.result))
        self._forget()
        if status != 0 and not (stopped_is_fine and status == abi.KMD_ERR_CANCELLED):
            fail(status)
        return self.result

    def end(self) -> None:
        """Stops it and waits until it has stopped; nothing, when it is finished already."""
        if self.is_open and _library is not None:
            _library.quick.kmd_job_cancel(self._handle)
            _library.slow.kmd_job_finish(self._handle, None)
        self._forget()

    def _forget(self) -> None:
        # After the call: should an interrupt come between, ending the job again is an error that nobody sees, and losing it would be one that stays.
        handle, self._handle = self._handle, c_uint64()
        _jobs.discard(handle.value)

    def _want(self) -> None:
        if not self.is_open:
            raise errors.HandleError("the job is finished, or was started before a fork")

    def __del__(self) -> None:
        try:  # not contextlib.suppress: where the interpreter is ending, modules may be gone
            self.end()
        except Exception:  # half-made
            pass


def run(name: str, *arguments: Any, poll: Callable[[Any], None] | None = None) -> abi.kmd_result:
    """Starts a job and waits for it. Ctrl-C, or anything that poll raises, stops it and is raised when it has stopped."""
    job = Job(name, *arguments)
    try:
        while not job.wait():
            if poll is not None:
                poll(job.poll())
        return job.finish()
    finally:
        job.end()


def _cancel_jobs() -> None:
    """At the end of the interpreter nothing may still be at work in threads that it is about to wait for."""
    global _closing
    _closing = True
    if _library is not None:
        for job in list(_jobs):
            _library.quick.kmd_job_cancel(job)


atexit.register(_cancel_jobs)
with contextlib.suppress(Exception):  # before threads are joined, where the interpreter offers that
    threading._register_atexit(_cancel_jobs)  # type: ignore[attr-defined]


# ------------------------------------------------------------------------------------------------------------ Game records


class KifuRoom:
    """Memory for records that are read. Each is in one caller's hands at a time, who puts it back among ``kifu_rooms``."""

    __slots__ = ("buffer", "needed", "size", "to_needed", "view")

    def __init__(self, size: int) -> None:
        self.size = size
        self.buffer: Any = (c_uint64 * (size // 8))()  # aligned
        self.view = memoryview(self.buffer).cast("B")
        self.needed = c_size_t()
        self.to_needed = byref(self.needed)


kifu_rooms: list[KifuRoom] = []
_KIFU_ROOM = 1 << 16


def blocks(name: str, *arguments: Any) -> tuple[int, bytes]:
    """The status of a function that writes records in flat form, and what it has written."""
    try:
        room = kifu_rooms.pop()
    except IndexError:
        room = KifuRoom(_KIFU_ROOM)
    status = _blocks(name, arguments, room)
    while status == abi.KMD_ERR_BUFFER:
        room = KifuRoom((room.needed.value + 7) & ~7)
        status = _blocks(name, arguments, room)
    found = room.view[: room.needed.value].tobytes()
    if room.size == _KIFU_ROOM:
        kifu_rooms.append(room)
    return status, found


def _blocks(name: str, arguments: tuple[Any, ...], room: KifuRoom) -> int:
    room.needed.value = 0
    status: int = getattr(library().slow, name)(*arguments, room.buffer, room.size, room.to_needed)
    if status == abi.KMD_ERR_FORKED:
        abandon()
        status = getattr(library().slow, name)(*arguments, room.buffer, room.size, room.to_needed)
    return status


def kifu_analyses(flat: bytes) -> tuple[list[Any], list[int]]:
    """What engines said in a record, and the moves of all their lines."""
    n, m = c_size_t(), c_size_t()
    status = library().quick.kmd_kifu_analyses(flat, len(flat), None, 0, byref(n), None, 0, byref(m))
    if status == abi.KMD_ERR_FORKED:
        abandon()
        return kifu_analyses(flat)
    if status not in (0, abi.KMD_ERR_BUFFER):
        fail(status)
    found, moves = (abi.kmd_kifu_analysis * max(1, n.value))(), (c_uint16 * max(1, m.value))()
    call("kmd_kifu_analyses", flat, len(flat), found, n.value, byref(n), moves, m.value, byref(m))
    return found[: n.value], moves[: m.value]


def read_kifus(text: bytes, sizes: Sequence[int], options: Any, threads: int) -> tuple[Any, Any, Any]:
    """Reads records of texts that follow each other, each of so many bytes: the status of each, their blocks, and n + 1 places of those, as arrays."""
    import numpy as np

    n = len(sizes)
    offsets, places, states = np.zeros(n + 1, np.int64), np.empty(n + 1, np.int64), np.empty(n, np.int32)
    np.cumsum(sizes, out=offsets[1:])
    size = 3 * len(text) + 1024 * n + 64
    while True:
        blocks = np.empty(size // 8 + 1, np.uint64)  # what is not written costs no memory
        arguments = text, offsets.ctypes.data, n, byref(options), threads, blocks.ctypes.data, blocks.nbytes, places.ctypes.data, states.ctypes.data
        status = library().slow.kmd_kifu_read_batch(*arguments)
        if status == abi.KMD_ERR_FORKED:
            abandon()
            status = library().slow.kmd_kifu_read_batch(*arguments)
        if status != abi.KMD_ERR_BUFFER:
            break
        size = int(places[n])
    if status != 0:
        fail(status)
    return states, blocks, places
