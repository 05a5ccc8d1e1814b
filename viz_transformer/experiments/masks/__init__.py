"""What masks are for, and what goes wrong without them."""
