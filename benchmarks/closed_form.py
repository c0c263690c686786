"""Hand-specialised loops: the flight is a formula and only the instant of the landing is searched.

They are the speed that a program for one system alone can reach. Both are safe: with g'' >= -K on a flight,
    g(t + s) >= g + g' s - K s^2/2 > 0   for   0 < s < 2 g/(sqrt(g'^2 + 2 K g) - g'),
so a step of that length crosses no landing, and near a landing it converges quadratically from the left. While the
body is above the crest of the floor nothing is searched at all.
"""

from __future__ import annotations

import math

import numba

FINISHED, AT_REST, CHATTER, MOST_IMPACTS = 0, 1, 2, 3
CHATTER_SPEED = 1e-6


@numba.njit(cache=True, error_model="numpy")
def _ball_landing(t, y, v, s, A, omega, g, K):  # type: ignore[no-untyped-def]
    """Time from t to the landing of a ball that is certainly above the table until t + s.

    Returns it with sin and cos of the table's phase there.
    """
    above = v * v - 2.0 * g * (A - y)
    rises, falls = math.inf, math.inf
    if above > 0.0:
        root = math.sqrt(above)
        rises, falls = (v - root) / g, (v + root) / g
    while True:
        if rises <= s < falls:
            s = falls
        sine, cosine = math.sin(omega * (t + s)), math.cos(omega * (t + s))
        gap = y + s * (v - 0.5 * g * s) - A * sine
        rate = v - g * s - A * omega * cosine
        if gap <= 0.0 and rate <= 0.0:
            return s, sine, cosine
        gap = max(gap, 0.0)
        root = math.sqrt(rate * rate + 2.0 * K * gap)
        step = 2.0 * gap / (root - rate) if rate < 0.0 else (rate + root) / K
        s += step
        # The step ends within K step^2/|rate| of the landing: below rounding, it is the landing; sin, cos move along.
        if rate < 0.0 and K * step * step < -1e-17 * rate:
            turn = omega * step
            return s, sine + turn * cosine, cosine - turn * sine


@numba.njit(cache=True, error_model="numpy")
def ball_on_table(t, y, v, A, omega, e, g, t_end, most_impacts):  # type: ignore[no-untyped-def]
    """Ball on the table A sin(omega t) from above it at (t, y, v): (t, y, v, impacts, chatters, status).

    Time is kept within one forcing period, so no accuracy is lost in long runs. A complete chatter ends in
    closed form, 2 w/((1 - e)(g - A omega^2 sin)), then the ball rests until A omega^2 sin(omega t) = g throws it.
    """
    K, period = g + A * omega * omega, 2.0 * math.pi / omega
    thrust = A * omega * omega
    impacts, chatters, ahead = 0, 0, 0.0
    left = t_end - t
    t -= period * math.floor(t / period)
    while impacts < most_impacts:
        s, sine, cosine = _ball_landing(t, y, v, ahead, A, omega, g, K)
        if s > left:
            return t_end, y + left * (v - 0.5 * g * left), v - g * left, impacts, chatters, FINISHED
        impacts += 1
        left -= s
        t += s
        t -= period * math.floor(t / period)
        table = A * omega * cosine
        w = e * (table - (v - g * s))
        y, v, ahead = A * sine, table + w, 2.0 * w / K
        pressing = g - thrust * sine
        if w < CHATTER_SPEED and pressing > 0.0 and 2.0 * w * thrust * omega < 1e-6 * (1.0 - e) * pressing * pressing:
            chatters += 1
            rest = 2.0 * w / ((1.0 - e) * pressing)
            if thrust <= g:
                phase = omega * (t + left)
                return t_end, A * math.sin(phase), A * omega * math.cos(phase), impacts, chatters, AT_REST
            throw = math.asin(g / thrust) / omega
            wait = throw - t if throw >= t + rest else throw + period - t
            if wait > left:
                phase = omega * (t + left)
                return t_end, A * math.sin(phase), A * omega * math.cos(phase), impacts, chatters, FINISHED
            left -= wait
            t, cosine = throw, math.sqrt(1.0 - (g / thrust) ** 2)
            # gap = gap' = gap'' = 0, gap''' = A omega^3 cos, |gap''''| <= A omega^4: positive until 4 cos/omega
            y, v, ahead = g / (omega * omega), A * omega * cosine, 2.0 * cosine / omega
    return t_end - left, y, v, impacts, chatters, MOST_IMPACTS


@numba.njit(cache=True, error_model="numpy")
def energetic_impact(a, b, c, v_t, v_n, mu, e):  # type: ignore[no-untyped-def]
    """(p_t, p_n) of the energetic law by its phases in the normal impulse; a, b, c = K_tt, K_tn, K_nn."""
    p_t, p_n, wanted = 0.0, 0.0, 0.0
    compressing = True
    for _ in range(6):
        stick = v_t == 0.0 and abs(b) <= mu * a
        ratio = -b / a if stick else (-mu if v_t > 0.0 or (v_t == 0.0 and b > 0.0) else mu)
        slope_n, slope_t = c + b * ratio, b + a * ratio
        to_slip_end = math.inf
        if not stick and v_t * slope_t < 0.0:
            to_slip_end = -v_t / slope_t
        if compressing:
            to_end = -v_n / slope_n if slope_n > 0.0 else math.inf
        else:
            to_end = 2.0 * wanted / (v_n + math.sqrt(v_n * v_n + 2.0 * slope_n * wanted))
        length = min(to_end, to_slip_end)
        work = length * (v_n + 0.5 * slope_n * length)
        wanted -= e * e * work if compressing else work
        p_n, p_t, v_n = p_n + length, p_t + ratio * length, v_n + slope_n * length
        v_t = 0.0 if stick or to_slip_end <= to_end else v_t + slope_t * length
        if to_end <= to_slip_end:
            if not compressing or e == 0.0:
                break
            compressing, v_n = False, 0.0
    return p_t, p_n


@numba.njit(cache=True, error_model="numpy")
def rod_impact(end, t, z, A, omega, mu, e, m, L):  # type: ignore[no-untyped-def]
    """Impact of one end (-1: P1, +1: P2) on z = x, y, theta, x', y', theta', in place; returns gamma_N before it."""
    inertia = m * L * L / 3.0
    cosine, sine = end * L * math.cos(z[2]), -end * L * math.sin(z[2])
    z[1] = A * math.sin(omega * t) + sine
    v_n = z[4] + cosine * z[5] - A * omega * math.cos(omega * t)
    v_t = z[3] + sine * z[5]
    a, b, c = 1.0 / m + sine * sine / inertia, sine * cosine / inertia, 1.0 / m + cosine * cosine / inertia
    p_t, p_n = energetic_impact(a, b, c, v_t, v_n, mu, e)
    z[3] += p_t / m
    z[4] += p_n / m
    z[5] += (cosine * p_n + sine * p_t) / inertia
    return v_n


@numba.njit(cache=True, error_model="numpy")
def _rod_landing(t, y, theta, d_y, d_theta, end, A, omega, g, L, K):  # type: ignore[no-untyped-def]
    """(time from t to the landing, end that lands: -1 P1, +1 P2); ``end`` has just left the floor (0: none)."""
    above = d_y * d_y - 2.0 * g * (A + L - y)
    rises, falls, s, start = math.inf, math.inf, 0.0, end
    if above > 0.0:
        root = math.sqrt(above)
        rises, falls = (d_y - root) / g, (d_y + root) / g
    while True:
        if rises <= s < falls:
            s = falls
        phase, angle = omega * (t + s), theta + s * d_theta
        height = y + s * (d_y - 0.5 * g * s) - A * math.sin(phase)
        climb = d_y - g * s - A * omega * math.cos(phase)
        arm, swing = L * math.sin(angle), L * math.cos(angle) * d_theta
        step, nearest, speed = math.inf, 0, 0.0
        for sigma in (-1, 1):
            gap, rate = height + sigma * arm, climb + sigma * swing
            if sigma == start:
                gap = 0.0
            if gap <= 0.0 and rate <= 0.0:
                return s, sigma
            gap = max(gap, 0.0)
            root = math.sqrt(rate * rate + 2.0 * K * gap)
            reach = 2.0 * gap / (root - rate) if rate < 0.0 else (rate + root) / K
            if reach < step:
                step, nearest, speed = reach, sigma, rate
        s += step
        start = 0
        if speed < 0.0 and K * step * step < -1e-17 * speed:
            return s, nearest


@numba.njit(cache=True, error_model="numpy")
def slender_rod(t, z, A, omega, mu, e, g, m, L, t_end, most_impacts):  # type: ignore[no-untyped-def]
    """Slender rod in flight between energetic impacts, z = x, y, theta, x', y', theta' in place: (t, impacts, status).

    It knows no sustained contact: a run that comes to chatter stops there with the status CHATTER.
    """
    period = 2.0 * math.pi / omega
    impacts, end = 0, 0
    left = t_end - t
    t -= period * math.floor(t / period)
    while impacts < most_impacts:
        K = g + A * omega * omega + L * z[5] * z[5]
        s, end = _rod_landing(t, z[1], z[2], z[4], z[5], end, A, omega, g, L, K)
        over = s > left
        s = min(s, left)
        z[0] += s * z[3]
        z[1] += s * (z[4] - 0.5 * g * s)
        z[2] += s * z[5]
        z[4] -= g * s
        left -= s
        if over:
            return t_end, impacts, FINISHED
        t += s
        t -= period * math.floor(t / period)
        impacts += 1
        if rod_impact(end, t, z, A, omega, mu, e, m, L) > -1e-9:
            return t_end - left, impacts, CHATTER
    return t_end - left, impacts, MOST_IMPACTS
