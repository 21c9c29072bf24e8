"""Argo Workflow, by its phase."""

from collections.abc import Mapping

from plumbline.kube.health.rules import Rule, by_field, degraded, healthy, progressing, unknown

_MESSAGE = "{.status.message}"

RULES: Mapping[str, Rule] = {
    "argoproj.io/Workflow": (
        by_field(
            "status.phase",
            {
                "|Pending|Running": progressing(_MESSAGE),
                "Succeeded": healthy(_MESSAGE),
                "Failed|Error": degraded(_MESSAGE),
            },
            otherwise=unknown(_MESSAGE),
            absent=progressing(_MESSAGE),
        ),
    ),
}
