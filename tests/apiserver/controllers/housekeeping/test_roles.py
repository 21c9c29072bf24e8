"""ClusterRoles that are the sum of others follow them."""

from tests.apiserver.controllers.housekeeping.house import ROLE, house, virtually


def rule(*verbs: str, resource: str = "widgets"):
    return {"apiGroups": ["example.org"], "resources": [resource], "verbs": list(verbs)}


async def role(there, name: str, *rules, labels=None, selects=None):
    obj = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": name}}
    if labels:
        obj["metadata"]["labels"] = labels
    if selects:
        obj["aggregationRule"] = {"clusterRoleSelectors": [{"matchLabels": each} for each in selects]}
    return await there.make({**obj, "rules": list(rules)})


@virtually
async def test_a_sum_is_made_of_what_it_selects():
    async with house() as there:
        await role(there, "reader", rule("get"), labels={"sum": "yes"})
        await role(there, "sum", selects=[{"sum": "yes"}])
        await there.rest()
        assert there.get("sum", "", ROLE)["rules"] == [rule("get")]


@virtually
async def test_it_follows_roles_that_come_change_and_go():
    async with house() as there:
        await role(there, "sum", selects=[{"sum": "yes"}])
        reader = await role(there, "reader", rule("get"), labels={"sum": "yes"})
        await there.rest()
        assert there.get("sum", "", ROLE)["rules"] == [rule("get")]
        await there.cluster.edit(reader, lambda live: {**live, "rules": [rule("list")]})
        await there.rest()
        assert there.get("sum", "", ROLE)["rules"] == [rule("list")]
        await there.cluster.edit(
            there.get("reader", "", ROLE), lambda live: {**live, "metadata": {**live["metadata"], "labels": {}}}
        )
        await there.rest()
        assert not there.get("sum", "", ROLE).get("rules")


@virtually
async def test_rules_that_somebody_writes_into_a_sum_do_not_stay():
    async with house() as there:
        await role(there, "reader", rule("get"), labels={"sum": "yes"})
        await role(there, "sum", rule("*"), selects=[{"sum": "yes"}])
        await there.rest()
        assert there.get("sum", "", ROLE)["rules"] == [rule("get")]
        managers = {each["manager"] for each in there.get("sum", "", ROLE)["metadata"]["managedFields"]}
        assert "clusterrole-aggregation-controller" in managers


@virtually
async def test_roles_of_the_cluster_grow_by_a_label():
    async with house() as there:
        labels = {"rbac.authorization.k8s.io/aggregate-to-view": "true"}
        await role(there, "view-widgets", rule("get", "list", "watch"), labels=labels)
        await there.rest()
        for name in ("view", "edit", "admin"):
            assert rule("get", "list", "watch") in there.get(name, "", ROLE)["rules"], name


@virtually
async def test_roles_without_labels_concern_nobody():
    async with house() as there:
        await there.rest()
        revision = there.plane.store.revision
        await role(there, "plain", rule("get"))
        await there.rest()
        assert there.plane.store.revision == revision + 1
