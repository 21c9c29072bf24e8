"""Going back to an earlier revision, for clients that ask for it with an annotation."""

from typing import NamedTuple

from plumbline.apiserver.controllers.workloads.deployments.newsets import OWN_NOTES
from plumbline.apiserver.controllers.workloads.deployments.reading import (
    ROLLBACK_TO,
    Rollout,
    bare_template,
    number,
    revision_of,
)
from plumbline.base.json import JsonObject
from plumbline.kube.gotext import quoted
from plumbline.kube.object import Object


class Rollback(NamedTuple):
    deployment: JsonObject
    """As it is to be written, without the wish."""
    reason: str
    message: str
    warning: bool = True


def is_asked_back(deployment: Object) -> bool:
    return number(deployment.annotations.get(ROLLBACK_TO, "")) is not None


def plan_rollback(rollout: Rollout) -> Rollback:
    deployment = rollout.deployment
    asked = number(deployment.annotations.get(ROLLBACK_TO, "")) or _last(rollout)
    cleared = deployment.without_annotation(ROLLBACK_TO)
    missing = "DeploymentRollbackRevisionNotFound"
    if not asked:
        return Rollback(cleared.raw, missing, "Unable to find last revision.")
    target = next((each for each in rollout.sets if revision_of(each) == asked), None)
    if target is None:
        return Rollback(cleared.raw, missing, "Unable to find the revision to rollback to.")
    if bare_template(target) == bare_template(deployment):
        message = f"The rollback revision contains the same template as current deployment {quoted(deployment.name)}"
        return Rollback(cleared.raw, "DeploymentRollbackTemplateUnchanged", message)
    message = f"Rolled back deployment {quoted(deployment.name)} to revision {asked}"
    return Rollback(_with_template(cleared, target), "DeploymentRollback", message, warning=False)


def _with_template(deployment: Object, target: Object) -> JsonObject:
    own = {name: value for name, value in deployment.annotations.items() if name in OWN_NOTES}
    theirs = {name: value for name, value in target.annotations.items() if name not in OWN_NOTES}
    metadata = {**deployment.metadata, "annotations": {**own, **theirs}}
    return {**deployment.raw, "metadata": metadata, "spec": {**deployment.spec, "template": bare_template(target)}}


def _last(rollout: Rollout) -> int:
    """The revision before the newest; 0 where there is none."""
    revisions = sorted(map(revision_of, rollout.sets), reverse=True)
    return revisions[1] if len(revisions) > 1 else 0
