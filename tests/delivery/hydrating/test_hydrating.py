"""From a dry source to a branch, and from there to the cluster."""

from tests.delivery.town import REPO, config_map, story

from plumbline.delivery.status import HYDRATE
from plumbline.source.urls import mirror_key

from .branching import APPLICATIONS, Branched, deploy, enable, hydrated, hydrated_at, phase

FILES = {"web/a.yaml": config_map("a"), "db/b.yaml": config_map("b"), "notes.txt": "nothing"}


@story(files=FILES, repository=Branched)
async def test_the_first_hydration_makes_the_branch_and_the_application_is_synced_from_it(town):
    await enable(town)
    await deploy(town)
    status = await phase(town, "Hydrated")
    sha = town.repository.branches["env/dev"]
    files = town.repository.files("env/dev")
    assert sorted(files) == [
        ".gitattributes",
        "hydrator.metadata",
        "web/README.md",
        "web/hydrator.metadata",
        "web/manifest.yaml",
    ]
    app = await town.synced(revision=sha)
    assert (await town.get("v1/configmaps", "a"))["data"] == {"value": "1"}
    synced_from = {"repoURL": REPO, "path": "web", "targetRevision": "env/dev"}
    assert app["status"]["sync"]["comparedTo"]["source"] == synced_from
    operation = status["currentOperation"]
    assert (operation["drySHA"], operation["hydratedSHA"], operation["message"]) == (town.repository.head, sha, "")
    assert operation["sourceHydrator"] == app["spec"]["sourceHydrator"]
    last = status["lastSuccessfulOperation"]
    assert last == {name: operation[name] for name in ("drySHA", "hydratedSHA", "sourceHydrator")}
    assert status["lastComparedDryRevision"] == town.repository.head
    assert operation["startedAt"] <= operation["finishedAt"]


@story(files=FILES, repository=Branched)
async def test_what_came_of_it_is_told_before_the_application_is_synced_from_it(town):
    """Both are written to the same object: who was second would have to say again what it did, and know less of it."""
    await enable(town)
    await deploy(town, "web", "db")
    for name in ("web", "db"):
        await phase(town, "Hydrated", name)
        app = await town.synced(name, town.repository.branches["env/dev"])
        (result,) = app["status"]["operationState"]["syncResult"]["resources"]
        assert result["message"].endswith(" created")


@story(files=FILES, repository=Branched)
async def test_nothing_is_hydrated_unless_the_installation_says_so(town):
    await deploy(town)
    await town.settle(600)
    assert town.repository.proposals == []
    assert "sourceHydrator" not in ((await town.app()).get("status") or {})
    await enable(town)
    await phase(town, "Hydrated")


@story(files=FILES, repository=Branched)
async def test_one_commit_of_the_dry_source_is_one_commit_for_all_that_share_a_branch(town):
    await enable(town)
    await deploy(town, "web", "db")
    for name in ("web", "db"):
        await phase(town, "Hydrated", name)
    assert len(town.repository.proposals) == 1
    dry = town.repository.change(web__a_yaml=config_map("a", "2"), db__b_yaml=config_map("b", "2"))
    for name in ("web", "db"):
        await hydrated_at(town, dry, name)
    assert len(town.repository.proposals) == 2
    written = town.repository.proposals[-1].files
    assert {"web/manifest.yaml", "db/manifest.yaml"} <= set(written)
    sha = town.repository.branches["env/dev"]
    await town.synced("web", sha)
    await town.synced("db", sha)
    assert (await town.get("v1/configmaps", "b"))["data"] == {"value": "2"}


@story(files=FILES, repository=Branched)
async def test_applications_that_come_together_are_one_commit_though_the_repository_moves_meanwhile(town):
    await enable(town)
    await town.settle()
    await deploy(town, "web")
    await town.settle(0.3)
    dry = town.repository.change(**{"notes.txt": "something"})
    await town.settle(0.3)
    await deploy(town, "db")
    for name in ("web", "db"):
        await hydrated_at(town, dry, name)
    assert len(town.repository.proposals) == 1


@story(files=FILES, repository=Branched)
async def test_an_application_that_joins_later_is_written_without_a_commit_of_the_dry_source(town):
    await enable(town)
    await deploy(town, "web")
    await phase(town, "Hydrated", "web")
    await deploy(town, "db")
    await phase(town, "Hydrated", "db")
    assert {"web/manifest.yaml", "db/manifest.yaml"} <= set(town.repository.files("env/dev"))
    assert set(town.repository.proposals[-1].files) & {"web/manifest.yaml"} == set()


@story(files=FILES, repository=Branched)
async def test_a_commit_that_changes_no_manifest_makes_none_and_is_written_down_once(town):
    await enable(town)
    await deploy(town)
    await phase(town, "Hydrated")
    await town.settle(10)
    sha, pushes = town.repository.branches["env/dev"], len(town.repository.proposals)
    dry = town.repository.push({**FILES, "notes.txt": "something"})
    status = await hydrated_at(town, dry)
    assert len(town.repository.proposals) == pushes
    assert [each.text for each in town.repository.notes] == [f'{{"drySha":"{dry}"}}']
    assert status["lastSuccessfulOperation"]["hydratedSHA"] == sha
    await town.settle(600)
    assert town.repository.branches["env/dev"] == sha
    renders = town.renderer.counts.renders
    await town.settle(600)
    assert town.renderer.counts.renders == renders


BOUNDED = {"metadata": {"annotations": {"argocd.argoproj.io/manifest-generate-paths": ".;/common"}}}


@story(files=FILES, repository=Branched)
async def test_a_commit_that_touches_nothing_of_what_counts_is_only_written_down_in_the_status(town):
    await enable(town)
    await deploy(town)
    await town.patch(APPLICATIONS, "web", BOUNDED, "argocd")
    await phase(town, "Hydrated")
    await town.settle(10)
    first, pushes = town.repository.head, len(town.repository.proposals)
    for text in ("something", "something else"):
        dry = town.repository.change(**{"notes.txt": text})
        await town.settle(10)
        status = (await town.app())["status"]["sourceHydrator"]
        assert (status["currentOperation"]["drySHA"], status["lastComparedDryRevision"]) == (first, dry)
    assert (len(town.repository.proposals), town.repository.notes) == (pushes, [])
    await hydrated_at(town, town.repository.change(common__values_yaml="a: 1"))
    await hydrated_at(town, town.repository.change(web__a_yaml=config_map("a", "2")))


@story(files=FILES, repository=Branched)
async def test_what_counts_for_one_is_written_for_all_that_share_the_branch(town):
    await enable(town)
    await deploy(town, "web", "db")
    await town.patch(APPLICATIONS, "web", BOUNDED, "argocd")
    for name in ("web", "db"):
        await phase(town, "Hydrated", name)
    await town.settle(10)
    dry = town.repository.change(db__b_yaml=config_map("b", "2"))
    for name in ("web", "db"):
        await hydrated_at(town, dry, name)


@story(files=FILES, repository=Branched)
async def test_files_of_others_on_the_branch_stay(town):
    town.repository.write("env/dev", {"ci/pipeline": "theirs", "web/extra.txt": "theirs"})
    await enable(town)
    await deploy(town)
    await phase(town, "Hydrated")
    files = town.repository.files("env/dev")
    assert (files["ci/pipeline"], files["web/extra.txt"]) == ("theirs", "theirs")


@story(files=FILES, repository=Branched)
async def test_hydrate_to_is_written_and_the_synced_branch_waits_for_whoever_moves_it(town):
    await enable(town)
    await deploy(town, to="env/dev-next")
    status = await phase(town, "Hydrated")
    assert status["currentOperation"]["hydratedSHA"] == town.repository.branches["env/dev-next"]
    assert town.repository.files("env/dev") == {}
    await town.settle(60)
    assert await town.get("v1/configmaps", "a") is None
    (waits,) = (await town.app())["status"]["conditions"]
    assert waits["type"] == "ComparisonError"
    assert waits["message"].endswith("waiting for an external process to update env/dev from env/dev-next")
    town.repository.write("env/dev", town.repository.files("env/dev-next"))
    await town.synced(revision=town.repository.branches["env/dev"])
    assert (await town.get("v1/configmaps", "a"))["data"] == {"value": "1"}


@story(files=FILES, repository=Branched)
async def test_a_request_is_taken_off_when_it_is_dealt_with(town):
    await enable(town)
    await deploy(town)
    await phase(town, "Hydrated")
    for kind in ("normal", "hard"):
        await town.patch(APPLICATIONS, "web", {"metadata": {"annotations": {HYDRATE: kind}}}, "argocd")
        await town.settle(5)
        assert HYDRATE not in (await town.app())["metadata"].get("annotations", {})
    assert len(town.repository.proposals) == 1


@story(files=FILES, repository=Branched)
async def test_a_hard_request_brings_back_what_somebody_took_off_the_branch(town):
    await enable(town)
    await deploy(town)
    await phase(town, "Hydrated")
    town.repository.write("env/dev", {})
    await town.settle(10)
    assert town.repository.files("env/dev") == {}
    await town.patch(APPLICATIONS, "web", {"metadata": {"annotations": {HYDRATE: "hard"}}}, "argocd")
    await town.settle(5)
    assert "web/manifest.yaml" in town.repository.files("env/dev")


@story(files=FILES, repository=Branched)
async def test_a_hard_request_has_the_dry_source_rendered_anew(town):
    """What a plugin makes may have changed though no file did."""
    await enable(town)
    await deploy(town)
    await phase(town, "Hydrated")
    await town.settle(10)
    for kind, more in (("normal", 0), ("hard", 1)):
        renders = town.renderer.counts.renders
        await town.patch(APPLICATIONS, "web", {"metadata": {"annotations": {HYDRATE: kind}}}, "argocd")
        await town.settle(5)
        assert town.renderer.counts.renders == renders + more


@story(files=FILES, repository=Branched)
async def test_a_changed_spec_is_hydrated_anew(town):
    await enable(town)
    await deploy(town)
    await phase(town, "Hydrated")
    change = {"spec": {"sourceHydrator": {"syncSource": {"path": "elsewhere"}}}}
    await town.patch(APPLICATIONS, "web", change, "argocd")
    await town.settle(5)
    assert "elsewhere/manifest.yaml" in town.repository.files("env/dev")


@story(files=FILES, repository=Branched)
async def test_the_journal_has_the_push_with_the_commit_that_brought_it(town):
    await enable(town)
    await deploy(town)
    await phase(town, "Hydrated")
    page = await town.journal.page(limit=500)
    (push,) = [entry for entry in page.entries if entry.verb == "push" and entry.kind == "performed"]
    assert push.cause.sha == town.repository.head
    assert str(push.subject).endswith("#env/dev")
    assert push.effect["for"]["name"] == "web"


@story(files=FILES, repository=Branched)
async def test_applications_that_are_not_hydrated_cost_nothing_more(town):
    await enable(town)
    await town.deploy("web")
    await town.synced("web", town.repository.head)
    assert len(town.delivery.routes.hydrations) == 0
    assert town.repository.proposals == []


@story(files=FILES, repository=Branched)
async def test_manifests_may_go_to_a_repository_of_their_own_and_say_where_they_come_from(town):
    other = "https://git.example.org/rendered.git"
    await enable(town)
    app = hydrated("web")
    app["spec"]["sourceHydrator"]["syncSource"]["repoURL"] = other
    await town.create(APPLICATIONS, app, "argocd")
    await phase(town, "Hydrated")
    (proposal,) = town.repository.proposals
    assert (proposal.url, town.repository.writers[0].url) == (other, other)
    assert REPO in proposal.files["web/README.md"].decode()
    assert town.delivery.routes.users(mirror_key(other)) == town.delivery.routes.users(mirror_key(REPO))


@story(files=FILES, repository=Branched)
async def test_templates_and_author_come_from_the_settings(town):
    data = {
        "sourceHydrator.commitMessageTemplate": "made of {{ .metadata.drySha }}",
        "sourceHydrator.readmeMessageTemplate": "# {{ .DrySHA }}",
        "commit.author.name": "Hydra",
        "commit.author.email": "hydra@example.org",
    }
    config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "argocd-cm"}, "data": data}
    await town.create("v1/configmaps", config, "argocd")
    await enable(town)
    await deploy(town)
    await phase(town, "Hydrated")
    (proposal,) = town.repository.proposals
    assert proposal.message == f"made of {town.repository.head}\n"
    assert proposal.author == ("Hydra", "hydra@example.org")
    assert proposal.files["web/README.md"].decode() == f"# {town.repository.head}"


@story(files=FILES, repository=Branched)
async def test_a_template_that_cannot_be_read_is_a_failure_that_says_so(town):
    data = {"sourceHydrator.commitMessageTemplate": "{{ .metadata."}
    config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "argocd-cm"}, "data": data}
    await town.create("v1/configmaps", config, "argocd")
    await enable(town)
    await deploy(town)
    assert "commit-template" in (await phase(town, "Failed"))["currentOperation"]["message"]
    assert town.repository.proposals == []
