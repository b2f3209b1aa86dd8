"""Text: words, languages and tokenisers."""
