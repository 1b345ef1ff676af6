"""Sources: addresses asked for safely, answers judged, pages read, all of it replayable."""
