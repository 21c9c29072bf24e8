"""A tool that is none: it plans what it is told to, and says what it was asked for."""

import io
import zipfile
from contextlib import asynccontextmanager

import msgspec

from plumbline.base.errors import PlumblineError
from plumbline.base.json import encode
from plumbline.base.plaintext import Plaintext
from plumbline.base.tree import MemoryTree
from plumbline.terraform.changed.checkout import Between
from plumbline.terraform.work import Applied, Planned, Step

BACKEND = 'terraform {\n  backend "s3" {\n  }\n}\n'


def of(files):
    return MemoryTree({path: text.encode() for path, text in files.items()})


def between(before, after):
    changed = frozenset(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
    return Between(of(before), of(after), changed, "b" * 40, "a" * 40, clean=True)


def state(lineage="", serial=0):
    return Plaintext(encode({"version": 4, "terraform_version": "1.11.4", "serial": serial, "lineage": lineage}))


def plan_bytes(lineage="", serial=0, note=""):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("tfstate", state(lineage, serial).reveal())
        archive.writestr("tfplan", note)
    return Plaintext(buffer.getvalue())


def plan_json(*, deletes=False):
    actions = ["delete"] if deletes else ["create"]
    before, after = ({"id": "1"}, None) if deletes else (None, {"id": "1"})
    change = {"actions": actions, "before": before, "after": after, "after_unknown": {}}
    resource = {
        "address": "aws_db_instance.x",
        "mode": "managed",
        "type": "aws_db_instance",
        "name": "x",
        "change": change,
    }
    return Plaintext(encode({"format_version": "1.2", "terraform_version": "1.11.4", "resource_changes": [resource]}))


EMPTY = Plaintext(encode({"format_version": "1.2", "terraform_version": "1.11.4", "resource_changes": []}))


class FakeTool:
    """*plans* by folder: what planning gives, or raises. *states* by folder: what is there when a plan is applied."""

    name = "terraform"

    def __init__(self, plans=None, states=None, failures=None, version="1.11.4"):
        self.plans, self.states, self.failures = plans or {}, states or {}, failures or {}
        self.version = version
        self.workplaces, self.applied, self.asked = [], [], []

    @asynccontextmanager
    async def opened(self, tree, workplace):
        self.workplaces.append(workplace)
        yield FakeSession(self, workplace.path)


class FakeSession:
    def __init__(self, tool, folder):
        self._tool, self._folder = tool, folder

    async def plan(self, planning):
        self._tool.asked.append(planning)
        answer = self._tool.plans.get(self._folder) or made()
        if isinstance(answer, PlumblineError):
            raise answer
        return answer

    async def shown(self, plan):
        return EMPTY, Plaintext("No changes.")

    async def apply(self, applying, told):
        self._tool.asked.append(applying)
        told(Step(address="aws_db_instance.x", action="create", stage="started"))
        if self._folder in self._tool.failures:
            raise self._tool.failures[self._folder]
        self._tool.applied.append((self._folder, applying.plan))
        told(Step(address="aws_db_instance.x", action="create", stage="completed"))
        return Applied(steps=())

    async def state(self):
        return self._tool.states.get(self._folder, Plaintext(""))


def made(*, changes=True, lineage="", serial=0, json=None):
    nothing = Plaintext("")
    return Planned(
        plan=plan_bytes(lineage, serial),
        json=(json or plan_json()) if changes else nothing,
        text=Plaintext("text") if changes else nothing,
        changes=changes,
    )


def replaced(value, **fields):
    return msgspec.structs.replace(value, **fields)
