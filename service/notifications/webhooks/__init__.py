"""Webhooks and push subscriptions of players: external addresses to which notifications are posted."""
