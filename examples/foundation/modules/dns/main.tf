resource "terraform_data" "zone" {
  triggers_replace = [var.domain]
  input            = { domain = var.domain, vpc = var.vpc_id, tags = var.tags }

  # Another zone has other name servers, and the registrar knows only these.
  lifecycle {
    prevent_destroy = true
  }
}

resource "terraform_data" "record" {
  for_each = var.records
  input    = { zone = terraform_data.zone.id, name = each.key, type = each.value.type, ttl = each.value.ttl, values = each.value.values }
}
