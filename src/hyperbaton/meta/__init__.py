"""Meta-evaluation: how well metrics agree with human judgements."""
