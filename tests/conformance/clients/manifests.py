"""Manifests that several scripts begin with. Workloads ask for no pods: a cluster without nodes and ours then agree."""

from plumbline.base.json import JsonObject


def config_map(name: str, **data: str) -> JsonObject:
    metadata = {"name": name, "labels": {"of": "test"}}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


CONFIG = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: one, labels: {tier: front, app: shop}}
data: {key: value, text: "two\\nlines\\n"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: two, labels: {tier: back, app: shop}, annotations: {note: kept}}
data: {key: other}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: three, labels: {tier: back}}
"""

WEB = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 0
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: web:1
        ports: [{containerPort: 80, name: http}]
        env: [{name: MODE, value: plain}]
"""

NIGHTLY = """\
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly, labels: {app: nightly}}
spec:
  suspend: true
  schedule: "0 1 * * *"
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers:
          - name: work
            image: work:1
            ports: [{containerPort: 80, name: http}]
            env: [{name: MODE, value: plain}]
"""
"""A workload that no controller touches while it is suspended: what is stored is what was written."""

SERVICE = """\
apiVersion: v1
kind: Service
metadata: {name: web, labels: {app: web}}
spec:
  clusterIP: None
  selector: {app: web}
  ports: [{name: http, port: 80, targetPort: http}]
"""

QUOTA = """\
apiVersion: v1
kind: ResourceQuota
metadata: {name: bounds}
spec: {hard: {count/secrets: "5", services.nodeports: "0"}}
---
apiVersion: v1
kind: LimitRange
metadata: {name: limits}
spec:
  limits:
  - {type: Container, default: {cpu: 500m}, defaultRequest: {cpu: 100m}, max: {cpu: "2"}}
"""

WIDGETS = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.{ns}.example.com}
spec:
  group: {ns}.example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, shortNames: [wd], categories: [all, parts]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}, scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.size}}
    additionalPrinterColumns:
    - {name: Size, type: integer, jsonPath: .spec.size}
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
    schema:
      openAPIV3Schema:
        type: object
        description: A part of something larger.
        required: [spec]
        properties:
          spec:
            type: object
            required: [size]
            properties:
              size: {type: integer, minimum: 0, maximum: 9, description: How many there should be.}
              colour: {type: string, enum: [red, blue], default: blue}
            x-kubernetes-validations: [{rule: "self.colour != 'red' || self.size < 5", message: red ones are small}]
          status:
            type: object
            properties: {size: {type: integer}}
"""

WIDGET = """\
apiVersion: {ns}.example.com/v1
kind: Widget
metadata: {name: left}
spec: {size: 3}
"""
