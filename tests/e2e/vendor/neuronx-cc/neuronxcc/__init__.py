"""Stands in for the vendor's compiler."""
