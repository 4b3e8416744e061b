"""The log of a tournament: its sealed events, its record, and the audit of the record."""
