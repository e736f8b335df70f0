"""Scenarios: files, validated and editable; the shipped scenarios; recordings and captures that they name."""

from .scenario import Scenario

__all__ = ["Scenario"]
