resource "terraform_data" "role" {
  input = { name = "${var.cluster_name}-${var.name}", service = "ec2.amazonaws.com", tags = var.tags }
}

resource "terraform_data" "launch_template" {
  input = { name = "${var.cluster_name}-${var.name}", disk_gib = var.disk_gib, metadata_tokens = "required", tags = var.tags }
}

resource "terraform_data" "node_group" {
  triggers_replace = [var.cluster_name, var.instance_types, var.capacity, var.subnet_ids]
  input = {
    role            = terraform_data.role.id
    launch_template = terraform_data.launch_template.id
    scaling         = { min = var.min, max = var.max }
    labels          = var.labels
    taints          = var.taints
    tags            = var.tags
  }

  # Pods move to the new nodes before the old ones go.
  lifecycle {
    create_before_destroy = true
  }
}
