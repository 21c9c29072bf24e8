"""Which internal types of the API server pods and workloads are made of; how to read the table tells `goform`."""

from typing import Final

WORKLOAD_TYPES: Final = """\
Affinity NodeAffinity:*NodeAffinity PodAffinity:*PodAffinity PodAntiAffinity:*PodAntiAffinity
AppArmorProfile Type:s LocalhostProfile:*s
AzureFileVolumeSource SecretName:s ShareName:s ReadOnly:b
CSIVolumeSource Driver:s ReadOnly:*b FSType=fsType:*s VolumeAttributes:{s NodePublishSecretRef:*LocalObjectReference
Capabilities Add:[s Drop:[s
CephFSVolumeSource Monitors:[s Path:s User:s SecretFile:s SecretRef:*LocalObjectReference ReadOnly:b
CinderVolumeSource VolumeID:s FSType=fsType:s ReadOnly:b SecretRef:*LocalObjectReference
ClusterTrustBundleProjection Name:*s SignerName:*s LabelSelector:*@LabelSelector Optional:*b Path:s
ConfigMapEnvSource +LocalObjectReference Optional:*b
ConfigMapKeySelector +LocalObjectReference Key:s Optional:*b
ConfigMapProjection +LocalObjectReference Items:[KeyToPath Optional:*b
ConfigMapVolumeSource +LocalObjectReference Items:[KeyToPath DefaultMode:*i Optional:*b
Container Name:s Image:s Command:[s Args:[s WorkingDir:s Ports:[ContainerPort EnvFrom:[EnvFromSource Env:[EnvVar Resources:ResourceRequirements ResizePolicy:[ContainerResizePolicy RestartPolicy:*s RestartPolicyRules:[ContainerRestartRule VolumeMounts:[VolumeMount VolumeDevices:[VolumeDevice LivenessProbe:*Probe ReadinessProbe:*Probe StartupProbe:*Probe Lifecycle:*Lifecycle TerminationMessagePath:s TerminationMessagePolicy:s ImagePullPolicy:s SecurityContext:*SecurityContext Stdin:b StdinOnce:b TTY=tty:b
ContainerPort Name:s HostPort:i ContainerPort:i Protocol:s HostIP:s
ContainerResizePolicy ResourceName:s RestartPolicy:s
ContainerRestartRule Action:s ExitCodes:*ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes Operator:s Values:[i
DaemonSetUpdateStrategy Type:s RollingUpdate:*RollingUpdateDaemonSet
DeploymentStrategy Type:s RollingUpdate:*RollingUpdateDeployment
DownwardAPIProjection Items:[DownwardAPIVolumeFile
DownwardAPIVolumeFile Path:s FieldRef:*ObjectFieldSelector ResourceFieldRef:*ResourceFieldSelector Mode:*i
DownwardAPIVolumeSource Items:[DownwardAPIVolumeFile DefaultMode:*i
EmptyDirVolumeSource Medium:s SizeLimit:*q
EnvFromSource Prefix:s ConfigMapRef:*ConfigMapEnvSource SecretRef:*SecretEnvSource
EnvVar Name:s Value:s ValueFrom:*EnvVarSource
EnvVarSource FieldRef:*ObjectFieldSelector ResourceFieldRef:*ResourceFieldSelector ConfigMapKeyRef:*ConfigMapKeySelector SecretKeyRef:*SecretKeySelector FileKeyRef:*FileKeySelector
EphemeralContainer +EphemeralContainerCommon TargetContainerName:s
EphemeralContainerCommon Name:s Image:s Command:[s Args:[s WorkingDir:s Ports:[ContainerPort EnvFrom:[EnvFromSource Env:[EnvVar Resources:ResourceRequirements ResizePolicy:[ContainerResizePolicy RestartPolicy:*s RestartPolicyRules:[ContainerRestartRule VolumeMounts:[VolumeMount VolumeDevices:[VolumeDevice LivenessProbe:*Probe ReadinessProbe:*Probe StartupProbe:*Probe Lifecycle:*Lifecycle TerminationMessagePath:s TerminationMessagePolicy:s ImagePullPolicy:s SecurityContext:*SecurityContext Stdin:b StdinOnce:b TTY=tty:b
EphemeralVolumeSource VolumeClaimTemplate:*PersistentVolumeClaimTemplate
ExecAction Command:[s
FileKeySelector VolumeName:s Path:s Key:s Optional:*b
FlexVolumeSource Driver:s FSType=fsType:s SecretRef:*LocalObjectReference ReadOnly:b Options:{s
GRPCAction Port:i Service:*s
GitRepoVolumeSource Repository:s Revision:s Directory:s
GlusterfsVolumeSource EndpointsName=endpoints:s Path:s ReadOnly:b
HTTPGetAction Path:s Port:o Host:s Scheme:s HTTPHeaders=httpHeaders:[HTTPHeader
HTTPHeader Name:s Value:s
HostAlias IP=ip:s Hostnames:[s
HostIP IP=ip:s
ISCSIVolumeSource TargetPortal:s IQN=iqn:s Lun:i ISCSIInterface=iscsiInterface:s FSType=fsType:s ReadOnly:b Portals:[s DiscoveryCHAPAuth=chapAuthDiscovery:b SessionCHAPAuth=chapAuthSession:b SecretRef:*LocalObjectReference InitiatorName:*s
ImageVolumeSource Reference:s PullPolicy:s
KeyToPath Key:s Path:s Mode:*i
Lifecycle PostStart:*LifecycleHandler PreStop:*LifecycleHandler StopSignal:*s
LifecycleHandler Exec:*ExecAction HTTPGet=httpGet:*HTTPGetAction TCPSocket=tcpSocket:*TCPSocketAction Sleep:*SleepAction
LocalObjectReference Name:s
NodeAffinity RequiredDuringSchedulingIgnoredDuringExecution:*NodeSelector PreferredDuringSchedulingIgnoredDuringExecution:[PreferredSchedulingTerm
ObjectFieldSelector APIVersion=apiVersion:s FieldPath:s
ObjectMeta Name:s GenerateName:s Namespace:s SelfLink:s UID=uid:s ResourceVersion:s Generation:i CreationTimestamp:t DeletionTimestamp:*t DeletionGracePeriodSeconds:*i Labels:{s Annotations:{s OwnerReferences:[v Finalizers:[s ManagedFields:[v
PersistentVolumeClaimTemplate +metadata:@ObjectMeta Spec:PersistentVolumeClaimSpec
PersistentVolumeClaimVolumeSource ClaimName:s ReadOnly:b
PodAffinity RequiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm PreferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm
PodAffinityTerm LabelSelector:*@LabelSelector Namespaces:[s TopologyKey:s NamespaceSelector:*@LabelSelector MatchLabelKeys:[s MismatchLabelKeys:[s
PodAntiAffinity RequiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm PreferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm
PodCertificateProjection SignerName:s KeyType:s MaxExpirationSeconds:*i CredentialBundlePath:s KeyPath:s CertificateChainPath:s UserAnnotations:{s
PodDNSConfig Nameservers:[s Searches:[s Options:[PodDNSConfigOption
PodDNSConfigOption Name:s Value:*s
PodFailurePolicy Rules:[PodFailurePolicyRule
PodFailurePolicyOnExitCodesRequirement ContainerName:*s Operator:s Values:[i
PodFailurePolicyOnPodConditionsPattern Type:s Status:s
PodFailurePolicyRule Action:s OnExitCodes:*PodFailurePolicyOnExitCodesRequirement OnPodConditions:[PodFailurePolicyOnPodConditionsPattern
PodIP IP=ip:s
PodOS Name:s
PodReadinessGate ConditionType:s
PodResourceClaim Name:s ResourceClaimName:*s ResourceClaimTemplateName:*s
PodSchedulingGate Name:s
PodSchedulingGroup PodGroupName:*s
PodSecurityContext HostNetwork:b HostPID:b HostIPC:b ShareProcessNamespace:*b HostUsers:*b SELinuxOptions=seLinuxOptions:*SELinuxOptions WindowsOptions:*WindowsSecurityContextOptions RunAsUser:*i RunAsGroup:*i RunAsNonRoot:*b SupplementalGroups:[i SupplementalGroupsPolicy:*s FSGroup=fsGroup:*i FSGroupChangePolicy=fsGroupChangePolicy:*s Sysctls:[Sysctl SeccompProfile:*SeccompProfile AppArmorProfile:*AppArmorProfile SELinuxChangePolicy=seLinuxChangePolicy:*s
PodSpec Volumes:[Volume InitContainers:[Container Containers:[Container EphemeralContainers:[EphemeralContainer RestartPolicy:s TerminationGracePeriodSeconds:*i ActiveDeadlineSeconds:*i DNSPolicy=dnsPolicy:s NodeSelector:{s ServiceAccountName:s AutomountServiceAccountToken:*b NodeName:s SecurityContext:*PodSecurityContext ImagePullSecrets:[LocalObjectReference Hostname:s Subdomain:s SetHostnameAsFQDN:*b Affinity:*Affinity SchedulerName:s Tolerations:[Toleration HostAliases:[HostAlias PriorityClassName:s Priority:*i PreemptionPolicy:*s DNSConfig=dnsConfig:*PodDNSConfig ReadinessGates:[PodReadinessGate RuntimeClassName:*s Overhead:{q EnableServiceLinks:*b TopologySpreadConstraints:[TopologySpreadConstraint OS=os:*PodOS SchedulingGates:[PodSchedulingGate ResourceClaims:[PodResourceClaim Resources:*ResourceRequirements HostnameOverride:*s SchedulingGroup:*PodSchedulingGroup
PodTemplateSpec +metadata:@ObjectMeta Spec:PodSpec
PreferredSchedulingTerm Weight:i Preference:NodeSelectorTerm
Probe +ProbeHandler InitialDelaySeconds:i TimeoutSeconds:i PeriodSeconds:i SuccessThreshold:i FailureThreshold:i TerminationGracePeriodSeconds:*i
ProbeHandler Exec:*ExecAction HTTPGet=httpGet:*HTTPGetAction TCPSocket=tcpSocket:*TCPSocketAction GRPC=grpc:*GRPCAction
ProjectedVolumeSource Sources:[VolumeProjection DefaultMode:*i
RBDVolumeSource CephMonitors=monitors:[s RBDImage=image:s FSType=fsType:s RBDPool=pool:s RadosUser=user:s Keyring:s SecretRef:*LocalObjectReference ReadOnly:b
ResourceClaim Name:s Request:s
ResourceFieldSelector ContainerName:s Resource:s Divisor:q
ResourceRequirements Limits:{q Requests:{q Claims:[ResourceClaim
RollingUpdateDaemonSet MaxUnavailable:o MaxSurge:o
RollingUpdateDeployment MaxUnavailable:o MaxSurge:o
RollingUpdateStatefulSetStrategy Partition:i MaxUnavailable:*o
SELinuxOptions User:s Role:s Type:s Level:s
ScaleIOVolumeSource Gateway:s System:s SecretRef:*LocalObjectReference SSLEnabled=sslEnabled:b ProtectionDomain:s StoragePool:s StorageMode:s VolumeName:s FSType=fsType:s ReadOnly:b
SeccompProfile Type:s LocalhostProfile:*s
SecretEnvSource +LocalObjectReference Optional:*b
SecretKeySelector +LocalObjectReference Key:s Optional:*b
SecretProjection +LocalObjectReference Items:[KeyToPath Optional:*b
SecretVolumeSource SecretName:s Items:[KeyToPath DefaultMode:*i Optional:*b
SecurityContext Capabilities:*Capabilities Privileged:*b SELinuxOptions=seLinuxOptions:*SELinuxOptions WindowsOptions:*WindowsSecurityContextOptions RunAsUser:*i RunAsGroup:*i RunAsNonRoot:*b ReadOnlyRootFilesystem:*b AllowPrivilegeEscalation:*b ProcMount:*s SeccompProfile:*SeccompProfile AppArmorProfile:*AppArmorProfile
ServiceAccountTokenProjection Audience:s ExpirationSeconds:i Path:s
SleepAction Seconds:i
StatefulSetUpdateStrategy Type:s RollingUpdate:*RollingUpdateStatefulSetStrategy
StorageOSVolumeSource VolumeName:s VolumeNamespace:s FSType=fsType:s ReadOnly:b SecretRef:*LocalObjectReference
SuccessPolicy Rules:[SuccessPolicyRule
SuccessPolicyRule SucceededIndexes:*s SucceededCount:*i
Sysctl Name:s Value:s
TCPSocketAction Port:o Host:s
TopologySpreadConstraint MaxSkew:i TopologyKey:s WhenUnsatisfiable:s LabelSelector:*@LabelSelector MinDomains:*i NodeAffinityPolicy:*s NodeTaintsPolicy:*s MatchLabelKeys:[s
UncountedTerminatedPods Succeeded:[s Failed:[s
Volume Name:s +VolumeSource
VolumeDevice Name:s DevicePath:s
VolumeMount Name:s ReadOnly:b RecursiveReadOnly:*s MountPath:s SubPath:s MountPropagation:*s SubPathExpr:s
VolumeProjection Secret:*SecretProjection DownwardAPI:*DownwardAPIProjection ConfigMap:*ConfigMapProjection ServiceAccountToken:*ServiceAccountTokenProjection ClusterTrustBundle:*ClusterTrustBundleProjection PodCertificate:*PodCertificateProjection
VolumeSource HostPath:*HostPathVolumeSource EmptyDir:*EmptyDirVolumeSource GCEPersistentDisk=gcePersistentDisk:*GCEPersistentDiskVolumeSource AWSElasticBlockStore=awsElasticBlockStore:*AWSElasticBlockStoreVolumeSource GitRepo:*GitRepoVolumeSource Secret:*SecretVolumeSource NFS=nfs:*NFSVolumeSource ISCSI=iscsi:*ISCSIVolumeSource Glusterfs:*GlusterfsVolumeSource PersistentVolumeClaim:*PersistentVolumeClaimVolumeSource RBD=rbd:*RBDVolumeSource Quobyte:*QuobyteVolumeSource FlexVolume:*FlexVolumeSource Cinder:*CinderVolumeSource CephFS=cephfs:*CephFSVolumeSource Flocker:*FlockerVolumeSource DownwardAPI:*DownwardAPIVolumeSource FC=fc:*FCVolumeSource AzureFile:*AzureFileVolumeSource ConfigMap:*ConfigMapVolumeSource VsphereVolume:*VsphereVirtualDiskVolumeSource AzureDisk:*AzureDiskVolumeSource PhotonPersistentDisk:*PhotonPersistentDiskVolumeSource Projected:*ProjectedVolumeSource PortworxVolume:*PortworxVolumeSource ScaleIO:*ScaleIOVolumeSource StorageOS=storageos:*StorageOSVolumeSource CSI=csi:*CSIVolumeSource Ephemeral:*EphemeralVolumeSource Image:*ImageVolumeSource
WeightedPodAffinityTerm Weight:i PodAffinityTerm:PodAffinityTerm
WindowsSecurityContextOptions GMSACredentialSpecName=gmsaCredentialSpecName:*s GMSACredentialSpec=gmsaCredentialSpec:*s RunAsUserName:*s HostProcess:*b
"""
