"""`make bench`: figures for people. Ratios come from one run on one machine; nothing here fails a build."""

import importlib
import sys

PARTS = ("pure", "kernel", "journal", "startup", "client", "plane")


def main() -> None:
    for name in sys.argv[1:] or PARTS:
        print(f"\n== {name}")
        importlib.import_module(f"bench.{name}").run()


if __name__ == "__main__":
    main()
