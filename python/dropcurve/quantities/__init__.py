"""Values as text: quantities with units, ranges, words of the command line, and numbers as text."""
