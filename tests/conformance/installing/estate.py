"""What a company has on its cluster: one of each kind that Plumbline looks after, each with how it shows that it was."""

DELIVERED = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.shop.example.org}
spec:
  group: shop.example.org
  names: {kind: Gadget, listKind: GadgetList, plural: gadgets, singular: gadget}
  scope: Namespaced
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
---
apiVersion: shop.example.org/v1
kind: Gadget
metadata: {name: delivered}
spec: {size: 1}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reads-gadgets}
rules: [{apiGroups: [shop.example.org], resources: [gadgets], verbs: [get]}]
"""
"""A kind, an object of it, and a right that nobody has given us by name."""
PLATFORM = """\
apiVersion: pkg.crossplane.io/v1
kind: Function
metadata: {name: function-patch-and-transform}
spec: {package: "xpkg.crossplane.io/crossplane-contrib/function-patch-and-transform:v0.9.0"}
---
apiVersion: pkg.crossplane.io/v1
kind: Provider
metadata: {name: provider-kubernetes}
spec: {package: "xpkg.crossplane.io/crossplane-contrib/provider-kubernetes:v1.0.0"}
---
apiVersion: apiextensions.crossplane.io/v1
kind: CompositeResourceDefinition
metadata: {name: xnotes.shop.example.org}
spec:
  group: shop.example.org
  names: {kind: XNote, plural: xnotes}
  claimNames: {kind: Note, plural: notes}
  connectionSecretKeys: [text]
  versions:
  - name: v1
    served: true
    referenceable: true
    schema:
      openAPIV3Schema:
        type: object
        properties: {spec: {type: object, properties: {text: {type: string}}}}
---
apiVersion: apiextensions.crossplane.io/v1
kind: Composition
metadata: {name: notes}
spec:
  compositeTypeRef: {apiVersion: shop.example.org/v1, kind: XNote}
  writeConnectionSecretsToNamespace: shop
  mode: Pipeline
  pipeline:
  - step: compose
    functionRef: {name: function-patch-and-transform}
    input:
      apiVersion: pt.fn.crossplane.io/v1beta1
      kind: Resources
      resources:
      - name: note
        base:
          apiVersion: kubernetes.crossplane.io/v1alpha2
          kind: Object
          spec:
            providerConfigRef: {name: default}
            forProvider:
              manifest:
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: composed, namespace: shop}
                data: {text: ""}
            connectionDetails:
            - {apiVersion: v1, kind: ConfigMap, namespace: shop, name: composed, fieldPath: data.text, toConnectionSecretKey: text}
            writeConnectionSecretToRef: {name: object-text, namespace: shop}
        patches:
        - {type: FromCompositeFieldPath, fromFieldPath: spec.text, toFieldPath: spec.forProvider.manifest.data.text}
        connectionDetails:
        - {name: text, type: FromConnectionSecretKey, fromConnectionSecretKey: text}
"""
CONFIG = """\
apiVersion: kubernetes.crossplane.io/v1alpha1
kind: ProviderConfig
metadata: {name: default}
spec: {credentials: {source: InjectedIdentity}}
"""
CLAIM = """\
apiVersion: shop.example.org/v1
kind: Note
metadata: {name: welcome, namespace: shop}
spec: {text: hello, writeConnectionSecretToRef: {name: note-text}}
"""
USAGE = """\
apiVersion: apiextensions.crossplane.io/v1beta1
kind: Usage
metadata: {name: kept}
spec:
  reason: it is needed
  of: {apiVersion: kubernetes.crossplane.io/v1alpha1, kind: ProviderConfig, resourceRef: {name: default}}
"""
STORE = """\
apiVersion: external-secrets.io/v1
kind: SecretStore
metadata: {name: fake, namespace: shop}
spec: {provider: {fake: {data: [{key: /db, value: from-elsewhere}]}}}
---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: fetched, namespace: shop}
spec:
  secretStoreRef: {kind: SecretStore, name: fake}
  target: {name: fetched}
  data: [{secretKey: password, remoteRef: {key: /db}}]
"""
BORROWED = """\
apiVersion: v1
kind: ServiceAccount
metadata: {name: reader, namespace: shop}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reads, namespace: shop}
rules: [{apiGroups: [""], resources: [secrets], verbs: [get, list]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: reads, namespace: shop}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reads}
subjects: [{kind: ServiceAccount, name: reader, namespace: shop}]
---
apiVersion: v1
kind: Secret
metadata: {name: original, namespace: shop}
stringData: {password: from-next-door}
---
apiVersion: external-secrets.io/v1
kind: SecretStore
metadata: {name: next-door, namespace: shop}
spec:
  provider:
    kubernetes:
      remoteNamespace: shop
      server: {caProvider: {type: ConfigMap, name: kube-root-ca.crt, key: ca.crt}}
      auth: {serviceAccount: {name: reader}}
---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: borrowed, namespace: shop}
spec:
  secretStoreRef: {kind: SecretStore, name: next-door}
  target: {name: borrowed}
  data: [{secretKey: password, remoteRef: {key: original, property: password}}]
"""
"""A store that signs in as an account of its namespace."""
MODULE = """\
resource "terraform_data" "net" {
  input = "10.0.0.0/16"
}
output "net" {
  value = terraform_data.net.output
}
"""
TERRAFORM = """\
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: infrastructure, namespace: shop}
spec: {url: "URL", interval: 1m, ref: {branch: main}}
---
apiVersion: infra.contrib.fluxcd.io/v1alpha2
kind: Terraform
metadata: {name: net, namespace: shop}
spec:
  path: ./net
  sourceRef: {kind: GitRepository, name: infrastructure}
  approvePlan: auto
  interval: 10m
  writeOutputsToSecret: {name: net-outputs}
"""
SECRET = (
    '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"sealed","namespace":"shop"},"data":{"password":"czNjcjN0"}}'
)
