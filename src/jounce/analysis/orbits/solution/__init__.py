"""One periodic orbit: its equations, its solution, its multipliers, its signature."""
