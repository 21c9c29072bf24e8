variable "name" {
  type = string
}

variable "region" {
  type = string
}

variable "kubernetes_version" {
  description = "One minor version at a time, and never back."
  type        = string

  validation {
    condition     = can(regex("^1\\.\\d+$", var.kubernetes_version))
    error_message = "A minor version, such as 1.34."
  }
}

variable "vpc_id" {
  type = string
}

variable "subnet_ids" {
  type = list(string)
}

variable "public_cidrs" {
  description = "From where the API can be reached besides from within; nowhere if empty."
  type        = list(string)
  default     = []

  validation {
    condition     = !contains(var.public_cidrs, "0.0.0.0/0")
    error_message = "Not from everywhere."
  }
}

variable "tags" {
  type    = map(string)
  default = {}
}
