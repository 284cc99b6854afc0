"""What lies between us and the machine: files that the disk surely has, pictures, systemd, our server's name."""

#: What our server calls itself (HTTP's `Server`), so that whoever asks one knows whether it is ours.
SERVER = "strada"
