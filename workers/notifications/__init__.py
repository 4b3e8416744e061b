"""Sends notifications: jobs create deliveries for the outbox entries, and channels send them."""
