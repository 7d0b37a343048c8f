"""`make structure`: circles of files, files that are too long, and what is public without need or twice."""
