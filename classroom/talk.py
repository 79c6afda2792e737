"""How an answer and its check talk: each runs in a process of its own, and data goes between.

A value that goes over the line is copied: numbers, texts, arrays and what is made of them.
A function stays where it is, and the other side gets a `Remote` to call it by. Whatever an
answer sends, its check ends up with such values and nothing else: no class of the answer's
own, no code.

This file runs in both processes, as text; it imports nothing of the classroom.
"""

import base64
import builtins
import itertools
import json
import pickle
import re
import struct
from collections.abc import Iterator, KeysView, ValuesView
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction

import numpy as np

_MOST_BYTES = 64 * 2**20  # of one message
_MOST_ITEMS = 10**6  # of what is read from an iterator
_EXACT_INT = 2**53
_ARRAYS = "biufcUS"  # kinds of dtypes that hold nothing but data
_GENERATORS = ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")


class Remote:
    """Something of the other side: it can be called, and its attributes asked for."""

    def __init__(self, talk, number, shown):
        self._talk, self._number, self._shown = talk, number, shown

    def __call__(self, *words, **named):
        return self._talk.call(self._number, words, named)

    def __getattr__(self, name):
        if name.startswith("__"):  # Python itself asks for these
            raise AttributeError(name)
        return self._talk.ask("attribute", self._number, name)

    def __deepcopy__(self, memo):
        return self._talk.ask("copy", self._number)

    def __repr__(self):
        return self._shown


class Hung(Exception):
    """The other side is gone."""


class Talk:
    """One end of the line. The end of the answer is `open`: it may be asked for anything."""

    def __init__(self, connection, space=None):
        self._stream = connection.makefile("rwb")
        self._space, self.open = space, space is not None
        self._offered, self._generators, self._numbers = {}, {}, itertools.count()
        self._number_by_id = {}
        self.changed = False  # has a call changed what it was given?

    def close(self):
        with suppress(OSError):
            self._stream.close()

    # ---- asking and being asked ------------------------------------------------------
    def call(self, number, words, named):
        sent = []
        given = [*words, *named.values()]
        coded = [self._encode(value, sent) for value in given]
        self._send(["call", number, coded, [*named]])
        value, states, changes = self._reply()
        for generator, state in zip(sent, states):
            generator.bit_generator.state = self._decode(state, [])
        for place, new in changes:
            self._change(given[place], self._decode(new, []))
        return value

    def ask(self, what, *details):
        self._send([what, *details])
        return self._reply()[0]

    def _reply(self):
        """The reply to what was sent; until it comes, the other side may ask in turn."""
        while True:
            kind, *message = self._receive()
            if kind == "return":
                value, states, changes = message
                return self._decode(value, []), states, changes
            if kind == "raise":
                raise _error(*message)
            self._serve(kind, message)

    def serve(self):
        """Answer all that is asked, until the other side hangs up."""
        while True:
            kind, *message = self._receive()
            self._serve(kind, message)

    def _serve(self, kind, message):
        received, states, changes = [], [], []
        try:
            if kind == "call":
                number, coded, names = message
                function = self._offered[number]
                given = [self._decode(value, received) for value in coded]
                words = given[: len(given) - len(names)]
                value = function(*words, **dict(zip(names, given[len(words) :])))
                if self.open:  # a check is not tampered with, so it need not be watched
                    changes = [c for c in map(self._new, itertools.count(), coded, given) if c]
            elif self.open:
                value = self._look_up(kind, *message)
            else:
                raise TypeError("an answer may call what it is given, and no more")
            states = [self._encode(_state(generator), []) for generator in received]
            reply = ["return", self._encode(value, []), states, changes]
        except Hung:
            raise
        except (Exception, SystemExit) as error:
            names = [kind.__name__[:100] for kind in type(error).__mro__]
            reply = ["raise", names, _text(error)]
        self._send(reply)

    def _look_up(self, kind, what, name=None):
        if kind == "name":
            if what not in self._space:
                raise NameError(f"name {what!r} is not defined")
            return self._space[what]
        if kind == "attribute":
            return getattr(self._offered[what], name)
        import copy

        return copy.deepcopy(self._offered[what])

    def _new(self, place, coded, given):
        """[place, new value] of an argument that the call has changed."""
        if isinstance(given, (list, dict, np.ndarray)) and (
            type(given) is not np.ndarray or given.flags.writeable
        ):
            now = self._encode(given, [])
            return [place, now] if json.dumps(now) != json.dumps(coded) else None
        return None

    def _change(self, mine, new):
        self.changed = True
        if isinstance(mine, np.ndarray) and isinstance(new, np.ndarray):
            if mine.shape == new.shape and mine.dtype == new.dtype:
                mine[...] = new
        elif isinstance(mine, list) and isinstance(new, list):
            mine[:] = new
        elif isinstance(mine, dict) and isinstance(new, dict):
            mine.clear()
            mine.update(new)

    # ---- the line --------------------------------------------------------------------
    def _send(self, message):
        text = json.dumps(message).encode()
        if len(text) > _MOST_BYTES:
            raise ValueError(f"more than {_MOST_BYTES >> 20} MB at once")
        try:
            self._stream.write(struct.pack("!Q", len(text)) + text)
            self._stream.flush()
        except (OSError, ValueError) as error:
            raise Hung(str(error)) from None

    def _receive(self):
        try:
            head = self._stream.read(8)
            size = struct.unpack("!Q", head)[0] if len(head) == 8 else _MOST_BYTES + 1
            text = self._stream.read(size) if size <= _MOST_BYTES else b""
        except OSError as error:
            raise Hung(str(error)) from None
        if len(text) != size:
            raise Hung("the other side is gone")
        message = json.loads(text)
        if not isinstance(message, list) or not message:
            raise Hung("the other side talks nonsense")
        return message

    # ---- values to messages ----------------------------------------------------------
    def _encode(self, value, sent):
        """JSON for a value; generators of random numbers are noted in `sent`."""
        kind = type(value)
        if value is None or kind in (bool, str, float):
            return value
        if kind is int:
            return value if -_EXACT_INT < value < _EXACT_INT else ["int", hex(value)]
        if kind in (list, tuple, set, frozenset):
            return [kind.__name__, [self._encode(item, sent) for item in value]]
        if kind is dict:
            both = [[self._encode(k, sent), self._encode(v, sent)] for k, v in value.items()]
            return ["dict", both]
        if kind is np.ndarray or isinstance(value, np.generic):
            return self._encode_array(np.asarray(value), kind is np.ndarray, sent)
        if kind is np.random.Generator:
            return self._encode_generator(value, sent)
        if value is ...:
            return ["ellipsis"]
        if kind is range:
            return ["range", value.start, value.stop, value.step]
        if kind is complex:
            return ["complex", value.real, value.imag]
        if kind is bytes:
            return ["bytes", _letters(value)]
        if kind is Fraction:
            return ["fraction", hex(value.numerator), hex(value.denominator)]
        if kind is Decimal:
            return ["decimal", str(value)]
        if isinstance(value, Remote) and value._talk is self:
            return ["yours", value._number]
        return self._encode_other(value, sent)

    def _encode_array(self, array, whole, sent):
        shape = list(array.shape)
        if array.dtype.kind in _ARRAYS:
            data = _letters(np.ascontiguousarray(array).tobytes())
            return ["array" if whole else "scalar", array.dtype.str, shape, data]
        return ["objects", shape, [self._encode(item, sent) for item in array.ravel().tolist()]]

    def _encode_generator(self, generator, sent):
        sent.append(generator)  # whose state will come back
        return ["generator", self._number_of(generator), self._encode(_state(generator), [])]

    def _encode_other(self, value, sent):
        """Of the many kinds of numbers and lists there are, those that are known."""
        if isinstance(value, (Iterator, KeysView, ValuesView)):
            items = itertools.islice(value, _MOST_ITEMS)
            return ["iterator", [self._encode(item, sent) for item in items]]
        for plain in (int, float, str, tuple, list, dict):
            if isinstance(value, plain) and not isinstance(value, type):
                return self._encode(_plain(plain, value), sent)
        if self.open:
            return self._encode_own(value, sent)
        # The answer trusts its check, and not the other way round.
        with suppress(Exception):
            return ["pickle", _letters(pickle.dumps(value))]
        if type(value).__name__ == "GapFunction":
            return self._encode_gap(value, sent)
        return self._offer(value)

    def _encode_own(self, value, sent):
        """What an answer may have made of classes that the check does not know."""
        if type(value).__name__ == "GapFunction" and hasattr(value, "formula"):
            return self._encode_gap(value, sent)
        if not callable(value):
            if hasattr(value, "__array__"):
                return self._encode(np.asarray(value), sent)
            if hasattr(value, "__float__"):
                return float(value)
        return self._offer(value)

    def _encode_gap(self, f, sent):
        return ["gap", *(self._encode(p, sent) for p in (f.name, f.eps, f.formula, f.function))]

    def _offer(self, value):
        return ["mine", self._number_of(value), _text(value, repr)]

    def _number_of(self, thing):
        if id(thing) not in self._number_by_id:
            self._number_by_id[id(thing)] = number = next(self._numbers)
            self._offered[number] = thing  # and so its id stays its own
        return self._number_by_id[id(thing)]

    # ---- messages to values ----------------------------------------------------------
    def _decode(self, coded, received):
        if not isinstance(coded, list):
            return coded
        kind, *parts = coded
        return getattr(self, f"_as_{re.fullmatch('[a-z]+', kind)[0]}")(received, *parts)

    def _items(self, received, items):
        return [self._decode(item, received) for item in items]

    def _as_int(self, _, digits):
        return int(digits, 16)

    def _as_list(self, received, items):
        return self._items(received, items)

    def _as_tuple(self, received, items):
        return tuple(self._items(received, items))

    def _as_set(self, received, items):
        return set(self._items(received, items))

    def _as_frozenset(self, received, items):
        return frozenset(self._items(received, items))

    def _as_iterator(self, received, items):
        return iter(self._items(received, items))

    def _as_dict(self, received, both):
        return {self._decode(k, received): self._decode(v, received) for k, v in both}

    def _as_range(self, _, start, stop, step):
        return range(start, stop, step)

    def _as_complex(self, _, real, imaginary):
        return complex(real, imaginary)

    def _as_ellipsis(self, _):
        return ...

    def _as_bytes(self, _, letters):
        return base64.b64decode(letters)

    def _as_fraction(self, _, numerator, denominator):
        return Fraction(int(numerator, 16), int(denominator, 16))

    def _as_decimal(self, _, digits):
        return Decimal(digits)

    def _as_array(self, _, dtype, shape, letters):
        dtype = np.dtype(str(dtype))
        if dtype.kind not in _ARRAYS or dtype.hasobject:
            raise TypeError("an array of this kind does not go over the line")
        data = bytearray(base64.b64decode(letters))  # which can be written to
        return np.frombuffer(data, dtype).reshape([int(size) for size in shape])

    def _as_scalar(self, _, dtype, shape, letters):
        return self._as_array(_, dtype, [], letters)[()]

    def _as_objects(self, received, shape, items):
        array = np.empty(len(items), dtype=object)
        array[:] = self._items(received, items)
        return array.reshape([int(size) for size in shape])

    def _as_generator(self, received, number, state):
        """The same generator each time, for to make one takes a while."""
        state = self._decode(state, [])
        kind = state["bit_generator"]
        if (generator := self._generators.get((number, kind))) is None:
            if kind not in _GENERATORS:
                raise TypeError("a generator of this kind does not go over the line")
            generator = np.random.Generator(getattr(np.random, kind)(0))
            self._generators[number, kind] = generator
        generator.bit_generator.state = state
        received.append(generator)
        return generator

    def _as_gap(self, received, *parts):
        import lenient

        name, eps, formula, function = self._items(received, parts)
        return lenient.GapFunction(str(name), eps, str(formula), function)

    def _as_mine(self, _, number, shown):
        return Remote(self, int(number), str(shown)[:200])

    def _as_yours(self, _, number):
        return self._offered[number]

    def _as_pickle(self, _, letters):
        if not self.open:
            raise TypeError("a check takes data only")
        return pickle.loads(base64.b64decode(letters))


def _letters(data):
    return base64.b64encode(data).decode()


def _state(generator):
    return generator.bit_generator.state


def _plain(plain, value):
    """The value without what its own class adds."""
    if plain is dict:
        return dict(value.items())
    return plain.__new__(plain, value) if plain is not list else [*value]


def _text(value, as_text=str):
    try:
        return as_text(value)[:1000]
    except Exception:
        return f"<{type(value).__name__}>"


def _error(names, text):
    """An exception that is like the one that was raised on the other side."""
    names, text = [str(name) for name in names], str(text)[:1000]
    known = [getattr(builtins, name, None) for name in names]
    errors = [k for k in known if isinstance(k, type) and issubclass(k, Exception)]
    body = {"__init__": lambda self: None, "__str__": lambda self: text}
    return type(names[0][:100], (errors[0] if errors else Exception,), body)()
