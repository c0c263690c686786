"""Machine code: what is compiled, by which key it is kept, how it is linked. Nothing of mechanics."""
