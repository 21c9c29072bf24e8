"""Programs that stand for Helm, Kustomize, Go and kubectl: they say a version, and what they were asked."""

from pathlib import Path

PRINTS = "cat <<'END'\n{}\nEND\n"
OBJECT = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}"


def program(folder: Path, name: str, body: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def saying(version: str, otherwise: str = "") -> str:
    """Asked for its version it says it; else it does *otherwise*."""
    return f'if [ "$1" = version ]; then echo "{version}"; exit 0; fi\n{otherwise}'
