variable "name" {
  type = string
}

variable "rotation_days" {
  type    = number
  default = 180
}
