"""Plans in Secrets: upstream reads ours, we read theirs, and what is damaged is told."""

import base64
import gzip
import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plumbline.base.errors import Corrupted, LimitExceeded, NotFound
from plumbline.base.plaintext import Plaintext
from plumbline.terraform.plans import digest
from plumbline.terraform.plans import storage as stored
from plumbline.terraform.plans.storage import (
    Marks,
    PlanPlace,
    label,
    marks,
    marks_on,
    opened,
    plan_config_maps,
    plan_secrets,
    selector,
)

from .samples import real

PLACE = PlanPlace(namespace="flux-system", name="net", uid="u-1", workspace="default")
GROUP = "infra.contrib.fluxcd.io"
SMALL = Plaintext(b"PK plan")


def _noise(size):
    """Bytes that do not compress."""
    blocks = (hashlib.sha256(at.to_bytes(4)).digest() for at in range(size // 32 + 1))
    return Plaintext(b"".join(blocks)[:size])


LARGE = _noise(2_500_000)


def _marks(plan=SMALL):
    found = digest(plan, serial=7, lineage="l-1", revision="main@sha1:b8e362c206e3d0", json=real("mixed"))
    return marks("plan-main-b8e362c206", found, serial=7, lineage="l-1", revision="main@sha1:b8e362c206e3d0")


def _upstream_reads(secrets, pending):
    """As its loader does: all that the labels select, the id on each, the pieces by number, all unpacked at once."""
    wanted = {f"{GROUP}/plan-name": "net", f"{GROUP}/plan-workspace": "default"}
    pieces = {}
    for secret in secrets:
        assert secret["metadata"]["labels"] == wanted
        annotations = secret["metadata"]["annotations"]
        assert annotations["savedPlan"] == pending
        assert annotations[f"{GROUP}/plan-full-workspace"] == "default"
        pieces[int(annotations.get(f"{GROUP}/plan-chunk") or "0")] = base64.b64decode(secret["data"]["tfplan"])
    return gzip.decompress(b"".join(pieces[at] for at in range(len(pieces))))


def _upstream_writes(content, size=1_048_576, *, plain_hash=True):
    packed = gzip.compress(content)
    pieces = [packed[at : at + size] for at in range(0, len(packed), size)]
    for at, piece in enumerate(pieces):
        whole = len(pieces) == 1
        hashed = content if whole and plain_hash else piece
        annotations = {
            "encoding": "gzip",
            "savedPlan": "plan-main-b8e362c206",
            f"{GROUP}/plan-hash": hashlib.sha256(hashed).hexdigest(),
        }
        if not whole:
            annotations[f"{GROUP}/plan-chunk"] = str(at)
        metadata = {"name": "tfplan-default-net" + ("" if whole else f"-{at}"), "annotations": annotations}
        yield {"kind": "Secret", "metadata": metadata, "data": {"tfplan": base64.b64encode(piece).decode()}}


def test_a_small_plan_is_one_secret_of_upstreams_form():
    (secret,) = plan_secrets(PLACE, SMALL, _marks(), extra={"plumbline.dev/plan": "{}"})
    metadata = secret["metadata"]
    assert (metadata["name"], metadata["namespace"], secret["type"]) == ("tfplan-default-net", "flux-system", "Opaque")
    assert metadata["labels"] == {f"{GROUP}/plan-name": "net", f"{GROUP}/plan-workspace": "default"}
    assert metadata["ownerReferences"] == [
        {"apiVersion": f"{GROUP}/v1alpha2", "kind": "Terraform", "name": "net", "uid": "u-1"}
    ]
    assert metadata["annotations"] == {
        "encoding": "gzip",
        "savedPlan": "plan-main-b8e362c206",
        f"{GROUP}/plan-full-name": "net",
        f"{GROUP}/plan-full-workspace": "default",
        f"{GROUP}/plan-hash": hashlib.sha256(SMALL.reveal()).hexdigest(),
        "plumbline.dev/plan-digest": _marks().digest,
        "plumbline.dev/plan-file": hashlib.sha256(SMALL.reveal()).hexdigest(),
        "plumbline.dev/state-serial": "7",
        "plumbline.dev/state-lineage": "l-1",
        "plumbline.dev/source-revision": "main@sha1:b8e362c206e3d0",
        "plumbline.dev/plan-chunks": "1",
        "plumbline.dev/plan": "{}",
    }


def test_a_large_plan_is_cut_where_upstream_cuts_it():
    secrets = plan_secrets(PLACE, LARGE, _marks(LARGE))
    assert [each["metadata"]["name"] for each in secrets] == [f"tfplan-default-net-{at}" for at in range(3)]
    sizes = [len(base64.b64decode(each["data"]["tfplan"])) for each in secrets]
    assert sizes[:2] == [1_048_576, 1_048_576]
    for secret in secrets:
        piece = base64.b64decode(secret["data"]["tfplan"])
        assert secret["metadata"]["annotations"][f"{GROUP}/plan-hash"] == hashlib.sha256(piece).hexdigest()


@pytest.mark.parametrize("plan", [SMALL, LARGE, Plaintext(b"")], ids=["small", "large", "empty"])
def test_upstream_reads_ours_and_so_do_we(plan):
    secrets = plan_secrets(PLACE, plan, _marks(plan))
    assert _upstream_reads(secrets[::-1], "plan-main-b8e362c206") == plan.reveal()
    assert opened(secrets[::-1], "plan-main-b8e362c206") == plan
    assert marks_on(secrets) == _marks(plan)


@pytest.mark.parametrize("plain_hash", [True, False])
@pytest.mark.parametrize("plan", [SMALL, LARGE], ids=["small", "large"])
def test_we_read_upstreams(plan, plain_hash):
    secrets = list(_upstream_writes(plan.reveal(), plain_hash=plain_hash))
    assert opened(secrets, "plan-main-b8e362c206") == plan
    assert marks_on(secrets) == Marks(plan_id="plan-main-b8e362c206")


def test_we_read_what_upstream_wrote_before_there_were_hashes():
    (secret,) = _upstream_writes(SMALL.reveal())
    del secret["metadata"]["annotations"][f"{GROUP}/plan-hash"]
    assert opened([secret]) == SMALL


@settings(max_examples=30)
@given(st.binary(max_size=5_000), st.integers(1, 700), st.randoms(use_true_random=False))
def test_pieces_of_any_size_come_back_in_any_order(content, size, shuffled):
    stored.CHUNK_BYTES, kept = size, stored.CHUNK_BYTES
    most, stored.MOST_CHUNKS = stored.MOST_CHUNKS, 10_000
    try:
        secrets = plan_secrets(PLACE, Plaintext(content), _marks(Plaintext(content)))
        shuffled.shuffle(secrets)
        assert opened(secrets).reveal() == content
    finally:
        stored.CHUNK_BYTES, stored.MOST_CHUNKS = kept, most


def _annotate(secret, **changes):
    annotations = {**secret["metadata"]["annotations"]}
    for key, value in changes.items():
        name = {"saved": "savedPlan", "chunk": f"{GROUP}/plan-chunk", "hash": f"{GROUP}/plan-hash"}.get(key, key)
        annotations[name] = value
    return {**secret, "metadata": {**secret["metadata"], "annotations": annotations}}


def _hold(secret, content):
    return {**secret, "data": {"tfplan": base64.b64encode(content).decode()}}


def _damages():
    secrets = plan_secrets(PLACE, LARGE, _marks(LARGE))
    (small,) = plan_secrets(PLACE, SMALL, _marks())
    other = gzip.compress(b"another plan")
    first = base64.b64decode(secrets[0]["data"]["tfplan"])
    yield secrets[:-1], "the last piece is missing"
    yield secrets[1:], "the first piece is missing"
    yield [secrets[0], secrets[2]], "a piece in the middle is missing"
    yield [*secrets, secrets[1]], "a piece is there twice"
    yield [secrets[0], _annotate(secrets[1], chunk="x"), secrets[2]], "a piece without a number"
    yield [secrets[0], _annotate(secrets[1], saved="plan-dev-1"), secrets[2]], "a piece of another plan"
    yield [_hold(secrets[0], first[:-1] + b"x"), *secrets[1:]], "a changed byte"
    yield [_hold(small, other)], "another plan in its place"
    yield [_annotate(_hold(small, other), hash=hashlib.sha256(b"another plan").hexdigest())], "with its hash"
    yield [_hold(small, gzip.compress(SMALL.reveal()) + b"more")], "something behind it"
    yield [_hold(small, gzip.compress(SMALL.reveal())[:-1])], "cut"
    yield [_hold(small, b"no gzip")], "not compressed"
    yield [{**small, "data": {"tfplan": "%"}}], "no base64"
    yield [{**small, "data": {}}], "empty"
    yield [{**small, "data": None}], "nothing"
    yield [_annotate(small, encoding="zip")], "compressed otherwise"
    yield [_annotate(small, saved="")], "of no plan"


@pytest.mark.parametrize(("secrets", "why"), [pytest.param(*each, id=each[1]) for each in _damages()])
def test_what_is_damaged_is_refused_with_a_way_out(secrets, why):
    with pytest.raises(Corrupted) as caught:
        opened(secrets)
    assert "a new plan is made" in caught.value.hint
    assert "another plan" not in str(caught.value)


def test_a_plan_of_another_id_is_refused():
    with pytest.raises(Corrupted):
        opened(plan_secrets(PLACE, SMALL, _marks()), "plan-main-0000000000")


def test_no_plan_is_not_found():
    with pytest.raises(NotFound):
        opened([])


def test_a_bomb_is_refused(monkeypatch):
    monkeypatch.setattr(stored, "LARGEST_BYTES", 1000)
    with pytest.raises(LimitExceeded):
        opened(list(_upstream_writes(b"\0" * 1001)))
    with pytest.raises(LimitExceeded):
        plan_secrets(PLACE, Plaintext(b"\0" * 1001), _marks())
    with pytest.raises(LimitExceeded):
        opened(list(_upstream_writes(b"x")) * 257)


def test_the_json_is_kept_beside_it():
    (secret,) = plan_secrets(PLACE, real("mixed"), _marks(), suffix=".json")
    assert secret["metadata"]["name"] == "tfplan-default-net.json"
    assert secret["metadata"]["labels"] == selector(PLACE, ".json")
    assert secret["metadata"]["ownerReferences"][0]["name"] == "net"
    assert opened([secret]) == real("mixed")


def test_a_plan_for_people_is_a_config_map_and_no_character_is_cut():
    (small,) = plan_config_maps(PLACE, "Plan: 1 to add", _marks())
    assert (small["kind"], small["data"]) == ("ConfigMap", {"tfplan": "Plan: 1 to add"})
    assert "encoding" not in small["metadata"]["annotations"]
    text = "x" + "ä€😀" * 300_000
    maps = plan_config_maps(PLACE, text, _marks())
    assert "".join(each["data"]["tfplan"] for each in maps) == text
    assert max(len(each["data"]["tfplan"].encode()) for each in maps) <= 1_048_576
    assert [each["metadata"]["name"] for each in maps] == [f"tfplan-default-net-{at}" for at in range(len(maps))]
    assert plan_config_maps(PLACE, "", _marks())[0]["data"] == {"tfplan": ""}


def test_without_a_digest_nothing_of_ours_is_added():
    (secret,) = plan_secrets(PLACE, SMALL, Marks(plan_id="plan-x"))
    assert not any("plumbline" in key for key in secret["metadata"]["annotations"])


def test_long_names_become_labels_as_upstream_makes_them():
    name = "n" * 70
    assert label("x" * 63) == "x" * 63
    assert label(name) == "n" * 46 + "-" + hashlib.sha256(name.encode()).hexdigest()[:16]
    assert len(label(name)) == 63
