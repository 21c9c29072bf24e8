"""`plumb app diff` says the same by a server and by the cluster: of every object what `argocd app diff` says."""

import pytest
from tests.cli.installed import config_map

from plumbline.base.json import encode

NAME = "both-ways"


def noted(name, value="1", **annotations):
    """A ConfigMap; `hook` and `compare_options` are Argo CD's."""
    marks = {f"argocd.argoproj.io/{key.replace('_', '-')}": text for key, text in annotations.items()}
    return config_map(name, value).replace(
        f"{{name: {name}}}", f"{{name: {name}, annotations: {encode(marks).decode()}}}"
    )


GIT = {
    "same": noted("both-same"),
    "changed": noted("both-changed"),
    "left": noted("both-left"),
    "extra": noted("both-extra", compare_options="IgnoreExtraneous"),
    "kept": noted("both-kept", compare_options="IgnoreExtraneous"),
}
LATER = {
    "same": GIT["same"],
    "kept": GIT["kept"].replace('"1"', '"2"'),
    "changed": noted("both-changed", "2"),
    "new": noted("both-new"),
    "skipped": noted("both-skipped", hook="Skip"),
    "hook": noted("both-hook", hook="PreSync"),
}


@pytest.fixture
def application(served, installed):
    installed.push({f"{NAME}/{name}.yaml": text for name, text in GIT.items()})
    served.create(NAME)
    served.done("app", "sync", NAME, "--timeout", "60")
    for name in GIT:
        (installed.checkout / NAME / f"{name}.yaml").unlink()
    installed.push({f"{NAME}/{name}.yaml": text for name, text in LATER.items()})
    served.until(lambda: "both-new" in served.done("app", "diff", NAME, "--refresh", "--no-exit-code"))
    yield NAME
    served.done("app", "delete", NAME, "--yes", "--wait")


def told(text):
    """What is said of each object, without who holds its fields: a server of Argo CD does not say that."""
    objects = {}
    for line in text.splitlines():
        if line.startswith("====="):
            lines = objects.setdefault(line.split("/")[-1].split()[0], [])
        elif not line.startswith("#"):
            lines.append(line)
    return objects


def test_a_server_and_the_cluster_say_the_same_of_every_object(served, installed, application):
    by_server = served("app", "diff", application, "--refresh")
    here = ("--core", "--kubeconfig", installed.kubeconfig, "--data", installed.data)
    by_cluster = served("app", "diff", application, "--refresh", *here)
    assert (by_server.code, by_cluster.code) == (1, 1)
    said = told(by_server.out)
    assert said == told(by_cluster.out)
    assert list(said) == [
        "both-changed",
        "both-extra",
        "both-kept",
        "both-left",
        "both-new",
        "both-skipped",
    ]
    for gone in ("both-extra", "both-left"):
        assert not [line for line in said[gone][2:] if line.startswith("+")], f"{gone} is not in Git"
