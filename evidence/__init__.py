"""Experiments on real data: each module writes one section of docs/evidence.md."""
