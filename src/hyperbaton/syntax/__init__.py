"""Syntax: dependency trees, CoNLL-U, and parsers as plug-ins."""
