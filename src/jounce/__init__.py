"""Jounce: planar rigid bodies that hit, slide, stick, chatter and jam.

The path of the data, and the whole of it on one page:

    import jounce

    model  = jounce.systems.slender_rod()                    # model/        symbols only
    system = jounce.compile_model(model)                     # system/       symbols -> machine code, cached
    start  = system.state(y=6.0, theta=0.3)                  #               velocities are d_<coordinate>
    run    = jounce.simulate(system, start, t_end=50.0,      # simulation/   the event-driven loop (kernels/)
                             omega=4.405, mu=0.05, e=0.8)
    run.status.message                                       # how it ended
    run.events                                               # every event, a pandas table
    run.at(12.5)["theta"]                                    # dense: the state at any time, either side of a jump
    run.energy                                               # the ledger, which closes
    jounce.plot.plot_time_history(run)                       # plot/         pictures
    run.save("run.nc"); jounce.load("run.nc")                # storage       one file

Names resolve on first use, so ``import jounce`` costs milliseconds.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from jounce.errors import suggestion

__version__ = "1.0.0"

#: Public name -> the module that defines it.
_HOMES = {
    "Basins": "jounce.analysis.attractors.basins",
    "Body": "jounce.model",
    "Branch": "jounce.analysis.orbits.continuation.branch",
    "Circle": "jounce.model",
    "CircleOn": "jounce.model",
    "ClearanceJoint": "jounce.model",
    "Coil": "jounce.model",
    "Contact": "jounce.model",
    "Controller": "jounce.simulation.controller",
    "Corners": "jounce.model",
    "CurveOn": "jounce.model",
    "Damper": "jounce.model",
    "Diagram": "jounce.analysis.attractors.diagram",
    "Driver": "jounce.model",
    "Edge": "jounce.model",
    "EllipseOn": "jounce.model",
    "PathOn": "jounce.model",
    "Equilibrium": "jounce.analysis.orbits.equilibria.equilibrium",
    "Flores2011": "jounce.model",
    "Force": "jounce.model",
    "Ground": "jounce.model",
    "Hertz": "jounce.model",
    "HuntCrossley": "jounce.model",
    "Interrupted": "jounce.errors",
    "JounceError": "jounce.errors",
    "KelvinVoigt": "jounce.model",
    "LankaraniNikravesh": "jounce.model",
    "Law": "jounce.simulation.law",
    "Line": "jounce.model",
    "Material": "jounce.model",
    "Maxwell": "jounce.model",
    "Model": "jounce.model",
    "ModelError": "jounce.errors",
    "Normal": "jounce.analysis.ensemble.draws",
    "OptionError": "jounce.errors",
    "Options": "jounce.simulation.options",
    "OwnCompliance": "jounce.model",
    "OwnImpact": "jounce.model",
    "PeriodicOrbit": "jounce.analysis.orbits.solution.periodic_orbit",
    "PlanarBody": "jounce.analysis.impacts.bodies",
    "Point": "jounce.model",
    "PointOn": "jounce.model",
    "Polygon": "jounce.model",
    "PolygonOn": "jounce.model",
    "Reset": "jounce.model",
    "Revolute": "jounce.model",
    "Rigid": "jounce.model",
    "Section": "jounce.simulation.section",
    "SectionMap": "jounce.analysis.sections.section_map",
    "Segment": "jounce.model",
    "SimulationError": "jounce.errors",
    "Spring": "jounce.model",
    "StandardLinearSolid": "jounce.model",
    "State": "jounce.system",
    "StorageError": "jounce.errors",
    "Switch": "jounce.model",
    "System": "jounce.system",
    "Torque": "jounce.model",
    "TorsionSpring": "jounce.model",
    "Trajectory": "jounce.simulation.trajectory",
    "Translational": "jounce.model",
    "Uniform": "jounce.analysis.ensemble.draws",
    "achieved_restitution": "jounce.analysis.impacts.restitution",
    "approach_speed": "jounce.model",
    "basins": "jounce.analysis.attractors.basins",
    "belt": "jounce.model",
    "compare_laws": "jounce.analysis.impacts.compare_laws",
    "compile_model": "jounce.system",
    "contact_between": "jounce.model",
    "contact_periods": "jounce.analysis.impacts.contact_periods",
    "continue_equilibrium": "jounce.analysis.orbits.equilibria.equilibrium_branch",
    "continue_orbit": "jounce.analysis.orbits.continuation.continue_orbit",
    "coordinate": "jounce.model",
    "coordinates": "jounce.model",
    "dahl": "jounce.model",
    "discrete": "jounce.model",
    "draw": "jounce.analysis.ensemble.draws",
    "elastoplastic": "jounce.model",
    "ensemble": "jounce.analysis.ensemble.ensemble",
    "exact_restitution": "jounce.analysis.impacts.restitution",
    "explore": "jounce.studio.notebook",
    "find_equilibrium": "jounce.analysis.orbits.equilibria.equilibrium",
    "find_orbit": "jounce.analysis.orbits.solution.periodic_orbit",
    "flip_curve": "jounce.analysis.orbits.continuation.curves",
    "fold_curve": "jounce.analysis.orbits.continuation.curves",
    "gear_pair": "jounce.model",
    "ground": "jounce.model",
    "hertz_stiffness": "jounce.model",
    "impact": "jounce.analysis.impacts.impact",
    "impact_bodies": "jounce.analysis.impacts.bodies",
    "impact_many": "jounce.analysis.impacts.impact",
    "internal": "jounce.model",
    "load": "jounce.storage",
    "lugre": "jounce.model",
    "lyapunov": "jounce.analysis.stability.lyapunov",
    "one_sided_spring": "jounce.model",
    "parameter": "jounce.model",
    "parameters": "jounce.model",
    "penetration": "jounce.model",
    "penetration_rate": "jounce.model",
    "preloaded_stop": "jounce.model",
    "rate_and_state": "jounce.model",
    "rope": "jounce.model",
    "sampled": "jounce.model",
    "show": "jounce.studio.notebook",
    "simulate": "jounce.simulation.simulate",
    "slip": "jounce.model",
    "specialise": "jounce.simulation.specialise",
    "sweep": "jounce.analysis.attractors.sweep",
    "switch_branch": "jounce.analysis.orbits.continuation.switching",
    "table": "jounce.model",
    "time": "jounce.model",
}

#: Public names that are themselves modules -> the module.
_MODULES = {
    "analysis": "jounce.analysis",
    "painleve": "jounce.analysis.painleve",
    "plot": "jounce.plot",
    "systems": "jounce.systems",
}

__all__ = ["__version__", *sorted(_HOMES), *sorted(_MODULES)]

if TYPE_CHECKING:
    from jounce import analysis, plot, systems
    from jounce.analysis import painleve
    from jounce.analysis.attractors.basins import Basins, basins
    from jounce.analysis.attractors.diagram import Diagram
    from jounce.analysis.attractors.sweep import sweep
    from jounce.analysis.ensemble.draws import Normal, Uniform, draw
    from jounce.analysis.ensemble.ensemble import ensemble
    from jounce.analysis.impacts.bodies import PlanarBody, impact_bodies
    from jounce.analysis.impacts.compare_laws import compare_laws
    from jounce.analysis.impacts.contact_periods import contact_periods
    from jounce.analysis.impacts.impact import impact, impact_many
    from jounce.analysis.impacts.restitution import achieved_restitution, exact_restitution
    from jounce.analysis.orbits.continuation.branch import Branch
    from jounce.analysis.orbits.continuation.continue_orbit import continue_orbit
    from jounce.analysis.orbits.continuation.curves import flip_curve, fold_curve
    from jounce.analysis.orbits.continuation.switching import switch_branch
    from jounce.analysis.orbits.equilibria.equilibrium import Equilibrium, find_equilibrium
    from jounce.analysis.orbits.equilibria.equilibrium_branch import continue_equilibrium
    from jounce.analysis.orbits.solution.periodic_orbit import PeriodicOrbit, find_orbit
    from jounce.analysis.sections.section_map import SectionMap
    from jounce.analysis.stability.lyapunov import lyapunov
    from jounce.errors import JounceError, ModelError, OptionError, SimulationError, StorageError
    from jounce.model import (
        Body,
        Circle,
        CircleOn,
        ClearanceJoint,
        Coil,
        Contact,
        Corners,
        CurveOn,
        Damper,
        Driver,
        Edge,
        EllipseOn,
        Flores2011,
        Force,
        Ground,
        Hertz,
        HuntCrossley,
        KelvinVoigt,
        LankaraniNikravesh,
        Line,
        Material,
        Maxwell,
        Model,
        OwnCompliance,
        OwnImpact,
        PathOn,
        Point,
        PointOn,
        Polygon,
        PolygonOn,
        Reset,
        Revolute,
        Rigid,
        Segment,
        Spring,
        StandardLinearSolid,
        Switch,
        Torque,
        TorsionSpring,
        Translational,
        approach_speed,
        belt,
        contact_between,
        coordinate,
        coordinates,
        dahl,
        discrete,
        elastoplastic,
        gear_pair,
        ground,
        hertz_stiffness,
        internal,
        lugre,
        one_sided_spring,
        parameter,
        parameters,
        penetration,
        penetration_rate,
        preloaded_stop,
        rate_and_state,
        rope,
        sampled,
        slip,
        table,
        time,
    )
    from jounce.simulation.controller import Controller
    from jounce.simulation.law import Law
    from jounce.simulation.options import Options
    from jounce.simulation.section import Section
    from jounce.simulation.simulate import simulate
    from jounce.simulation.specialise import specialise
    from jounce.simulation.trajectory import Trajectory
    from jounce.storage import load
    from jounce.studio.notebook import explore, show
    from jounce.system import State, System, compile_model


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(_MODULES[name])
    if name in _HOMES:
        value = getattr(importlib.import_module(_HOMES[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'jounce' has no attribute {name!r}; {suggestion(name, __all__, 'public names')}")


def __dir__() -> list[str]:
    return __all__
