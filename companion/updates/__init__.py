"""Updates that a keeper says yes to: what is signed, where to look for it, what was asked for, what root installs.

No file is trusted because of where it is. What counts is the signature, for the key in root's settings.
"""
