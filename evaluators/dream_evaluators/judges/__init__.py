"""Who answers questions: the offline judge, and the rendering of questions for those who read."""
