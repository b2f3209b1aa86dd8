"""Speed, beside other software in the same run: ``make bench``."""
