"""``python -m komadori``, the same as the command ``komadori``."""

from __future__ import annotations

import sys


def main() -> int:
    """Runs the command; gives its exit code."""
    if sys.argv[1:2] == ["usi"] and not {"-h", "--help"} & set(sys.argv[2:]):
        from .usi import main as engine

        return engine(sys.argv[2:])  # without the packages that the other commands need
    if sys.argv[1:2] == ["doctor"]:
        from .doctor import main as doctor

        return doctor(sys.argv[2:])
    try:
        from .cli import run

        return run()
    except ImportError as error:
        if "pip install" not in str(error):
            raise
        print(f"komadori: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("komadori: interrupted; files are as they were", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
