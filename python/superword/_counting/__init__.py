"""Private parts of `superword.counts`: where counts come from, and their file formats."""
