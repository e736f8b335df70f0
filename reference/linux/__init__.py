"""Recordings of a Linux kernel, and how to renew them."""
