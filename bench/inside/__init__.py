"""What `make bench-guest` runs inside its guest: our own code on a real kernel's pins, and on the real picamera2."""
