"""The pages of accounts and players."""
