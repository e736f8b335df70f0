"""Files of others, and files of ours: bounded reads of regular files, and the types of their contents."""
