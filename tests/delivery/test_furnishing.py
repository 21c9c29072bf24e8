"""Settings that an installation of our own has from the first moment on, so that guides that edit them can be followed."""

from plumbline.delivery.foundation import furnished
from plumbline.delivery.settings.reading import Sources, read_settings

from .town import story

MAPS = "v1/configmaps"


@story()
async def test_settings_that_are_made_say_what_counts_without_them(town):
    await furnished(town.client, "argocd")
    made = await town.get(MAPS, "argocd-cm", "argocd")
    assert read_settings(Sources(control_plane=made)) == read_settings(Sources())
    assert made["metadata"]["labels"]["app.kubernetes.io/part-of"] == "argocd"
    assert not (await town.get(MAPS, "argocd-rbac-cm", "argocd")).get("data")
    assert not (await town.get(MAPS, "argocd-cmd-params-cm", "argocd")).get("data")


@story()
async def test_settings_that_are_there_stay_as_they_are(town):
    data = {"timeout.reconciliation": "60s"}
    await town.create(MAPS, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "argocd-cm"}, "data": data}, "argocd")  # fmt: skip
    await furnished(town.client, "argocd")
    assert (await town.get(MAPS, "argocd-cm", "argocd"))["data"] == data
