"""What is applied after a definition may be of its kind: a sync goes on once the server has taken it up."""

from types import SimpleNamespace

import pytest

from plumbline.delivery.effects import Done
from plumbline.delivery.syncing import Syncing
from plumbline.kube.names import GroupVersionKind, Ref

CRD = GroupVersionKind("apiextensions.k8s.io", "v1", "CustomResourceDefinition")
REF = Ref(CRD.group, CRD.kind, "", "widgets.example.org")


def entry(**conditions):
    listed = [{"type": name, "status": value} for name, value in conditions.items()]
    return SimpleNamespace(raw=b"{}", object=lambda: {"status": {"conditions": listed}})


class Live:
    """Answers one after the other, the last of them again and again."""

    def __init__(self, *answers):
        self.answers, self.looks, self.forgotten = list(answers), 0, 0
        self.kinds = SimpleNamespace(forget=self.forget)

    def forget(self):
        self.forgotten += 1

    async def looked_for(self, gvk, ref):
        self.looks += 1
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@pytest.mark.parametrize(
    ("now", "answers", "looks", "why"),
    [
        (entry(Established="True"), [None], 0, "it is served already"),
        (entry(), [entry(Established="False"), entry(Established="True")], 2, "it is served soon"),
        (entry(NamesAccepted="False"), [None], 0, "it never will be"),
        (entry(), [entry()], 30, "nobody waits for ever"),
        (entry(), [None], 1, "it is gone again"),
        (None, [None], 0, "nobody knows what was written"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_a_sync_waits_a_moment_for_a_definition(now, answers, looks, why):
    live = Live(*answers)
    hands = Syncing(None, SimpleNamespace(live=live), None, None, SimpleNamespace(sleep=lambda _: _nothing()))
    await hands._served(SimpleNamespace(gvk=CRD, ref=REF), Done("created", now))
    assert (live.looks, live.forgotten) == (looks, 1), why


async def _nothing():
    pass
