"""The store: SQLite holds everything, the indexes beside it are derived from it."""
