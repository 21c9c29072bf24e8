"""Terraform objects: plan, approve by digest, apply exactly that plan, publish outputs."""
