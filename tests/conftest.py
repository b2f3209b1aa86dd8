"""What all tests share: the seeds are fixed, so that a failure can be seen again."""

from hypothesis import settings

settings.register_profile("hyperbaton", deadline=None, derandomize=True, max_examples=150)
settings.load_profile("hyperbaton")
