"""What heads do: measures and scores, catalogues and reports of them."""
