"""S. J. Burns and P. T. Piiroinen (2015): a slender rod on a vibrating floor."""
