"""The page Lecture, the bar with a lecture's scene above any page, and the header's buttons for sharing and rooms."""
