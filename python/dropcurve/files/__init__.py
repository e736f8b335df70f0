"""Reading and writing of files: bounded reads of regular files, checks of their types, and writes that appear whole."""
