"""One word for everything that goes into a run, which tells nobody what that was. Pure."""

import hashlib
import hmac
from collections.abc import Iterator

from plumbline.base.plaintext import Plaintext
from plumbline.terraform.work import Workplace


def digest(workplace: Workplace, key: Plaintext) -> str:
    """Equal for equal inputs only. Without *key* nobody can try values until one fits."""
    mac = hmac.new(key.reveal(), digestmod=hashlib.sha256)
    for part in _parts(workplace):
        mac.update(len(part).to_bytes(8, "big"))
        mac.update(part)
    return f"sha256:{mac.hexdigest()}"


def _parts(workplace: Workplace) -> Iterator[bytes]:
    """Each says how long its list is, so that no two workplaces give the same parts."""
    yield workplace.path.encode()
    yield workplace.workspace.encode()
    yield workplace.command_line_config.encode()
    yield bytes((workplace.upgrade, workplace.stateless))
    yield str(len(workplace.files)).encode()
    for file in workplace.files:
        yield file.place.encode()
        yield file.path.encode()
        yield file.content.reveal()
    yield str(len(workplace.var_files)).encode()
    yield from (each.encode() for each in workplace.var_files)
    for arguments in (workplace.environment, workplace.backend):
        yield str(len(arguments)).encode()
        for each in arguments:
            yield each.name.encode()
            yield each.value.reveal()
