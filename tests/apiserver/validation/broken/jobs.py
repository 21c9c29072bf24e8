"""Jobs and CronJobs that are refused."""

from .case import GONE, table

_TEMPLATE = "spec|template|"
_RULE = {"action": "Ignore", "onExitCodes": {"operator": "In", "values": [1]}}
_TRUE = {"status": "True"}
_CONDITION = {"type": "DisruptionTarget", "status": "True"}
_START, _END = "2024-01-01T00:00:00Z", "2024-01-02T00:00:00Z"


def _fails(why, **rule):
    return why, {"podFailurePolicy": {"rules": [{**_RULE, **rule}]}, "podReplacementPolicy": "Failed"}


def _succeeds(why, *rules):
    return why, {"successPolicy": {"rules": list(rules)}}


def _is(*types):
    return [{"type": each, "status": "True"} for each in types]


_SPECS = [
    *table(
        "job",
        (
            "counts below zero",
            {
                "parallelism": -1,
                "completions": -1,
                "activeDeadlineSeconds": -1,
                "backoffLimit": -1,
                "ttlSecondsAfterFinished": -1,
            },
        ),
        ("indexes without indexes", {"backoffLimitPerIndex": 1, "maxFailedIndexes": 1}),
        ("failed indexes without a limit", {"maxFailedIndexes": -1}),
        ("a keeper without a domain", {"managedBy": "me"}),
        ("a keeper without a name", {"managedBy": ""}),
        ("a keeper with a long name", {"managedBy": f"example.com/{'a' * 63}"}),
        ("a keeper with a bad path", {"managedBy": "Example.com/a b"}),
        ("an unknown mode", {"completionMode": "Odd"}),
        ("success without indexes", {"successPolicy": {"rules": [{"succeededCount": 1}]}}),
        ("an unknown replacement", {"podReplacementPolicy": "Never"}),
        ("pods that never end", {"template|spec|restartPolicy": "Always"}),
        ("pods of an unknown end", {"template|spec|restartPolicy": "Odd"}),
        ("no containers", {"template|spec|containers": []}),
        (
            "a failure policy for pods that restart",
            {
                "podFailurePolicy": {"rules": [_RULE]},
                "podReplacementPolicy": "Failed",
                "template|spec|restartPolicy": "OnFailure",
            },
        ),
        (
            "a failure policy and a replacement",
            {"podFailurePolicy": {"rules": [_RULE]}, "podReplacementPolicy": "TerminatingOrFailed"},
        ),
        _fails("no action", action=""),
        _fails("an unknown action", action="Cry"),
        _fails("an action for indexes", action="FailIndex"),
        _fails("no reason", onExitCodes=GONE),
        _fails("two reasons", onPodConditions=[_CONDITION]),
        _fails(
            "bad conditions",
            onExitCodes=GONE,
            onPodConditions=[{"type": "a b", "status": "True"}, {"type": "a", "status": "Maybe"}],
        ),
        _fails("too many conditions", onExitCodes=GONE, onPodConditions=[_CONDITION] * 21),
        _fails("no operator and no codes", onExitCodes={"operator": "", "values": []}),
        _fails("an unknown operator", onExitCodes={"operator": "Is", "values": [1], "containerName": "nobody"}),
        _fails("codes out of order", onExitCodes={"operator": "In", "values": [2, 1, 1, 0]}),
        _fails("too many codes", onExitCodes={"operator": "NotIn", "values": list(range(256))}),
        ("too many rules", {"podFailurePolicy": {"rules": [_RULE] * 21}, "podReplacementPolicy": "Failed"}),
        at="spec|",
    ),
    *table(
        "indexed",
        ("no completions", {"completions": GONE}),
        ("too many at once", {"parallelism": 100001}),
        ("more failures than runs", {"maxFailedIndexes": 4}),
        ("too many failures", {"maxFailedIndexes": 100001, "completions": 100002}),
        ("many completions", {"completions": 100001, "parallelism": 10001}),
        _succeeds("no rules"),
        _succeeds("an empty rule", {}),
        _succeeds("too many rules", *[{"succeededCount": 1}] * 21),
        _succeeds("counts out of range", {"succeededCount": -1}, {"succeededCount": 4}),
        _succeeds("more than the indexes", {"succeededCount": 3, "succeededIndexes": "0-1"}),
        _succeeds(
            "indexes that are none", {"succeededIndexes": "a"}, {"succeededIndexes": "1-2-3"}, {"succeededIndexes": "3"}
        ),
        _succeeds(
            "indexes out of order",
            {"succeededIndexes": "1,0"},
            {"succeededIndexes": "2-1"},
            {"succeededIndexes": "0-x"},
        ),
        at="spec|",
    ),
    *table(
        "indexed",
        ("a name for which there is no room", {"name": "a" * 62}),
        ("a name with a dot", {"name": "a.b"}),
        at="metadata|",
    ),
    *table(
        "manual",
        ("no selector", {"selector": GONE}),
        ("a selector for others", {"selector": {"matchLabels": {"x": "y"}}}),
        ("a bad selector", {"selector": {"matchLabels": {"app": "b c"}}}),
        at="spec|",
    ),
]
_CHANGES = [
    *table(
        "job",
        ("more at once", {"parallelism": 3}),
        ("more completions", {"completions": 4}),
        ("another selector", {"selector": {"matchLabels": {"x": "y"}}}),
        ("another image", {"template|spec|containers|0|image": "nginx:2"}),
        ("a label", {"template|metadata|labels|x": "y"}),
        ("another uid", {"template|metadata|labels|controller-uid": "x"}),
        ("no uid", {"template|metadata|labels|batch.kubernetes.io/controller-uid": GONE}),
        ("another mode", {"completionMode": "Indexed"}),
        ("a keeper", {"managedBy": "example.com/me"}),
        ("a limit per index", {"backoffLimitPerIndex": 1}),
        ("a failure policy", {"podFailurePolicy": {"rules": [_RULE]}, "podReplacementPolicy": "Failed"}),
        at="spec|",
        verb="update",
    ),
    *table(
        "indexed",
        ("more completions", {"completions": 4}),
        ("more completions and more at once", {"completions": 4, "parallelism": 4}),
        ("another mode", {"completionMode": "NonIndexed"}),
        ("a success policy", {"successPolicy": {"rules": [{"succeededCount": 1}]}}),
        at="spec|",
        verb="update",
    ),
    *table(
        "asleep",
        ("awake", {"suspend": False}),
        ("resources", {"template|spec|containers|0|resources": {"limits": {"cpu": "1"}}}),
        (
            "another place",
            {
                "template|spec|nodeSelector": {"a": "b"},
                "template|spec|tolerations": [{"key": "a", "operator": "Exists"}],
            },
        ),
        (
            "another node",
            {
                "template|spec|affinity": {
                    "nodeAffinity": {
                        "requiredDuringSchedulingIgnoredDuringExecution": {
                            "nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "Exists"}]}]
                        }
                    }
                }
            },
        ),
        (
            "other neighbours",
            {
                "template|spec|affinity": {
                    "podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "a"}]}
                }
            },
        ),
        ("another image", {"template|spec|containers|0|image": "nginx:2"}),
        ("a label", {"template|metadata|labels|x": "y"}),
        at="spec|",
        verb="update",
    ),
]
_REPORTS = [
    *table(
        "job",
        ("counts below zero", {"active": -1, "succeeded": -1, "failed": -1, "ready": -1, "terminating": -1}),
        ("pods counted twice", {"uncountedTerminatedPods": {"succeeded": ["a", "a", ""], "failed": ["a", "b", ""]}}),
        (
            "complete and failed",
            {
                "conditions": _is("Complete", "Failed", "FailureTarget", "SuccessCriteriaMet"),
                "startTime": _START,
                "completionTime": _END,
            },
        ),
        ("complete without a time", {"conditions": _is("Complete", "SuccessCriteriaMet")}),
        ("a time without being complete", {"completionTime": _END, "startTime": _START}),
        (
            "complete before it began",
            {"conditions": _is("Complete", "SuccessCriteriaMet"), "startTime": _END, "completionTime": _START},
        ),
        ("failed without a target", {"conditions": _is("Failed"), "startTime": _START}),
        ("complete without criteria", {"conditions": _is("Complete"), "startTime": _START, "completionTime": _END}),
        (
            "finished with pods",
            {
                "conditions": _is("Failed", "FailureTarget"),
                "startTime": _START,
                "active": 1,
                "ready": 1,
                "terminating": 1,
                "uncountedTerminatedPods": {"failed": ["a"]},
            },
        ),
        ("more ready than active", {"ready": 2, "active": 1}),
        ("indexes without indexes", {"completedIndexes": "1", "failedIndexes": "2"}),
        ("what is right", {"active": 1, "ready": 1, "startTime": _START}),
        at="status|",
        verb="status",
    ),
    *table(
        "indexed",
        ("indexes that are none", {"completedIndexes": "a", "failedIndexes": "9"}),
        ("indexes that overlap", {"completedIndexes": "0-1", "failedIndexes": "1"}),
        ("indexes apart", {"completedIndexes": "0,2", "failedIndexes": "1"}),
        at="status|",
        verb="status",
    ),
]


def _scheduled(schedule):
    return f"the schedule {schedule!r}", {"schedule": schedule}


_CRON = [
    *table(
        "cronjob",
        ("no schedule", {"schedule": ""}),
        *map(
            _scheduled,
            (
                "* * * *",
                "* * * * * *",
                "60 * * * *",
                "* 24 * * *",
                "* * 0 * *",
                "* * * 13 *",
                "* * * * 7",
                "a * * * *",
                "-1 * * * *",
                "5-1 * * * *",
                "1-2-3 * * * *",
                "1/2/3 * * * *",
                "*/0 * * * *",
                "*/x * * * *",
                "99999999999999999999 * * * *",
                "0 0 1 JAN-DEC MON-FRI",
                "? ? ? ? ?",
                ", * * * *",
                "@yearly",
                "@midnight",
                "@often",
                "@every 1h30m",
                "@every 5",
                "@every 1.5x",
                "@every",
                "@every .s",
                "TZ=0",
                "TZ=UTC * * * * *",
                "CRON_TZ=Mars/Phobos * * * * *",
            ),
        ),
        ("a deadline below zero", {"startingDeadlineSeconds": -1}),
        ("an empty zone", {"timeZone": ""}),
        ("an unknown zone", {"timeZone": "Mars/Phobos"}),
        ("a zone that climbs", {"timeZone": "../etc/passwd"}),
        ("a local zone", {"timeZone": "Local"}),
        ("a local zone in small letters", {"timeZone": "local"}),
        ("a zone", {"timeZone": "Europe/Berlin"}),
        ("an unknown concurrency", {"concurrencyPolicy": "Maybe"}),
        ("history below zero", {"successfulJobsHistoryLimit": -1, "failedJobsHistoryLimit": -1}),
        (
            "a selector",
            {"jobTemplate|spec|selector": {"matchLabels": {"a": "b"}}, "jobTemplate|spec|manualSelector": True},
        ),
        ("no containers", {"jobTemplate|spec|template|spec|containers": []}),
        at="spec|",
    ),
    *table("cronjob", ("a long name", {"metadata|name": "a" * 53})),
    *table(
        "cronjob",
        ("another schedule", {"schedule": "@daily"}),
        ("a bad schedule", {"schedule": "x"}),
        ("a zone in the schedule", {"schedule": "TZ=UTC * * * * *"}),
        ("an unknown zone", {"timeZone": "Mars/Phobos"}),
        ("no image", {"jobTemplate|spec|template|spec|containers|0|image": ""}),
        at="spec|",
        verb="update",
    ),
]

CASES = [*_SPECS, *_CHANGES, *_REPORTS, *_CRON]
