"""A class that follows its lecturer, as the page shows it; viz_transformer/room speaks with the browsers."""
