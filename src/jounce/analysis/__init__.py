"""What a user asks of simulations and models: impacts, laws compared, the Painlevé toolbox."""
