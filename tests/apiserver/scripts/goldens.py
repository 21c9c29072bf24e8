"""What the real server answered to the scripts, as files; and where a run disagrees with them."""

from pathlib import Path

from tests.apiserver.scripts.steps import Script

from plumbline.base.json import Json, decode, encode_sorted

FOLDER = Path(__file__).parents[1] / "goldens"

Golden = list[Json]


def load(theme: str) -> dict[str, Golden]:
    path = FOLDER / f"{theme}.json"
    return decode(path.read_bytes()) if path.exists() else {}


def save(theme: str, recorded: dict[str, Golden]) -> None:
    """One script per line, so that a change shows as the lines that it concerns."""
    lines = [encode_sorted({name: recorded[name]})[1:-1] for name in sorted(recorded)]
    (FOLDER / f"{theme}.json").write_bytes(b"{\n" + b",\n".join(lines) + b"\n}\n")


def disagreements(script: Script, ours: Golden, theirs: Golden) -> list[str]:
    """Step by step: status, the headers that clients look at, and the body."""
    found: list[str] = []
    for number, (step, mine, real) in enumerate(zip(script, ours, theirs, strict=True)):
        if not step.compared:
            continue
        label = f"step {number} {step.method} {step.path if isinstance(step.path, str) else '(made)'}"
        if mine["status"] != real["status"]:
            ours_said, they_said = _short(mine["body"]), _short(real["body"])
            found.append(f"{label}: ours {mine['status']} {ours_said}\n  server's {real['status']} {they_said}")
            continue
        found.extend(f"{label} {each}" for each in differences("", mine, real))
    return found


def differences(path: str, ours: Json, theirs: Json) -> list[str]:
    if isinstance(ours, dict) and isinstance(theirs, dict):
        keys = sorted(ours.keys() | theirs.keys())
        return [
            each
            for key in keys
            for each in differences(f"{path}.{key}", ours.get(key, _ABSENT), theirs.get(key, _ABSENT))
        ]
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        pairs = enumerate(zip(ours, theirs, strict=True))
        return [each for n, (mine, real) in pairs for each in differences(f"{path}[{n}]", mine, real)]
    same = ours == theirs and isinstance(ours, bool) is isinstance(theirs, bool)
    return [] if same else [f"{path}: ours {_short(ours)}, server's {_short(theirs)}"]


_ABSENT = "(absent)"


def _short(value: Json) -> str:
    text = str(value)
    return text if len(text) <= 500 else f"{text[:500]}…"
