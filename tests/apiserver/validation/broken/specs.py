"""Specs of pods that are refused, and what else there is to a pod."""

from .case import table

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_SPREAD = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}
_CLAIM = {"name": "gpu", "resourceClaimName": "some"}


def _node(why, **term):
    return why, {"affinity": {"nodeAffinity": {_REQUIRED: {"nodeSelectorTerms": [term]}}}}


def _near(why, **term):
    held = {"topologyKey": "zone", **term}
    return why, {"affinity": {"podAntiAffinity": {_REQUIRED: [held]}}}


def _tolerates(why, **held):
    return why, {"tolerations": [held]}


def _spread(why, **held):
    return why, {"topologySpreadConstraints": [{**_SPREAD, **held}]}


def _secured(why, **held):
    return why, {"securityContext": held}


_GENERAL = table(
    "pod",
    ("an unknown restart policy", {"restartPolicy": "Sometimes"}),
    ("an unknown DNS policy", {"dnsPolicy": "Mine"}),
    ("no DNS at all", {"dnsPolicy": "None"}),
    ("no DNS server", {"dnsPolicy": "None", "dnsConfig": {}}),
    (
        "a DNS config with everything wrong",
        {
            "dnsConfig": {
                "nameservers": ["1.1.1.1", "a", "01.1.1.1", "::ffff:1.1.1.1"],
                "searches": ["A", "a_b.", "."],
                "options": [{"name": ""}],
            }
        },
    ),
    ("too many searches", {"dnsConfig": {"searches": ["a" * 63] * 33}}),
    ("a node selector that is none", {"nodeSelector": {"a": "b c"}}),
    ("a bad service account", {"serviceAccountName": "A", "serviceAccount": "A"}),
    ("a bad node", {"nodeName": "A"}),
    ("a deadline that is over", {"activeDeadlineSeconds": 0}),
    ("a deadline too far", {"activeDeadlineSeconds": 2**31}),
    ("a bad host name", {"hostname": "a.b", "subdomain": "A"}),
    ("an override of host names", {"hostnameOverride": "A", "setHostnameAsFQDN": True}),
    ("a long override of host names", {"hostnameOverride": "a" * 65}),
    ("an alias that is no address", {"hostAliases": [{"ip": "a", "hostnames": ["A"]}]}),
    ("an unknown operating system", {"os": {"name": "solaris"}}),
    ("an operating system without a name", {"os": {}}),
    (
        "windows options for linux",
        {"os": {"name": "linux"}, "securityContext": {"windowsOptions": {"runAsUserName": "a"}}},
    ),
    (
        "windows options for linux in a container",
        {"os": {"name": "linux"}, "containers|0|securityContext": {"windowsOptions": {"runAsUserName": "a"}}},
    ),
    ("a readiness gate that is none", {"readinessGates": [{"conditionType": "a b"}]}),
    ("a scheduling gate that is none", {"schedulingGates": [{"name": "a b"}]}),
    ("a scheduling gate twice", {"schedulingGates": [{"name": "a"}, {"name": "a"}]}),
    ("a gate and a node", {"schedulingGates": [{"name": "a"}], "nodeName": "n"}),
    (
        "ports unlike those of the host",
        {"hostNetwork": True, "containers|0|ports": [{"containerPort": 80, "hostPort": 81, "protocol": "TCP"}]},
    ),
    (
        "ports like those of the host",
        {"hostNetwork": True, "containers|0|ports": [{"containerPort": 80, "hostPort": 80, "protocol": "TCP"}]},
    ),
    (
        "users of its own and the host's rest",
        {"hostUsers": False, "hostNetwork": True, "hostPID": True, "hostIPC": True},
    ),
    (
        "users of its own and a device",
        {"hostUsers": False, "containers|0|volumeDevices": [{"name": "claimed", "devicePath": "/dev/a"}]},
    ),
    ("a shared process namespace twice", {"hostPID": True, "shareProcessNamespace": True}),
    ("an override on the host's network", {"hostNetwork": True, "hostnameOverride": "a"}),
    ("a negative grace period becomes one", {"terminationGracePeriodSeconds": -5}),
    ("a claim for a device", {"resourceClaims": [_CLAIM], "containers|0|resources": {"claims": [{"name": "gpu"}]}}),
    ("a claim twice", {"resourceClaims": [_CLAIM, _CLAIM]}),
    ("a claim without anything", {"resourceClaims": [{"name": ""}]}),
    ("a claim in two ways", {"resourceClaims": [{**_CLAIM, "name": "A", "resourceClaimTemplateName": "B"}]}),
    (
        "uses of a claim that clash",
        {
            "resourceClaims": [_CLAIM],
            "containers|0|resources": {
                "claims": [
                    {"name": "gpu", "request": "a"},
                    {"name": "gpu", "request": "a"},
                    {"name": "gpu"},
                    {"name": "x", "request": "A"},
                ]
            },
        },
    ),
    (
        "a claim that is used twice",
        {"resourceClaims": [_CLAIM], "containers|0|resources": {"claims": [{"name": "gpu"}, {"name": "gpu"}]}},
    ),
    ("resources of its own", {"resources": {"requests": {"cpu": "1"}, "limits": {"cpu": "2"}}}),
    ("an unknown resource of its own", {"resources": {"limits": {"ephemeral-storage": "1"}}}),
    (
        "less for all than for one",
        {
            "resources": {"requests": {"cpu": "1"}, "limits": {"cpu": "1"}},
            "containers|0|resources": {"requests": {"cpu": "2"}, "limits": {"cpu": "3"}},
        },
    ),
    (
        "less for all than for those who start",
        {"resources": {"requests": {"cpu": "1"}}, "initContainers|0|resources": {"requests": {"cpu": "2"}}},
    ),
    (
        "less for all than for those who stay",
        {
            "resources": {"requests": {"cpu": "1"}},
            "initContainers|0|restartPolicy": "Always",
            "initContainers|0|resources": {"requests": {"cpu": "600m"}},
            "containers|0|resources": {"requests": {"cpu": "600m"}},
        },
    ),
    (
        "fewer huge pages for all than for one",
        {
            "resources": {
                "limits": {"hugepages-2Mi": "2Mi", "cpu": "1"},
                "requests": {"hugepages-2Mi": "2Mi", "cpu": "1"},
            },
            "containers|0|resources": {
                "requests": {"hugepages-2Mi": "4Mi"},
                "limits": {"hugepages-2Mi": "4Mi", "cpu": "1"},
            },
        },
    ),
    ("a claim of all", {"resources": {"claims": [{"name": "a"}]}}),
    at="spec|",
)
_AFFINITY = table(
    "pod",
    ("no term", {"affinity": {"nodeAffinity": {_REQUIRED: {"nodeSelectorTerms": []}}}}),
    _node("an unknown operator", matchExpressions=[{"key": "a", "operator": "Is"}]),
    _node("no values", matchExpressions=[{"key": "a", "operator": "In"}]),
    _node("values for nothing", matchExpressions=[{"key": "a", "operator": "Exists", "values": ["b"]}]),
    _node("two values to be larger than", matchExpressions=[{"key": "a", "operator": "Gt", "values": ["1", "2"]}]),
    _node("a bad key and value", matchExpressions=[{"key": "a b", "operator": "In", "values": ["c d"]}]),
    _node("an unknown field", matchFields=[{"key": "metadata.uid", "operator": "In", "values": ["a"]}]),
    _node("a bad name of a node", matchFields=[{"key": "metadata.name", "operator": "In", "values": ["A"]}]),
    _node("two names of nodes", matchFields=[{"key": "metadata.name", "operator": "NotIn", "values": ["a", "b"]}]),
    _node("a field that exists", matchFields=[{"key": "metadata.name", "operator": "Exists"}]),
    (
        "a preference without weight",
        {
            "affinity": {
                "nodeAffinity": {
                    _PREFERRED: [
                        {
                            "weight": 0,
                            "preference": {"matchExpressions": [{"key": "a b", "operator": "In", "values": ["c d"]}]},
                        }
                    ]
                }
            }
        },
    ),
    _near("no topology", topologyKey=""),
    _near("a bad topology", topologyKey="a b"),
    _near(
        "a bad selector",
        labelSelector={"matchLabels": {"a": "b c"}},
        namespaceSelector={"matchExpressions": [{"key": "a", "operator": "Is"}]},
    ),
    _near("a bad namespace", namespaces=["A"]),
    _near("keys without a selector", matchLabelKeys=["a"], mismatchLabelKeys=["b"]),
    _near("bad keys", labelSelector={"matchLabels": {"x": "y"}}, matchLabelKeys=["a b"], mismatchLabelKeys=["c d"]),
    _near(
        "keys that match and do not",
        labelSelector={"matchLabels": {"x": "y"}},
        matchLabelKeys=["a"],
        mismatchLabelKeys=["a"],
    ),
    (
        "a weight beyond",
        {"affinity": {"podAffinity": {_PREFERRED: [{"weight": 101, "podAffinityTerm": {"topologyKey": ""}}]}}},
    ),
    at="spec|",
)
_TOLERATIONS = table(
    "pod",
    _tolerates("no key", operator="Equal", value="a"),
    _tolerates("a bad key", key="a b", operator="Exists"),
    _tolerates("a bad value", key="a", operator="Equal", value="b c"),
    _tolerates("a value for nothing", key="a", operator="Exists", value="b"),
    _tolerates("an unknown operator", key="a", operator="Is"),
    _tolerates("an operator to come", key="a", operator="Gt", value="1"),
    _tolerates("an unknown effect", key="a", operator="Exists", effect="Explode"),
    _tolerates("seconds without an effect", key="a", operator="Exists", tolerationSeconds=1, effect="NoSchedule"),
    _spread("no skew", maxSkew=0),
    _spread("no topology", topologyKey=""),
    _spread("an unknown action", whenUnsatisfiable="Cry"),
    _spread("domains for nothing", minDomains=1, whenUnsatisfiable="ScheduleAnyway"),
    _spread("no domains", minDomains=0),
    _spread("an unknown policy", nodeAffinityPolicy="Maybe", nodeTaintsPolicy="Maybe"),
    _spread("keys without a selector", matchLabelKeys=["a"]),
    _spread("a bad selector", labelSelector={"matchExpressions": [{"key": "a", "operator": "In", "values": ["b c"]}]}),
    (
        "the same twice",
        {
            "topologySpreadConstraints": [
                {**_SPREAD, "labelSelector": {}},
                {**_SPREAD, "maxSkew": 2, "labelSelector": {}},
            ]
        },
    ),
    (
        "a key in two places",
        {
            "topologySpreadConstraints": [
                {**_SPREAD, "labelSelector": {"matchLabels": {"a": "b"}}, "matchLabelKeys": ["a"]}
            ]
        },
    ),
    at="spec|",
)
_SECURITY = table(
    "pod",
    _secured("ids below zero", fsGroup=-1, runAsUser=-1, runAsGroup=-1, supplementalGroups=[-1]),
    _secured("unknown policies", fsGroupChangePolicy="A", supplementalGroupsPolicy="B", seLinuxChangePolicy="C"),
    _secured("a profile without a type", seccompProfile={}, appArmorProfile={}),
    _secured("unknown profiles", seccompProfile={"type": "A"}, appArmorProfile={"type": "B"}),
    _secured(
        "local profiles without a path", seccompProfile={"type": "Localhost"}, appArmorProfile={"type": "Localhost"}
    ),
    _secured(
        "local profiles with an empty path",
        seccompProfile={"type": "Localhost", "localhostProfile": "/a"},
        appArmorProfile={"type": "Localhost", "localhostProfile": ""},
    ),
    _secured(
        "paths of other profiles",
        seccompProfile={"type": "Unconfined", "localhostProfile": "a"},
        appArmorProfile={"type": "Unconfined", "localhostProfile": "a"},
    ),
    _secured("a padded path", appArmorProfile={"type": "Localhost", "localhostProfile": " a"}),
    _secured("a long path", appArmorProfile={"type": "Localhost", "localhostProfile": "a" * 4096}),
    _secured(
        "system controls",
        sysctls=[
            {"name": "", "value": ""},
            {"name": "A", "value": ""},
            {"name": "kernel.sem", "value": ""},
            {"name": "kernel.sem", "value": ""},
        ],
    ),
    _secured(
        "a user without a name",
        windowsOptions={"runAsUserName": "", "gmsaCredentialSpec": "", "gmsaCredentialSpecName": "A"},
    ),
    _secured("a user with two backslashes", windowsOptions={"runAsUserName": "a\\b\\c"}),
    _secured("a user with a control character", windowsOptions={"runAsUserName": "a\tb"}),
    _secured("a user of dots", windowsOptions={"runAsUserName": ".?*\\.."}),
    _secured("a user with bad characters", windowsOptions={"runAsUserName": "a@b"}),
    _secured("a user of a long domain", windowsOptions={"runAsUserName": f"{'a' * 256}\\"}),
    _secured("a user with a long name", windowsOptions={"runAsUserName": "a" * 105}),
    _secured("processes of the host", windowsOptions={"hostProcess": True}),
    (
        "some processes of the host",
        {
            "hostNetwork": True,
            "securityContext": {"windowsOptions": {"hostProcess": True}},
            "containers|0|securityContext": {"windowsOptions": {"hostProcess": False}},
        },
    ),
    (
        "controls of a shared network",
        {
            "hostNetwork": True,
            "hostIPC": True,
            "securityContext": {
                "sysctls": [
                    {"name": "net.core.somaxconn", "value": "1"},
                    {"name": "kernel/shmmax", "value": "1"},
                    {"name": "fs.mqueue.x", "value": "1"},
                ]
            },
        },
    ),
    ("ids of a container", {"containers|0|securityContext": {"runAsUser": 2**31, "runAsGroup": -1}}),
    ("an unknown mount of processes", {"containers|0|securityContext": {"procMount": "Half"}}),
    ("an open mount of processes", {"containers|0|securityContext": {"procMount": "Unmasked"}}),
    (
        "an open mount of its own processes",
        {"hostUsers": False, "containers|0|securityContext": {"procMount": "Unmasked"}},
    ),
    (
        "escalation that cannot be kept out",
        {
            "containers|0|securityContext": {
                "allowPrivilegeEscalation": False,
                "capabilities": {"add": ["CAP_SYS_ADMIN"]},
            }
        },
    ),
    at="spec|",
)
_WINDOWS = table(
    "windows",
    (
        "everything of Linux",
        {
            "hostUsers": True,
            "hostPID": True,
            "hostIPC": True,
            "shareProcessNamespace": False,
            "securityContext": {
                "appArmorProfile": {"type": "Unconfined"},
                "seLinuxOptions": {},
                "seccompProfile": {"type": "Unconfined"},
                "fsGroup": 1,
                "fsGroupChangePolicy": "Always",
                "sysctls": [{"name": "a", "value": "b"}],
                "runAsUser": 1,
                "runAsGroup": 1,
                "supplementalGroups": [1],
                "supplementalGroupsPolicy": "Merge",
                "seLinuxChangePolicy": "Recursive",
            },
            "containers|0|securityContext": {
                "appArmorProfile": {"type": "Unconfined"},
                "seLinuxOptions": {},
                "seccompProfile": {"type": "Unconfined"},
                "capabilities": {},
                "readOnlyRootFilesystem": False,
                "allowPrivilegeEscalation": True,
                "procMount": "Default",
                "runAsUser": 1,
                "runAsGroup": 1,
            },
        },
    ),
    ("resources of its own", {"resources": {"requests": {"cpu": "1"}}}),
    at="spec|",
)
_ANNOTATED = table(
    "pod",
    ("a mirror of nothing", {"metadata|annotations": {"kubernetes.io/config.mirror": "x"}}),
    ("a cost that is none", {"metadata|annotations": {"controller.kubernetes.io/pod-deletion-cost": "+1"}}),
    ("a cost with a zero before it", {"metadata|annotations": {"controller.kubernetes.io/pod-deletion-cost": "01"}}),
    ("a cost too high", {"metadata|annotations": {"controller.kubernetes.io/pod-deletion-cost": "2147483648"}}),
    ("a cost", {"metadata|annotations": {"controller.kubernetes.io/pod-deletion-cost": "-100"}}),
    ("an unknown profile of the pod", {"metadata|annotations": {"seccomp.security.alpha.kubernetes.io/pod": "a"}}),
    (
        "a profile that climbs",
        {"metadata|annotations": {"container.seccomp.security.alpha.kubernetes.io/main": "localhost/../a"}},
    ),
    ("a profile of nobody", {"metadata|annotations": {"container.apparmor.security.beta.kubernetes.io/x": "a"}}),
    (
        "profiles that contradict each other",
        {
            "metadata|annotations": {
                "seccomp.security.alpha.kubernetes.io/pod": "unconfined",
                "container.apparmor.security.beta.kubernetes.io/main": "localhost/a",
            },
            "spec|securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
            "spec|containers|0|securityContext": {"appArmorProfile": {"type": "Localhost", "localhostProfile": "b"}},
        },
    ),
    (
        "a profile of a container that contradicts",
        {
            "metadata|annotations": {"container.seccomp.security.alpha.kubernetes.io/main": "localhost/a"},
            "spec|containers|0|securityContext": {"seccompProfile": {"type": "Localhost", "localhostProfile": "b"}},
        },
    ),
)

CASES = [*_GENERAL, *_AFFINITY, *_TOLERATIONS, *_SECURITY, *_WINDOWS, *_ANNOTATED]
