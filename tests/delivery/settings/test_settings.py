"""argocd-cm and its companions: defaults, values, and malformed keys that stay alone (row 27)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.delivery.settings.building import config_map, secret, settings

from plumbline.delivery.settings import Settings, SettingsReader, Sources, read_settings
from plumbline.delivery.settings.values import Hydrating, Kustomize, KustomizeVersion, Link, SelfHeal
from plumbline.delivery.steps.targeting import render_settings
from plumbline.kube.health import override_for
from plumbline.kube.names import GroupKind
from plumbline.ownership.learn.tracking import Tracking


def keys_of(found):
    return [problem.key for problem in found.problems]


def test_an_empty_config_map_is_every_default():
    found = settings()
    assert found.problems == ()
    assert found.tracking == Tracking()
    assert (found.timing, found.rendering, found.webhooks, found.display) == (
        Settings().timing,
        Settings().rendering,
        Settings().webhooks,
        Settings().display,
    )
    assert (found.timing.reconciliation_s, found.timing.reconciliation_jitter_s) == (120, 60)
    assert found.timing.self_heal == SelfHeal(fixed_s=0, initial_s=2, factor=3, cap_s=300)
    assert (found.impersonation.enabled, found.impersonation.enforced, found.in_cluster_enabled) == (False, True, True)


def test_without_any_config_map_it_is_what_upstream_installs():
    stock = read_settings(Sources())
    assert stock.problems == ()
    assert stock.filter.excludes("discovery.k8s.io", "EndpointSlice", "https://x")
    assert not settings().filter.excludes("discovery.k8s.io", "EndpointSlice", "https://x")
    unnoticed = {(rule.group, rule.kind): rule for rule in stock.customizations.ignored_updates}
    assert "/status" in unnoticed["*", "*"].json_pointers
    assert ".operation" in unnoticed["argoproj.io", "Application"].jq_path_expressions


def test_what_people_set_is_read():
    found = settings(
        {
            "application.resourceTrackingMethod": "annotation+label",
            "application.instanceLabelKey": "acme.example.com/app",
            "installationID": "blue",
            "timeout.reconciliation": "5m",
            "timeout.reconciliation.jitter": "0s",
            "timeout.hard.reconciliation": "1d",
            "url": "https://cd.example.com",
            "additionalUrls": "- https://a.example.com\n- https://b.example.com",
            "statusbadge.enabled": "true",
            "resource.customLabels": "team, tier",
            "resource.sensitive.mask.annotations": "a/b, c",
            "resource.includeEventLabelKeys": "team*",
            "application.allowedNodeLabels": "topology.kubernetes.io/zone",
            "cluster.inClusterEnabled": "false",
            "application.sync.impersonation.enabled": "true",
            "application.sync.impersonation.enforced": "false",
            "webhook.maxPayloadSizeMB": "10",
            "webhook.refresh.jitter": "30s",
            "webhook.refresh.jitter.threshold": "5",
            "resource.respectRBAC": "strict",
            "helm.valuesFileSchemes": "https, s3",
            "kustomize.buildOptions": "--enable-helm",
            "kustomize.buildOptions.v5": "--x",
            "kustomize.path.v5": "/bin/kustomize5",
            "kustomize.version.v4": "/bin/kustomize4",
            "jsonnet.enable": "false",
            "application.links": "- url: https://x/{{.app.metadata.name}}\n  title: X\n  icon.class: fa-x\n  if: app.y",
        }
    )
    assert found.problems == ()
    assert found.tracking == Tracking("annotation+label", "acme.example.com/app", "blue", "argocd")
    timing = found.timing
    assert (timing.reconciliation_s, timing.reconciliation_jitter_s, timing.hard_reconciliation_s) == (300, 0, 86_400)
    assert found.display.additional_urls == ("https://a.example.com", "https://b.example.com")
    assert (found.display.custom_labels, found.display.masked_annotations) == (("team", "tier"), {"a/b", "c"})
    assert found.display.links.application == (Link("https://x/{{.app.metadata.name}}", "X", None, "fa-x", "app.y"),)
    assert (found.in_cluster_enabled, found.impersonation.enabled, found.impersonation.enforced) == (False, True, False)
    assert (found.webhooks.max_payload_bytes, found.webhooks.refresh_jitter_s) == (10 * 1024**2, 30)
    assert found.rendering.helm.value_file_schemes == ("https", "s3")
    assert found.rendering.kustomize == Kustomize(
        build_options="--enable-helm",
        versions={"v5": KustomizeVersion("/bin/kustomize5", "--x"), "v4": KustomizeVersion("/bin/kustomize4")},
    )
    assert not found.rendering.jsonnet
    assert found.respect_rbac == "strict"


def test_what_is_said_about_rendering_reaches_the_tools():
    entries = {
        "helm.enable": "false",
        "jsonnet.enable": "false",
        "kustomize.path.v5": "/bin/kustomize5",
        "kustomize.buildOptions.v5": "--enable-helm",
        "kustomize.remote.enable": "true",
    }
    said = render_settings(settings(entries))
    assert said.disabled == {"Helm", "Directory"}
    assert said.kustomize_programs == {"v5": "/bin/kustomize5"}
    assert said.kustomize_build_options_by_version == {"v5": "--enable-helm"}
    assert said.kustomize_remote


def test_nothing_is_fetched_for_kustomizations_unless_somebody_says_so():
    assert not render_settings(settings({})).kustomize_remote
    assert not render_settings(settings({"kustomize.remote.enable": "maybe"})).kustomize_remote


def test_parameters_of_the_commands_are_read():
    entries = {
        "controller.self.heal.backoff.timeout.seconds": "1",
        "controller.self.heal.backoff.cap.seconds": "60",
        "controller.sync.timeout.seconds": "900",
        "controller.sync.wave.delay.seconds": "0",
        "controller.repo.error.grace.period.seconds": "60",
        "controller.diff.server.side": "True",
        "application.namespaces": "team-*, /^ops-[ab]$/",
        "reposerver.enable.git.submodule": "false",
        "reposerver.max.combined.directory.manifests.size": "20Mi",
        "reposerver.git.request.timeout": "90s",
    }
    found = settings(parameters=config_map(entries, "argocd-cmd-params-cm"))
    assert found.problems == ()
    assert found.timing.self_heal == SelfHeal(initial_s=1, cap_s=60)
    assert (found.timing.sync_timeout_s, found.timing.sync_wave_delay_s, found.timing.repository_grace_s) == (
        900,
        0,
        60,
    )
    assert found.server_side_diff
    assert (found.rendering.submodules, found.rendering.directory_bytes) == (False, 20 * 1024**2)
    places = ("argocd", "team-x", "ops-a", "ops-c")
    assert [found.applications_in(each) for each in places] == [True, True, True, False]


@pytest.mark.parametrize(
    ("key", "value", "why"),
    [
        ("timeout.reconciliation", "soon", "no duration"),
        ("timeout.reconciliation", "-5m", "a negative one"),
        ("timeout.reconciliation", "9" * 300 + "h", "a huge one"),
        ("timeout.reconciliation.jitter", "876000h", "a century"),
        ("application.resourceTrackingMethod", "magic", "no such method"),
        ("application.instanceLabelKey", "not a label!", "no label"),
        ("resource.exclusions", "{", "no YAML"),
        ("resource.exclusions", "a: b", "no list"),
        ("resource.exclusions", "- apiGroups: 5", "no list within"),
        ("resource.inclusions", "- [x]", "no mapping"),
        ("resource.customizations", "- x", "no mapping"),
        ("resource.customizations", "apps/Deployment: text", "no customizations"),
        ("resource.customizations", "apps/Deployment: {health.lua: 5}", "no script"),
        ("resource.customizations", "a/b/c: {health.lua: x}", "no kind"),
        ("resource.customizations.health.a_b_c", "return {}", "no kind"),
        ("resource.customizations.magic.apps_Deployment", "x", "no topic"),
        ("resource.customizations.useOpenLibs.apps_Deployment", "maybe", "no boolean"),
        ("resource.customizations.ignoreDifferences.apps_Deployment", "jsonPointers: /x", "no list"),
        ("resource.customizations.ignoreDifferences.apps_Deployment", "{", "no YAML"),
        ("resource.customizations.actions.apps_Deployment", "definitions: 5", "no list"),
        ("resource.customizations.knownTypeFields.a_B", "field: x", "no list"),
        ("resource.compareoptions", "ignoreAggregatedRoles: perhaps", "no boolean"),
        ("resource.compareoptions", "ignoreResourceStatusField: some", "no such value"),
        ("resource.compareoptions", "- x", "no mapping"),
        ("globalProjects", "- labelSelector: {}", "no project"),
        (
            "globalProjects",
            "- {projectName: x, labelSelector: {matchExpressions: [{key: a, operator: Odd}]}}",
            "no selector",
        ),
        ("application.links", "- url: x", "no title"),
        ("url", "javascript:alert(1)", "no address for people"),
        ("url", "https://[", "no address at all"),
        ("additionalUrls", "- ftp://x", "no address for people"),
        ("statusbadge.enabled", "yes", "no boolean"),
        ("webhook.maxPayloadSizeMB", "-1", "too small"),
        ("webhook.maxPayloadSizeMB", "99999999", "too large"),
        ("webhook.refresh.jitter.threshold", "x", "no number"),
        ("kustomize.version.v5", "/twice", "two paths for one version"),
        ("application.allowedNodeLabels", "a b", "no label"),
        ("resource.respectRBAC", "very", "no such value"),
    ],
)
def test_a_malformed_key_is_told_and_takes_no_other_with_it(key, value, why):
    good = {"timeout.hard.reconciliation": "7m", "kustomize.path.v5": "/bin/k", "statusbadge.url": "https://x"}
    good["resource.customizations.health.example.org_Thing"] = "return {status='Healthy'}"
    found = settings({**good, key: value})
    assert set(keys_of(found)) == {key}, why
    assert value not in str(found.problems) or len(value) < 10, "values may be secret, and are never told"
    assert found.timing.hard_reconciliation_s == 420
    assert found.rendering.kustomize.versions["v5"].path == "/bin/k"
    assert override_for(GroupKind("example.org", "Thing"), found.customizations.health)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("controller.sync.timeout.seconds", "-5"),
        ("controller.self.heal.backoff.factor", "1e9"),
        ("controller.repo.error.grace.period.seconds", "x"),
        ("controller.diff.server.side", "on"),
        ("reposerver.max.combined.directory.manifests.size", "0"),
        ("reposerver.max.combined.directory.manifests.size", "10X"),
    ],
)
def test_nor_does_a_malformed_parameter(key, value):
    found = settings({"url": "https://x"}, parameters=config_map({key: value}))
    assert keys_of(found) == [key]
    assert (found.timing, found.rendering, found.display.url) == (Settings().timing, Settings().rendering, "https://x")


@pytest.mark.parametrize("broken", [{"data": 5}, {"data": []}, {"data": {"url": 5}}, {"data": None}, {}])
def test_malformed_objects_are_told_too(broken):
    found = read_settings(Sources(broken, broken, broken, broken))
    assert isinstance(found, Settings)
    assert found.display.url == ""
    assert found.timing == Settings().timing


@given(
    entries=st.dictionaries(
        st.sampled_from(["resource.customizations", "resource.exclusions", "globalProjects", "timeout.reconciliation"]),
        st.text(max_size=40),
    )
)
def test_no_text_breaks_the_reader(entries):
    assert isinstance(settings(entries), Settings)


def test_upstreams_reading_of_a_half_boolean_counts():
    found = settings({"kustomize.enable": "True", "cluster.inClusterEnabled": "False"})
    assert (found.rendering.kustomize.enabled, found.in_cluster_enabled) == (False, True)
    assert keys_of(found) == ["kustomize.enable", "cluster.inClusterEnabled"]


def test_notifications_are_kept_as_they_are():
    entries = {"service.slack": "token: $slack-token"}
    assert settings(notifications=config_map(entries, "argocd-notifications-cm")).notifications == entries


def test_settings_are_read_once_for_each_version():
    reader = SettingsReader("cd")
    sources = Sources(control_plane=config_map({"url": "https://x"}, version="1"))
    first = reader.read(sources)
    assert first.namespace == "cd"
    assert reader.read(Sources(control_plane=config_map({"url": "https://never-looked-at"}, version="1"))) is first
    second = reader.read(Sources(control_plane=config_map({"url": "https://y"}, version="2")))
    assert second.display.url == "https://y"
    assert reader.read(Sources()).display.url == ""
    with_secret = Sources(secret=secret({}, version="3"))
    assert reader.read(with_secret) is reader.read(with_secret)
    assert reader.read(with_secret, secrets_version="2") is not reader.read(with_secret)


def test_proxies_are_trusted_by_address_or_network_and_what_is_neither_is_told():
    entries = {"server.trusted.proxies": "10.1.2.3, 10.0.0.7/8, fd00::/8, ingress"}
    found = settings(parameters=config_map(entries, "argocd-cmd-params-cm"))
    assert found.trusted_proxies == ("10.1.2.3/32", "10.0.0.0/8", "fd00::/8")
    assert [each.key for each in found.problems] == ["server.trusted.proxies"]
    assert settings().trusted_proxies == ()


def test_hydrating_is_off_unless_it_is_switched_on_and_says_who_writes_what():
    assert settings().hydrating == Hydrating(author_name="Argo CD", author_email="argo-cd@example.com")
    control = {
        "sourceHydrator.commitMessageTemplate": "{{ .metadata.drySha }}",
        "sourceHydrator.readmeMessageTemplate": "# {{ .DrySHA }}",
        "commit.author.name": "Hydra",
        "commit.author.email": "hydra@example.org",
    }
    found = settings(control, parameters=config_map({"hydrator.enabled": "true"}, "argocd-cmd-params-cm"))
    assert found.hydrating == Hydrating(
        enabled=True,
        commit_message="{{ .metadata.drySha }}",
        readme="# {{ .DrySHA }}",
        author_name="Hydra",
        author_email="hydra@example.org",
    )
    wrong = settings(parameters=config_map({"hydrator.enabled": "maybe"}, "argocd-cmd-params-cm"))
    assert (wrong.hydrating.enabled, keys_of(wrong)) == (False, ["hydrator.enabled"])
