"""The same values for who asks once, as the command line does."""

import pytest
from tests.delivery.town import story

from plumbline.base.errors import Unresolved
from plumbline.base.json import decode
from plumbline.delivery.projects.project import Project
from plumbline.delivery.valuesfrom import Reading, Terms, ValueSources
from plumbline.kinds.appproject import AppProjectSpec

from .charts import config_map, taking

TERMS = Terms(Project("team", AppProjectSpec()), "argocd", "shop", local=True)


@story(files={})
async def test_values_are_read_when_they_are_asked_for(town):
    sources = ValueSources(Reading(town.client))
    user = ("argocd", "web")
    assert await sources.values(user, {}, TERMS) is None
    asked = taking("configmap/net")["annotations"]
    with pytest.raises(Unresolved, match="ConfigMap shop/net is not there"):
        await sources.values(user, asked, TERMS)
    await town.create("v1/configmaps", config_map("net", vpc="vpc-1"), "shop")
    found = await sources.values(user, asked, TERMS)
    assert decode(found.tree.reveal()) == {"outputs": {"net": {"vpc": "vpc-1"}}}
    sources.forget(user)
    many = " ".join(f"configmap/{'a' * 60}{index}" for index in range(20))
    for index in range(20):
        await town.create("v1/configmaps", config_map(f"{'a' * 60}{index}"), "shop")
    assert len((await sources.values(user, taking(many)["annotations"], TERMS)).version) == 64
