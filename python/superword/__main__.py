"""`python -m superword`: the command line."""

from superword.cli import main

main()
