"""Comparison of systems: which differences are significant?"""
