"""`python -m groupmem` is the console script."""

from groupmem.cli import main

main()
