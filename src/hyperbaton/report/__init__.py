"""Reports: tables, and metrics explained."""
