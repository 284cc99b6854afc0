"""Updates that a keeper says yes to: what is signed, where it is looked for, what was asked, what root installs.

Nobody here believes a file for its place. What counts is the signature, for the key in root's settings.
"""
