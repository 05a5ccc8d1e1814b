"""The page Lecture, and the scene of a lecture above any page."""
