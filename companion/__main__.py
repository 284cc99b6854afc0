"""`python -m companion` is `strada`."""

from companion.cli import main

main()
