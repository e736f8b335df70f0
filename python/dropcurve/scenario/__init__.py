"""Scenarios: files, validated and editable; the shipped ones; recordings and captures they name."""

from .scenario import Scenario

__all__ = ["Scenario"]
