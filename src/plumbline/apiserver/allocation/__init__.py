"""What only one Service may have: addresses within the cluster, and ports on its nodes."""

from plumbline.apiserver.allocation.allocating import ServiceAllocator, ServiceNetwork

__all__ = ["ServiceAllocator", "ServiceNetwork"]
