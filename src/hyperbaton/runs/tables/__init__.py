"""Tables with texts in columns: Arrow tables and Parquet files, on one machine or many."""
