variable "name" {
  type = string
}

variable "vpc_id" {
  type = string
}

variable "cidr" {
  description = "Of the VPC; the databases get its last quarter."
  type        = string
}

variable "zones" {
  type = list(string)
}

variable "client_security_group_id" {
  description = "Whose members may connect."
  type        = string
}

variable "ports" {
  type    = list(number)
  default = [5432]
}

variable "tags" {
  type    = map(string)
  default = {}
}
