"""E-mail: the server that takes it, addresses and their confirmation, bounces, and unsubscribing."""
