"""E-mail: the mail server, addresses and their confirmation, bounces, and unsubscribing."""
