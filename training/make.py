"""The judge from public data to `models/judge`, step by step, in one command.

    python make.py --data DATA --work WORK --vouch ../target/release/vouch

Steps already done (their files are in WORK) are not done again; `--from STEP` does a step and all after it anew.
"""

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
MODEL = HERE.parent / "models" / "judge"


def steps(args) -> list[tuple[str, Path, list]]:
    """Name, the file that shows it is done, and the command's arguments."""
    work, out = args.work, args.work / "out"
    return [
        ("negatives", work / "hits-claims.jsonl", ["--data", args.data, "--work", work, *(["--vouch", args.vouch] if args.vouch else [])]),
        ("prepare", work / "rows.json", ["--data", args.data, "--work", work]),
        ("train", out / "judge-0.npz", ["--work", work, "--out", out, *args.train]),
        ("export", work / "exported", ["--work", out, "--out", MODEL]),
        ("splits", work / "split", ["--data", args.data, "--out", MODEL / "splits.json"]),
        ("measure", work / "measured.json", ["--work", work, "--model", MODEL / "model.onnx", "--out", work / "measured.json"]),
        (
            "calibrate",
            work / "calibrated",
            ["--work", work, "--model", MODEL / "model.onnx", "--out", MODEL / "calibration.json", "--reads-headings"],
        ),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="the public sets, see README.md")
    parser.add_argument("--work", type=Path, required=True, help="folder for what is made on the way")
    parser.add_argument("--vouch", type=Path, help="the binary whose retrieval finds hard negatives; without it words alone do")
    parser.add_argument("--from", dest="first", help="do this step and those after it anew")
    parser.add_argument("train", nargs="*", help="further arguments of train.py, after --")
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    anew = False
    for name, done, arguments in steps(args):
        anew |= name == args.first
        if done.exists() and not anew:
            print(f"{name}: done before")
            continue
        print(f"{name} …", flush=True)
        subprocess.run([sys.executable, HERE / f"{name}.py", *map(str, arguments)], check=True)
        if not done.exists():
            done.touch()


if __name__ == "__main__":
    main()
