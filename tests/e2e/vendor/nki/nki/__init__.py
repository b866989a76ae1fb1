"""Stands in for the vendor's NKI: a kernel's calls are recorded, not compiled."""

calls: list[str] = []
