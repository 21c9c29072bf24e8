"""Which built-in kinds are served: every stable one of Kubernetes 1.36, as its discovery lists them.

A line per group-version, then per resource: plural, kind, singular, (N)amespaced or (C)luster, verbs, short names,
categories; indented below it, its subresources with the kind they speak where that is another one.
"""

from collections.abc import Iterator
from functools import cache
from typing import Final

from plumbline.apiserver.resources.resource import Collection, Resource, Subresource
from plumbline.kube.names import GroupVersion, GroupVersionKind

_VERBS: Final = {
    "c": "create",
    "d": "delete",
    "x": "deletecollection",
    "g": "get",
    "l": "list",
    "p": "patch",
    "u": "update",
    "w": "watch",
}
_TABLE: Final = """\
v1
  bindings Binding binding N c
  componentstatuses ComponentStatus componentstatus C gl short=cs
  configmaps ConfigMap configmap N cdxglpuw short=cm
  endpoints Endpoints endpoints N cdxglpuw short=ep
  events Event event N cdxglpuw short=ev
  limitranges LimitRange limitrange N cdxglpuw short=limits
  namespaces Namespace namespace C cdglpuw short=ns
    /finalize Namespace u
    /status Namespace gpu
  nodes Node node C cdxglpuw short=no
    /proxy NodeProxyOptions cdgpu
    /status Node gpu
  persistentvolumeclaims PersistentVolumeClaim persistentvolumeclaim N cdxglpuw short=pvc
    /status PersistentVolumeClaim gpu
  persistentvolumes PersistentVolume persistentvolume C cdxglpuw short=pv
    /status PersistentVolume gpu
  pods Pod pod N cdxglpuw short=po in=all
    /attach PodAttachOptions cg
    /binding Binding c
    /ephemeralcontainers Pod gpu
    /eviction policy/v1/Eviction c
    /exec PodExecOptions cg
    /log Pod g
    /portforward PodPortForwardOptions cg
    /proxy PodProxyOptions cdgpu
    /resize Pod gpu
    /status Pod gpu
  podtemplates PodTemplate podtemplate N cdxglpuw
  replicationcontrollers ReplicationController replicationcontroller N cdxglpuw short=rc in=all
    /scale autoscaling/v1/Scale gpu
    /status ReplicationController gpu
  resourcequotas ResourceQuota resourcequota N cdxglpuw short=quota
    /status ResourceQuota gpu
  secrets Secret secret N cdxglpuw
  serviceaccounts ServiceAccount serviceaccount N cdxglpuw short=sa
    /token authentication.k8s.io/v1/TokenRequest c
  services Service service N cdxglpuw short=svc in=all
    /proxy ServiceProxyOptions cdgpu
    /status Service gpu
apiregistration.k8s.io/v1
  apiservices APIService apiservice C cdxglpuw in=api-extensions
    /status APIService gpu
apps/v1
  controllerrevisions ControllerRevision controllerrevision N cdxglpuw
  daemonsets DaemonSet daemonset N cdxglpuw short=ds in=all
    /status DaemonSet gpu
  deployments Deployment deployment N cdxglpuw short=deploy in=all
    /scale autoscaling/v1/Scale gpu
    /status Deployment gpu
  replicasets ReplicaSet replicaset N cdxglpuw short=rs in=all
    /scale autoscaling/v1/Scale gpu
    /status ReplicaSet gpu
  statefulsets StatefulSet statefulset N cdxglpuw short=sts in=all
    /scale autoscaling/v1/Scale gpu
    /status StatefulSet gpu
events.k8s.io/v1
  events Event event N cdxglpuw short=ev
authentication.k8s.io/v1
  selfsubjectreviews SelfSubjectReview selfsubjectreview C c
  tokenreviews TokenReview tokenreview C c
authorization.k8s.io/v1
  localsubjectaccessreviews LocalSubjectAccessReview localsubjectaccessreview N c
  selfsubjectaccessreviews SelfSubjectAccessReview selfsubjectaccessreview C c
  selfsubjectrulesreviews SelfSubjectRulesReview selfsubjectrulesreview C c
  subjectaccessreviews SubjectAccessReview subjectaccessreview C c
autoscaling/v2
  horizontalpodautoscalers HorizontalPodAutoscaler horizontalpodautoscaler N cdxglpuw short=hpa in=all
    /status HorizontalPodAutoscaler gpu
autoscaling/v1
  horizontalpodautoscalers HorizontalPodAutoscaler horizontalpodautoscaler N cdxglpuw short=hpa in=all
    /status HorizontalPodAutoscaler gpu
batch/v1
  cronjobs CronJob cronjob N cdxglpuw short=cj in=all
    /status CronJob gpu
  jobs Job job N cdxglpuw in=all
    /status Job gpu
certificates.k8s.io/v1
  certificatesigningrequests CertificateSigningRequest certificatesigningrequest C cdxglpuw short=csr
    /approval CertificateSigningRequest gpu
    /status CertificateSigningRequest gpu
networking.k8s.io/v1
  ingressclasses IngressClass ingressclass C cdxglpuw
  ingresses Ingress ingress N cdxglpuw short=ing
    /status Ingress gpu
  ipaddresses IPAddress ipaddress C cdxglpuw short=ip
  networkpolicies NetworkPolicy networkpolicy N cdxglpuw short=netpol
  servicecidrs ServiceCIDR servicecidr C cdxglpuw
    /status ServiceCIDR gpu
policy/v1
  poddisruptionbudgets PodDisruptionBudget poddisruptionbudget N cdxglpuw short=pdb
    /status PodDisruptionBudget gpu
rbac.authorization.k8s.io/v1
  clusterrolebindings ClusterRoleBinding clusterrolebinding C cdxglpuw
  clusterroles ClusterRole clusterrole C cdxglpuw
  rolebindings RoleBinding rolebinding N cdxglpuw
  roles Role role N cdxglpuw
storage.k8s.io/v1
  csidrivers CSIDriver csidriver C cdxglpuw
  csinodes CSINode csinode C cdxglpuw
  csistoragecapacities CSIStorageCapacity csistoragecapacity N cdxglpuw
  storageclasses StorageClass storageclass C cdxglpuw short=sc
  volumeattachments VolumeAttachment volumeattachment C cdxglpuw
    /status VolumeAttachment gpu
  volumeattributesclasses VolumeAttributesClass volumeattributesclass C cdxglpuw short=vac
admissionregistration.k8s.io/v1
  mutatingadmissionpolicies MutatingAdmissionPolicy mutatingadmissionpolicy C cdxglpuw in=api-extensions
  mutatingadmissionpolicybindings MutatingAdmissionPolicyBinding mutatingadmissionpolicybinding C cdxglpuw in=api-extensions
  mutatingwebhookconfigurations MutatingWebhookConfiguration mutatingwebhookconfiguration C cdxglpuw in=api-extensions
  validatingadmissionpolicies ValidatingAdmissionPolicy validatingadmissionpolicy C cdxglpuw in=api-extensions
    /status ValidatingAdmissionPolicy gpu
  validatingadmissionpolicybindings ValidatingAdmissionPolicyBinding validatingadmissionpolicybinding C cdxglpuw in=api-extensions
  validatingwebhookconfigurations ValidatingWebhookConfiguration validatingwebhookconfiguration C cdxglpuw in=api-extensions
apiextensions.k8s.io/v1
  customresourcedefinitions CustomResourceDefinition customresourcedefinition C cdxglpuw short=crd,crds in=api-extensions
    /status CustomResourceDefinition gpu
scheduling.k8s.io/v1
  priorityclasses PriorityClass priorityclass C cdxglpuw short=pc
coordination.k8s.io/v1
  leases Lease lease N cdxglpuw
node.k8s.io/v1
  runtimeclasses RuntimeClass runtimeclass C cdxglpuw
discovery.k8s.io/v1
  endpointslices EndpointSlice endpointslice N cdxglpuw
resource.k8s.io/v1
  deviceclasses DeviceClass deviceclass C cdxglpuw
  resourceclaims ResourceClaim resourceclaim N cdxglpuw
    /status ResourceClaim gpu
  resourceclaimtemplates ResourceClaimTemplate resourceclaimtemplate N cdxglpuw
  resourceslices ResourceSlice resourceslice C cdxglpuw
flowcontrol.apiserver.k8s.io/v1
  flowschemas FlowSchema flowschema C cdxglpuw
    /status FlowSchema gpu
  prioritylevelconfigurations PriorityLevelConfiguration prioritylevelconfiguration C cdxglpuw
    /status PriorityLevelConfiguration gpu
"""
_STORED_ELSEWHERE: Final = {("events.k8s.io", "events"): Collection("", "events")}
_STORAGE_VERSIONS: Final = {("autoscaling", "horizontalpodautoscalers"): "v2"}


@cache
def builtin_resources() -> tuple[Resource, ...]:
    """In the order in which discovery lists groups."""
    return tuple(_rows())


def _rows() -> Iterator[Resource]:
    group_version = GroupVersion("", "v1")
    lines = _TABLE.splitlines()
    for number, line in enumerate(lines):
        if not line.startswith(" "):
            group_version = GroupVersion.parse(line)
        elif not line.startswith("    "):
            yield _resource(group_version, line, _below(lines[number + 1 :]))


def _below(lines: list[str]) -> Iterator[str]:
    for line in lines:
        if not line.startswith("    "):
            return
        yield line


def _resource(gv: GroupVersion, line: str, below: Iterator[str]) -> Resource:
    plural, kind, singular, scope, verbs, *rest = line.split()
    extra = dict(each.split("=") for each in rest)
    subresources = {each.name: each for each in (_subresource(gv, row) for row in below)}
    return Resource(
        GroupVersionKind(*gv, kind),
        plural,
        singular=singular,
        namespaced=scope == "N",
        verbs=_verbs(verbs),
        short_names=_words(extra.get("short", "")),
        categories=_words(extra.get("in", "")),
        subresources=subresources,
        collection=_STORED_ELSEWHERE.get((gv.group, plural)),
        storage_version=_STORAGE_VERSIONS.get((gv.group, plural), ""),
    )


def _subresource(gv: GroupVersion, line: str) -> Subresource:
    name, kind, verbs = line.split()
    group, version, bare = kind.split("/") if "/" in kind else (*gv, kind)
    return Subresource(name.removeprefix("/"), GroupVersionKind(group, version, bare), _verbs(verbs))


def _verbs(letters: str) -> tuple[str, ...]:
    return tuple(_VERBS[each] for each in letters)


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split(",")) if text else ()
