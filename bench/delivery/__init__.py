"""Delivery by us and by the real Argo CD: the same applications, the same kind of cluster, the same clock outside of both.

One engine after the other, each on an API server and an etcd of its own that hold nothing yet. What an engine has done is
learned through the Kubernetes API alone, by watches, so that time is taken when something happens and nobody polls.
"""

from bench.delivery.suite import run

__all__ = ["run"]
