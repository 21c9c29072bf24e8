"""Secrets: sealed in Git, or kept in stores elsewhere. Values are `Plaintext` from the moment they are read.

sealing/   pure: the envelope of kubeseal, scopes, keys, whole objects sealed, opened and sealed again
sealed/    SealedSecrets become Secrets; sealing keys are made, renewed and followed
escrow/    sealing keys outside of the cluster: encrypted to people, and back again
stores/    where secrets are kept elsewhere: Vault, AWS, another cluster
external/  ExternalSecrets become Secrets; stores are looked after; one ExternalSecret in many namespaces
generators/  values that nobody keeps: made up
push/      Secrets of the cluster go to stores
stored.py  the room of external/, push/ and generators/, put together
"""
