"""Text: line-aligned files and tokenisers."""

from hyperbaton.text.lines import read_aligned, read_lines
from hyperbaton.text.output_files import write_beside
from hyperbaton.text.tokenizers import default_tokenizer, tokenizer

__all__ = [
    "default_tokenizer",
    "read_aligned",
    "read_lines",
    "tokenizer",
    "write_beside",
]
