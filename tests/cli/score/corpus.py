"""Two systems to score: one with wrong word order, and one that equals the reference."""

REF = "The cat saw the dog .\nThis is a test .\nOne two three four .\n"
SYS = "The dog saw the cat .\nThis is a test .\nfour three two One .\n"
FILES = {"ref.txt": REF, "sys.txt": SYS, "good.txt": REF}

# The arguments of most calls.
GOOD = ["-r", "ref.txt", "sys.txt"]
