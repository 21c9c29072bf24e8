"""A Secret that is not to be owned is known again by what is in it, also by whoever has just been started."""

import pytest

from plumbline.base.errors import AlreadyExists
from plumbline.secrets.sealed.target import changed
from plumbline.secrets.sealing.opening import SKIP_OWNER

SEALED = {"apiVersion": "bitnami.com/v1alpha1", "kind": "SealedSecret", "metadata": {"name": "db", "uid": "1"}}
WANTED = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": "db", "namespace": "shop", "annotations": {SKIP_OWNER: "true"}},
    "type": "Opaque",
    "data": {"a": "MQ=="},
}
LIVE = {**WANTED, "metadata": {**WANTED["metadata"], "uid": "2", "resourceVersion": "7"}}


@pytest.mark.parametrize("anew", [True, False])
def test_as_it_was_asked_for_there_is_nothing_to_do(anew):
    assert changed(SEALED, WANTED, LIVE, anew=anew) is None


def test_what_others_have_noted_on_it_is_theirs():
    noted = {**LIVE, "metadata": {**LIVE["metadata"], "labels": {"by": "hand"}}}
    assert changed(SEALED, WANTED, noted, anew=True) is None


@pytest.mark.parametrize("parts", [{"data": {"a": "Mg=="}}, {"type": "example.org/x"}])
def test_otherwise_it_is_somebody_elses(parts):
    with pytest.raises(AlreadyExists):
        changed(SEALED, WANTED, {**LIVE, **parts}, anew=True)
