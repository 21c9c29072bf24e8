"""What the families of our own share: who may see what, rows of collections, and lists of them.

Argo CD has no words for claims, Terraform objects, sealed secrets and changes. Policies name them `infrastructure`,
`terraform`, `secrets` and `changes`; what an Application delivers is also seen by whoever may get that Application.
"""
