"""The process of a function in Python: loads a module, and serves its `FunctionRunner` at an address.

python -m plumbline.composition.functions.grpc.serving MODULE ADDRESS
"""

import importlib.util
import os
import sys
from pathlib import Path
from typing import Any, Final

from plumbline.base.limits import MIB

_MESSAGE_BYTES: Final = 64 * MIB
_STDOUT, _STDERR = 1, 2


def loaded(path: Path) -> Any:
    """The class `FunctionRunner` of the module at *path*, whose neighbours it may import."""
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location("plumbline_function", path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{path} is no Python module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    runner = getattr(module, "FunctionRunner", None)
    if runner is None:
        raise SystemExit(f"{path} has no class FunctionRunner")
    return runner


def main() -> None:
    from crossplane.function import logging, runtime  # noqa: PLC0415 - an extra

    # What functions log goes to stderr, of which only the end is kept; what goes to stdout is read while they run.
    os.dup2(_STDOUT, _STDERR)
    module, address = sys.argv[1:]
    logging.configure()
    runtime.serve(
        loaded(Path(module))(),
        address,
        creds=None,
        insecure=True,
        options=[
            ("grpc.max_receive_message_length", _MESSAGE_BYTES),
            ("grpc.max_send_message_length", _MESSAGE_BYTES),
        ],
    )


if __name__ == "__main__":
    main()
