"""One attention head, stage by stage."""
