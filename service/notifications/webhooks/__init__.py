"""Webhooks and push subscriptions of players: addresses elsewhere to which notifications are posted."""
