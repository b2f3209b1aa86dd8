"""What real data says: the tables of docs/evidence.md, a module for each."""
