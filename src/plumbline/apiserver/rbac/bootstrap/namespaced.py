"""Roles in namespaces, and who is bound to what; controllers' own ClusterRoles are bound by rule, not by this table."""

from typing import Final

ROLES: Final = """\
kube-system/extension-apiserver-authentication-reader
  R core configmaps extension-apiserver-authentication
kube-system/system:controller:bootstrap-signer
  R core secrets
kube-system/system:controller:cloud-provider
  R,create core configmaps
kube-system/system:controller:token-cleaner
  R,delete core secrets
  EVENTS
kube-system/system::leader-locking-kube-controller-manager
  R,create,update coordination.k8s.io leases
  R,create,update coordination.k8s.io leasecandidates
kube-system/system::leader-locking-kube-scheduler
  R,create,update coordination.k8s.io leases
  R,create,update coordination.k8s.io leasecandidates
kube-public/system:controller:bootstrap-signer
  R core configmaps
  update core configmaps cluster-info
  EVENTS
"""

CLUSTER_ROLE_BINDINGS: Final = """\
cluster-admin Group/system:masters
system:monitoring Group/system:monitoring
system:discovery Group/system:authenticated
system:basic-user Group/system:authenticated
system:public-info-viewer Group/system:authenticated Group/system:unauthenticated
system:node-proxier User/system:kube-proxy
system:kube-controller-manager User/system:kube-controller-manager
system:kube-dns ServiceAccount/kube-system/kube-dns
system:kube-scheduler User/system:kube-scheduler
system:volume-scheduler User/system:kube-scheduler
system:node
system:service-account-issuer-discovery Group/system:serviceaccounts
"""

ROLE_BINDINGS: Final = """\
kube-public/system:controller:bootstrap-signer ServiceAccount/kube-system/bootstrap-signer
kube-system/system::extension-apiserver-authentication-reader of:extension-apiserver-authentication-reader User/system:kube-controller-manager User/system:kube-scheduler
kube-system/system::leader-locking-kube-controller-manager User/system:kube-controller-manager ServiceAccount/kube-system/kube-controller-manager ServiceAccount/kube-system/leader-election-controller
kube-system/system::leader-locking-kube-scheduler User/system:kube-scheduler ServiceAccount/kube-system/kube-scheduler
kube-system/system:controller:bootstrap-signer ServiceAccount/kube-system/bootstrap-signer
kube-system/system:controller:cloud-provider ServiceAccount/kube-system/cloud-provider
kube-system/system:controller:token-cleaner ServiceAccount/kube-system/token-cleaner
"""
