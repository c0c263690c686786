"""stub"""
def as_section(s): return s
