"""What to type to install what is missing or broken. Run from a clone, or installed from it editably, the package is not what an index has."""

from __future__ import annotations

import os
import shlex
import sys

_FOLDER = os.path.dirname(os.path.realpath(__file__))


def source_tree() -> str | None:
    """The folder of the clone or the unpacked sdist that this package runs from; None when it is installed."""
    tree = os.path.dirname(os.path.dirname(_FOLDER))
    return tree if os.path.isfile(os.path.join(tree, "build_backend", "komadori_build.py")) else None


def extra(name: str) -> str:
    """The command that installs what an extra needs."""
    tree = source_tree()
    return f"pip install {_quoted(f'komadori[{name}]')}" if tree is None else f"pip install -e {_quoted(f'{tree}[{name}]')}"


def anew() -> str:
    """The command that installs the package anew; from a source tree, it builds the library anew."""
    tree = source_tree()
    return "pip install --force-reinstall --no-deps komadori" if tree is None else f"pip install -e {_quoted(tree)}"


def _quoted(text: str) -> str:
    return f'"{text}"' if sys.platform == "win32" else shlex.quote(text)
