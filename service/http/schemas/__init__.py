"""The schemas of requests, which check them, and of responses, which only describe them.

Short ones that a single file of routes uses stand in that file.
"""
