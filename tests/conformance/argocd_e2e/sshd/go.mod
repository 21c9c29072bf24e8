module example.org/sshd

go 1.26

require golang.org/x/crypto v0.57.0
