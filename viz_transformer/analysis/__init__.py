"""What heads do: measures, scores, catalogues of them and reports."""
