"""Figures as people of the field keep them: arrays in, `plotly.graph_objects.Figure` and `altair.Chart` objects out."""
