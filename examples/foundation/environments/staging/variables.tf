variable "name" {
  description = "Of the environment: everything begins with it."
  type        = string
}

variable "region" {
  type = string
}

variable "zones" {
  description = "In an order that never changes. Add at the end."
  type        = list(string)
}

variable "cidr" {
  type = string
}

variable "domain" {
  type = string
}

variable "kubernetes_version" {
  type = string
}
