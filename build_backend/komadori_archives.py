"""Archives and libraries that are the same bytes whenever and wherever they are built: sorted, without times, owners and umasks.

``SOURCE_DATE_EPOCH`` gives the time of all entries; without it that is the first of January 1980, the oldest that zip knows.
"""

from __future__ import annotations

import gzip
import io
import os
import struct
import tarfile
import time
import zipfile
from pathlib import Path

OLDEST = 315532800


def _time() -> int:
    return max(int(os.environ.get("SOURCE_DATE_EPOCH", OLDEST)), OLDEST)


def _mode(mode: int) -> int:
    return 0o755 if mode & 0o111 else 0o644


def settle_wheel(path: Path) -> None:
    """Writes a wheel anew. RECORD stays true, as it speaks of contents alone."""
    with zipfile.ZipFile(path) as old:
        entries = [(i.filename, _mode(i.external_attr >> 16), old.read(i)) for i in old.infolist() if not i.is_dir()]
    entries.sort(key=lambda e: (".dist-info/" in e[0], e[0]))
    date = time.gmtime(_time())[:6]
    with zipfile.ZipFile(path, "w") as new:
        for name, mode, content in entries:
            info = zipfile.ZipInfo(name, date)
            info.create_system, info.external_attr, info.compress_type = 3, (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED
            new.writestr(info, content, compresslevel=9)


def settle_sdist(path: Path) -> None:
    """Writes an sdist anew."""
    with tarfile.open(path) as old:
        entries = [(m.name, _mode(m.mode), file.read()) for m in old.getmembers() if m.isfile() and (file := old.extractfile(m))]
    packed = io.BytesIO()
    with gzip.GzipFile("", "wb", 9, packed, mtime=_time()) as zipped, tarfile.open(fileobj=zipped, mode="w", format=tarfile.PAX_FORMAT) as new:
        for name, mode, content in sorted(entries):
            info = tarfile.TarInfo(name)
            info.size, info.mode, info.mtime = len(content), mode, _time()
            new.addfile(info, io.BytesIO(content))
    path.write_bytes(packed.getvalue())


def settle_dll(path: Path) -> None:
    """Clears what a linker for Windows writes anew each time: times of the header and the debug entries, the identifier of debug data that is absent."""
    content = bytearray(path.read_bytes())
    pe = struct.unpack_from("<I", content, 0x3C)[0]
    sections, optional_size = struct.unpack_from("<H", content, pe + 6)[0], struct.unpack_from("<H", content, pe + 20)[0]
    struct.pack_into("<I", content, pe + 8, 0)
    address, size = struct.unpack_from("<II", content, pe + 24 + 112 + 8 * 6)
    for n in range(sections):
        virtual_size, start, _, raw = struct.unpack_from("<IIII", content, pe + 24 + optional_size + 40 * n + 8)
        if start <= address < start + virtual_size:
            for entry in range(address - start + raw, address - start + raw + size, 28):
                struct.pack_into("<I", content, entry + 4, 0)
                kind, data, at = *struct.unpack_from("<II", content, entry + 12), struct.unpack_from("<I", content, entry + 24)[0]
                if kind == 2 and data >= 24 and content[at : at + 4] == b"RSDS":
                    content[at + 4 : at + 20] = bytes(16)
    path.write_bytes(content)
