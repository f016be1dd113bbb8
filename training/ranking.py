"""How well scores tell what is so from what is not, and which rows they are of."""

import hashlib

import numpy as np

LOST = (0.15, 0.10, 0.05)
SUPPORT, SAME = 2, 3


def auroc(scores: np.ndarray, labels: np.ndarray) -> float:
    ranks = np.empty(len(scores))
    ranks[np.argsort(scores, kind="stable")] = np.arange(1, len(scores) + 1)
    good = labels == 1
    return (ranks[good].sum() - good.sum() * (good.sum() + 1) / 2) / max(1, good.sum() * (~good).sum())


def refused(scores: np.ndarray, labels: np.ndarray, lost: float) -> float:
    """The share of what is not so that lies below what loses this share of what is."""
    return float((scores[labels == 0] < np.quantile(scores[labels == 1], lost)).mean())


def balanced(scores: np.ndarray, labels: np.ndarray) -> float:
    """The mean of what is kept of what is so and refused of what is not, at the best of all thresholds."""
    order = np.argsort(-scores, kind="stable")
    good = labels[order] == 1
    kept = np.concatenate([[0], np.cumsum(good)]) / max(1, good.sum())
    let = np.concatenate([[0], np.cumsum(~good)]) / max(1, (~good).sum())
    return float((kept + 1 - let).max() / 2)


def held_apart(groups: list[str], group: np.ndarray, most: int | None = None) -> np.ndarray:
    """The rows of the groups kept to tune on or to report on, of each so many at most."""
    own = [np.flatnonzero(group == g)[:most] for g, name in enumerate(groups) if name.startswith(("tune", "test"))]
    return np.concatenate([*own, np.zeros(0, dtype=np.int64)])


def shown_as(group: str) -> str:
    """Altered and untouched sentences are groups of their own and tell something together only; so are pairs of questions."""
    return "tune/sentences" if "-sentence" in group else "tune/same" if group.startswith("tune/same") else group


def figures_of(groups: list[str], group: np.ndarray, task: np.ndarray, y: np.ndarray, scores: np.ndarray) -> dict[str, dict]:
    """Of every group: how many rows, AUROC, what is refused where so many of the good are lost, the best balance.

    A line of `scores` holds answerable, span over none, relevant, supported, same.
    """
    names = np.array([shown_as(name) for name in groups])[group]
    found = {}
    for name in dict.fromkeys(names.tolist()):
        own = names == name
        labels, told = y[own], scores[own]
        if len(set(labels.tolist())) < 2:
            continue
        kind = task[own][0]
        if kind in (SUPPORT, SAME):
            ways = {"head": told[:, 3 if kind == SUPPORT else 4]}
        else:
            ways = {"head": told[:, 0], "both": told[:, 0] + 0.5 * told[:, 1]}
        found[name] = {"rows": int(own.sum()), "good": int(labels.sum())}
        for way, values in ways.items():
            found[name][way] = {
                "auroc": round(float(auroc(values, labels)), 4),
                **{f"refused at {lost:.0%} lost": round(refused(values, labels, lost), 3) for lost in LOST},
                "balanced": round(balanced(values, labels), 3),
            }
    return found


def line_of(name: str, row: dict) -> str:
    best = row.get("both", row["head"])
    gone = "/".join(f"{best[f'refused at {lost:.0%} lost']:.2f}" for lost in LOST)
    return f"{name} {row['head']['auroc']:.3f}" + (f" with span {best['auroc']:.3f}" if "both" in row else "") + f" ({gone}; {best['balanced']:.2f})"


def tuned_mean(found: dict[str, dict]) -> float:
    """The mean AUROC over the parts kept to tune on."""
    return float(np.mean([row.get("both", row["head"])["auroc"] for name, row in found.items() if name.startswith("tune")] or [0.0]))


def digest(*columns: np.ndarray) -> str:
    """The same for the same rows in the same order."""
    found = hashlib.sha256()
    for column in columns:
        found.update(np.ascontiguousarray(column, dtype=np.int32).tobytes())
    return found.hexdigest()
