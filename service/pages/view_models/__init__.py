"""What templates show, prepared from games and accounts: view models, without requests to change anything."""
