"""Programs in the pages of the documentation: runs them, and shows in the site what they draw. `docs_pages.py FOLDER` writes the files that they read.

A block that begins with ```python runs, in the order of the page and with the names of those before it. One that begins with ```python show is
followed in the site by what its last line gives. mkdocs calls on_page_markdown (mkdocs.yml), the tests call run. Docstrings is for the reference.
"""

from __future__ import annotations

import ast
import contextlib
import io
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

try:
    from griffe import Extension
except ImportError:  # the tests need no tool of the site
    Extension = object  # type: ignore[assignment,misc]

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT / "python") not in sys.path and (ROOT / "python" / "komadori" / "_lib").exists():
    sys.path.insert(0, str(ROOT / "python"))
TOGETHER = re.compile(r"^    (\**\w+(?:, \**\w+)+): (.*\n(?:        .*\n)*)", re.M)  # arguments with one text, which the site tells one by one
TABLE = re.compile(r"^(=+)( +)=+\n(.*?)^=+ +=+$", re.M | re.S)  # of two columns, as docstrings have them
FENCE = re.compile(r"^```python( show)?\n(.*?)^```\n", re.M | re.S)


def prepare(folder: Path) -> None:
    """Files that the pages speak of: games.hcpe, and a folder of records."""
    import komadori
    from komadori import GameResult, training

    records = folder / "records"
    records.mkdir(parents=True, exist_ok=True)
    with training.Writer(folder / "games.hcpe") as file:
        for line in (ROOT / "examples" / "data" / "alphazero_elmo.tsv").read_text(encoding="utf-8").splitlines():
            if not line.startswith("az-"):
                continue
            name, black, white, winner, _, moves = line.split("\t")
            board = komadori.Board.from_position("startpos moves " + moves)
            result = GameResult.BLACK_WIN if winner == "black" else GameResult.WHITE_WIN if winner == "white" else GameResult.DRAW
            file.write(training.game_records(board, [0] * board.history_length, result))
            kifu = komadori.Kifu(board, headers={"先手": black, "後手": white, "棋戦": f"{black} – {white} ({name})"})
            kifu.last.add_ending(komadori.Ending.RESIGN)
            (records / f"{name}.kif").write_text(kifu.to_kif(), encoding="utf-8")


def shown(value: Any) -> str:
    """What the site shows of a value: as a notebook would."""
    for name in ("_repr_html_", "_repr_svg_"):
        html = getattr(value, name, lambda: None)()
        if html is not None:
            return str(html)
    return f"<pre><code>{escape(str(value) if isinstance(value, str) else repr(value))}</code></pre>"


def execute(code: str, names: dict[str, Any], place: str, show: bool) -> str:
    """Runs a block, and gives what is to be shown: what it printed and its last value."""
    tree = ast.parse(code, place)
    last = tree.body.pop() if show and isinstance(tree.body[-1], ast.Expr) else None
    printed, parts = io.StringIO(), []
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, place, "exec"), names)
        value = None if last is None else eval(compile(ast.Expression(last.value), place, "eval"), names)
    if show and printed.getvalue():
        parts.append(f"<pre><code>{escape(printed.getvalue())}</code></pre>")
    if value is not None:
        parts.append(shown(value))
    return "".join(parts)


@contextlib.contextmanager
def workshop() -> Iterator[None]:
    """A folder of its own to work in, with the files of prepare."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder))
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def run(text: str, place: str) -> list[str]:
    """Runs the blocks of a page; gives for each what the site shows below it."""
    names: dict[str, Any] = {"__name__": place}
    with workshop():
        found = []
        for block in FENCE.finditer(text):
            code = "\n" * text[: block.start()].count("\n") + "\n" + block[2]  # so that errors name the line of the page
            found.append(execute(code, names, place, block[1] is not None))
        return found


def on_config(config: Any, **_: Any) -> Any:
    """Called by mkdocs: pages that mkdocs.yml does not list come last."""
    listed = str(config.nav)
    docs = ROOT / "docs"
    more = [page for path in sorted(docs.rglob("*.md")) if (page := path.relative_to(docs).as_posix()) not in listed]
    if more:
        config.nav.append({"More": more})
    return config


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Called by mkdocs for each page."""
    if "```python show\n" not in markdown:
        return markdown
    outputs = iter(run(markdown, page.file.src_path))

    def replace(block: re.Match[str]) -> str:
        output = next(outputs)
        fence = f"```python\n{block[2]}```\n"
        # A blank line would end the element for the reader of Markdown.
        return fence + (f'\n<div class="shown" markdown="0">{re.sub(chr(10) + "+", "&#10;", output)}</div>\n\n' if output else "")

    return FENCE.sub(replace, markdown)


# What the plugin "offline" loads from the web; css/worker.js does the same.
SHIM = '<script src="https://unpkg.com/iframe-worker/shim"></script>'


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """Called by mkdocs for each page: it loads nothing from elsewhere."""
    return at_home(output, "../" * page.url.count("/"))


def on_post_template(output_content: str, template_name: str, **_: Any) -> str:
    """Called by mkdocs for pages of its own."""
    return at_home(output_content, "/") if template_name.endswith(".html") else output_content


def at_home(html: str, root: str) -> str:
    """A page that loads nothing from elsewhere."""
    html = html.replace(SHIM, f'<script src="{root}css/worker.js"></script>')
    away = re.findall(r"<(?:script|img|iframe|link)\b[^>]*\b(?:src|href)=\"?https?://[^>]*>", re.sub(r' srcdoc="[^"]*"', "", html))
    if away:
        raise ValueError(f"the site would load {away[0]}")
    return html


class Docstrings(Extension):  # type: ignore[misc]
    """Examples in docstrings become blocks of code, names of pages links, and arguments that share a text several."""

    def on_object(self, *, obj: Any, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = site_docstring(obj.docstring.value)


def table(found: re.Match[str]) -> str:
    """A table of a docstring as Markdown has it."""
    width = len(found[1] + found[2])
    rows = "".join(f"| {line[:width].strip()} | {line[width:].strip()} |\n" for line in found[3].splitlines())
    return f"\n| | |\n|---|---|\n{rows}"


def site_docstring(text: str) -> str:
    """A docstring for the site."""
    lines: list[str] = []
    inside = False
    for line in TABLE.sub(table, text).splitlines():
        if line.startswith(">>>") and not inside:
            lines += ["", "```pycon"]
            inside = True
        elif inside and not line.strip():
            lines.append("```")
            inside = False
        lines.append(line)
    if inside:
        lines.append("```")
    linked = re.sub(r"`*docs/(\w+)\.md(#[\w-]+)?`*", lambda page: f"[{page[1]}](../{page[1]}.md{page[2] or ''})", "\n".join(lines))
    return TOGETHER.sub(lambda several: "".join(f"    {name}: {several[2]}" for name in several[1].split(", ")), linked + "\n").removesuffix("\n")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: docs_pages.py FOLDER")
    prepare(Path(sys.argv[1]))
