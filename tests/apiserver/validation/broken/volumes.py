"""Volumes that are refused."""

from .case import table

_TEMPLATE = {
    "spec": {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}},
        "volumeMode": "Filesystem",
    }
}


def _row(why, source, **held):
    return why, {"": {"name": "new", source: held}}


def _ephemeral(why, **spec):
    return _row(why, "ephemeral", volumeClaimTemplate={"spec": {**_TEMPLATE["spec"], **spec}})


def _projected(why, *sources):
    return _row(why, "projected", sources=list(sources), defaultMode=420)


_FIELD = {"path": "a", "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}}
_TOKEN = {"path": "token", "expirationSeconds": 3600}

CASES = [
    *table(
        "pod",
        ("two sources", {"": {"name": "new", "emptyDir": {}, "hostPath": {"path": "/", "type": ""}}}),
        (
            "sources with odd names",
            {
                "": {
                    "name": "new",
                    "emptyDir": {},
                    "cephfs": {"monitors": ["a"]},
                    "downwardAPI": {"defaultMode": 420},
                    "gcePersistentDisk": {"pdName": "a"},
                }
            },
        ),
        ("no name", {"": {"name": "", "emptyDir": {}}}),
        ("a bad name", {"": {"name": "A", "emptyDir": {}}}),
        ("a taken name", {"": {"name": "scratch", "emptyDir": {}}}),
        _row("a folder of less than nothing", "emptyDir", sizeLimit="-1"),
        _row("a host path that is none", "hostPath", path="", type=""),
        _row("a host path that climbs", "hostPath", path="/a/../b", type=""),
        _row("a host path of unknown type", "hostPath", path="/a", type="Hole"),
        _row("a repository without an address", "gitRepo", repository="", directory="../x"),
        _row("a Google disk", "gcePersistentDisk", pdName="", partition=256),
        _row("an Amazon disk", "awsElasticBlockStore", volumeID="", partition=-1),
        _row("a Secret without a name", "secret", secretName="", defaultMode=512),
        _row("a Secret with bad items", "secret", secretName="s", defaultMode=420, items=[{"key": "", "path": ""}]),
        _row(
            "a Secret with items that climb",
            "secret",
            secretName="s",
            defaultMode=420,
            items=[{"key": "a", "path": "..a", "mode": 600}],
        ),
        _row("a ConfigMap without a name", "configMap", name="", defaultMode=-1),
        _row(
            "a ConfigMap with an item from the root",
            "configMap",
            name="s",
            defaultMode=420,
            items=[{"key": "a", "path": "/a"}],
        ),
        _row(
            "a ConfigMap with an item above",
            "configMap",
            name="s",
            defaultMode=420,
            items=[{"key": "a", "path": "../a"}],
        ),
        _row("a share without anything", "nfs", server="", path=""),
        _row("a share with a relative path", "nfs", server="s", path="a"),
        _row("iSCSI without anything", "iscsi", targetPortal="", iqn="", lun=256, iscsiInterface="default"),
        _row(
            "iSCSI of no known name",
            "iscsi",
            targetPortal="p",
            iqn="abc",
            lun=0,
            iscsiInterface="default",
            chapAuthSession=True,
        ),
        _row(
            "iSCSI with a bad iqn",
            "iscsi",
            targetPortal="p",
            iqn="iqn.x",
            lun=0,
            iscsiInterface="default",
            initiatorName="eui.x",
        ),
        _row(
            "iSCSI with a good iqn",
            "iscsi",
            targetPortal="p",
            iqn="iqn.2001-04.com.example:storage",
            lun=0,
            iscsiInterface="default",
            initiatorName="naa.1",
        ),
        _row(
            "iSCSI with a long portal",
            "iscsi",
            targetPortal="p" * 64,
            iqn="eui.0123456789abcdef",
            lun=0,
            iscsiInterface="default",
            initiatorName="xyz",
        ),
        _row("Gluster", "glusterfs", endpoints="", path=""),
        _row("Flocker without anything", "flocker"),
        _row("Flocker with too much", "flocker", datasetName="a/b", datasetUUID="c"),
        _row("a claim without a name", "persistentVolumeClaim", claimName=""),
        _row("Rados", "rbd", monitors=[], image="", pool="rbd", user="admin", keyring="/etc/ceph/keyring"),
        _row("Cinder", "cinder", volumeID="", secretRef={"name": ""}),
        _row("Ceph", "cephfs", monitors=[]),
        _row("Quobyte without anything", "quobyte", registry="", volume=""),
        _row("Quobyte with a long tenant", "quobyte", registry="a:1", volume="v", tenant="t" * 65),
        _row("Quobyte with a bad registry", "quobyte", registry="a:1,b", volume="v"),
        _row("fibre without anything", "fc"),
        _row("fibre with too much", "fc", targetWWNs=["a"], wwids=["b"]),
        _row("fibre with a bad unit", "fc", targetWWNs=["a"], lun=256),
        _row("a flexible driver", "flexVolume", driver="", options={"kubernetes.io/x": "y"}),
        _row("an Azure file", "azureFile", secretName="", shareName=""),
        _row("a vSphere disk", "vsphereVolume", volumePath=""),
        _row("a Photon disk", "photonPersistentDisk", pdID=""),
        _row("Portworx", "portworxVolume", volumeID=""),
        _row(
            "an Azure disk without anything",
            "azureDisk",
            diskName="",
            diskURI="",
            cachingMode="No",
            kind="Odd",
            fsType="ext4",
            readOnly=False,
        ),
        _row(
            "a managed Azure disk",
            "azureDisk",
            diskName="a",
            diskURI="b",
            cachingMode="None",
            kind="Managed",
            fsType="ext4",
            readOnly=False,
        ),
        _row("StorageOS", "storageos", volumeName="", volumeNamespace="A", secretRef={"name": ""}),
        _row("StorageOS with a bad name", "storageos", volumeName="A"),
        _row(
            "ScaleIO",
            "scaleIO",
            gateway="",
            system="",
            volumeName="",
            secretRef={"name": "s"},
            storageMode="ThinProvisioned",
            fsType="xfs",
        ),
        _row("a driver without a name", "csi", driver=""),
        _row("a driver with a long name", "csi", driver="a" * 64, nodePublishSecretRef={"name": ""}),
        _row("a driver with a bad name", "csi", driver="a_b", nodePublishSecretRef={"name": "A"}),
        _row("an image without a reference", "image", reference="", pullPolicy="Sometimes"),
        _row("a claim of its own without a template", "ephemeral"),
        _ephemeral("a claim of its own"),
        _ephemeral("a claim without modes", accessModes=[]),
        _ephemeral("a claim with an unknown mode", accessModes=["Read"], volumeMode="Tape"),
        _ephemeral("a claim for one pod and many", accessModes=["ReadWriteOncePod", "ReadWriteOnce"]),
        _ephemeral("a claim without storage", resources={}),
        _ephemeral("a claim for nothing", resources={"requests": {"storage": "0"}}),
        _ephemeral("a claim of a bad class", storageClassName="A", volumeAttributesClassName="B"),
        _ephemeral("a claim with a bad selector", selector={"matchLabels": {"a": "b c"}}),
        _ephemeral(
            "a claim of nothing known", dataSource={"kind": "", "name": ""}, dataSourceRef={"kind": "", "name": ""}
        ),
        _ephemeral(
            "a claim of a group",
            dataSource={"kind": "A", "name": "a", "apiGroup": "B"},
            dataSourceRef={"kind": "A", "name": "a", "apiGroup": "B"},
        ),
        _ephemeral(
            "a claim of two sources",
            dataSource={"kind": "A", "name": "a", "apiGroup": "b"},
            dataSourceRef={"kind": "A", "name": "c", "apiGroup": "b"},
        ),
        (
            "a claim with a name",
            {
                "": {
                    "name": "new",
                    "ephemeral": {
                        "volumeClaimTemplate": {**_TEMPLATE, "metadata": {"name": "a", "labels": {"a": "b c"}}}
                    },
                }
            },
        ),
        ("a claim with a long name", {"": {"name": "a" * 63, "ephemeral": {"volumeClaimTemplate": _TEMPLATE}}}),
        _row("a file of the pod without anything", "downwardAPI", defaultMode=1000, items=[{"path": ""}]),
        _row("a file of the pod", "downwardAPI", defaultMode=420, items=[_FIELD]),
        _row(
            "a file of the pod from two places",
            "downwardAPI",
            defaultMode=420,
            items=[{**_FIELD, "resourceFieldRef": {"resource": "limits.cpu", "divisor": "0"}, "mode": -1}],
        ),
        _row(
            "a file of a container without a name",
            "downwardAPI",
            defaultMode=420,
            items=[{"path": "a", "resourceFieldRef": {"resource": "limits.cpu", "divisor": "0"}}],
        ),
        _row(
            "a file of a field for variables",
            "downwardAPI",
            defaultMode=420,
            items=[{"path": "a", "fieldRef": {"apiVersion": "v1", "fieldPath": "spec.nodeName"}}],
        ),
        _projected("a projection of nothing", {}),
        _projected("a projection of two", {"secret": {"name": "a"}, "configMap": {"name": "b"}}),
        _projected("a projection of nobody's", {"secret": {"name": ""}}, {"configMap": {"name": ""}}),
        _projected(
            "projections to one path",
            {"secret": {"name": "a", "items": [{"key": "k", "path": "p"}]}},
            {"configMap": {"name": "b", "items": [{"key": "k", "path": "p"}]}},
            {"downwardAPI": {"items": [{**_FIELD, "path": "p"}]}},
        ),
        _projected("a token", {"serviceAccountToken": _TOKEN}),
        _projected("a token without a path", {"serviceAccountToken": {**_TOKEN, "path": "", "expirationSeconds": 1}}),
        _projected(
            "a token that climbs", {"serviceAccountToken": {**_TOKEN, "path": "../a", "expirationSeconds": 2**32 + 1}}
        ),
        at="spec|volumes|2",
    ),
    *table(
        "pod",
        (
            "a claim that another volume makes",
            {
                "1": {"name": "made", "ephemeral": {"volumeClaimTemplate": _TEMPLATE}},
                "2": {"name": "used", "persistentVolumeClaim": {"claimName": "pod-made"}},
            },
        ),
        at="spec|volumes|",
    ),
]
