"""What lets root pass every permission, given up: tests of permissions pass falsely with it.

The user stays the same, so that this environment and this checkout can be read wherever they lie.
"""

import ctypes

_DROP_FROM_BOUND = 24  # PR_CAPBSET_DROP
_OVERRIDE, _SEARCH = 1, 2  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
_VERSION = 0x20080522  # _LINUX_CAPABILITY_VERSION_3


def give_up_rights() -> None:
    """Give them up for this process and what it starts, for good; a user who is not root has nothing to give up."""
    libc = ctypes.CDLL(None, use_errno=True)
    for right in (_OVERRIDE, _SEARCH):
        libc.prctl(_DROP_FROM_BOUND, right, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(_VERSION, 0)
    sets = (ctypes.c_uint32 * 6)()
    libc.capget(header, sets)
    for low in range(3):  # effective, permitted, inheritable
        sets[low] &= ~(1 << _OVERRIDE | 1 << _SEARCH)
    libc.capset(header, sets)
