"""The examples run, on their own data and on a user's file, and say what they should."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import komadori

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def run_main_job(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(EXAMPLES / "main_job.py"), *map(str, arguments)], capture_output=True, text=True, encoding="utf-8", timeout=600, check=False
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("main_job")
    run = run_main_job("--nodes", 50, "--out", folder)
    assert run.returncode == 0, run.stderr
    return folder, run.stdout


def test_main_job_makes_and_checks_both_files(made: tuple[Path, str]) -> None:
    folder, report = made
    assert (folder / "games.hcpe").stat().st_size == 38 * 1884
    assert (folder / "games.psv").stat().st_size == 40 * 1884
    assert report.count("1,884, 0") == 2, report  # good and bad rows of each
    assert report.count("every row agrees") == 2
    assert (folder / "position.svg").read_text(encoding="utf-8").startswith("<svg")


def test_main_job_takes_a_users_file(made: tuple[Path, str]) -> None:
    folder, _ = made
    run = run_main_job(folder / "games.psv", "--out", folder / "own")
    assert run.returncode == 0, run.stderr
    assert "1,884, 0" in run.stdout


def test_main_job_reports_bad_rows(made: tuple[Path, str]) -> None:
    folder, _ = made
    raw = bytearray((folder / "games.hcpe").read_bytes())
    raw[38 * 7 : 38 * 7 + 32] = b"\xff" * 32
    (folder / "damaged.hcpe").write_bytes(raw)
    run = run_main_job(folder / "damaged.hcpe", "--out", folder / "damaged")
    assert run.returncode == 0, run.stderr
    assert "1,883, 1" in run.stdout


def test_notebook_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(komadori.__file__).parents[1]))  # the kernel is to have the package under test
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    notebook = nbformat.read(EXAMPLES / "main_job.ipynb", as_version=4)
    done = nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(EXAMPLES)}}).execute()
    assert "719731" in str(done.cells[-1].outputs)
    assert any("image/svg+xml" in output.get("data", {}) for cell in done.cells if cell.cell_type == "code" for output in cell.outputs)


def test_notebook_of_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(komadori.__file__).parents[1]))
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    notebook = nbformat.read(EXAMPLES / "notebooks" / "engine.ipynb", as_version=4)
    done = nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    drawn = [output["data"].get("text/html", "") for cell in done.cells if cell.cell_type == "code" for output in cell.outputs if "data" in output]
    assert sum("<table" in text and "<svg" in text for text in drawn) == 4  # a search, a show, a batch and one of its results
    live = next(cell for cell in done.cells if ".show()" in cell.source and cell.cell_type == "code").outputs
    assert len(live) == 1 and "depth 9/" in live[0]["data"]["text/html"]  # one display, changed to the end
    assert sum('class="curve"' in text for text in drawn) == 3


@pytest.mark.parametrize("name", sorted(path.name for path in (EXAMPLES / "notebooks").glob("[0-9]*.ipynb")))
def test_notebooks_run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As notebooks, with what they draw; as plain programs where Jupyter is missing."""
    path = EXAMPLES / "notebooks" / name
    monkeypatch.setenv("PYTHONPATH", str(Path(komadori.__file__).parents[1]))
    monkeypatch.setenv("MPLBACKEND", "Agg")
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert all(not cell.get("outputs") for cell in cells), "notebooks are committed without outputs"
    try:
        import nbclient
        import nbformat
    except ImportError:
        program = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
        run = subprocess.run([sys.executable, "-c", program], cwd=path.parent, capture_output=True, text=True, timeout=600, check=False)
        assert run.returncode == 0, run.stderr
        return
    notebook = nbformat.read(path, as_version=4)
    done = nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(path.parent)}}).execute()
    outputs = [output for cell in done.cells if cell.cell_type == "code" for output in cell.outputs]
    drawn = [output["data"] for output in outputs if "data" in output and {"image/svg+xml", "text/html"} & set(output["data"])]
    assert len(drawn) >= 3
    assert len(str(outputs)) < 2_000_000


def test_readme_runs(made: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, _ = made
    text = (EXAMPLES.parent / "README.md").read_text(encoding="utf-8")
    program = text.split("```python\n")[1].split("```")[0]
    (tmp_path / "games.hcpe").write_bytes((folder / "games.hcpe").read_bytes())
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    exec(compile(program, "README.md", "exec"), names)
    assert names["batch"].features1.shape == (1884, 62, 9, 9)  # type: ignore[attr-defined]
    assert "make demo" in text and "make test" in text


def test_guide_runs(made: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, _ = made
    text = (EXAMPLES.parent / "docs" / "training.md").read_text(encoding="utf-8")
    (tmp_path / "games.hcpe").write_bytes((folder / "games.hcpe").read_bytes())
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for part in text.split("```python\n")[1:]:
        exec(compile(part.split("```")[0], "docs/training.md", "exec"), names)
    assert names["batch"].policy.shape == (1884, 1496)  # type: ignore[attr-defined]
    assert names["report"].lost["plies"] == 0  # type: ignore[attr-defined]
    assert len(komadori.training.open("more.psv")) == 1000


def test_analysis_page_runs() -> None:
    text = (EXAMPLES.parent / "docs" / "analysis.md").read_text(encoding="utf-8")
    names: dict[str, object] = {}
    for part in text.split("```python\n")[1:]:
        exec(compile(part.split("```")[0], "docs/analysis.md", "exec"), names)
    assert len(names["batch"]) == 13 and names["plot"].x_label == "depth"  # type: ignore[arg-type, attr-defined]


def test_records_page_runs() -> None:
    text = (EXAMPLES.parent / "docs" / "records.md").read_text(encoding="utf-8")
    names: dict[str, object] = {}
    for part in text.split("```python\n")[1:]:
        exec(compile(part.split("```")[0], "docs/records.md", "exec"), names)
    assert names["kifu"].losses("csa") == ("1 variation", "1 comment")  # type: ignore[attr-defined]
