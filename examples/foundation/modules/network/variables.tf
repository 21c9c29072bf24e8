variable "name" {
  description = "Of the VPC, and the beginning of everything else's."
  type        = string
}

variable "cidr" {
  description = "Addresses of the VPC. Another one would be another VPC."
  type        = string

  validation {
    condition     = can(cidrnetmask(var.cidr)) && tonumber(split("/", var.cidr)[1]) <= 20
    error_message = "An IPv4 network of /20 or larger: five kinds of subnets have to fit."
  }
}

variable "zones" {
  description = "Availability zones, in an order that never changes: addresses are given by it. Add at the end."
  type        = list(string)

  validation {
    condition     = length(var.zones) >= 2 && length(var.zones) <= 4 && length(distinct(var.zones)) == length(var.zones)
    error_message = "Two to four different zones."
  }
}

variable "nat_per_zone" {
  description = "Whether a zone that fails leaves the others their way out."
  type        = bool
  default     = false
}

variable "tags" {
  type    = map(string)
  default = {}
}
