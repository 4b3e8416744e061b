"""Sends e-mail: the connection to the SMTP server, the format of mails, and their contents."""
