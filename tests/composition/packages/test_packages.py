"""Providers, Functions and Configurations: installed and healthy where we do what they would, and honest where we do not."""

import asyncio

import pytest
from tests.composition.definitions.stage import conditions, story

from plumbline.base.json import encode
from plumbline.composition.packages.reconciler import PackageReconciler, package_of
from plumbline.composition.packages.revisions import plan_revisions, revision_name
from plumbline.composition.packages.values import Served, repository_of
from plumbline.kernel.cache import Relevance, cached
from plumbline.kinds.mandate import MandateSpec

AWS = "xpkg.example.org/upbound/provider-aws-s3:v1.20.0"
AT = "pkg.crossplane.io/v1/"


def packages(kind):
    def made(client, gate, told, clock):
        def serving(package, asked):
            name = repository_of(package).rpartition("/")[2]
            return Served(name, ("composition",) if asked == "Function" else ()) if "unheard" not in name else None

        reconciler = PackageReconciler(kind, client, gate, clock, serving)
        if kind == "Provider":

            async def activate(served):
                told.heard.append(served.name)

            reconciler.activate = activate
        return reconciler, reconciler.kind

    return made


def package(kind="Provider", image=AWS, **spec):
    said = {"package": image, **spec}
    return {"apiVersion": "pkg.crossplane.io/v1", "kind": kind, "metadata": {"name": "aws-s3"}, "spec": said}


@pytest.mark.parametrize("kind", ["Provider", "Function", "Configuration"])
def test_a_package_that_we_stand_in_for_is_installed_and_healthy(kind):
    @story(packages(kind))
    async def told(place):
        await place.create(f"{AT}{kind.lower()}s", package(kind))
        done = await place.condition(f"{AT}{kind.lower()}s", "aws-s3", "Healthy", "True", "HealthyPackageRevision")
        installed = conditions(done)["Installed"]
        assert (installed["status"], installed["reason"]) == ("True", "ActivePackageRevision")
        (revision,) = await place.list(f"{AT}{kind.lower()}revisions")
        assert done["status"]["currentRevision"] == revision["metadata"]["name"]
        assert done["status"]["currentIdentifier"] == AWS
        assert (revision["spec"]["desiredState"], revision["spec"]["revision"]) == ("Active", 1)
        assert revision["metadata"]["labels"] == {"pkg.crossplane.io/package": "aws-s3"}
        healthy = {type_ for type_, each in conditions(revision).items() if each["status"] == "True"}
        assert healthy >= {"Healthy", "RevisionHealthy"}
        assert ("RuntimeHealthy" in healthy) == (kind != "Configuration")
        assert place.told.heard == (["provider-aws-s3"] if kind == "Provider" else [])

    told()


@story(packages("Provider"))
async def test_a_package_that_nobody_serves_says_so_and_what_to_do(place):
    await place.create(f"{AT}providers", package(image="xpkg.example.org/acme/provider-unheard:v1"))
    stuck = await place.condition(f"{AT}providers", "aws-s3", "Healthy", "False", "UnhealthyPackageRevision")
    found = conditions(stuck)
    assert found["Installed"]["reason"] == "UnpackingPackage"
    assert "acme/provider-unheard" in found["Installed"]["message"]
    assert "built in" in found["Healthy"]["message"]
    assert await place.list(f"{AT}providerrevisions") == []
    await place.patch(f"{AT}providers", "aws-s3", {"spec": {"package": AWS}})
    await place.condition(f"{AT}providers", "aws-s3", "Healthy", "True")


@story(packages("Provider"))
async def test_a_new_version_is_a_new_revision_and_the_history_is_short(place):
    await place.create(f"{AT}providers", package())
    for minor in (21, 22, 23):
        await place.condition(f"{AT}providers", "aws-s3", "Healthy", "True")
        await asyncio.sleep(2)
        await place.patch(f"{AT}providers", "aws-s3", {"spec": {"package": AWS.replace("20", str(minor))}})
    await asyncio.sleep(5)
    found = sorted(await place.list(f"{AT}providerrevisions"), key=lambda each: each["spec"]["revision"])
    assert [(each["spec"]["revision"], each["spec"]["desiredState"]) for each in found] == [
        (3, "Inactive"),
        (4, "Active"),
    ]


@story(packages("Provider"))
async def test_a_manual_revision_waits_for_somebody(place):
    await place.create(f"{AT}providers", package(revisionActivationPolicy="Manual"))
    waiting = await place.condition(f"{AT}providers", "aws-s3", "Installed", "False", "InactivePackageRevision")
    name = waiting["status"]["currentRevision"]
    assert name in conditions(waiting)["Installed"]["message"]
    assert place.told.heard == []
    await place.patch(f"{AT}providerrevisions", name, {"spec": {"desiredState": "Active"}})
    await place.patch(f"{AT}providers", "aws-s3", {"metadata": {"annotations": {"look": "again"}}})
    await place.condition(f"{AT}providers", "aws-s3", "Installed", "True")
    assert place.told.heard == ["provider-aws-s3"]


@story(packages("Provider"))
async def test_a_steady_package_costs_no_write(place):
    await place.create(f"{AT}providers", package())
    await place.condition(f"{AT}providers", "aws-s3", "Healthy", "True")
    await asyncio.sleep(5)
    before = await place.effects()
    await place.patch(f"{AT}providers", "aws-s3", {"metadata": {"annotations": {"look": "again"}}})
    await asyncio.sleep(5)
    assert await place.effects() == before
    assert [verb for verb, _ in before] == ["create", "patch"]


@story(packages("Provider"), mandate=MandateSpec(mode="Observe"))
async def test_an_installation_that_observes_writes_nothing(place):
    await place.create(f"{AT}providers", package())
    await asyncio.sleep(10)
    assert "status" not in await place.get(f"{AT}providers", "aws-s3")
    assert await place.list(f"{AT}providerrevisions") == []


REPOSITORIES = [
    (AWS, "upbound/provider-aws-s3"),
    ("crossplane-contrib/function-auto-ready:v0.4", "crossplane-contrib/function-auto-ready"),
    ("localhost:5000/x/provider@sha256:abc", "x/provider"),
    ("registry.example.com/a/b/c:v1@sha256:abc", "a/b/c"),
    ("provider-nop", "provider-nop"),
]


@pytest.mark.parametrize(("image", "repository"), REPOSITORIES)
def test_the_repository_of_a_package(image, repository):
    assert repository_of(image) == repository


def test_names_of_revisions_fit_into_a_label():
    long = {**package(), "metadata": {"name": "a.b" * 40}}
    assert len(revision_name(long)) == 63
    assert revision_name(long).replace("-", "").isalnum()
    assert revision_name(package()) != revision_name(package(image="x/y:v2"))


def test_going_back_to_an_old_image_makes_its_revision_the_newest_again():
    old, new = package(image="x/y:v1"), package(image="x/y:v2")
    first = plan_revisions(old, []).new
    second = plan_revisions(new, [first]).new
    plan = plan_revisions(old, [first, {**second, "spec": {**second["spec"]}}])
    states = {each["metadata"]["name"]: each["spec"] for each in plan.changed}
    assert states[first["metadata"]["name"]]["revision"] == 3
    assert states[second["metadata"]["name"]]["desiredState"] == "Inactive"


def test_without_a_limit_nothing_is_deleted():
    first = plan_revisions(package(image="x/y:v1"), []).new
    assert plan_revisions(package(image="x/y:v2", revisionHistoryLimit=0), [first] * 5).old == ()


def test_a_revision_wakes_its_package():
    revision = plan_revisions(package(), []).new
    assert package_of(cached(encode(revision), Relevance())) == ("", "aws-s3")
    assert package_of(cached(encode({"metadata": {"name": "x"}}), Relevance())) is None
