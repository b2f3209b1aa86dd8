"""Soft order: word order without hard links between words (docs/metrics/order.md)."""
