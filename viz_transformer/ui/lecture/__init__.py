"""The page Lecture; the scene of a lecture above any page, and in the header what shares it: links and rooms."""
