"""The training loop, its data and tasks, the film of a run, and runs in processes of their own."""
