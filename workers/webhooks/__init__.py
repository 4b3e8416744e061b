"""Posts notifications to the webhooks and push services of players, which can have any address."""
