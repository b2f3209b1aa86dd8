"""Meta-evaluation: how well metrics agree with people."""
