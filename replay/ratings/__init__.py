"""The ratings of players, and the audit of the ratings that a server has signed."""
