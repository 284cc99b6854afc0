"""What our server calls itself (HTTP's `Server`), so that who asks one knows whether it is ours."""

SERVER = "strada"
