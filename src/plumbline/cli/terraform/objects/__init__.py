"""Behind the verbs of `plumb tf` that speak to a cluster: Terraform objects, their plans, their state."""
