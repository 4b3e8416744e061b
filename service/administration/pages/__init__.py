"""The pages of administrators; for everybody else there are no such pages."""
