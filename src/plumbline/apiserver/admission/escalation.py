"""Nobody writes a role or binds one that grants more than they have themselves."""

from plumbline.apiserver.admission.plugin import object_of
from plumbline.apiserver.objects.admission import Attributes
from plumbline.apiserver.rbac.authorizer import Authorizer
from plumbline.apiserver.rbac.escalation import RoleWrite, escalation_error
from plumbline.apiserver.rbac.index import GROUP


class Escalation:
    """Asked after everything that may change the object, before anything looks whether it is valid."""

    def __init__(self, authorizer: Authorizer) -> None:
        self._authorizer = authorizer

    def refuse(self, attributes: Attributes) -> None:
        """Raise RequestRefused where the write would grant too much."""
        scope = attributes.scope
        if scope.resource.collection.group != GROUP:
            return
        write = RoleWrite(scope.identity, object_of(attributes), scope.namespace, scope.name, attributes.old)
        if refused := escalation_error(self._authorizer, write):
            raise refused
