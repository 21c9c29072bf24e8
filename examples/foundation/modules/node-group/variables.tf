variable "name" {
  type = string
}

variable "cluster_name" {
  type = string
}

variable "subnet_ids" {
  type = list(string)
}

variable "instance_types" {
  type    = list(string)
  default = ["m7g.large"]
}

variable "capacity" {
  type    = string
  default = "ON_DEMAND"

  validation {
    condition     = contains(["ON_DEMAND", "SPOT"], var.capacity)
    error_message = "ON_DEMAND or SPOT."
  }
}

variable "min" {
  type    = number
  default = 1
}

variable "max" {
  type    = number
  default = 3
}

variable "disk_gib" {
  type    = number
  default = 50
}

variable "labels" {
  type    = map(string)
  default = {}
}

variable "taints" {
  type    = list(object({ key = string, value = string, effect = string }))
  default = []
}

variable "tags" {
  type    = map(string)
  default = {}
}
