"""What a cluster starts with: the roles and bindings that Kubernetes 1.36 creates, kept as tables of facts."""

from plumbline.apiserver.rbac.bootstrap.objects import bootstrap_objects
from plumbline.apiserver.rbac.bootstrap.seeds import Seed, seeds

__all__ = ["Seed", "bootstrap_objects", "seeds"]
