"""The derived indexes: postings and vectors in files beside the database, made from it and made again from it."""
