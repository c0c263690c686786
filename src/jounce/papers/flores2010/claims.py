"""P. Flores and J. Ambrosio (2010): compliant contact found in time, and a mechanism with play."""

from __future__ import annotations

from jounce.model.stiffness import Material, hertz_stiffness
from jounce.papers.flores2010 import pendulum
from jounce.papers.flores2010 import quick_return_motion as mechanism
from jounce.papers.framework.claim import Claim, Paper

STEEL = "steel, E = 207 GPa, nu = 0.3"


def _stiffness() -> float:
    return float(hertz_stiffness(0.05, material=Material(207e9, 0.3)))


def _with_control() -> str:
    height = pendulum.rebound_height(pendulum.pendulum("located"))
    return "its initial position" if abs(height) < 1e-9 else f"{height:.3g} m above it"


def _without_control() -> str:
    height = pendulum.rebound_height(pendulum.pendulum("none"))
    return "higher than its initial position" if height > 1e-3 else f"{height:.3g} m above it"


CLAIMS = (
    Claim(
        "stiffness",
        "the stiffness K of the pendulum's sphere, R = 0.05 m",
        "section 5.1, (2)",
        STEEL,
        "3.39e10",
        _stiffness,
        note="The value printed is that of a steel sphere on an elastic steel plane, whatever the text calls rigid.",
    ),
    Claim(
        "with_control",
        "the sphere rebounds to",
        "section 5.1, Fig. 5",
        "e = 1, contact located",
        "its initial position",
        _with_control,
        pendulum.pendulum_figure,
    ),
    Claim(
        "without_control",
        "without control the sphere rebounds",
        "section 5.1, Fig. 5",
        "e = 1, steps up to 1e-4 s",
        "higher than its initial position",
        _without_control,
        pendulum.energy_figure,
    ),
    Claim(
        "energy_gained",
        "energy gained without control, over (2/5) K δ₀^2.5",
        "follows from (1)",
        "e = 1, steps up to 1e-4 s",
        "1.00000",
        pendulum.energy_ratio,
        pendulum.ball_figure,
        note="Not printed: the spring starts compressed by δ₀ and was never loaded. How much depends on where the "
        "steps happen to fall; with located contacts it vanishes.",
    ),
    Claim(
        "time_step",
        "the time step around the contact, procedure 2",
        "section 5.1, Fig. 6",
        "largest step 1e-4 s",
        "1e-4 s before and after, shorter in contact",
        pendulum.steps_around_contact,
        pendulum.step_figure,
    ),
    Claim(
        "three_steps",
        "results with steps of 0.0200, 0.0175 and 0.0150 s, no control",
        "section 5.1, Fig. 7",
        "e = 1",
        "dramatically different",
        pendulum.simulations,
        pendulum.simulations_figure,
        note="The paper shows another program; ours without control, with the same largest steps, shows the same.",
    ),
    Claim(
        "bearing_force",
        "the force at a penetration of 0.0012 m [N]",
        "section 5.2",
        f"radii 10 and 9.5 mm, {STEEL}",
        "3e6",
        lambda: mechanism.force_at(0.0012),
        note="Decides for R = R_i R_j/(R_i - R_j), bearing minus journal; the sum in (2) would give 4e5 N.",
    ),
    Claim(
        "slider",
        "the slider's velocity while J4 is not in contact",
        "section 5.2, Fig. 9",
        "3 rad/s, clearance 0.5 mm, e = 0.9",
        "constant",
        mechanism.constant_without_contact,
        mechanism.slider_figure,
    ),
    Claim(
        "one_impact",
        "kinds of relative motion of journal and bearing",
        "section 5.2, Figs. 10 and 11",
        "J2, two turns",
        "free flight, impact with rebound, continuous contact",
        mechanism.kinds_of_motion,
        mechanism.impact_figure,
    ),
    Claim(
        "orbit",
        "the same in J3",
        "section 5.2, Fig. 11",
        "J3, two turns",
        "free flight, impact with rebound, continuous contact",
        lambda: mechanism.kinds_of_motion("J3"),
        mechanism.orbit_figure,
        note="The picture is J2, as the paper's.",
    ),
    Claim(
        "mechanism_without_control",
        "the mechanism without control of the first penetration",
        "section 5.2",
        "steps as accuracy allows",
        "fails",
        mechanism.without_control,
        mechanism.step_figure,
        note="The picture shows the steps with located contacts.",
    ),
)

PAPER = Paper(
    name="flores2010",
    citation="Flores and Ambrosio, On the contact detection for contact-impact analysis in multibody systems, "
    "Multibody System Dynamics 24 (2010) 103-122",
    summary="Compliant contact that must not begin with a penetration: a falling ball (`jounce.systems.falling_ball`), "
    "a pendulum against a wall (`compliant_wall_pendulum`) and a quick-return mechanism with four clearance joints "
    "(`quick_return`). The paper's procedures are `Options(contact_detection='interpolate' | 'reject' | 'none')`; our "
    "default locates every contact.",
    claims=CLAIMS,
    choices=(
        "Pendulum: arm 1 m, massless, released horizontal; wall at x = -0.05 m, met when the arm hangs.",
        "Falling ball: released 1 m above the floor, steel.",
        "Quick-return: lever's pivot (0, 0), crank's pivot (0, 0.2), tool on y = 0.47, centres in the middle of crank, "
        "lever and rod, crank angle 0; journals centred at the start with the velocities of the ideal mechanism.",
        "Procedure 2 halves the step, as the text suggests, down to 1e-7 s; there the sphere moves 4e-7 m, and the "
        "penetration is what it is, with a warning.",
    ),
    misprints=(
        "(5), (6): the ratio is the penetration's rate over its value at touch. (7): δ = R - y_b. (9): magnitudes. "
        "(11), (12): (q⁺ - q⁻).",
        "(8) also holds at separation. The ball's inertia 0.1 exceeds m R².",
        "(6) does not return the restitution asked for: see docs/compliant-contact.md.",
    ),
)
