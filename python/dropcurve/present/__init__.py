"""What people read: tables and sentences of a result on a terminal or in a notebook, descriptions of what there is."""
