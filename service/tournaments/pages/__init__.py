"""The pages of tournaments, and of what organisers change in them."""
