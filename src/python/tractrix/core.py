# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""What all objects share: ownership, errors, arrays, and C structs as Python objects.

Names, fields and values come from the declarations of the headers, so a new field of a struct or a new value of an enum
appears in Python without a change here."""

import functools
import os
import threading
import types
import weakref

import numpy as np

from ._tractrix import ffi, lib

DOUBLES = ffi.typeof('double[]')


class Error(Exception):
    """A call of the library failed. The text is the message of the library, then all other errors of a file.

    status    what went wrong, as a word: 'not_finite' is TRX_ERR_NOT_FINITE
    findings  errors in files, each with file, line and column"""

    def __init__(self, status, message, findings=()):
        super().__init__('\n'.join([message, *(finding for finding in findings if finding not in message)]))
        self.status = status
        self.findings = list(findings)


# ---- ownership ----

class Owned:
    """An object of the library, with a context of its own. Threads that use one object take turns.

    The C object is destroyed when the last reference to the Python object is gone, before the objects that it needs: its
    finalizer keeps them alive, in every order in which Python collects garbage, and at the end of the program. An object must
    therefore not refer to what is made from it."""

    def _open(self, kind, create, needs=(), cache=None):
        """Makes the C object `kind` by create(context, out)."""
        self._lock = threading.RLock()
        settings = ffi.new('trx_context_settings *', lib.trx_context_settings_default())
        settings.cache = folder = characters(cache)
        contexts = ffi.new('trx_context **')
        status = lib.trx_context_create(settings, contexts)
        if status < 0:
            raise Error(word('trx_status', status), text(lib.trx_status_text(status)))
        self._context = contexts[0]
        out = ffi.new(kind + ' **')
        try:
            self._check(create(self._context, out))
        except BaseException:
            lib.trx_context_destroy(self._context)
            raise
        self._pointer = out[0]
        weakref.finalize(self, _release, getattr(lib, kind + '_destroy'), self._pointer, self._context, needs)
        del folder

    def _borrow(self, owner, pointer_of_c):
        """Takes a C object that belongs to `owner`, with the owner's context and lock."""
        self._owner, self._context, self._lock, self._pointer = owner, owner._context, owner._lock, pointer_of_c

    def _check(self, status):
        """The word of a status; an exception if the status is an error."""
        name = word('trx_status', status)
        if status >= 0:
            return name
        message = text(lib.trx_context_message(self._context)) or text(lib.trx_status_text(status))
        raise Error(name, message, findings(self._context, lib.TRX_ERROR))


def _release(destroy, pointer, context, needs):
    destroy(pointer)
    lib.trx_context_destroy(context)
    del needs


def findings(context, severity):
    """The findings of a context, as texts that begin with their place."""
    found = [lib.trx_context_diagnostic(context, i) for i in range(lib.trx_context_diagnostic_count(context))]
    return [place(f.source) + text(f.text) for f in found if f.severity == severity]


def place(source):
    file = text(source.file)
    return f'{file}:{source.line}:{source.column}: ' if file else ''


# ---- callbacks ----

class Watch:
    """Calls a function of the user from C. An exception, such as KeyboardInterrupt, ends the work in C and is raised after it."""

    def __init__(self, function=None):
        self.function = function
        self.error = None
        self.handle = ffi.new_handle(self)

    def call(self, make, value):
        """Calls the function with make(value). Returns whether to go on: only False ends the work."""
        return self.function is None or self.function(make(value)) is not False

    def finish(self):
        if self.error is not None:
            raise self.error


def keep_error(kind, error, trace):
    """Of def_extern: gives the exception of a callback to its Watch."""
    ffi.from_handle(trace.tb_frame.f_locals['user']).error = error


# ---- arrays and texts ----

def vector(value, length, name):
    """`value` as a contiguous array of `length` numbers; a number counts as an array of length 1."""
    return array(value, (length,), name)


def array(value, shape, name):
    made = np.ascontiguousarray(value, dtype=np.float64)
    if made.shape != shape:
        raise ValueError(f'{name} has the shape {made.shape}, not {shape}')
    return made


def pointer(made):
    """The numbers of a contiguous array for C; None: NULL. The result keeps the array alive."""
    return ffi.NULL if made is None else ffi.from_buffer(DOUBLES, made)


def copied(numbers, shape):
    """A copy of numbers of C, in C's order of `shape`."""
    count = int(np.prod(shape))
    return np.frombuffer(ffi.buffer(numbers, 8 * count), dtype=np.float64).reshape(shape).copy() if count else np.zeros(shape)


def matrices(numbers, count, rows, columns):
    """A copy of `count` column-major matrices: (count, rows, columns)."""
    return copied(numbers, (count, columns, rows)).swapaxes(1, 2)


def text(characters_of_c):
    """A text of C; None for NULL."""
    return None if characters_of_c == ffi.NULL else ffi.string(characters_of_c).decode()


def characters(value):
    """A text or a path for C, to be kept alive by the caller; None: NULL."""
    return ffi.NULL if value is None else ffi.new('char[]', os.fsencode(value))


# ---- structs and enums ----

@functools.lru_cache(maxsize=None)
def words(enum):
    """{value: word} of a C enum. A word is the name of a value without the beginning that all names share."""
    names = ffi.typeof(enum).elements
    shared = os.path.commonprefix(list(names.values()))
    length = shared.rindex('_') + 1
    return {value: name[length:].lower().removeprefix('err_') for value, name in names.items()}


def word(enum, value):
    return words(enum).get(value, str(value))


@functools.lru_cache(maxsize=None)
def fields(struct):
    return [(name, field.type) for name, field in ffi.typeof(struct).fields]


def record(struct):
    """A C struct as a namespace. Texts are str, enums words, arrays numpy arrays; other pointers and `size` are left out."""
    made = types.SimpleNamespace()
    for name, kind in fields(ffi.typeof(struct).cname.rstrip(' *&')):
        value = read(kind, getattr(struct, name))
        if name != 'size' and value is not NotImplemented:
            setattr(made, name, value)
    return made


def read(kind, value):
    if kind.kind == 'enum':
        return word(kind.cname, value)
    if kind.kind == 'struct':
        return record(value)
    if kind.kind == 'array':
        return text(value) if kind.item.cname == 'char' else np.array(list(value))
    if kind.kind == 'pointer':
        return text(value) if kind.item.cname == 'char' else NotImplemented
    return value


def fill(struct, values):
    """Sets fields of a struct of settings by name; an enum takes its word. Returns the struct."""
    known = {name: kind for name, kind in fields(ffi.typeof(struct).item.cname)
             if kind.kind in ('primitive', 'enum') and name != 'size'}
    for name, value in values.items():
        if name not in known:
            raise TypeError(f"there is no setting '{name}' among {', '.join(sorted(known))}")
        if known[name].kind == 'enum':
            value = number(known[name].cname, name, value)
        setattr(struct, name, value)
    return struct


def number(enum, name, value):
    numbers = {w: n for n, w in sorted(words(enum).items())}
    if value not in numbers:
        raise ValueError(f"{name} is '{value}', not one of {', '.join(numbers)}")
    return numbers[value]
