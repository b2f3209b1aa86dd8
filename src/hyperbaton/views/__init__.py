"""Views: tables, drawings, plots, pages, notebooks and terminals."""
