"""Records of finished games that players have uploaded, beside the games of this server."""
