"""Soft order: word order without hard links between words (docs/metrics/soft_order.md)."""
