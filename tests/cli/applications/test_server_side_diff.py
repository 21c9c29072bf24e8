"""`plumb app diff --server-side-diff`: the destination says what a sync would change, by a server and by the cluster."""

import pytest
from tests.cli.installed import deployment

NAME = "judged"
ONE = '{name: main, image: "registry.example.org/judged:1"}'
OTHER = '{name: other, image: "registry.example.org/judged:1"}'


@pytest.fixture
def application(served, installed):
    """In Git two containers have changed places, which only the server takes for a change."""
    text = deployment(NAME)
    installed.push({f"{NAME}/all.yaml": text.replace(ONE, f"{ONE}, {OTHER}")})
    served.create(NAME)
    served.done("app", "sync", NAME, "--timeout", "60")
    installed.push({f"{NAME}/all.yaml": text.replace(ONE, f"{OTHER}, {ONE}")})
    yield NAME
    served.done("app", "delete", NAME, "--yes", "--wait")


def test_the_destination_says_so_by_either_way(served, installed, application):
    here = ("--core", "--kubeconfig", installed.kubeconfig, "--data", installed.data)
    for where in ((), here):
        ask = ("app", "diff", application, "--refresh", *where)
        assert served(*ask).code == 0, where
        said = served(*ask, "--server-side-diff")
        assert (said.code, said.err) == (1, ""), where
        assert f"===== apps/Deployment default/{NAME} ======" in said.out
        assert {line.strip() for line in said.out.splitlines() if "name: " in line} & {
            "-        name: other",
            "+        name: other",
        }
    served.done(
        "app", "patch", application, "--patch",
        '{"metadata": {"annotations": {"argocd.argoproj.io/compare-options": "ServerSideDiff=true"}}}', "--type", "merge",
    )  # fmt: skip
    for where in ((), here):
        ask = ("app", "diff", application, "--refresh", *where)
        assert served(*ask).code == 1, "as the application says"
        assert served(*ask, "--server-side-diff=false").code == 0, where
        assert served("app", "manifests", application, *where).code == 0
