"""Pods: every complaint of the real server, in its order and words."""

import pytest

from plumbline.apiserver.validation import validated_create, validated_subresource_update, validated_update
from plumbline.apiserver.validation.pods.internal import same_form
from plumbline.apiserver.validation.pods.resizing import quality
from plumbline.kube.names import GroupVersionKind

from .broken import containers, later, specs, updates, volumes
from .broken.asking import our_answer
from .broken.case import edited
from .broken.recorded import answer, base

POD = GroupVersionKind("", "v1", "Pod")
CASES = [*containers.CASES, *volumes.CASES, *specs.CASES, *updates.CASES, *later.CASES]
MIRROR = "kubernetes.io/config.mirror"
SIZED = {"cpu": "1", "memory": "1Gi"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.key)
def test_broken_pods_are_refused_in_the_words_of_the_server(case):
    assert our_answer(case, base(case.base)) == answer(case.key)


def fields(errors):
    return [error.field for error in errors]


def broken(edits, name="pod"):
    return fields(validated_create(POD, edited(base(name).fresh, edits)))


DEFAULTED = [
    ({"spec|containers|0|resources": {"limits": {"cpu": "x"}}}, [], "what is no quantity was refused in decoding"),
    ({"spec|terminationGracePeriodSeconds": None}, ["spec.terminationGracePeriodSeconds"], "defaults set it"),
    ({"spec|volumes|2": {"name": "x"}}, ["spec.volumes[2]"], "defaults make it an emptyDir"),
    ({"spec|runtimeClassName": "A"}, ["spec.runtimeClassName"], "admission looks for the class first"),
    ({"spec|preemptionPolicy": "A"}, ["spec.preemptionPolicy"], "admission sets it by the priority class"),
    ({"spec|priorityClassName": "A"}, ["spec.priorityClassName"], "admission looks for the class first"),
    ({"spec|overhead": {"cpu": "-1"}}, ["spec.overhead.limits[cpu]"], "admission sets it by the runtime class"),
    (
        {
            "spec|containers|0|livenessProbe": {
                "httpGet": {"path": "", "port": 80, "scheme": "HTTP"},
                "successThreshold": 1,
            }
        },
        ["spec.containers[0].livenessProbe.httpGet.path"],
        "defaults set it",
    ),
    (
        {
            "spec|hostNetwork": True,
            "spec|containers|0|ports": [{"containerPort": 80, "protocol": "TCP"}],
        },
        ["spec.containers[0].ports[0].hostPort"],
        "defaults set it",
    ),
    (
        {"spec|containers|0|env": [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}]},
        ["spec.containers[0].env[0].valueFrom.fieldRef.apiVersion"],
        "defaults set it",
    ),
    (
        {"spec|containers|0|securityContext": {"allowPrivilegeEscalation": False, "privileged": True}},
        ["spec.containers[0].securityContext"],
        "the real server is not told to allow privileged containers",
    ),
    (
        {"spec|securityContext": {"windowsOptions": {"gmsaCredentialSpec": "x" * 65537}}},
        ["spec.securityContext.windowsOptions.gmsaCredentialSpec"],
        "its complaint is as long as the value",
    ),
    (
        {
            "metadata|annotations": {"container.apparmor.security.beta.kubernetes.io/main": "unconfined"},
            "spec|securityContext": {"appArmorProfile": {"type": "RuntimeDefault"}},
        },
        ["spec.containers[0].securityContext.appArmorProfile.type"],
        "preparation copies the annotation",
    ),
    (
        {"metadata|annotations": {MIRROR: "x"}, "spec|nodeName": "n", "spec|resourceClaims": [{"name": "a"}]},
        ["[]"],
        "static pods make no claims",
    ),
    (
        {"spec|affinity": {"nodeAffinity": {}, "podAffinity": {}}},
        [],
        "nothing is asked of what asks nothing",
    ),
    (
        {
            "spec|affinity": {
                "podAffinity": {
                    "requiredDuringSchedulingIgnoredDuringExecution": [
                        {
                            "topologyKey": "a",
                            "labelSelector": {
                                "matchLabels": {"x": "y"},
                                "matchExpressions": [{"key": "x", "operator": "Exists"}],
                            },
                            "matchLabelKeys": ["x"],
                        }
                    ]
                }
            }
        },
        ["spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0][0]"],
        "preparation adds the key to the selector, where it must not be yet",
    ),
    (
        {
            "spec|volumes|2": {
                "name": "x",
                "ephemeral": {
                    "volumeClaimTemplate": {
                        "metadata": {"uid": "u"},
                        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1"}}},
                    }
                },
            }
        },
        ["spec.volumes[2].ephemeral.volumeClaimTemplate.metadata.uID"],
        "the server forms the name of the field from Go's",
    ),
    (
        {
            "metadata|name": "p" * 200,
            "spec|volumes|2": {
                "name": "x" * 60,
                "ephemeral": {
                    "volumeClaimTemplate": {
                        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1"}}}
                    }
                },
            },
        },
        ["spec.volumes[2].name"],
        "together the names are too long for a claim",
    ),
    (
        {
            "spec|volumes|2": {
                "name": "x",
                "ephemeral": {
                    "volumeClaimTemplate": {
                        "spec": {
                            "accessModes": ["ReadWriteOnce"],
                            "resources": {"requests": {"storage": "1"}},
                            "dataSource": {"kind": "A", "apiGroup": "b", "name": "c"},
                            "dataSourceRef": {"kind": "A", "apiGroup": "b", "name": "c", "namespace": "N"},
                        }
                    }
                },
            }
        },
        [
            "spec.volumes[2].ephemeral.volumeClaimTemplate.spec.dataSourceRef.namespace",
            "spec.volumes[2].ephemeral.volumeClaimTemplate.spec",
        ],
        "defaults drop what a gate closes",
    ),
]


@pytest.mark.parametrize(("edits", "expected", "why"), DEFAULTED, ids=[why for _, _, why in DEFAULTED])
def test_what_defaults_and_admission_would_keep_away_is_refused_too(edits, expected, why):
    assert broken(edits) == expected, why


@pytest.mark.parametrize("subresource", ["ephemeralcontainers", "resize"])
def test_a_static_pod_is_neither_visited_nor_resized(subresource):
    static = edited(base("bound").stored, {"metadata|annotations": {MIRROR: "x"}})
    (error,) = validated_subresource_update(POD, subresource, static, static)
    assert str(error).startswith("[]: Forbidden: static pods")


def test_a_mirror_is_not_taken_from_its_pod():
    old = edited(base("bound").stored, {"metadata|annotations": {MIRROR: "x"}})
    new = edited(old, {"metadata|annotations": {"a": "b"}})
    assert fields(validated_update(POD, new, old)) == [f"metadata.annotations[{MIRROR}]"]


def test_a_negative_grace_period_may_become_one():
    old = edited(base("pod").stored, {"spec|terminationGracePeriodSeconds": -1})
    assert validated_update(POD, edited(old, {"spec|terminationGracePeriodSeconds": 1}), old) == []
    assert fields(validated_update(POD, edited(old, {"spec|terminationGracePeriodSeconds": 2}), old)) == ["spec"]


def test_an_equal_quantity_is_no_change():
    limits = "spec|containers|0|resources|limits|memory"
    old = edited(base("sized").stored, {limits: "128Mi"})
    assert validated_update(POD, edited(old, {limits: "134217728"}), old) == []
    assert fields(validated_update(POD, edited(old, {limits: "134217729"}), old)) == ["spec"]


def test_a_variable_is_compared_as_text():
    old = edited(base("pod").stored, {"spec|containers|0|env": [{"name": "A", "value": "1"}]})
    new = edited(old, {"spec|containers|0|env|0|value": "1.0"})
    assert fields(validated_update(POD, new, old)) == ["spec"]


def test_an_empty_list_is_none():
    assert same_form({"a": []}, {"a": None})
    assert same_form(None, [])
    assert not same_form({"a": {}}, {"a": None})
    assert not same_form([1], [1, 2])


def test_a_gated_pod_may_get_an_affinity_to_nodes_but_none_to_pods():
    gated = edited(base("gated").stored, {"spec|affinity": None})
    term = {"matchExpressions": [{"key": "a", "operator": "Exists"}]}
    node = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    pods = {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "a"}]}
    assert validated_update(POD, edited(gated, {"spec|affinity": {"nodeAffinity": node}}), gated) == []
    both = edited(gated, {"spec|affinity": {"nodeAffinity": node, "podAffinity": pods}})
    assert fields(validated_update(POD, both, gated)) == ["spec"]


def test_a_term_without_expressions_stays_without():
    terms = "spec|affinity|nodeAffinity|requiredDuringSchedulingIgnoredDuringExecution|nodeSelectorTerms"
    old = edited(base("gated").stored, {terms: [{}]})
    new = edited(old, {terms: [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["a"]}]}]})
    assert fields(validated_update(POD, new, old)) == [
        "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]"
    ]


QUALITIES = [
    ([{}], "BestEffort"),
    ([{"requests": SIZED, "limits": SIZED}], "Guaranteed"),
    ([{"requests": SIZED, "limits": SIZED}, {}], "Burstable"),
    ([{"requests": {"cpu": "1"}, "limits": {"cpu": "1"}}], "Burstable"),
    ([{"requests": {"cpu": "500m", "memory": "1Gi"}, "limits": SIZED}], "Burstable"),
    ([{"requests": {"example.com/gpu": "1"}}], "BestEffort"),
]


@pytest.mark.parametrize(("resources", "expected"), QUALITIES)
def test_the_quality_of_a_pod_is_told_by_its_resources(resources, expected):
    assert quality({"containers": [{"resources": each} for each in resources]}) == expected


def test_the_quality_of_a_pod_with_resources_of_its_own_is_theirs():
    assert quality({"resources": {"requests": SIZED, "limits": SIZED}, "containers": [{}]}) == "Guaranteed"
