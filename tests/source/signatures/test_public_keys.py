"""Public keys that people list, add and remove: what is kept, what is told of each, and what is refused."""

import pytest
from tests.source.signatures.signing import exported, gpg

from plumbline.base.errors import Conflict, InvalidInput, LimitExceeded, NotFound
from plumbline.source.signatures.publickeys import MOST_BYTES, PublicKeys


class Maps:
    """One ConfigMap, and what others do to it meanwhile."""

    def __init__(self, **entries):
        self.kept = {"metadata": {"name": "argocd-gpg-keys-cm"}, "data": entries} if entries else None
        self.conflicts = 0
        self.whys = []

    @property
    def entries(self):
        return (self.kept or {}).get("data", {})

    async def read(self, name):
        assert name == "argocd-gpg-keys-cm"
        return self.kept

    async def create(self, body, why):
        assert self.kept is None
        await self.update(body, why)

    async def update(self, body, why):
        if self.conflicts:
            self.conflicts -= 1
            raise Conflict("somebody was faster")
        self.kept = body
        self.whys.append(why)


async def test_each_key_of_a_file_is_kept_under_its_id_as_gpg_exports_it(people):
    maps = Maps()
    keys = PublicKeys(maps)
    both = gpg(people.ann.home, "--armor", "--export", people.ann.fingerprint, people.eve.fingerprint).decode()
    done = await keys.add(both)
    assert {key.id for key in done.created} == {people.ann.id, people.eve.id}
    assert maps.entries == {key.id: exported(key).rstrip("\n") for key in (people.ann, people.eve)}
    assert maps.kept["metadata"]["labels"]["app.kubernetes.io/part-of"] == "argocd"
    again = await keys.add(exported(people.ann))
    assert again == ([], [people.ann.id])
    assert len(maps.whys) == 1, "nothing is written for what is there"


async def test_of_each_key_is_told_what_argo_cd_tells(people):
    keys = PublicKeys(Maps(**{people.ann.id: exported(people.ann), "lost": exported(people.lost)}))
    found = {key.id: key.as_json(whole=False) for key in await keys.listed()}
    assert found[people.ann.id] == {
        "keyID": people.ann.id,
        "fingerprint": people.ann.fingerprint,
        "owner": "ann <ann@example.org>",
        "trust": "unknown",
        "subType": "ed25519",
    }
    assert (await keys.one(people.ann.fingerprint)).content == exported(people.ann)
    assert (await keys.one(people.ann.id.lower())).id == people.ann.id


async def test_ssh_keys_and_what_is_no_key_are_listed_beside(people, ssh_keys):
    maps = Maps(ssh=ssh_keys["ed25519"].public, odd="nothing", cut=exported(people.ann)[:200])
    keys = PublicKeys(maps)
    found = {key.entry: key for key in await keys.listed()}
    assert found["ssh"].id == ssh_keys["ed25519"].id
    assert found["ssh"].subtype == "ssh-ed25519"
    assert (found["odd"].id, found["odd"].subtype) == ("odd", "invalid")
    assert (found["cut"].id, found["cut"].subtype) == ("cut", "invalid")
    for name in (ssh_keys["ed25519"].id, "odd", "cut"):
        await keys.remove(name)
    assert maps.entries == {}


async def test_a_key_is_removed_by_whatever_names_it(people):
    for text in (people.ann.id, people.ann.fingerprint, people.ann.id.lower(), "mine"):
        maps = Maps(mine=exported(people.ann))
        await PublicKeys(maps).remove(text)
        assert maps.entries == {}
    keys = PublicKeys(Maps(two=exported(people.ann) + exported(people.eve)))
    with pytest.raises(InvalidInput, match="holds 2 keys"):
        await keys.remove(people.ann.id)
    with pytest.raises(NotFound):
        await keys.remove("0" * 16)
    with pytest.raises(NotFound):
        await keys.one("0" * 40)
    with pytest.raises(InvalidInput, match="not a valid GnuPG key ID"):
        await keys.one("ann")


async def test_what_somebody_else_writes_meanwhile_is_not_lost(people):
    maps = Maps()
    maps.conflicts = 2
    assert len((await PublicKeys(maps).add(exported(people.ann))).created) == 1
    maps.conflicts = 100
    with pytest.raises(Conflict):
        await PublicKeys(maps).add(exported(people.eve))


@pytest.mark.parametrize(
    ("made", "error"),
    [
        (lambda _: " \n", InvalidInput),
        (lambda _: "nothing", InvalidInput),
        (lambda people: exported(people.ann)[:200], InvalidInput),
        (lambda _: "ssh-ed25519 AAAA ann", InvalidInput),
        (lambda _: "-----BEGIN PGP PRIVATE KEY BLOCK-----\n", InvalidInput),
        (lambda people: exported(people.ann) + "x" * MOST_BYTES, LimitExceeded),
    ],
    ids=["nothing", "text", "half", "ssh", "private", "large"],
)
async def test_what_is_no_public_key_is_refused_with_a_way_out(people, made, error):
    maps = Maps()
    with pytest.raises(error) as refused:
        await PublicKeys(maps).add(made(people))
    assert refused.value.hint
    assert maps.kept is None
    assert "BEGIN" not in str(refused.value)
