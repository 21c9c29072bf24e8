"""That a token was used is written on its Secret, once a day, and in nobody's way."""

from tests.apiserver.controllers.housekeeping.house import SECRET, house, virtually

from plumbline.apiserver.controllers.housekeeping import TokenUse

LAST_USED = "kubernetes.io/legacy-token-last-used"


async def secret(there):
    metadata = {"name": "tok", "namespace": "default", "labels": {"a": "b"}}
    return await there.make({"apiVersion": "v1", "kind": "Secret", "metadata": metadata})


def use(there) -> TokenUse:
    return there.plane._token_use


@virtually
async def test_the_day_is_written_beside_other_labels():
    async with house() as there:
        used = await secret(there)
        use(there).note(used, "2026-01-01")
        use(there).note(used, "2026-01-02")
        await there.rest(for_s=1)
        found = there.get("tok", kind=SECRET)["metadata"]
        assert found["labels"] == {"a": "b", LAST_USED: "2026-01-02"}
        assert "kube-apiserver" in {each["manager"] for each in found["managedFields"]}


@virtually
async def test_the_same_day_is_not_written_twice():
    async with house() as there:
        used = await secret(there)
        for _ in range(2):
            use(there).note(used, "2026-01-01")
            await there.rest(for_s=1)
            version = there.get("tok", kind=SECRET)["metadata"]["resourceVersion"]
        assert int(version) == int(used["metadata"]["resourceVersion"]) + 1


@virtually
async def test_a_secret_that_went_or_is_another_by_now_is_no_matter():
    async with house() as there:
        used = await secret(there)
        await there.cluster.delete(used)
        use(there).note(used, "2026-01-01")
        await there.rest(for_s=1)
        other = await secret(there)
        use(there).note(used, "2026-01-01")
        await there.rest(for_s=1)
        assert there.get("tok", kind=SECRET) == other
        use(there).note(other, "2026-01-02")
        await there.rest(for_s=1)
        assert there.get("tok", kind=SECRET)["metadata"]["labels"][LAST_USED] == "2026-01-02"


@virtually
async def test_a_plane_goes_on_whatever_becomes_of_a_label(monkeypatch):
    async with house() as there:
        used = await secret(there)
        edit, failing = there.cluster.edit, [ValueError("by surprise")]

        async def edits(*args, **more):
            if failing:
                raise failing.pop()
            return await edit(*args, **more)

        monkeypatch.setattr(there.cluster, "edit", edits)
        use(there).note(used, "2026-01-01")
        await there.rest(for_s=1)
        use(there).note(used, "2026-01-01")
        await there.rest(for_s=1)
        assert there.get("tok", kind=SECRET)["metadata"]["labels"][LAST_USED] == "2026-01-01"
