"""`python -m dropcurve` is the command `dropcurve`."""

from .cli import main

main()
