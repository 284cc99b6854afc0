"""The layer between us and the machine: files safely on the disk, pictures, systemd, our server's name."""

#: What our server calls itself (HTTP's `Server`), so that a client can tell whether it is ours.
SERVER = "strada"
