"""Runs: one scenario replicated, several compared, many swept, and the store of finished runs."""
