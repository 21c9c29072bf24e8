"""Changes to objects with a past that are refused."""

from .case import GONE, Case, table

_RUN = {"running": {"startedAt": "2024-01-01T00:00:00Z"}}
_LATE = "2024-02-01T00:00:00Z"

_PODS = [
    *table(
        "visited",
        ("no visitor", {"ephemeralContainers": GONE}),
        ("another image", {"ephemeralContainers|0|image": "a"}),
        ("another visitor", {"ephemeralContainers|0|name": "b"}),
        at="spec|",
        verb="ephemeralcontainers",
    ),
    *table("visited", ("no visitor", {"spec|ephemeralContainers": GONE}), verb="update"),
    *[
        Case("ended", f"container {index} runs again", {f"status|containerStatuses|{index}|state": _RUN}, "status")
        for index in range(5)
    ],
    Case("ended", "the first runs again", {"status|initContainerStatuses|0|state": _RUN}, "status"),
    Case("ended", "the visitor runs again", {"status|ephemeralContainerStatuses|0|state": _RUN}, "status"),
    Case("restarting", "it runs again", {"status|containerStatuses|0|state": _RUN}, "status"),
    *table("bound", ("a nomination", {"nominatedNodeName": "other"}), at="status|", verb="status"),
    *table(
        "bound", ("another node", {"nodeName": "other"}), ("no node", {"nodeName": GONE}), at="spec|", verb="update"
    ),
    *table(
        "running",
        ("more where it cannot be had", {"containers|0|resources|requests|cpu": "150m"}),
        at="spec|",
        verb="resize",
    ),
    *table("windows", ("more", {"containers|0|resources": {"requests": {"cpu": "1"}}}), at="spec|", verb="resize"),
    *table(
        "whole",
        ("more", {"resources|requests|cpu": "1500m"}),
        ("nothing", {"resources": GONE}),
        ("no memory", {"resources": {"requests": {"cpu": "1"}, "limits": {"cpu": "2"}}}),
        ("huge pages", {"resources|limits|hugepages-2Mi": "2Mi", "resources|requests|hugepages-2Mi": "2Mi"}),
        at="spec|",
        verb="resize",
    ),
]
_DYING = table(
    "dying",
    ("a finalizer more", {"finalizers": ["example.com/one", "example.com/two", "example.com/three", "mine"]}),
    ("a finalizer less", {"finalizers": ["example.com/one"]}),
    at="metadata|",
    verb="update",
)
_JOBS = [
    *table(
        "complete",
        ("less done", {"succeeded": 2, "failed": 1}),
        ("no longer complete", {"conditions": [{"type": "SuccessCriteriaMet", "status": "True"}]}),
        ("criteria no longer met", {"conditions": [{"type": "Complete", "status": "True"}]}),
        ("another end", {"completionTime": _LATE}),
        ("another beginning", {"startTime": "2024-01-01T12:00:00Z"}),
        ("no end", {"completionTime": GONE}),
        ("no beginning", {"startTime": GONE}),
        ("still active", {"active": 1}),
        at="status|",
        verb="status",
    ),
    *table(
        "begun",
        ("another beginning", {"startTime": _LATE}),
        ("no beginning", {"startTime": GONE}),
        at="status|",
        verb="status",
    ),
    *table(
        "paused",
        ("another image", {"template|spec|containers|0|image": "a"}),
        (
            "other resources",
            {"template|spec|containers|0|resources": {"limits": {"cpu": "1"}, "requests": {"cpu": "1"}}},
        ),
        at="spec|",
        verb="update",
    ),
    *table("paused", ("resumed", {"startTime": _LATE, "conditions|0|status": "False"}), at="status|", verb="status"),
    *table(
        "picky",
        (
            "complete without criteria",
            {
                "conditions": [{"type": "Complete", "status": "True"}],
                "startTime": "2024-01-01T00:00:00Z",
                "completionTime": _LATE,
            },
        ),
        (
            "criteria and failure",
            {
                "conditions": [
                    {"type": each, "status": "True"} for each in ("SuccessCriteriaMet", "Failed", "FailureTarget")
                ]
            },
        ),
        at="status|",
        verb="status",
    ),
    *table("picky", ("another policy", {"successPolicy|rules|0|succeededIndexes": "0"}), at="spec|", verb="update"),
]
_COUNTED = table(
    "collided",
    ("fewer collisions", {"collisionCount": 1}),
    ("no collisions", {"collisionCount": GONE}),
    at="status|",
    verb="status",
)

CASES = [*_PODS, *_DYING, *_JOBS, *_COUNTED]
