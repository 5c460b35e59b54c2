"""A small policy and value network trained on files of HCPE or PSV records, with a checkpoint from which training goes on in the middle of an epoch.

    python examples/train.py [--steps N] [--out DIR] [FILE ...]

Without a file it trains on the ten games of the main job (examples/main_job.py makes their records). Needs torch: pip install 'komadori[torch,cli]'.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import main_job
import torch
from torch import nn
from torch.nn import functional

from komadori import threads, training
from komadori.torch import Tensors, loader

POLICY_LABELS = 2187


class Network(nn.Module):
    """dlshogi's inputs, a few residual blocks, a policy over the labels and a value."""

    def __init__(self, channels: int, blocks: int) -> None:
        super().__init__()
        self.board = nn.Conv2d(62, channels, 3, padding=1, bias=False)
        self.hands = nn.Conv2d(57, channels, 1, bias=False)  # constant planes: no neighbors needed
        self.norm = nn.BatchNorm2d(channels)
        self.blocks = nn.ModuleList(
            nn.Sequential(
                nn.Conv2d(channels, channels, 3, padding=1, bias=False),
                nn.BatchNorm2d(channels),
                nn.ReLU(),
                nn.Conv2d(channels, channels, 3, padding=1, bias=False),
                nn.BatchNorm2d(channels),
            )
            for _ in range(blocks)
        )
        self.policy = nn.Conv2d(channels, POLICY_LABELS // 81, 1)  # a plane for each of the 27 directions: label = 81 * direction + square
        self.value = nn.Sequential(nn.Conv2d(channels, 4, 1), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 81, 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, features1: torch.Tensor, features2: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x = functional.relu(self.norm(self.board(features1) + self.hands(features2)))
        for block in self.blocks:
            x = functional.relu(x + block(x))
        return self.policy(x).flatten(1), self.value(x).flatten()


def losses(network: nn.Module, batch: Tensors) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Policy loss, value loss and the share of moves that are the network's first choice."""
    policy, value = network(batch.features1, batch.features2)
    wanted = (batch.result + batch.value) / 2  # who won, and what the search thought
    right = (policy.argmax(1) == batch.label).float().mean()
    return functional.cross_entropy(policy, batch.label), functional.binary_cross_entropy_with_logits(value, wanted), right


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, help="files of records")
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the checkpoint, and for the records of the main job")
    parser.add_argument("--steps", type=int, default=300, help="batches to train on, over all runs that resume each other")
    parser.add_argument("--batch", type=int, default=256, help="rows of a batch")
    parser.add_argument("--channels", type=int, default=64)
    parser.add_argument("--blocks", type=int, default=4)
    parser.add_argument("--rate", type=float, default=0.002, help="learning rate")
    parser.add_argument("--workers", type=int, default=0, help="processes that decode; 0 for a thread of this one")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--nodes", type=int, default=main_job.NODES, help="nodes of the searches that evaluate the games of the main job")
    parser.add_argument("--resume", action="store_true", help="go on from the checkpoint")
    options = parser.parse_args(arguments)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(options.seed)
    options.out.mkdir(parents=True, exist_ok=True)
    files = options.files or [options.out / "games.hcpe"]
    if not options.files and not files[0].exists():
        main_job.make_files(options.out, options.nodes)

    data = training.open(files if len(files) > 1 else files[0])
    batches = loader(data, options.batch, seed=options.seed, mirror=0.5, drop_last=len(data) >= options.batch, num_workers=options.workers, device=device)
    network = Network(options.channels, options.blocks).to(device)
    optimizer = torch.optim.AdamW(network.parameters(), lr=options.rate)
    step = 0
    checkpoint = options.out / "checkpoint.pt"
    if options.resume:
        saved = torch.load(checkpoint, map_location=device)
        network.load_state_dict(saved["network"])
        optimizer.load_state_dict(saved["optimizer"])
        batches.load_state_dict(saved["batches"])  # the epoch goes on with the rows that have not been seen
        step = saved["step"]
    print(f"{len(data):,} rows, {len(batches)} batches an epoch, {sum(p.numel() for p in network.parameters()):,} weights, {device}, {threads()} threads")

    network.train()
    begin, seen, shown = time.perf_counter(), 0, max(1, options.steps // 10)
    while step < options.steps:
        for batch in batches:
            policy_loss, value_loss, right = losses(network, batch)
            optimizer.zero_grad(set_to_none=True)
            (policy_loss + value_loss).backward()
            optimizer.step()
            step, seen = step + 1, seen + len(batch.label)
            if step % shown == 0 or step in (1, options.steps):
                rate = seen / (time.perf_counter() - begin)
                print(
                    f"step {step:>6}  epoch {batches.epoch}  policy {policy_loss.item():.3f}  value {value_loss.item():.3f}  "
                    f"first choice {right.item():.1%}  {rate:,.0f} rows/s",
                    flush=True,
                )
            if step == options.steps:
                break
    unfinished = checkpoint.with_suffix(".part")
    torch.save({"network": network.state_dict(), "optimizer": optimizer.state_dict(), "batches": batches.state_dict(), "step": step}, unfinished)
    unfinished.replace(checkpoint)
    print(f"wrote {checkpoint}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
