"""`adopt`, `release` and `consent`: what they ask of the cluster, and what they say when it is refused."""

import pytest

from plumbline.base.errors import RivalAlive
from plumbline.cli import handover
from plumbline.kinds.mandate import Grant, MandateSpec


@pytest.fixture
def asked(monkeypatch):
    """What was asked of the cluster, which is not there."""
    calls = []

    async def over(grant, kubeconfig, context, quiet_s):
        calls.append(("over", grant, quiet_s))
        return MandateSpec(adopted=(grant,))

    async def back(grant, kubeconfig, context):
        calls.append(("back", grant))
        return MandateSpec()

    async def agreed(target, token, namespace, kubeconfig, context):
        calls.append(("agreed", target, token, namespace))

    monkeypatch.setattr(handover, "handed_over", over)
    monkeypatch.setattr(handover, "handed_back", back)
    monkeypatch.setattr(handover, "consented", agreed)
    return calls


def test_adopting_names_what_is_meant_and_prints_the_mandate(run, asked):
    result = run("adopt", "--group", "argoproj.io", "--kind", "Application", "-n", "argocd", "--quiet-for", "60")
    assert result.code == 0
    assert asked == [("over", Grant(group="argoproj.io", kind="Application", namespace="argocd"), 60.0)]
    assert result.out.splitlines() == ["mode: Observe", "adopted: group=argoproj.io kind=Application namespace=argocd"]


def test_the_mandate_comes_as_json_too(run, asked):
    result = run("adopt", "--group", "argoproj.io", "-o", "json")
    assert '"adopted"' in result.out


def test_releasing_prints_what_is_left(run, asked):
    assert run("release", "--group", "argoproj.io").out == "mode: Observe\n"
    assert asked[0][0] == "back"


def test_consent_is_one_token_on_one_object(run, asked):
    result = run("consent", "application/shop", "abc", "-n", "argocd")
    assert (result.code, asked) == (0, [("agreed", "application/shop", "abc", "argocd")])
    assert result.out == ""


def test_a_living_rival_is_named_and_the_exit_code_says_refused(run, monkeypatch):
    async def refused(*_):
        raise RivalAlive("Argo CD is alive", rivals=("Argo CD",), why="StatefulSet argocd/x runs")

    monkeypatch.setattr(handover, "handed_over", refused)
    result = run("adopt", "--group", "argoproj.io")
    assert result.code == 6
    assert "Argo CD" in result.err
    assert "rival-alive" in result.err
