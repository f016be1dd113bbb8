"""A reply and what must hold in it → what is wrong; the words of a row, filled from replies.

Paths and checks are explained in examples.py.
"""

import json
import re


class Missing(Exception):
    """A path that leads nowhere."""


def pick(value, path):
    """What `path` names in `value`."""
    for step in re.findall(r"[^.\[\]]+|\[[^\]]*\]", path):
        value = stepped(value, step, path)
    return value


def stepped(value, step, path):
    if isinstance(value, Each):
        return Each(stepped(one, step, path) for one in value)
    if step == "[]":
        return Each(value)
    if step.startswith("["):
        inner = step[1:-1]
        if inner.lstrip("-").isdigit():
            return value[int(inner)] if isinstance(value, list) and -len(value) <= int(inner) < len(value) else missing(path)
        key, _, wanted = inner.partition("=")
        found = [one for one in value if str(one.get(key)) == wanted]
        return found[0] if found else missing(path)
    if step == "count" and isinstance(value, (list, Each)):
        return len(value)
    if isinstance(value, dict) and step in value:
        return value[step]
    return missing(path)


def missing(path):
    raise Missing(path)


class Each(list):
    """The elements of a list, each of which the rest of a path is for."""


def fault_of(value, wanted):
    """What is wrong with `value`, or None."""
    if not isinstance(wanted, dict):
        value = list(value) if isinstance(value, Each) else value
        return None if value == wanted else f"is {told(value)} instead of {told(wanted)}"
    for operator, operand in wanted.items():
        if not holds(operator, value, operand):
            return f"is {told(value)}, which does not hold `{operator}: {told(operand)}`"
    return None


def holds(operator, value, operand):
    figures = value if isinstance(value, list) else [value]
    numbers = all(isinstance(one, (int, float)) for one in figures) and bool(figures)
    texts = [one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in figures]
    operands = operand if isinstance(operand, list) else [operand]
    if operator == "tells":
        return all(any(str(word) in text for text in texts) for word in operands)
    if operator == "lacks":
        return not any(str(word) in text for word in operands for text in texts)
    if operator == "has":
        return all(word in figures for word in operands)
    if operator == "from":
        return numbers and all(one >= operand for one in figures)
    if operator == "to":
        return numbers and all(one <= operand for one in figures)
    if operator == "above":
        return numbers and all(one > operand for one in figures)
    if operator == "below":
        return numbers and all(one < operand for one in figures)
    if operator == "starts":
        return bool(texts) and all(text.startswith(operand) for text in texts)
    if operator == "one_of":
        return all(one in operand for one in figures)
    if operator == "is_set":
        return (value not in (None, [], "", {})) == operand
    raise SystemExit(f"docs/examples.jsonl: there is no check `{operator}`")


def told(value):
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 160 else text[:157] + "…"


def faults_of(reply, checks, about):
    """What does not hold in `reply`, one sentence for each check."""
    faults = []
    for path, wanted in checks.items():
        try:
            fault = fault_of(pick(reply, path), wanted)
        except Missing:
            fault = "is not there"
        if fault:
            faults.append(f"{about}`{path}` {fault}")
    return faults


def filled(text, replies):
    """`text` with its placeholders filled from the replies; the first reply needs no name."""

    def fill(match):
        name, path, form = match.group(1), match.group(2), match.group(3)
        value = pick(replies[name.rstrip(":")] if name else next(iter(replies.values())), path)
        if form == "%":
            return f"{value * 100:.0f}"
        if form:
            return f"{value:.{int(form)}f}"
        if isinstance(value, list):
            return ", ".join(dict.fromkeys(map(str, value)))
        return str(value)

    return re.sub(r"\{(\w+:)?([a-z_][\w.\[\]=\- ]*)(?:\|([\d%]))?\}", fill, text)
