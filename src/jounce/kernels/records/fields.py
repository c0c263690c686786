"""The fields of the records, for mypy and for an editor: written by tools/kernel_types.py from the layouts.

No kernel makes one of these: what runs are the layouts, which lie in the files that the classes name.
"""

from __future__ import annotations

from jounce.toolchain.kernel_types import Integer, Integers, Integers2, Real, Reals, Reals2, Reals3, Reals4


class Ahead:
    """jounce.kernels.records.motion."""

    wanted: Integer
    kept: Integer
    hit: Integer
    duration: Real
    t: Real
    turns: Integer
    z: Reals
    acceleration: Reals
    first: Real
    sections: Integer


class Audit:
    """jounce.kernels.audit.record."""

    tolerance: Real
    accuracy: Real
    inner: Integer
    thorough: Integer
    whole: Integer
    every: Integer
    pieces: Integer
    check_joints: Integer
    check_compliant_gaps: Integer
    roster: Integer
    joint_gap: Real
    jointly: Integer
    adds_energy: Integers
    first: Reals
    final: Reals
    last_mode: Integers
    last_states: Reals
    inverse: Reals
    states: Integer
    vectors: Integer
    vector_size: Integer
    which: Integer
    faces: Integer
    cancel: Integer
    alike: Integers
    is_angle: Integers
    switches: Integer
    switch: Integers2
    side_scale: Reals
    found: Integer
    finding: Reals2
    given: Reals
    speed: Reals
    moved: Reals
    extent: Reals
    place_known: Reals
    rate_known: Reals
    longest: Real
    size: Reals
    side_limit: Reals
    share_speed: Reals
    momentum: Real
    largest_force: Real
    largest_normal: Real
    largest_friction: Real
    surface_size: Reals
    t: Real
    z: Reals
    dz: Reals
    ahead: Reals
    row_size: Reals
    before: Reals
    mode: Integers
    mass: Reals
    deeper: Reals
    deeper_mass: Reals
    contact: Reals
    contact_before: Reals
    surface: Reals
    p_before: Reals
    surface_before: Reals
    compliance: Reals
    joint: Reals
    bound: Reals
    gap: Reals
    gap_ahead: Reals
    ahead_known: Integer
    gap_middle: Reals
    gap_limit: Reals
    side: Reals
    surface_value: Reals
    term: Reals
    face: Reals
    steepest: Real
    piece: Reals2
    weight: Reals
    demand: Reals
    rest: Reals
    basis: Reals2
    basis_size: Integer
    direction: Reals2
    owner: Integers
    cluster: Integers
    member: Integers
    coordinate: Integers
    part: Reals2
    wanted: Reals
    share: Reals
    trial: Reals
    passive: Integers
    order: Integers
    frame: Reals2
    triangle: Reals2
    load_frame: Reals2
    load_triangle: Reals2
    load_column: Integers
    load_dependent: Integer
    rubbed: Real
    load_force: Reals
    load_base: Reals
    load_answer: Reals2
    load_matrix: Reals2
    load_slide: Integers
    load_size: Reals


class Brought:
    """jounce.kernels.records.motion."""

    given: Reals
    given_size: Reals
    remembered: Integer
    known: Integer
    sides: Integers
    face: Integers


class Choice:
    """jounce.kernels.records.motion."""

    touching: Integers
    fate: Integers
    struck: Integers
    resting: Integers
    candidate: Integers
    cluster: Integers
    without_mode: Integer
    settled: Integers
    trial: Integers
    weak: Integers
    chosen: Integers
    nearest: Integers
    least: Real
    strict: Integer
    open_set: Integer
    open_sets: Integer
    tried: Integers2
    tried_count: Integer
    broken: Real
    determinate: Integer


class Event:
    """jounce.kernels.records.motion."""

    guards: Integers2
    event_x: Real
    guard_kind: Integer
    guard_contact: Integer
    flight: Real
    opens: Integer
    singular: Integer
    triggered: Integer
    applied: Integer


class Machine:
    """jounce.kernels.records.workspace."""

    free_acceleration: Integer
    free_flow: Integer
    joint_acceleration: Integer
    dynamics: Integer
    contacts: Integer
    gaps: Integer
    surfaces: Integer
    joints: Integer
    powers: Integer
    guards: Integer
    guard_rates: Integer
    gap_rates: Integer
    flight_bounds: Integer
    flight_gaps: Integer
    landing: Integer
    compliance: Integer
    resets: Integer
    sizes: Integer
    faces: Integer
    faces_at: Integer
    ballistic: Integer
    n: Integer
    nc: Integer
    nj: Integer
    ng: Integer
    np: Integer
    width: Integer
    paired: Integer
    column: Integers
    diagonal: Integer
    mass_step: Integer
    force_place: Integer
    guard_degree: Integers
    p: Reals
    speed_coefficients: Integer
    has_slip: Integers
    loaded: Integer
    load: Integers
    load_of: Integers
    laws: Integers
    compliant_contacts: Integer
    compliant: Integers
    may_pull: Integers
    turns: Integers
    memory: Integers
    branch: Integers
    whole_angle: Integers
    nr: Integer
    nd: Integer
    states: Integer
    state_initial: Reals
    state_read: Integers
    state_real: Integers
    reset_guard: Integers
    reset_direction: Integers
    reset_contact: Integers
    reset_kind: Integers
    reset_first: Integers
    reset_target: Integers
    guard_hidden: Integers
    guard_side: Integers
    guard_kink: Integers
    holds: Integer
    held: Integer
    guard_held: Integers
    counted: Integers
    slide: Integers
    stick: Integers
    free_series: Integer
    slide_series: Integers
    stick_series: Integers
    series_stride: Integer
    series_guards: Integer
    affine: Integer
    ranges: Integer
    watched: Integer
    range_outputs: Integer
    range_output: Integers2
    baumgarte: Reals
    own_loop: Integer


class Memory:
    """jounce.kernels.records.motion."""

    last_instant: Real
    repeats: Integer
    crawl: Integer
    crawl_time: Real
    rounds: Integer
    own_speed: Reals
    speed: Reals
    chatter_speed: Reals
    chatter_refusals: Integer
    chatter_wait: Integer
    user_time: Reals
    user_wait: Reals
    user_sooner: Integers
    effort: Integer
    rough_kind: Integer
    rough_index: Integer
    rough: Integer


class Motion:
    """jounce.kernels.records.motion."""

    t: Real
    turns: Integer
    epoch: Real
    q: Reals
    u: Reals
    z: Reals
    cycles: Integers
    turned: Reals
    started: Integer
    schedule_position: Integer
    modes: Integers
    shared: Integer
    open_force: Integers
    jam_sign: Integer
    gap_fresh: Integers
    gap_watch: Integers
    slip_fresh: Integers
    unguarded: Integer
    turn_sign: Integers
    released: Integers
    inside: Integers
    user_sign: Integers
    user_fresh: Integers
    user_meets: Integers
    ledger: Reals
    loss: Reals
    reset_work: Real
    settings: Settings
    brought: Brought
    pace: Pace
    memory: Memory
    event: Event
    ahead: Ahead
    choice: Choice
    report: Report


class Pace:
    """jounce.kernels.records.motion."""

    step_size: Real
    mode_code: Integers
    mode_step: Reals
    last_error: Real
    reach: Real
    longest_time: Real
    smallest_step: Real
    woken: Real
    stiff: Integer
    explicit_step: Real
    stage_known: Integer
    paused: Integer
    after_jump: Integer


class Plan:
    """jounce.kernels.maps.iterate."""

    section: Integer
    fraction: Real
    longest_return: Real
    natural_returns: Real
    parameter: Integer
    carried: Integer
    transient: Integer
    keep: Integer
    twin_returns: Integer
    recurrence: Real
    wrap: Reals


class Reader:
    """jounce.kernels.maps.ensemble."""

    held: Integer
    t: Real
    h: Real
    data: Reals2
    before: Integer
    event: Integer
    event_t: Real
    sample: Integer
    final: Reals
    pieces: Reals2


class Record:
    """jounce.kernels.records.recording."""

    epoch: Real
    turned: Reals
    keep_events: Integer
    keep_steps: Integer
    roster: Integer
    watch_kind: Integer
    watch_contact: Integer
    seen: Integer
    orders: Integers
    jumped: Integers
    signature: Integer
    happened: Integers
    state_count: Integer
    states: Reals
    lost: Integer
    counter: Integers
    event_float: Reals2
    event_integer: Integers2
    step_time: Reals2
    step_mode: Integers2
    step_order: Integers2
    step_data: Reals2
    step_work: Reals2
    step_states: Reals2


class Report:
    """jounce.kernels.records.motion."""

    stopped_by: Integer
    refusal: Integer
    open_forces: Integer
    dropped: Integer
    dropped_contact: Integer
    failed_reset: Integer
    reset_refusal: Integer
    failed_place: Integer


class Roster:
    """jounce.kernels.records.roster."""

    total: Integer
    integer: Integer
    number: Integer
    gap: Integer
    lever: Integer
    slot: Integer
    levers: Integer
    skin: Real
    changes: Integer
    place: Reals
    turn: Reals
    list: Integers
    list_address: Integer


class Settings:
    """jounce.kernels.records.motion."""

    t_end: Real
    period: Real
    cycle: Integers
    autonomous: Integer
    has_applied_power: Integer
    variation: Integer
    roster: Integer
    user_stops: Integers
    user_direction: Integers
    pair: Integer
    order: Integer
    rows: Integer
    implicit: Integer
    tolerance: Real
    largest_step: Real
    simultaneous: Integer
    indeterminate: Integer
    inconsistent: Integer
    stick_release: Integer
    plastic_release: Integer
    contact_detection: Integer
    chatter_limit: Real
    joint_gap: Real
    penetration_tolerance: Real
    keep_ledger: Integer
    max_events: Integer
    max_steps: Integer
    pause_steps: Integer
    pause_effort: Integer


class Tables:
    """jounce.kernels.bodies.layout."""

    n: Integer
    bodies: Integer
    nc: Integer
    nj: Integer
    ng: Integer
    nr: Integer
    assigned: Integer
    elements: Integer
    compliant: Integer
    branches: Integer
    surface_laws: Integer
    parameters: Integer
    constant: Integer
    program: Integer
    mass: Integer
    gravity: Integer
    contact: Integer
    surface: Integer
    law: Integer
    joint: Integer
    element: Integer
    corner: Integer
    guard: Integer
    reset: Integer
    shapes_end: Integer
    forces_end: Integer
    guards_end: Integer
    resets_end: Integer
    order: Integer
    pattern: Integer
    pattern_size: Integer
    shared: Integer
    prescribed: Integer


class Variation:
    """jounce.kernels.tangent.variation."""

    dynamics_tangent: Integer
    contacts_tangent: Integer
    surfaces_tangent: Integer
    joints_tangent: Integer
    compliance_tangent: Integer
    guards_tangent: Integer
    resets_tangent: Integer
    shift_to_event: Integer
    shift_to_leap: Integer
    pass_instant: Integer
    pass_compliant: Integer
    pass_reset: Integer
    glue: Integer
    propagate: Integer
    before: Integer
    trial: Integer
    count: Integer
    parameters: Integer
    parameter: Integer
    parameter_column: Integer
    irregular: Integer
    columns: Reals2
    remembered: Reals2
    states: Reals2
    shifted: Reals2
    time_shift: Reals
    kept: Reals2
    stages: Reals3
    q: Reals
    u: Reals
    p: Reals
    mass: Reals
    contact: Reals
    surface: Reals
    joint: Reals
    compliance: Reals
    user: Reals
    reset: Reals
    unknown: Reals
    acceleration: Reals
    load: Reals2
    answer: Reals2
    force: Reals2
    rate: Reals
    modes: Integers
    point: Reals
    even: Reals
    rate_before: Reals
    approach: Real
    counter: Integers


class Workspace:
    """jounce.kernels.records.workspace."""

    projection_work: Real
    worst: Integer
    state_size: Reals
    surface_limit: Reals
    user_largest: Reals
    user_speed: Reals
    user_limit: Reals
    limits_known: Integer
    user_noise: Reals
    user_change: Reals
    state_error: Reals
    since_contact: Real
    contact_size: Reals
    reference: Reals
    scale: Reals
    error_scale: Reals
    start_mass: Reals
    whole: Reals
    size: Reals
    velocity_terms: Reals
    velocity_floor: Reals
    size_now: Reals
    joint_drift: Reals
    load_branch: Integers
    blocks_of: Integer
    frozen_impacts: Integer
    mass: Reals
    factor: Reals2
    contact: Reals
    surface: Reals
    compliance: Reals
    joint: Reals
    rows: Reals2
    columns: Reals2
    response: Reals2
    free: Reals
    matrix: Reals2
    right: Reals
    unknown: Reals
    order: Integers
    block: Integers
    mobility: Reals
    row_mobility: Reals
    svd: Reals3
    force: Reals2
    joint_force: Reals
    mode_determinant: Real
    least_pivot: Real
    mode_known: Integer
    terms_known: Integer
    lands: Integer
    landed: Integer
    leaves: Integer
    limited: Integer
    cosine: Reals
    form_place: Integers
    form_factor: Reals
    column_scale: Reals
    limit_multiplier: Reals
    limit_table: Reals2
    limit_basis: Integers
    limit_outside: Integers
    column_square: Reals
    is_null: Integers
    acceleration: Reals
    forward: Reals
    acceleration_size: Reals
    force_size: Reals2
    elimination: Reals
    power: Reals
    flow: Reals
    stages: Reals2
    stage_state: Reals2
    stage_determinant: Reals
    jam_level: Real
    stage_force: Reals2
    interpolated: Integer
    stage_sums: Reals2
    by_series: Integer
    by_radau: Integer
    series_time: Reals
    series_length: Real
    series_order: Integer
    series: Reals
    series_scratch: Reals2
    slope_q: Reals2
    slope_u: Reals2
    radau_factor: Reals4
    radau_pivot: Integers2
    radau_side: Reals3
    radau_rest: Reals2
    increment: Reals2
    step_error: Reals
    stiff_start: Reals
    stiff_force: Reals
    box_t: Reals
    box_q: Reals
    box_u: Reals
    range: Reals
    new_state: Reals
    interpolant: Reals2
    point: Reals
    new_q: Reals
    new_u: Reals
    node_t: Reals
    node_q: Reals
    node_u: Reals
    node_rate: Reals
    samples: Reals2
    noise: Reals
    tail: Reals
    terms: Reals
    allowed: Reals
    parameters: Reals
    bernstein: Reals
    power_form: Reals
    step_powers: Reals
    split: Reals2
    gap: Reals
    gap_ahead: Reals
    flight_gap: Reals
    bound: Reals
    above: Reals
    user: Reals
    root: Reals
    silent: Integers
    user_rate: Reals
    user_before: Reals
    reset_out: Reals
    face: Reals
    first_face: Integers
    second_face: Integers
    corner_rate: Reals
    corner_lean: Reals
    corner_outward: Reals
    partner: Integers
    only_near: Integers
    face_before: Integers
    mode_before: Integers
    row_face: Integers
    was_held: Integers
    loose_modes: Integers
    start_margin: Reals
    response_n: Reals2
    response_t: Reals2
    delassus: Reals2
    first_side: Integers
    next_side: Integers
    velocity: Reals
    law_out: Reals
    load_answer: Reals2
    slip_mobility: Reals
    rubbing: Integers
    rub_state: Integers
    rub: Reals2
    members: Integers
    joint_friction: Reals
    joint_restitution: Reals
    joint_tangential: Reals
    joint_delassus: Reals2
    joint_velocity: Reals
    joint_impulse: Reals
    joint_question: Reals2
    joint_state: Reals2
    joint_rows: Integers
    joint_targets: Reals
    joint_start: Reals
    joint_trial: Reals
    joint_after: Reals
    joint_proposal: Reals
    tableau: Reals2
    basis: Integers
    chatter: Reals2
