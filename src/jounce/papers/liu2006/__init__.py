"""C. Liu, Z. Zhao and B. Chen (2006): a two-link manipulator on a moving belt, and its Painlevé paradox."""
