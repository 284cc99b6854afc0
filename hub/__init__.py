"""Many tables: what each of them tells is kept in order, once, and shown in one room."""
