"""The schemas of requests, which check them, and of responses, which only describe them."""
