"""What kubeseal prints, with `SEALED` where a value is. Written down from its rules and checked against version 0.40."""

from .sealed import CANARY

SEALED_YAML = """---
apiVersion: bitnami.com/v1alpha1
kind: SealedSecret
metadata:
  name: db
  namespace: shop
spec:
  encryptedData:
    password: SEALED
    user: SEALED
  template:
    metadata:
      name: db
      namespace: shop
"""
SEALED_JSON = """{
  "kind": "SealedSecret",
  "apiVersion": "bitnami.com/v1alpha1",
  "metadata": {
    "name": "db",
    "namespace": "shop"
  },
  "spec": {
    "template": {
      "metadata": {
        "name": "db",
        "namespace": "shop"
      }
    },
    "encryptedData": {
      "password": "SEALED",
      "user": "SEALED"
    }
  }
}
"""
RICH = f"""apiVersion: v1
kind: Secret
metadata:
  name: db
  creationTimestamp: null
  uid: 8d1
  resourceVersion: "7"
  generation: 2
  finalizers: [a/b]
  generateName: db-
  labels: {{app: shop, "10": "x<y", "yes": "no"}}
  annotations:
    sealedsecrets.bitnami.com/namespace-wide: "true"
    note: "a & b"
    kubectl.kubernetes.io/last-applied-configuration: '{{"stringData":{{"password":"{CANARY}"}}}}'
  ownerReferences: [{{apiVersion: v1, kind: ConfigMap, name: a, uid: b}}]
type: Opaque
immutable: true
data: {{password: Zm9v}}
stringData: {{password: {CANARY}, ".dot": a, "9": b, "10": c, A: d}}
"""
RICH_JSON = """{
  "kind": "SealedSecret",
  "apiVersion": "bitnami.com/v1alpha1",
  "metadata": {
    "name": "db",
    "namespace": "shop",
    "annotations": {
      "sealedsecrets.bitnami.com/namespace-wide": "true"
    }
  },
  "spec": {
    "template": {
      "metadata": {
        "name": "db",
        "generateName": "db-",
        "namespace": "shop",
        "labels": {
          "10": "x\\u003cy",
          "app": "shop",
          "yes": "no"
        },
        "annotations": {
          "note": "a \\u0026 b",
          "sealedsecrets.bitnami.com/namespace-wide": "true"
        },
        "finalizers": [
          "a/b"
        ]
      },
      "type": "Opaque",
      "immutable": true
    },
    "encryptedData": {
      ".dot": "SEALED",
      "10": "SEALED",
      "9": "SEALED",
      "A": "SEALED",
      "password": "SEALED"
    }
  }
}
"""
RICH_YAML = """---
apiVersion: bitnami.com/v1alpha1
kind: SealedSecret
metadata:
  annotations:
    sealedsecrets.bitnami.com/namespace-wide: "true"
  name: db
  namespace: shop
spec:
  encryptedData:
    .dot: SEALED
    "9": SEALED
    "10": SEALED
    A: SEALED
    password: SEALED
  template:
    immutable: true
    metadata:
      annotations:
        note: a & b
        sealedsecrets.bitnami.com/namespace-wide: "true"
      finalizers:
      - a/b
      generateName: db-
      labels:
        "10": x<y
        app: shop
        "yes": "no"
      name: db
      namespace: shop
    type: Opaque
"""
MERGED = """---
apiVersion: bitnami.com/v1alpha1
kind: SealedSecret
metadata:
  labels:
    team: a
  name: db
  namespace: shop
spec:
  encryptedData:
    new: SEALED
    password: SEALED
    user: SEALED
  template:
    data:
      url: '{{ .user }}'
    metadata:
      annotations:
        added: "1"
      name: db
      namespace: shop
"""
