resource "terraform_data" "role" {
  input = { name = "${var.name}-cluster", service = "eks.amazonaws.com", tags = var.tags }
}

resource "terraform_data" "security_group" {
  triggers_replace = [var.vpc_id]
  input            = { name = "${var.name}-cluster", vpc = var.vpc_id, tags = var.tags }
}

resource "terraform_data" "cluster" {
  triggers_replace = [var.name, var.subnet_ids]
  input = {
    name           = var.name
    version        = var.kubernetes_version
    role           = terraform_data.role.id
    subnets        = var.subnet_ids
    security_group = terraform_data.security_group.id
    public_cidrs   = var.public_cidrs
    logs           = ["api", "audit", "authenticator"]
    tags           = var.tags
  }

  # Whatever runs on it is somebody else's.
  lifecycle {
    prevent_destroy = true
  }
}

# Workloads prove to the cloud who they are with tokens of this issuer.
resource "terraform_data" "identity_provider" {
  input = { cluster = terraform_data.cluster.id, audience = "sts.amazonaws.com" }
}
