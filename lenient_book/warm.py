"""Compile the simulations before they are needed: 10 to 25 seconds, once for an installation.

    python -m lenient_book.warm

What is compiled is kept beside the engine's files or in the user's cache; where it is kept
already, this takes a moment and says nothing.
"""

from threading import Timer

MEANS = (0.5, 0.4, 0.2)
PATIENCE = 3  # seconds before it says what takes so long
MESSAGE = "Compiling the simulations, once: this takes about 20 seconds ..."


def warm():
    """Play two rounds by each engine that is compiled."""
    try:
        import numba  # noqa: F401
    except ImportError:
        return  # all is played step by step, and nothing compiled
    import lenient

    said = Timer(PATIENCE, print, [MESSAGE], {"flush": True})
    said.start()
    try:
        for policy in (
            lenient.TS(),
            lenient.EpsTS(0.2),
            lenient.KLUCB(),
            lenient.EpsKLUCB(0.2),
        ):
            lenient.simulate(MEANS, policy, horizon=20_000, runs=1, seed=1)
    finally:
        said.cancel()


if __name__ == "__main__":
    warm()
