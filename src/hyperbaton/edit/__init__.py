"""Edit distances between two sentences: bag, Levenshtein, CDER, and with block inversions."""
