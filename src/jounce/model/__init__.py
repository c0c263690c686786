"""What moves: symbols only.

Names resolve on first use: a compiled model is run by its outline (outline.py), without SymPy.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jounce.model.bodies import (
        Body,
        CircleOn,
        ClearanceJoint,
        Corners,
        CurveOn,
        Damper,
        Driver,
        Edge,
        EllipseOn,
        Force,
        Line,
        PathOn,
        PointOn,
        PolygonOn,
        Revolute,
        Rigid,
        Spring,
        Torque,
        TorsionSpring,
        Translational,
        contact_between,
        ground,
    )
    from jounce.model.compliance import (
        Flores2011,
        Hertz,
        HuntCrossley,
        KelvinVoigt,
        LankaraniNikravesh,
        Maxwell,
        OwnCompliance,
        StandardLinearSolid,
    )
    from jounce.model.contact import Contact
    from jounce.model.controllers import sampled
    from jounce.model.drawing import Circle, Coil, Ground, Point, Polygon, Segment
    from jounce.model.elements import belt, gear_pair, one_sided_spring, preloaded_stop, rope
    from jounce.model.friction_states import dahl, elastoplastic, lugre, rate_and_state
    from jounce.model.model import Model
    from jounce.model.names import Parameter
    from jounce.model.own_impacts import OwnImpact
    from jounce.model.resets import Reset
    from jounce.model.stiffness import Material, hertz_stiffness
    from jounce.model.switching.switch import Switch
    from jounce.model.symbols import (
        approach_speed,
        coordinate,
        coordinates,
        discrete,
        internal,
        parameter,
        parameters,
        penetration,
        penetration_rate,
        slip,
        time,
    )
    from jounce.model.tables import table

#: Module -> the public names that it defines.
_NAMES = {
    "jounce.model.bodies": (
        "Body CircleOn ClearanceJoint Corners CurveOn Damper Driver Edge EllipseOn Force Line PathOn PointOn "
        "PolygonOn Revolute Rigid Spring Torque TorsionSpring Translational contact_between ground"
    ),
    "jounce.model.compliance": (
        "Flores2011 Hertz HuntCrossley KelvinVoigt LankaraniNikravesh Maxwell OwnCompliance StandardLinearSolid"
    ),
    "jounce.model.contact": "Contact",
    "jounce.model.controllers": "sampled",
    "jounce.model.drawing": "Circle Coil Ground Point Polygon Segment",
    "jounce.model.elements": "belt gear_pair one_sided_spring preloaded_stop rope",
    "jounce.model.friction_states": "dahl elastoplastic lugre rate_and_state",
    "jounce.model.model": "Model",
    "jounce.model.names": "Parameter",
    "jounce.model.own_impacts": "OwnImpact",
    "jounce.model.resets": "Reset",
    "jounce.model.stiffness": "Material hertz_stiffness",
    "jounce.model.switching.switch": "Switch",
    "jounce.model.symbols": (
        "approach_speed coordinate coordinates discrete internal parameter parameters penetration "
        "penetration_rate slip time"
    ),
    "jounce.model.tables": "table",
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'jounce.model' has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return __all__
