"""Word alignments: what they are, and how they are found."""
