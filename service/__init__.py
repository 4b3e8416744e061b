"""The service: the log in Redis, the one door to it, accounts and listings, and HTTP in front.

What the games' rules say belongs in `domain`, what reads a log back in `replay`; jobs are in
`workers`. Nothing here asks which game it is.
"""
