"""Sends e-mail: the connection to the SMTP server, the form of messages, and what they say."""
