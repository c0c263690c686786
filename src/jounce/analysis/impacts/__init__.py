"""Single impacts and contacts: laws compared, bodies that collide, restitution achieved."""
