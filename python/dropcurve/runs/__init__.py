"""Runs: one scenario replicated, several compared, many swept, and what finished runs are stored in."""
