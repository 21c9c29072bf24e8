"""The ClusterRoles that a cluster starts with, as facts; `table` says how lines are read."""

from typing import Final

CLUSTER_ROLES: Final = """\
cluster-admin
  * * *
  * *
system:discovery
  get /api,/api/*,/apis,/apis/*,/healthz,/livez,/openapi,/openapi/*,/readyz,/version,/version/
system:monitoring
  get /flagz,/healthz,/healthz/*,/livez,/livez/*,/metrics,/metrics/slis,/readyz,/readyz/*,/statusz
  get core nodes/metrics
system:basic-user
  create authorization.k8s.io selfsubjectaccessreviews,selfsubjectrulesreviews
  create authentication.k8s.io selfsubjectreviews
system:public-info-viewer
  get /healthz,/livez,/readyz,/version,/version/
admin from:admin
edit to:admin from:edit
view to:edit from:view
system:aggregate-to-admin to:admin
  create authorization.k8s.io localsubjectaccessreviews
  RW rbac.authorization.k8s.io rolebindings,roles
system:aggregate-to-edit to:edit
  R core pods/attach,pods/exec,pods/portforward,pods/proxy,secrets,services/proxy
  impersonate core serviceaccounts
  W core pods,pods/attach,pods/exec,pods/portforward,pods/proxy
  create core pods/eviction
  W core configmaps,persistentvolumeclaims,replicationcontrollers,replicationcontrollers/scale,secrets,serviceaccounts,services,services/proxy
  create core serviceaccounts/token
  W core,events.k8s.io events
  W apps daemonsets,deployments,deployments/rollback,deployments/scale,replicasets,replicasets/scale,statefulsets,statefulsets/scale
  W autoscaling horizontalpodautoscalers
  W batch cronjobs,jobs
  W extensions daemonsets,deployments,deployments/rollback,deployments/scale,ingresses,networkpolicies,replicasets,replicasets/scale,replicationcontrollers/scale
  W policy poddisruptionbudgets
  W networking.k8s.io ingresses,networkpolicies
  RW coordination.k8s.io leases
  W resource.k8s.io resourceclaims,resourceclaimtemplates
system:aggregate-to-view to:view
  R core configmaps,endpoints,persistentvolumeclaims,persistentvolumeclaims/status,pods,replicationcontrollers,replicationcontrollers/scale,serviceaccounts,services,services/status
  R core bindings,limitranges,namespaces/status,pods/log,pods/status,replicationcontrollers/status,resourcequotas,resourcequotas/status
  R core namespaces
  R core,events.k8s.io events
  R discovery.k8s.io endpointslices
  R apps controllerrevisions,daemonsets,daemonsets/status,deployments,deployments/scale,deployments/status,replicasets,replicasets/scale,replicasets/status,statefulsets,statefulsets/scale,statefulsets/status
  R autoscaling horizontalpodautoscalers,horizontalpodautoscalers/status
  R batch cronjobs,cronjobs/status,jobs,jobs/status
  R extensions daemonsets,daemonsets/status,deployments,deployments/scale,deployments/status,ingresses,ingresses/status,networkpolicies,replicasets,replicasets/scale,replicasets/status,replicationcontrollers/scale
  R policy poddisruptionbudgets,poddisruptionbudgets/status
  R networking.k8s.io ingresses,ingresses/status,networkpolicies
  R resource.k8s.io resourceclaims,resourceclaims/status,resourceclaimtemplates
system:heapster
  R core events,namespaces,nodes,pods
  R extensions deployments
system:node
  create authentication.k8s.io tokenreviews
  create authorization.k8s.io localsubjectaccessreviews,subjectaccessreviews
  R core services
  R,create core nodes
  patch,update core nodes/status
  patch,update core nodes
  EVENTS
  R core pods
  create,delete core pods
  patch,update core pods/status
  create core pods/eviction
  R core configmaps,secrets
  get core persistentvolumeclaims,persistentvolumes
  get core endpoints
  R,create certificates.k8s.io certificatesigningrequests
  create,delete,get,patch,update coordination.k8s.io leases
  get storage.k8s.io volumeattachments
  create core serviceaccounts/token
  get,patch,update core persistentvolumeclaims/status
  R storage.k8s.io csidrivers
  create,delete,get,patch,update storage.k8s.io csinodes
  R node.k8s.io runtimeclasses
  get resource.k8s.io resourceclaims
  deletecollection resource.k8s.io resourceslices
  get core serviceaccounts
system:node-problem-detector
  get core nodes
  patch core nodes/status
  EVENTS
system:node-bootstrapper
  R,create certificates.k8s.io certificatesigningrequests
system:auth-delegator
  create authentication.k8s.io tokenreviews
  create authorization.k8s.io subjectaccessreviews
system:kube-aggregator
  R core endpoints,services
system:kube-controller-manager
  EVENTS
  create coordination.k8s.io leases
  get,update coordination.k8s.io leases kube-controller-manager
  create core secrets,serviceaccounts
  delete core secrets
  get core configmaps,namespaces,secrets,serviceaccounts
  update core secrets,serviceaccounts
  create authentication.k8s.io tokenreviews
  create authorization.k8s.io subjectaccessreviews
  list,watch * *
  create core serviceaccounts/token
system:kube-dns
  list,watch core endpoints,services
system:persistent-volume-provisioner
  R,create,delete core persistentvolumes
  R,update core persistentvolumeclaims
  R storage.k8s.io storageclasses
  watch core events
  EVENTS
system:certificates.k8s.io:certificatesigningrequests:nodeclient
  create certificates.k8s.io certificatesigningrequests/nodeclient
system:certificates.k8s.io:certificatesigningrequests:selfnodeclient
  create certificates.k8s.io certificatesigningrequests/selfnodeclient
system:volume-scheduler
  R,patch,update core persistentvolumes
  R storage.k8s.io storageclasses
  R,patch,update core persistentvolumeclaims
system:certificates.k8s.io:legacy-unknown-approver
  approve certificates.k8s.io signers kubernetes.io/legacy-unknown
system:certificates.k8s.io:kubelet-serving-approver
  approve certificates.k8s.io signers kubernetes.io/kubelet-serving
system:certificates.k8s.io:kube-apiserver-client-approver
  approve certificates.k8s.io signers kubernetes.io/kube-apiserver-client
system:certificates.k8s.io:kube-apiserver-client-kubelet-approver
  approve certificates.k8s.io signers kubernetes.io/kube-apiserver-client-kubelet
system:service-account-issuer-discovery
  get /.well-known/openid-configuration,/.well-known/openid-configuration/,/openid/v1/jwks,/openid/v1/jwks/
system:kubelet-api-admin
  R core nodes
  proxy core nodes
  * core nodes/log,nodes/metrics,nodes/proxy,nodes/stats
  * core nodes/configz,nodes/healthz,nodes/pods
system:node-proxier
  list,watch core endpoints,services
  R core nodes
  EVENTS
  list,watch networking.k8s.io servicecidrs
  list,watch discovery.k8s.io endpointslices
system:kube-scheduler
  EVENTS
  create coordination.k8s.io leases
  R,update coordination.k8s.io leases kube-scheduler
  RW coordination.k8s.io leasecandidates
  R core nodes
  R,delete core pods
  create core bindings,pods/binding
  patch,update core pods/status
  R core replicationcontrollers,services
  R apps,extensions replicasets
  R apps statefulsets
  R policy poddisruptionbudgets
  R core persistentvolumeclaims,persistentvolumes
  create authentication.k8s.io tokenreviews
  create authorization.k8s.io subjectaccessreviews
  R storage.k8s.io csinodes
  R storage.k8s.io volumeattachments
  R core namespaces
  R storage.k8s.io csidrivers
  R storage.k8s.io csistoragecapacities
  R resource.k8s.io deviceclasses
  R,patch,update resource.k8s.io resourceclaims
  R,patch,update resource.k8s.io resourceclaims/status
  update core pods/finalizers
  R resource.k8s.io resourceslices
  create,delete resource.k8s.io resourceclaims
  patch,update resource.k8s.io resourceclaims/binding
"""
