"""The training loop, its data and tasks, what it records on the way, and runs in processes of their own."""
