"""The training example: its loss falls, and it goes on from its checkpoint."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("rich")

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "train.py"


def train(*arguments: object) -> str:
    command = [sys.executable, str(EXAMPLE), "--channels", "16", "--blocks", "2", "--batch", "128", "--rate", "0.005", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def policy_losses(report: str) -> list[float]:
    return [float(loss) for loss in re.findall(r"policy ([0-9.]+)", report)]


def test_the_loss_falls_and_a_checkpoint_goes_on(tmp_path: Path) -> None:
    first = train("--steps", 30, "--nodes", 20, "--out", tmp_path)
    assert "1,884 rows, 14 batches an epoch" in first
    losses = policy_losses(first)
    assert 7 < losses[0] < 9  # about ln(2187): nothing is known
    assert losses[-1] < losses[0] - 2
    second = train("--steps", 45, "--out", tmp_path, "--resume")
    assert "step     45" in second
    # The first step of the second run is the 31st: the third batch of the third epoch.
    assert "epoch 2" in second.splitlines()[1] or "epoch 3" in second.splitlines()[1]
    assert policy_losses(second)[0] < losses[0] - 2
