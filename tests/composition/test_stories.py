"""Claims, composites and what they are made of, on a control plane."""

from tests.composition.works import (
    CLAIMS,
    COMPOSITES,
    Function,
    claim,
    composition,
    condition,
    config_map,
    message,
    state,
    story,
    xrd,
)

from plumbline.base.plaintext import Plaintext
from plumbline.composition import marks
from plumbline.composition.functions.values import (
    Answer,
    Condition,
    Requirements,
    Resource,
    Result,
    SchemaSelector,
    Selector,
    State,
)


@story
async def test_a_claim_becomes_what_its_composition_says(works):
    await works.define()
    await works.apply(claim(), CLAIMS)
    ready = await works.ready()
    assert condition(ready, "Synced")["reason"] == "ReconcileSuccess"
    composite = await works.composite()
    assert composite["spec"]["compositionRef"] == {"name": "plain"}
    assert composite["spec"]["claimRef"]["name"] == "orders"
    assert composite["metadata"]["labels"][marks.COMPOSITE] == composite["metadata"]["name"]
    (ref,) = composite["spec"]["resourceRefs"]
    made = await works.get("v1/configmaps", ref["name"])
    assert made["data"] == {"a": "b"}
    assert made["metadata"]["ownerReferences"][0]["uid"] == composite["metadata"]["uid"]
    assert ready["spec"]["compositionRef"] == {"name": "plain"}
    assert ready["spec"]["compositionRevisionRef"] == composite["spec"]["compositionRevisionRef"]


@story
async def test_what_is_steady_costs_no_write(works):
    await works.define()
    await works.apply(claim(), CLAIMS)
    await works.ready()
    await works.settle(5)
    before = await works.version()
    calls = len(works.functions["compose"].calls)
    await works.settle(600)
    assert await works.version() == before
    assert len(works.functions["compose"].calls) > calls  # it was looked at, and nothing was written


@story
async def test_deleting_a_claim_takes_everything_with_it(works):
    await works.define()
    await works.apply(claim(), CLAIMS)
    await works.ready()
    await works.delete(CLAIMS, "orders")

    async def gone():
        maps = [
            each
            for each in await works.list("v1/configmaps")
            if marks.RESOURCE_NAME in (each["metadata"].get("annotations") or {})
        ]
        return not maps and not await works.list(COMPOSITES) and not await works.list(CLAIMS)

    await works.until(gone)


@story
async def test_a_foreground_claim_waits_for_its_composite(works):
    await works.define()
    await works.apply(claim(compositeDeletePolicy="Foreground"), CLAIMS)
    await works.ready()
    composite = await works.composite()
    name = composite["metadata"]["name"]
    await works.patch(COMPOSITES, name, {"metadata": {"finalizers": ["example.org/hold"]}}, "")
    await works.delete(CLAIMS, "orders")
    await works.settle(20)
    waiting = await works.claim()
    assert condition(waiting, "Ready")["reason"] == "Deleting"
    await works.patch(COMPOSITES, name, {"metadata": {"finalizers": []}}, "")
    await works.until(lambda: _none(works.claim()))


async def _none(found):
    return await found is None


@story
async def test_drift_of_something_composed_goes_back(works):
    await works.define()
    await works.apply(claim(), CLAIMS)
    await works.ready()
    ref = (await works.composite())["spec"]["resourceRefs"][0]
    await works.patch("v1/configmaps", ref["name"], {"data": {"a": "changed"}})

    async def healed():
        return (await works.get("v1/configmaps", ref["name"]))["data"] == {"a": "b"}

    await works.until(healed, within_s=2)


@story
async def test_something_composed_that_is_deleted_comes_back_under_its_name(works):
    await works.define()
    await works.apply(claim(), CLAIMS)
    await works.ready()
    ref = (await works.composite())["spec"]["resourceRefs"][0]
    before = await works.get("v1/configmaps", ref["name"])
    await works.delete("v1/configmaps", ref["name"])

    async def back():
        found = await works.get("v1/configmaps", ref["name"])
        return found and found["metadata"]["uid"] != before["metadata"]["uid"]

    await works.until(back, within_s=2)


@story
async def test_a_claim_that_changes_changes_what_it_is_made_of(works):
    def sized(call):
        size = call.observed.composite.resource["spec"]["size"]
        return {"config": Resource(config_map(data={"size": size}), ready="True")}

    works.functions["compose"] = Function(sized)
    await works.define()
    await works.apply(claim(), CLAIMS)
    await works.ready()
    await works.apply(claim(size="large"), CLAIMS)
    ref = (await works.composite())["spec"]["resourceRefs"][0]

    async def large():
        return (await works.get("v1/configmaps", ref["name"]))["data"] == {"size": "large"}

    await works.until(large, within_s=2)


@story
async def test_a_new_revision_of_a_composition_reaches_those_who_follow_it(works):
    works.functions["other"] = Function(lambda call: {"config": Resource(config_map(data={"new": "1"}), ready="True")})
    await works.define()
    await works.apply(claim(), CLAIMS)
    await works.apply(claim("billing", compositionUpdatePolicy="Manual"), CLAIMS)
    await works.ready()
    await works.ready("billing")
    before = (await works.composite("billing"))["spec"]["compositionRevisionRef"]
    await works.apply(composition("plain", "other"), "apiextensions.crossplane.io/v1/compositions")

    async def moved():
        ref = (await works.composite())["spec"]["resourceRefs"][0]
        return (await works.get("v1/configmaps", ref["name"]))["data"] == {"new": "1"}

    await works.until(moved)
    assert (await works.composite("billing"))["spec"]["compositionRevisionRef"] == before
    ref = (await works.composite("billing"))["spec"]["resourceRefs"][0]
    assert (await works.get("v1/configmaps", ref["name"]))["data"] == {"a": "b"}


@story
async def test_a_selector_chooses_among_compositions(works):
    works.functions["gcp"] = Function(
        lambda call: {"config": Resource(config_map(data={"cloud": "gcp"}), ready="True")}
    )
    await works.define(
        composition("on-aws", labels={"provider": "aws"}), composition("on-gcp", "gcp", labels={"provider": "gcp"})
    )
    await works.apply(claim(compositionSelector={"matchLabels": {"provider": "gcp"}}), CLAIMS)
    assert (await works.ready())["spec"]["compositionRef"] == {"name": "on-gcp"}


@story
async def test_a_claim_without_a_composition_says_so_and_goes_on_once_there_is_one(works):
    await works.define(composition("on-aws", labels={"provider": "aws"}))
    await works.apply(claim(compositionSelector={"matchLabels": {"provider": "azure"}}), CLAIMS)
    waiting = await works.told(works.claim, "Ready", "no compatible Compositions found")
    assert "provider=azure" in message(waiting, "Ready")
    await works.apply(
        composition("on-azure", labels={"provider": "azure"}), "apiextensions.crossplane.io/v1/compositions"
    )
    await works.ready()


@story
async def test_connection_details_flow_from_the_pipeline_to_the_claims_secret(works):
    def connected(call):
        composite = Resource({}, {"password": Plaintext("s3cret"), "hidden": Plaintext("x")})
        return Answer(desired=State(composite, {"config": Resource(config_map(), ready="True")}))

    works.functions["compose"] = Function(connected)
    await works.define(
        composition(writeConnectionSecretsToNamespace="crossplane-system"),
        definition=xrd(connectionSecretKeys=["password"]),
    )
    await works.apply(claim(writeConnectionSecretToRef={"name": "credentials"}), CLAIMS)
    await works.ready()

    async def published():
        return await works.get("v1/secrets", "credentials")

    secret = await works.until(published)
    assert secret["data"] == {"password": "czNjcmV0"}
    assert secret["type"] == marks.CONNECTION_TYPE
    assert secret["metadata"]["ownerReferences"][0]["kind"] == "Database"
    composite = await works.composite()
    source = await works.get("v1/secrets", composite["metadata"]["uid"], "crossplane-system")
    assert source["data"] == {"password": "czNjcmV0"}
    assert not any("s3cret" in str(each) for each in (await works.journal.page(limit=500)).entries)


@story
async def test_somebody_elses_secret_is_not_overwritten(works):
    works.functions["compose"] = Function(lambda call: Answer(desired=State(Resource({}, {"p": Plaintext("x")}), {})))
    await works.define(composition(writeConnectionSecretsToNamespace="crossplane-system"))
    mine = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "mine", "namespace": "shop"},
        "data": {"k": "eA=="},
    }
    await works.apply(mine, "v1/secrets")
    await works.apply(claim(writeConnectionSecretToRef={"name": "mine"}), CLAIMS)
    await works.told(works.claim, "Synced", "Connection details are not written to Secret shop/mine")
    assert (await works.get("v1/secrets", "mine"))["data"] == {"k": "eA=="}


@story
async def test_what_a_function_reports_reaches_the_claim(works):
    def reporting(call):
        status = {"status": {"address": "db.example.org"}}
        desired = State(Resource(status), {"config": Resource(config_map(), ready="True")})
        return Answer(desired=desired, conditions=(Condition("DatabaseUp", "True", "Up", "yes", "CompositeAndClaim"),))

    works.functions["compose"] = Function(reporting)
    await works.define()
    await works.apply(claim(), CLAIMS)

    async def told():
        found = await works.claim()
        return (found.get("status") or {}).get("address") == "db.example.org" and state(found, "DatabaseUp") == "True"

    await works.until(told)
    works.functions["compose"].wanted = lambda call: {"config": Resource(config_map(), ready="True")}

    async def forgotten():
        return "address" not in ((await works.claim()).get("status") or {})

    await works.until(forgotten)


@story
async def test_a_fatal_result_changes_nothing_and_says_why(works):
    await works.define()
    await works.apply(claim(), CLAIMS)
    await works.ready()
    works.functions["compose"].wanted = lambda call: Answer(results=(Result("Fatal", "the moon is full"),))
    await works.told(works.composite, "Synced", 'pipeline step "compose" returned a fatal result: the moon is full')
    assert (await works.composite())["spec"]["resourceRefs"]
    assert await works.told(works.claim, "Ready", "") is not None


@story
async def test_what_is_no_longer_composed_goes_unless_it_holds_something(works):
    pvc = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"namespace": "shop"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    }
    both = {"config": Resource(config_map(), ready="True"), "disk": Resource(pvc, ready="True")}
    works.functions["compose"] = Function(lambda call: both)
    await works.define()
    await works.apply(claim(), CLAIMS)
    await works.ready()
    works.functions["compose"].wanted = lambda call: {}

    async def config_gone():
        maps = await works.list("v1/configmaps", "shop")
        return not any(marks.RESOURCE_NAME in (each["metadata"].get("annotations") or {}) for each in maps)

    await works.until(config_gone)
    waiting = await works.told(works.composite, "Synced", "plumbline.dev/consent=")
    assert "This drop would destroy 1 resource" in message(waiting, "Synced")
    assert [each["kind"] for each in waiting["spec"]["resourceRefs"]] == ["PersistentVolumeClaim"]
    token = message(waiting, "Synced").rpartition("=")[2]
    await works.patch(CLAIMS, "orders", {"metadata": {"annotations": {"plumbline.dev/consent": token}}})

    async def gone():
        return not await works.list("v1/persistentvolumeclaims", "shop")

    await works.until(gone)


@story
async def test_two_composites_never_share_what_they_compose(works):
    works.functions["compose"] = Function(
        lambda call: {"config": Resource(config_map(metadata={"name": "shared", "namespace": "shop"}), ready="True")}
    )
    await works.define()
    await works.apply(claim(), CLAIMS)
    await works.ready()
    await works.apply(claim("billing"), CLAIMS)
    refused = await works.told(lambda: works.composite("billing"), "Synced", "Unsynced resources: config")
    assert "orders-" in message(refused, "Synced")
    owner = (await works.get("v1/configmaps", "shared"))["metadata"]["ownerReferences"][0]["name"]
    assert owner == (await works.composite())["metadata"]["name"]


@story
async def test_a_composition_that_composes_itself_is_stopped(works):
    inner = {"apiVersion": "example.org/v1", "kind": "XDatabase", "spec": {"size": "x"}}
    works.functions["compose"] = Function(lambda call: {"inner": Resource(inner)})
    await works.define()
    await works.apply(claim(), CLAIMS)

    async def refused():
        return [each for each in await works.list(COMPOSITES) if "composes itself" in message(each, "Synced")]

    await works.until(refused)
    await works.settle(60)
    assert len(await works.list(COMPOSITES)) == 2


@story
async def test_a_paused_composite_is_left_alone(works):
    await works.define()
    await works.apply(claim(), CLAIMS)
    await works.ready()
    composite = await works.composite()
    name = composite["metadata"]["name"]
    await works.patch(COMPOSITES, name, {"metadata": {"annotations": {marks.PAUSED: "true"}}}, "")
    await works.told(works.composite, "Synced", "paused")
    ref = composite["spec"]["resourceRefs"][0]
    await works.patch("v1/configmaps", ref["name"], {"data": {"a": "changed"}})
    await works.settle(120)
    assert (await works.get("v1/configmaps", ref["name"]))["data"] == {"a": "changed"}


@story
async def test_an_unknown_function_is_named_and_stops_nobody_else(works):
    await works.define(composition(), composition("broken", "nowhere"))
    await works.apply(claim("billing", compositionRef={"name": "broken"}), CLAIMS)
    await works.apply(claim(compositionRef={"name": "plain"}), CLAIMS)
    await works.ready()
    await works.told(lambda: works.composite("billing"), "Synced", "nowhere")


@story
async def test_an_unknown_kind_is_named_with_the_way_out(works):
    bucket = {"apiVersion": "s3.example.org/v1", "kind": "Bucket"}
    works.functions["compose"] = Function(
        lambda call: {"bucket": Resource(bucket), "config": Resource(config_map(), ready="True")}
    )
    await works.define()
    await works.apply(claim(), CLAIMS)
    told = await works.told(works.composite, "Synced", "Bucket in s3.example.org/v1 is not served here")
    assert {each["kind"] for each in told["spec"]["resourceRefs"]} == {"Bucket", "ConfigMap"}
    assert works.activated[0].kind == "Bucket"


MODERN = "example.org/v1/xdatabases"


def modern(**spec):
    return xrd(**spec) | {
        "apiVersion": "apiextensions.crossplane.io/v2",
        "spec": {key: value for key, value in xrd(scope="Namespaced", **spec)["spec"].items() if key != "claimNames"},
    }


def composite(name="orders", namespace="shop", **spec):
    return {
        "apiVersion": "example.org/v1",
        "kind": "XDatabase",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"size": "small", **spec},
    }


@story
async def test_a_namespaced_composite_keeps_its_machinery_apart(works):
    await works.define(definition=modern())
    await works.apply(composite(), MODERN)

    async def ready():
        found = await works.get(MODERN, "orders")
        return found if state(found, "Ready") == "True" else None

    found = await works.until(ready)
    assert found["spec"].keys() == {"size", "crossplane"}
    assert found["spec"]["crossplane"]["compositionRef"] == {"name": "plain"}
    (ref,) = found["spec"]["crossplane"]["resourceRefs"]
    assert "namespace" not in ref
    assert (await works.get("v1/configmaps", ref["name"]))["data"] == {"a": "b"}


@story
async def test_a_namespaced_composite_refuses_what_is_cluster_scoped(works):
    namespace = {"apiVersion": "v1", "kind": "Namespace"}
    works.functions["compose"] = Function(lambda call: {"space": Resource(namespace)})
    await works.define(definition=modern())
    await works.apply(composite(), MODERN)
    await works.told(lambda: works.get(MODERN, "orders"), "Synced", "composes nothing that is cluster-scoped")


@story
async def test_a_nested_composite_that_is_dropped_is_worth_what_it_is_made_of(works):
    pvc = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"namespace": "shop"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    }
    inner = {
        "apiVersion": "example.org/v1",
        "kind": "XDatabase",
        "spec": {"compositionRef": {"name": "inner"}},
    }
    works.functions["compose"] = Function(lambda call: {"inner": Resource(inner, ready="True")})
    works.functions["inner"] = Function(lambda call: {"disk": Resource(pvc, ready="True")})
    await works.define(composition("outer"), composition("inner", "inner"))
    await works.apply(claim(compositionRef={"name": "outer"}), CLAIMS)
    await works.ready()

    async def nested():
        return await works.list("v1/persistentvolumeclaims", "shop")

    await works.until(nested)
    works.functions["compose"].wanted = lambda call: {}
    await works.told(works.composite, "Synced", "plumbline.dev/consent=")
    assert await nested()


@story
async def test_functions_see_what_they_ask_for_and_are_asked_again_when_it_changes(works):
    wanted = Requirements(
        resources={
            "environment": Selector(api_version="apiextensions.crossplane.io/v1beta1", kind="EnvironmentConfig", labels={"team": "a"}),
            "named": Selector(api_version="apiextensions.crossplane.io/v1beta1", kind="EnvironmentConfig", name="first"),
            "maps": Selector(api_version="v1", kind="ConfigMap", labels={"seen": "yes"}, namespace="shop"),
            "map": Selector(api_version="v1", kind="ConfigMap", name="settings", namespace="shop"),
            "missing": Selector(api_version="v1", kind="ConfigMap", name="nowhere", namespace="shop"),
            "unknown": Selector(api_version="example.org/v9", kind="Nothing", name="x"),
        },
        schemas={"claims": SchemaSelector("example.org/v1", "Database"), "none": SchemaSelector("no.example.org/v1", "No")},
    )  # fmt: skip

    def asking(call):
        found = {name: [each.resource["metadata"]["name"] for each in given] for name, given in call.required.items()}
        values = {each.resource["data"]["size"] for each in call.required.get("environment", ())}
        size = {
            "size": ",".join(sorted(values)),
            "found": str(sorted(found.items())),
            "schema": str(sorted(call.schemas)),
        }
        token = call.credentials["token"]["key"].reveal().decode()
        made = Resource(config_map(data={**size, "token": str(len(token))}), ready="True")
        return Answer(desired=State(call.desired.composite, {"config": made}), requirements=wanted)

    works.functions["compose"] = Function(asking)
    group = "apiextensions.crossplane.io/v1beta1"
    for name in ("first", "second"):
        config = {"apiVersion": group, "kind": "EnvironmentConfig", "metadata": {"name": name, "labels": {"team": "a"}}, "data": {"size": name}}  # fmt: skip
        await works.apply(config, f"{group}/environmentconfigs")
    for name, labels in (("settings", {}), ("other", {"seen": "yes"})):
        await works.apply(config_map(metadata={"name": name, "namespace": "shop", "labels": labels}), "v1/configmaps")
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "token", "namespace": "shop"},
        "data": {"key": "eHl6"},
    }
    await works.apply(secret, "v1/secrets")
    asked = composition()
    credentials = [{"name": "token", "source": "Secret", "secretRef": {"namespace": "shop", "name": "token"}}]
    asked["spec"]["pipeline"][0]["credentials"] = credentials
    await works.define(asked)
    await works.apply(claim(), CLAIMS)
    await works.ready()
    ref = (await works.composite())["spec"]["resourceRefs"][0]

    async def sized(size):
        found = (await works.get("v1/configmaps", ref["name"]))["data"]
        return found if found["size"] == size else None

    found = await works.until(lambda: sized("first,second"))
    assert found["token"] == "3"
    assert "('map', ['settings'])" in found["found"]
    assert "('maps', ['other'])" in found["found"]
    assert "('missing', [])" in found["found"]
    assert "('unknown', [])" in found["found"]
    assert "claims" in found["schema"]
    await works.patch(f"{group}/environmentconfigs", "first", {"data": {"size": "1st"}}, "")
    await works.until(lambda: sized("1st,second"), within_s=5)
    shown = {kind for _, kind in works.room.routes._shown}
    assert shown == {"EnvironmentConfig"}  # what nobody follows is never forgotten either


@story
async def test_what_a_function_tells_the_claim_is_an_event_of_the_claim(works):
    told = Result("Warning", "the disk is small", "SmallDisk", "CompositeAndClaim")
    works.functions["compose"] = Function(
        lambda call: Answer(
            desired=State(Resource({}), {"config": Resource(config_map(), ready="True")}), results=(told,)
        )
    )
    await works.define()
    await works.apply(claim(), CLAIMS)
    await works.ready()
    await works.settle(130)
    events = [each for each in await works.list("v1/events") if each["reason"] == "SmallDisk"]
    assert {each["involvedObject"]["kind"]: each["message"] for each in events} == {
        "Database": "the disk is small",
        "XDatabase": 'Pipeline step "compose": the disk is small',
    }
    assert len(events) == 2


@story
async def test_a_definition_that_changes_is_followed_and_one_that_goes_ends_its_controllers(works):
    await works.define(composition(), composition("enforced", labels={"only": "this"}))
    await works.apply(claim(compositionRef={"name": "plain"}), CLAIMS)
    await works.ready()
    xrds = "apiextensions.crossplane.io/v1/compositeresourcedefinitions"
    await works.apply(xrd(enforcedCompositionRef={"name": "enforced"}), xrds)

    async def enforced():
        return (await works.composite())["spec"]["compositionRef"] == {"name": "enforced"}

    await works.until(enforced)
    await works.delete(CLAIMS, "orders")
    await works.until(lambda: _none(works.claim()))
    await works.delete(xrds, "xdatabases.example.org", "")
    await works.until(lambda: _none(works.get(xrds, "xdatabases.example.org", "")))
    assert works.room.routes.all() == ()
    await works.define()
    await works.apply(claim(), CLAIMS)
    await works.ready()
