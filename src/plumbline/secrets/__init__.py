"""Secrets: sealed in Git, or kept in stores elsewhere. Values are `Plaintext` from the moment they are read.

sealing/   pure: the envelope of kubeseal, scopes, keys, whole objects sealed, opened and sealed again
sealed/    SealedSecrets become Secrets; sealing keys are made, renewed and followed
escrow/    sealing keys outside of the cluster: encrypted to people, and back again
stores/    where secrets are kept elsewhere: Vault, AWS, another cluster
external/  ExternalSecrets become Secrets; stores are looked after
"""
