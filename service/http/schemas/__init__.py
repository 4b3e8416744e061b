"""The forms of requests, which are checked by them, and of answers, which are only described by them."""
