"""`plumb runner` is typed by Jobs: it is in no help, and passes on what the cluster tells its pod."""

import click
import pytest
from click.testing import CliRunner

from plumbline.base.plaintext import Plaintext
from plumbline.cli.main import plumb
from plumbline.cli.verbs.runner import verb
from plumbline.cli.vocabulary import UNLISTED, VERBS
from plumbline.terraform.work import Argument, Workplace
from plumbline.wiring.running import identified


def test_it_is_known_and_not_listed():
    context = click.Context(plumb, info_name="plumb")
    assert "runner" in UNLISTED
    assert "runner" not in VERBS
    assert "runner" not in plumb.list_commands(context)
    assert plumb.get_command(context, "runner") is verb


@pytest.mark.parametrize("order", ["network", "/network", "infra/"])
def test_an_order_is_a_namespace_and_a_name(order):
    said = CliRunner().invoke(verb, ["--order", order])
    assert said.exit_code == 2
    assert "is not NAMESPACE/NAME" in said.output


def test_the_tool_gets_the_identity_of_its_pod_unless_its_object_says_otherwise(monkeypatch):
    monkeypatch.setenv("AWS_ROLE_ARN", "arn:aws:iam::1:role/net")
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    monkeypatch.setenv("SOMETHING_ELSE", "x")
    said = Argument("AWS_REGION", Plaintext("eu-central-1"))
    found = identified(Workplace(environment=(said,))).environment
    assert [each for each in found if each.name == "AWS_REGION"] == [said]
    assert Argument("AWS_ROLE_ARN", Plaintext("arn:aws:iam::1:role/net")) in found
    assert "SOMETHING_ELSE" not in {each.name for each in found}
