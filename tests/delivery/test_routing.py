"""Who looks again when something happened."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.json import encode
from plumbline.delivery.routing import Routes, dependencies
from plumbline.delivery.settings.reading import Sources, read_settings
from plumbline.delivery.updates import Updates, plain_path
from plumbline.kernel.cache import Relevance, cached
from plumbline.kube.names import Ref
from plumbline.source.urls import mirror_key

REPO = "https://git.example.org/shop.git"
KEY = mirror_key(REPO)


def app(name, path="", *, repo=REPO, generation=1, depends_on="", **spec):
    annotations = {"plumbline.dev/depends-on": depends_on} if depends_on else {}
    metadata = {"name": name, "namespace": "argocd", "uid": name, "resourceVersion": "1", "generation": generation}
    source = spec or {"source": {"repoURL": repo, "path": path}}
    return cached(
        encode({"metadata": {**metadata, "annotations": annotations}, "spec": source}), Relevance(status=False)
    )


def routed(*entries):
    routes = Routes()
    for entry in entries:
        routes.follow(None, entry)
    return routes


def names(keys):
    return sorted(name for _, name in keys)


def test_users_of_a_repository_are_known_by_whatever_spelling():
    routes = routed(app("a", "x"), app("b", "y", repo="https://GIT.example.org/shop"), app("c", repo="https://other/x"))
    assert names(routes.users(KEY)) == ["a", "b"]
    assert routes.repositories() == {KEY, mirror_key("https://other/x")}


def test_those_near_to_what_was_touched_go_first():
    routes = routed(app("web", "apps/web"), app("api", "apps/api"), app("all", "."))
    first, rest = routes.nearest(KEY, {"apps/web/deployment.yaml"})
    assert (names(first), names(rest)) == (["web"], ["all", "api"])


def test_an_overlay_is_near_to_its_base():
    routes = routed(app("web", "apps/web/overlays/production"), app("api", "apps/api/overlays/production"))
    first, _ = routes.nearest(KEY, {"apps/web/base/all.yaml"})
    assert names(first) == ["web"]


def test_nobody_goes_first_where_nothing_is_near_or_known():
    routes = routed(app("web", "apps/web"))
    assert routes.nearest(KEY, {"README.md"}) == (frozenset(), routes.users(KEY))
    assert routes.nearest(KEY, None) == (frozenset(), routes.users(KEY))
    assert routes.nearest("nowhere", {"a"}) == (frozenset(), frozenset())


def test_an_application_that_moves_or_goes_leaves_nothing_behind():
    routes, before = Routes(), app("web", "x", depends_on="db")
    routes.follow(None, before)
    after = app("web", "x", repo="https://other/x", generation=2)
    routes.follow(before, after)
    assert routes.users(KEY) == frozenset()
    assert routes.dependents(("argocd", "db")) == frozenset()
    routes.follow(after, None)
    assert routes.repositories() == frozenset()


def test_a_status_alone_is_not_looked_into():
    routes, entry = Routes(), app("web", "x")
    routes.follow(None, entry)
    routes.follow(entry, app("web", "moved"))
    assert names(routes.nearest(KEY, {"x/a"})[0]) == ["web"], "the generation is the same, so the spec is"


def test_several_sources_count_each():
    routes = routed(app("web", sources=[{"repoURL": REPO, "path": "a"}, {"repoURL": "https://other/x"}]))
    assert names(routes.users(mirror_key("https://other/x"))) == ["web"]


def test_an_application_that_cannot_be_read_uses_nothing():
    assert routed(app("web", source=3)).repositories() == frozenset()


def test_dependencies_are_named_with_or_without_a_namespace():
    assert dependencies({"plumbline.dev/depends-on": "db, team/cache,,"}, "argocd") == (
        ("argocd", "db"),
        ("team", "cache"),
    )
    assert dependencies({}, "argocd") == ()


def test_circles_are_found_and_other_ways_are_none():
    routes = routed(app("a", depends_on="b"), app("b", depends_on="c,d"), app("c", depends_on="a"), app("d"))
    assert [name for _, name in routes.cycle(("argocd", "a"))] == ["a", "b", "c", "a"]
    assert routes.cycle(("argocd", "d")) == ()


@given(st.dictionaries(st.integers(0, 6), st.lists(st.integers(0, 6), max_size=3), max_size=7))
def test_a_circle_is_found_exactly_where_there_is_one(graph):
    routes = routed(
        *(app(f"n{node}", depends_on=",".join(f"n{each}" for each in edges)) for node, edges in graph.items())
    )

    def reachable(start):
        seen, pending = set(), list(graph.get(start, ()))
        while pending:
            node = pending.pop()
            if node not in seen:
                seen.add(node)
                pending.extend(graph.get(node, ()))
        return seen

    for node in graph:
        assert bool(routes.cycle(("argocd", f"n{node}"))) == (node in reachable(node))


def object_(**more):
    metadata = {"name": "a", "namespace": "shop", "uid": "u", "resourceVersion": "1", **more.pop("metadata", {})}
    return cached(
        encode({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, **more}), Relevance(status=False)
    )


REF = Ref("", "ConfigMap", "shop", "a")


def test_fields_that_change_all_the_time_are_no_news():
    stock = Updates(read_settings(Sources()))
    leader = "control-plane.alpha.kubernetes.io/leader"
    before, after = (object_(metadata={"annotations": {leader: text}}) for text in ("me", "you"))
    assert not stock.are_news(REF, before, after)
    assert stock.are_news(REF, before, object_(data={"a": "b"}))
    assert stock.are_news(Ref("", "Secret", "shop", "a"), before, after)


def test_everything_is_news_where_the_settings_say_so():
    body = {"data": {"resource.ignoreResourceUpdatesEnabled": "false"}}
    updates = Updates(read_settings(Sources(control_plane=body)))
    assert updates.are_news(REF, object_(), object_(status={"a": 1}))


@pytest.mark.parametrize(
    ("expression", "steps"),
    [
        (".status", ("status",)),
        ('.metadata.annotations."a.b/c"', ("metadata", "annotations", "a.b/c")),
        ('.metadata.annotations["a.b/c"]', ("metadata", "annotations", "a.b/c")),
        (".spec.ports[]", ()),
        (".spec | .a", ()),
        ("", ()),
    ],
)
def test_paths_in_jq_that_only_name_a_field_are_understood(expression, steps):
    assert plain_path(expression) == steps


def hydrated(name, *, path=None, branch="env", to=None, dry=REPO, revision="main", rendered="", generation=1, **spec):
    hydrator = {
        "drySource": {"repoURL": dry, "targetRevision": revision, "path": name},
        "syncSource": {"targetBranch": branch, "path": path or name, "repoURL": rendered},
        **({"hydrateTo": {"targetBranch": to}} if to else {}),
    }
    return app(name, generation=generation, sourceHydrator=hydrator, **spec)


def test_who_is_hydrated_uses_both_repositories():
    routes = routed(hydrated("a", rendered="https://git.example.org/rendered"), app("b", "x"))
    assert names(routes.users(KEY)) == ["a", "b"]
    assert names(routes.users(mirror_key("https://git.example.org/rendered"))) == ["a"]


def test_those_are_hydrated_together_that_come_from_one_revision_and_go_to_one_branch():
    routes = routed(
        hydrated("b"), hydrated("a", dry="https://GIT.example.org/shop"), hydrated("c", branch="other", to="env"),
        hydrated("d", revision="HEAD"), hydrated("e", branch="other"), app("f", "x"),
    )  # fmt: skip
    hydrations = routes.hydrations
    group = hydrations.group_of(("argocd", "b"))
    assert names(hydrations.members(group)) == ["a", "b", "c"]
    assert names(hydrations.beside(group)) == ["a", "b", "c", "d"]
    assert hydrations.group_of(("argocd", "f")) is None
    assert (len(hydrations), len(hydrations.groups(KEY)), len(hydrations.groups("elsewhere"))) == (5, 3, 0)


def test_those_of_another_project_are_hydrated_by_themselves():
    hydrations = routed(hydrated("a"), hydrated("b", project="ada")).hydrations
    group = hydrations.group_of(("argocd", "a"))
    assert (group.project, names(hydrations.members(group))) == ("default", ["a"])
    assert names(hydrations.beside(group)) == ["a", "b"]


def test_who_is_hydrated_no_longer_is_forgotten():
    first, second = hydrated("a"), hydrated("a", branch="other", generation=2)
    routes = routed(first)
    routes.follow(first, second)
    assert {each.branch for each in routes.hydrations.groups()} == {"other"}
    plain = app("a", "x", generation=3)
    routes.follow(second, plain)
    assert len(routes.hydrations) == 0
    routes.follow(plain, None)
    assert routes.hydrations.groups() == frozenset()
