"""Arrays and generators that numba does not count.

Each time a compiled function is given an array or a generator, numba notes one user more,
and one less at its end, with an instruction that makes other cores wait. In the leap engine
that took more time than the arithmetic. Who calls it holds what it uses, so nothing has to
be counted.
"""

from numba.core import cgutils
from numba.extending import intrinsic


@intrinsic
def borrowed(typing, thing):
    """The same array or generator, without a note of who uses it."""

    def build(context, builder, signature, arguments):
        parts = cgutils.create_struct_proxy(thing)(context, builder, value=arguments[0])
        parts.meminfo = cgutils.get_null_value(parts.meminfo.type)
        return parts._getvalue()

    return thing(thing), build
