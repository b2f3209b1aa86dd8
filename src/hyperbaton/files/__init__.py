"""Files: reading lines, columns and tables, and writing without half-written files."""
