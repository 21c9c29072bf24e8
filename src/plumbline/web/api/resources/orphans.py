"""Objects beside those of an application that are nobody's, where its project wants to know of them."""

from plumbline.delivery.compare.rollup import Candidate, orphaned
from plumbline.delivery.facts import key_of
from plumbline.delivery.live.collection import instance_of
from plumbline.delivery.projects.project import Project
from plumbline.delivery.steps.orphans import ignored
from plumbline.delivery.tree import Node, Tree
from plumbline.kernel.cache import Meta
from plumbline.kube.object import Object
from plumbline.web.api.desk import Desk


async def orphans_of(project: Project, tree: Tree, desk: Desk) -> list[Node]:
    """Of what nobody owns in the namespace: what no application that exists has marked, and no rule passes over."""
    await desk.board.rows()  # which applications there are
    rules = project.spec.orphaned_resources.ignore if project.spec.orphaned_resources is not None else ()
    tracking = desk.installation.settings.tracking
    strangers = {each.ref: each for each in tree.strangers}
    candidates = [
        Candidate(ref, owned=False, instance=instance_of(_meta(node), ref, tracking)) for ref, node in strangers.items()
    ]
    found = orphaned(
        candidates,
        [each.ref for each in tree.roots],
        lambda instance: desk.board.row(key_of(instance, desk.namespace)) is not None,
        lambda _: True,  # what is not permitted was not read
        ignored(rules),
    )
    return [strangers[ref] for ref in found]


def _meta(node: Node) -> Meta:
    obj = Object(node.obj)
    return Meta(name=node.name, namespace=node.namespace, labels=dict(obj.labels), annotations=dict(obj.annotations))
