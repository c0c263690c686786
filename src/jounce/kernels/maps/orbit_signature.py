"""The signature of a periodic motion: the events of one period, in order, equal neighbours counted.

The impacts that run into an accumulation are part of it, and how many there are before it is extrapolated is nobody's
business: they are left out before their chatter.
"""

from jounce.kernels.records.attractor_codes import EVENTS, REPEATS, SIGNATURE_ENTRIES, SIGNATURE_LENGTH
from jounce.kernels.records.codes import CHATTER, IMPACT, USER
from jounce.kernels.records.fields import Record
from jounce.kernels.records.recording import CONTACT, EVENT_T, EVENTS_STORED, KIND, LAW, MODE_AFTER, REGION
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integer, Integers, Integers2, Reals2, Truth

ENTRY, TIMES = LAW, REGION  # columns of the rows already read, put to use again


@kernel
def event_code(rows: Integers2, k: Integer) -> Integer:
    """Kind, contact and mode after of an event in one number."""
    contact = rows[k, CONTACT] + 1
    return contact // 16 * 4096 + (rows[k, KIND] * 16 + contact % 16) * 16 + rows[k, MODE_AFTER] + 1


@kernel
def chatters_then(rows: Integers2, times: Reals2, k: Integer, stored: Integer, contact: Integer) -> Truth:
    """Whether a contact is among those that chatter at the time of event k."""
    for other in range(k, stored):
        if rows[other, KIND] == CHATTER and times[other, EVENT_T] == times[k, EVENT_T]:
            if rows[other, CONTACT] == contact:
                return True
    return False


@kernel
def without_run_up(rows: Integers2, times: Reals2, k: Integer, stored: Integer, length: Integer) -> Integer:
    """The number of entries left when the impacts of the contacts that now chatter together are taken off the end."""
    while length > 0:
        code = rows[length - 1, ENTRY]
        contact = code // 4096 * 16 + (code // 16) % 16 - 1
        if (code // 256) % 16 != IMPACT or not chatters_then(rows, times, k, stored, contact):
            break
        length -= 1
    return length


@kernel
def write_signature(record: Record, facts: Integers, signature: Integers) -> None:
    """Compress the stored events of one period into ``signature``; see attractor_codes.py."""
    rows, times = record.event_integer, record.event_float
    stored = record.counter[EVENTS_STORED]
    length = 0
    for k in range(stored):
        kind = rows[k, KIND]
        if kind == USER:
            continue
        if kind == CHATTER:
            length = without_run_up(rows, times, k, stored, length)
        code = event_code(rows, k)
        if length > 0 and rows[length - 1, ENTRY] == code and rows[length - 1, TIMES] < REPEATS - 1:
            rows[length - 1, TIMES] += 1
        else:
            rows[length, ENTRY], rows[length, TIMES] = code, 1
            length += 1
    for k in range(SIGNATURE_ENTRIES):
        signature[k] = rows[k, ENTRY] * REPEATS + rows[k, TIMES] if k < length else 0
    facts[SIGNATURE_LENGTH] = length if stored == facts[EVENTS] else -length
