"""What people are notified of."""
