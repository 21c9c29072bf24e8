"""What each built-in controller may do: a ClusterRole that its ServiceAccount in kube-system is bound to."""

from typing import Final

CONTROLLER_PREFIX: Final = "system:controller:"
CONTROLLER_ROLES: Final = """\
attachdetach-controller
  list,watch core persistentvolumeclaims,persistentvolumes
  R core nodes
  patch,update core nodes/status
  list,watch core pods
  EVENTS
  R,create,delete storage.k8s.io volumeattachments
  R storage.k8s.io csidrivers
  R storage.k8s.io csinodes
clusterrole-aggregation-controller
  R,escalate,patch,update rbac.authorization.k8s.io clusterroles
cronjob-controller
  R,update batch cronjobs
  R,create,delete,patch,update batch jobs
  update batch cronjobs/status
  update batch cronjobs/finalizers
  delete,list,watch core pods
  EVENTS
daemon-set-controller
  R apps,extensions daemonsets
  update apps,extensions daemonsets/status
  update apps,extensions daemonsets/finalizers
  list,watch core nodes
  create,delete,list,patch,watch core pods
  create core pods/binding
  R,create,delete,patch,update apps controllerrevisions
  EVENTS
deployment-controller
  R,update apps,extensions deployments
  update apps,extensions deployments/status
  update apps,extensions deployments/finalizers
  R,create,delete,patch,update apps,extensions replicasets
  R,update core pods
  EVENTS
disruption-controller
  R apps,extensions deployments
  R apps,extensions replicasets
  R core replicationcontrollers
  R policy poddisruptionbudgets
  R apps statefulsets
  update policy poddisruptionbudgets/status
  patch,update core pods/status
  get * */scale
  EVENTS
endpoint-controller
  R core pods,services
  R,create,delete,update core endpoints
  create core endpoints/restricted
  EVENTS
endpointslice-controller
  R core nodes,pods,services
  update core services/finalizers
  R,create,delete,update discovery.k8s.io endpointslices
  EVENTS
endpointslicemirroring-controller
  R core endpoints,services
  update core services/finalizers
  update core endpoints/finalizers
  R,create,delete,update discovery.k8s.io endpointslices
  EVENTS
expand-controller
  R,patch,update core persistentvolumes
  patch,update core persistentvolumeclaims/status
  R core persistentvolumeclaims
  EVENTS
ephemeral-volume-controller
  R core pods
  update core pods/finalizers
  R,create core persistentvolumeclaims
  EVENTS
resource-claim-controller
  R core pods
  update core pods/finalizers
  R,create,delete resource.k8s.io resourceclaims
  patch,update resource.k8s.io resourceclaims,resourceclaims/status
  patch,update core pods/status
  EVENTS
  patch,update resource.k8s.io resourceclaims/binding
device-taint-eviction-controller
  R,delete core pods
  patch,update core pods/status
  R resource.k8s.io resourceclaims
  R resource.k8s.io resourceslices
  R resource.k8s.io deviceclasses
  EVENTS
generic-garbage-collector
  R,delete,patch,update * *
  EVENTS
horizontal-pod-autoscaler
  R autoscaling horizontalpodautoscalers
  update autoscaling horizontalpodautoscalers/status
  get,update * */scale
  list,watch core pods
  list,watch metrics.k8s.io pods
  R custom.metrics.k8s.io *
  R external.metrics.k8s.io *
  EVENTS
job-controller
  R,patch,update batch jobs
  update batch jobs/status
  update batch jobs/finalizers
  create,delete,list,patch,watch core pods
  EVENTS
namespace-controller
  R,delete core namespaces
  update core namespaces/finalize,namespaces/status
  R,delete,deletecollection * *
node-controller
  R,delete,patch,update core nodes
  patch,update core nodes/status
  patch,update core pods/status
  R,delete core pods
  EVENTS
persistent-volume-binder
  R,create,delete,update core persistentvolumes
  update core persistentvolumes/status
  R,update core persistentvolumeclaims
  update core persistentvolumeclaims/status
  R,create,delete core pods
  R storage.k8s.io storageclasses
  list,watch core nodes
  EVENTS
  watch core events
pod-garbage-collector
  delete,list,watch core pods
  R core nodes
  patch core pods/status
replicaset-controller
  R,update apps,extensions replicasets
  update apps,extensions replicasets/status
  update apps,extensions replicasets/finalizers
  create,delete,list,patch,watch core pods
  EVENTS
replication-controller
  R,update core replicationcontrollers
  update core replicationcontrollers/status
  update core replicationcontrollers/finalizers
  create,delete,list,patch,watch core pods
  EVENTS
resourcequota-controller
  list,watch * *
  update core resourcequotas/status
  EVENTS
route-controller
  list,watch core nodes
  patch core nodes/status
  EVENTS
service-account-controller
  create core serviceaccounts
  EVENTS
service-controller
  R core services
  patch,update core services/status
  list,watch core nodes
  EVENTS
service-cidrs-controller
  R,patch,update networking.k8s.io servicecidrs
  patch,update networking.k8s.io servicecidrs/finalizers
  patch,update networking.k8s.io servicecidrs/status
  R networking.k8s.io ipaddresses
  EVENTS
statefulset-controller
  list,watch core pods
  R apps statefulsets
  update apps statefulsets/status
  update apps statefulsets/finalizers
  create,delete,get,patch,update core pods
  R,create,delete,patch,update apps controllerrevisions
  R,create core persistentvolumeclaims
  delete,update core persistentvolumeclaims
  update core pods/finalizers
  EVENTS
ttl-controller
  list,patch,update,watch core nodes
  EVENTS
certificate-controller
  R,delete certificates.k8s.io certificatesigningrequests
  update certificates.k8s.io certificatesigningrequests/approval,certificatesigningrequests/status
  approve certificates.k8s.io signers kubernetes.io/kube-apiserver-client-kubelet
  sign certificates.k8s.io signers kubernetes.io/kube-apiserver-client,kubernetes.io/kube-apiserver-client-kubelet,kubernetes.io/kubelet-serving,kubernetes.io/legacy-unknown
  create authorization.k8s.io subjectaccessreviews
  EVENTS
pvc-protection-controller
  R,update core persistentvolumeclaims
  update core persistentvolumeclaims/status
  R core pods
  EVENTS
pv-protection-controller
  R,update core persistentvolumes
  EVENTS
volumeattributesclass-protection-controller
  R core persistentvolumeclaims
  R core persistentvolumes
  R,update storage.k8s.io volumeattributesclasses
  EVENTS
ttl-after-finished-controller
  R,delete batch jobs
  EVENTS
root-ca-cert-publisher
  create,update core configmaps
  EVENTS
validatingadmissionpolicy-status-controller
  R admissionregistration.k8s.io validatingadmissionpolicies
  get,patch,update admissionregistration.k8s.io validatingadmissionpolicies/status
  EVENTS
legacy-service-account-token-cleaner
  get core configmaps kube-apiserver-legacy-service-account-token-tracking
  delete,patch core secrets
selinux-warning-controller
  EVENTS
  R core persistentvolumes
  R core persistentvolumeclaims
  R core pods
  R storage.k8s.io csidrivers
"""
