"""What may happen with rows that cannot be scored. Importing it is quick."""

ON_ERROR = ("raise", "null")
