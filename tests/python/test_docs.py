"""The pages of the documentation: their programs run, and the names in them exist."""

from __future__ import annotations

import importlib
import inspect
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import komadori

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
docs_pages = pytest.importorskip("docs_pages")
LIBRARY = Path(komadori.__file__).resolve().parent / "_lib" / "libkomadori.so"
PAGES = sorted(path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md"))
ELSEWHERE = {"analysis.md", "tools.md", "training.md"}  # tests of their own, for they need other files


@pytest.mark.parametrize("page", [page for page in PAGES if page not in ELSEWHERE and "```python" in (ROOT / "docs" / page).read_text(encoding="utf-8")])
def test_programs_of_pages_run(page: str) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    outputs = docs_pages.run(text, page)
    assert len(outputs) == text.count("```python"), "each block is one that runs"
    for block, output in zip(docs_pages.FENCE.finditer(text), outputs, strict=True):
        assert bool(output) == bool(block[1]), f"a block that shows something, or nothing: {block[2]}"


@pytest.mark.parametrize(
    ("language", "name", "frame", "command"),
    [
        (
            "c",
            "x.c",
            "#include <komadori.h>\nint main(void) {{ kmd_board board; kmd_board_new(&board);\n{} return result.nodes == 0; }}\n",
            ["cc", "-std=c11", "-Wall", "-Werror", f"-I{ROOT / 'include'}", "x.c", str(LIBRARY), f"-Wl,-rpath,{LIBRARY.parent}", "-o", "x"],
        ),
        (
            "go",
            "x.go",
            'package main\nimport ("fmt"; "time"; "komadori/core/board"; "komadori/core/search")\n'
            "func main() {{ game := board.NewGame()\n{} if result.Nodes == 0 {{ panic(result) }} }}\n",
            ["go", "build", "-o", "x", "x.go"],
        ),
    ],
)
def test_programs_of_other_languages_run(language: str, name: str, frame: str, command: list[str], tmp_path: Path) -> None:
    blocks = re.findall(rf"^```{language}\n(.*?)^```", (ROOT / "docs" / "analysis.md").read_text(encoding="utf-8"), re.M | re.S)
    assert len(blocks) == 1
    if shutil.which(command[0]) is None or not LIBRARY.exists():
        pytest.skip(f"no {command[0]}, or no library for it")
    (tmp_path / name).write_text(frame.format(blocks[0]), encoding="utf-8")
    words = [str(tmp_path / word) if word in (name, "x") else word for word in command]
    made = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
    assert made.returncode == 0, made.stderr
    run = subprocess.run([str(tmp_path / "x")], capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr


def test_errors_name_the_line_of_the_page() -> None:
    text = "# Page\n\n```python\nx = 1\n```\n\nwords\n\n```python show\nx\nx.nothing\n```\n"
    with pytest.raises(AttributeError) as caught:
        docs_pages.run(text, "page.md")
    assert caught.traceback[-1].lineno + 1 == 11
    assert docs_pages.run("```python show\nprint('<a>')\n1 + 1\n```\n", "page.md") == ["<pre><code>&lt;a&gt;\n</code></pre><pre><code>2</code></pre>"]


def test_docstrings_of_the_site() -> None:
    text = "Words, see docs/formats.md#policy-labels.\n\n>>> 1 + 1\n2\n\nMore."
    found = docs_pages.site_docstring(text)
    assert found == "Words, see [formats](../formats.md#policy-labels).\n\n\n```pycon\n>>> 1 + 1\n2\n```\n\nMore."
    columns = "====  ====\n``a``  Of a.\nb     Of b.\n====  ====\n\nMore."
    assert docs_pages.site_docstring(columns) == "\n| | |\n|---|---|\n| ``a`` | Of a. |\n| b | Of b. |\n\n\nMore."
    together = docs_pages.site_docstring("Words.\n\nArgs:\n    a, *b: Of both,\n        see below.\n    c, d: Of c: d.")
    assert together == "Words.\n\nArgs:\n    a: Of both,\n        see below.\n    *b: Of both,\n        see below.\n    c: Of c: d.\n    d: Of c: d."


def table(title: str) -> list[tuple[str, str]]:
    """Pairs of names of a table of migration.md."""
    text = (ROOT / "docs" / "migration.md").read_text(encoding="utf-8")
    part = text.split(f"## From {title}\n")[1].split("\n## ")[0]
    found: list[tuple[str, str]] = re.findall(r"^\| `([^`]+)` \| `([^`]+)` \|", part, re.M)
    assert len(found) > 20
    return found


def there(root: ModuleType, name: str) -> bool:
    """Whether a dotted name is there."""
    at: Any = root
    for part in name.removeprefix("komadori.").split("."):
        if not hasattr(at, part):
            if not isinstance(at, ModuleType):
                return False
            try:
                at = importlib.import_module(f"{at.__name__}.{part}")
            except ImportError:
                return False
        else:
            at = getattr(at, part)
    return True


@pytest.mark.parametrize("title", ["cshogi", "rsshogi", "python-shogi"])
def test_names_of_other_libraries(title: str) -> None:
    names = table(title)
    assert not [ours for _, ours in names if not there(komadori, ours)]
    library = pytest.importorskip({"python-shogi": "shogi"}.get(title, title))
    assert not [theirs for theirs, _ in names if not there(library, theirs)]


def test_the_reference_names_what_is_there() -> None:
    for page in (ROOT / "docs" / "reference").glob("*.md"):
        for name in re.findall(r"^::: komadori\.(\S+)", page.read_text(encoding="utf-8"), re.M):
            if name != "torch":  # needs PyTorch
                assert there(komadori, name), f"{page.name}: {name}"


def test_every_public_name_is_in_the_reference() -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "reference").glob("*.md"))
    shown = set(re.findall(r"^::: (komadori\.\S+)", text, re.M))
    missing = []
    for path in (ROOT / "python" / "komadori").rglob("*.py"):
        if path.parts[-2] == "komadori" and path.stem in ("torch", "__main__", "cli", "doctor"):
            continue
        module = importlib.import_module(".".join(path.relative_to(ROOT / "python").with_suffix("").parts).removesuffix(".__init__"))
        # A page of a module shows what is defined there; the words of the module may tell the rest.
        words = "".join(importlib.import_module(name).__doc__ or "" for name in shown if name.count(".") == 1 and name != "komadori.torch") + text
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name)
            home = value.__module__ if inspect.isclass(value) or inspect.isfunction(value) else module.__name__
            if isinstance(value, ModuleType) or name.startswith("__"):
                continue
            listed = module.__name__ in shown and name in vars(module)
            if not listed and home not in shown and f"{home}.{name}" not in shown and not re.search(rf"\b{name}\b", words):
                missing.append(f"{module.__name__}.{name}")
    assert not missing


def test_the_pages_of_the_site_are_there() -> None:
    nav = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").split("\nnav:\n")[1]
    named = re.findall(r"[\w/]+\.md", nav)
    assert len(named) > 20 and set(named) <= set(PAGES)
