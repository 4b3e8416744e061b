"""Posts notifications to webhooks and push services of players, which may be any address."""
