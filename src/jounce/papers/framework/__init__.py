"""Claims, their verdicts, pages and pictures: what all papers share."""
