"""`make bench`: figures for people. Ratios come from one run on one machine; nothing here fails a build."""

import importlib
import itertools
import sys

PARTS = (
    "pure",
    "kernel",
    "journal",
    "startup",
    "sample",
    "client",
    "plane",
    "composition",
    "terraform",
    "secrets",
    "web",
    "delivery",
)


def main() -> None:
    """`python -m bench [part…] [options of the last part]`."""
    arguments = sys.argv[1:]
    names = list(itertools.takewhile(lambda each: not each.startswith("-"), arguments))
    options = arguments[len(names) :]
    *others, last = names or PARTS
    for name in others:
        ran(name)
    ran(last, *([options] if options else []))


def ran(name, *options) -> None:
    print(f"\n== {name}")
    importlib.import_module(f"bench.{name}").run(*options)


if __name__ == "__main__":
    main()
