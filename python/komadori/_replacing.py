"""Files that appear whole or not at all."""

from __future__ import annotations

import errno
import os
import sys
import tempfile
from types import TracebackType
from typing import IO

_PUSH = 8 << 20  # bytes


class Replacement:
    """A file being written that takes its name when it is whole: until then the old one stays, if there is one.

    Where the system can (Linux, most file systems), the unfinished file has no name at all and is gone with the process, even a killed one; elsewhere it
    has one that begins with a dot and ends with ``.part``.

    Use it as a context manager, which gives the file to write to: what is left with an exception leaves the old file untouched.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.file: IO[bytes] | None = None
        self.path = os.path.realpath(os.fspath(path))  # through symbolic links: the link stays, its target is replaced
        if os.path.exists(self.path) and not os.path.isfile(self.path):
            raise OSError(errno.EISDIR if os.path.isdir(self.path) else errno.EINVAL, "no regular file, which alone can be replaced", self.path)
        self._folder = os.path.dirname(self.path)
        self._name: str | None = None  # of the unfinished file
        self._pushed = 0
        self.file = os.fdopen(self._open(), "w+b", buffering=1 << 20)

    def _open(self) -> int:
        if sys.platform == "linux" and hasattr(os, "O_TMPFILE") and os.path.isdir("/proc/self/fd"):
            try:
                return os.open(self._folder, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o666)
            except OSError as error:
                if error.errno not in (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL):
                    error.filename = self.path
                    raise
        try:
            handle, self._name = tempfile.mkstemp(dir=self._folder, prefix=f".{os.path.basename(self.path)}.", suffix=".part")
        except OSError as error:
            error.filename = self.path
            raise
        if sys.platform != "win32":
            mask = os.umask(0)
            os.umask(mask)
            os.fchmod(handle, 0o666 & ~mask)
        return handle

    def push(self) -> None:
        """Has the system begin to put on disk what was written, so that less is left to wait for at the end. To be called now and then."""
        if sys.platform != "linux" or self.file is None:
            return
        at = self.file.tell()
        if at - self._pushed >= _PUSH:
            self.file.flush()
            # Linux begins to write the dirty pages of a range that it is told to forget, and forgets only clean ones.
            os.posix_fadvise(self.file.fileno(), self._pushed, at - self._pushed, os.POSIX_FADV_DONTNEED)
            self._pushed = at

    def commit(self) -> None:
        """Everything on disk, and the file takes its name. Without effect after that, or after ``abort``."""
        if self.file is None:
            return
        try:
            self.file.flush()
            handle = self.file.fileno()
            if sys.platform == "win32":
                os.fsync(handle)
                self.file.close()  # no open file can be renamed there, and no folder synced
                assert self._name is not None
                os.replace(self._name, self.path)
                self._name = None
            else:
                self._commit(handle)
            self.file.close()
        except BaseException as error:
            if isinstance(error, OSError) and error.filename is None:
                error.filename = self.path
            self.abort()
            raise
        self.file = None

    def _commit(self, handle: int) -> None:
        try:
            if sys.platform != "win32":
                os.fchmod(handle, os.stat(self.path).st_mode & 0o777)
        except FileNotFoundError:
            pass  # a new file, which has the mode of new files
        os.fsync(handle)
        folder = os.open(self._folder, os.O_RDONLY)
        try:
            if self._name is None:
                self._name = self._linked(handle, folder)
            os.replace(self._name, self.path)
            self._name = None
            os.fsync(folder)  # the name too
        finally:
            os.close(folder)

    def _linked(self, handle: int, folder: int) -> str:
        """Gives the file without a name one beside the old file's."""
        for number in range(100):
            name = os.path.join(self._folder, f".{os.path.basename(self.path)}.{os.getpid()}.{number}.part")
            try:
                os.link(f"/proc/self/fd/{handle}", name, src_dir_fd=folder, follow_symlinks=True)
                return name
            except FileExistsError:
                pass
        raise FileExistsError(errno.EEXIST, "unfinished files of this name", name)

    def abort(self) -> None:
        """Gives up: the old file stays as it is. Without effect after that, or after ``commit``."""
        file, self.file = self.file, None
        if file is None:
            return
        try:
            file.close()
        except OSError:
            pass  # what could not be written is thrown away
        if self._name is not None:
            try:
                os.unlink(self._name)
            except OSError:
                pass

    def __enter__(self) -> IO[bytes]:
        assert self.file is not None
        return self.file

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is None:
            self.commit()
        else:
            if isinstance(error, OSError) and error.filename is None:
                error.filename = self.path
            self.abort()

    def __del__(self) -> None:
        self.abort()
