"""Plans for tests: real ones from files, and ones made up where no resource at hand can do what is wanted."""

import json
from pathlib import Path

from plumbline.base.plaintext import Plaintext
from plumbline.terraform.plans import summarised

_FIXTURES = Path(__file__).parent / "fixtures"


def real(name):
    """What `terraform show -json` printed."""
    return Plaintext((_FIXTURES / f"{name}.json").read_bytes())


def made(*changes, **fields):
    plan = {"format_version": "1.2", "terraform_version": "1.11.4", "resource_changes": list(changes), **fields}
    return Plaintext(json.dumps(plan))


def change(address, *actions, before=None, after=None, **fields):
    inside = {"actions": list(actions), "before": before, "after": after}
    for key in ("after_unknown", "before_sensitive", "after_sensitive", "replace_paths", "importing"):
        if key in fields:
            inside[key] = fields.pop(key)
    type_, _, name = address.rpartition("]")[2].strip(".").rpartition(".")
    plain = address.partition("[")[0].split(".")
    type_ = fields.pop("type", plain[-2] if len(plain) > 1 else type_)
    return {"address": address, "mode": "managed", "type": type_, "name": name, "change": inside, **fields}


def prior(*addresses):
    resources = [{"address": each, "mode": "managed", "type": each.split(".")[0]} for each in addresses]
    return {"prior_state": {"values": {"root_module": {"resources": resources}}}}


def summary(*changes, **fields):
    return summarised(made(*changes, **fields))
