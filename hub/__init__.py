"""Many tables: what each of them reports is stored once, in order, and shown in one room."""
