"""Webhook secrets: closed, resolved where they refer elsewhere, and refused rather than forgotten."""

import pytest
from tests.delivery.settings.building import config_map, secret

from plumbline.base.plaintext import Plaintext
from plumbline.delivery.settings import Sources, read_settings
from plumbline.delivery.settings.references import nowhere, resolved


def read(entries, lookup=nowhere):
    return read_settings(Sources(control_plane=config_map({}), secret=secret(entries)), lookup=lookup)


def test_secrets_are_carried_closed():
    found = read({"webhook.github.secret": "hush", "webhook.azuredevops.username": "u"})
    assert found.webhooks.github == Plaintext("hush")
    assert found.webhooks.azure_devops_username == Plaintext("u")
    assert found.webhooks.gitlab is None
    assert "hush" not in repr(found)


@pytest.mark.parametrize(
    ("key", "field"),
    [
        ("webhook.github.secret", "github"),
        ("webhook.gitlab.secret", "gitlab"),
        ("webhook.bitbucket.uuid", "bitbucket_uuid"),
        ("webhook.bitbucketserver.secret", "bitbucket_server"),
        ("webhook.gogs.secret", "gogs"),
        ("webhook.harbor.secret", "harbor"),
        ("webhook.azuredevops.username", "azure_devops_username"),
        ("webhook.azuredevops.password", "azure_devops_password"),
        ("webhook.generic.secret", "generic"),
    ],
)
def test_every_forge_has_the_key_that_argo_cd_gives_it_and_all_others_one_of_ours(key, field):
    assert getattr(read({key: "hush"}).webhooks, field) == Plaintext("hush")


def test_a_reference_leads_to_another_secret_or_another_key():
    def lookup(name, key):
        return Plaintext("  there\n") if (name, key) == ("other", "token") else None

    found = read({"webhook.gitlab.secret": "$other:token", "webhook.gogs.secret": "$mine", "mine": "$here"}, lookup)
    assert found.problems == ()
    assert found.webhooks.gitlab == Plaintext("there")
    assert found.webhooks.gogs == Plaintext("$here"), "one step and no further"


def test_a_reference_that_leads_nowhere_is_not_an_absent_secret():
    found = read({"webhook.github.secret": "$gone", "webhook.harbor.secret": "fine", "webhook.gogs.secret": "$x:y"})
    assert found.webhooks.github is None
    assert found.webhooks.unresolved == {"github", "gogs"}
    assert [problem.key for problem in found.problems] == ["webhook.github.secret", "webhook.gogs.secret"]
    assert found.webhooks.harbor == Plaintext("fine")


def test_nor_is_a_secret_that_cannot_be_decoded():
    broken = {"data": {"webhook.github.secret": "*not base64*", "webhook.gitlab.secret": "Zm9v"}}
    found = read_settings(Sources(secret=broken))
    assert found.webhooks.unresolved == {"github"}
    assert found.webhooks.gitlab == Plaintext("foo")
    assert "not base64*" not in str(found.problems)


def test_what_is_no_reference_stays_as_it_is():
    assert resolved(Plaintext("plain"), {}, nowhere) == Plaintext("plain")
