# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""Writes the C source of the extension module: make_extension.py OUTPUT INCLUDE CC...

The declarations for cffi are the public headers themselves, as the preprocessor of the compiler CC gives them, without the
system's headers and without attributes. The written source includes the same headers, so the compiler compares every
declaration with its header. Nothing is declared by hand, except the functions that C calls in Python."""

import os
import subprocess
import sys
import tempfile

import cffi

HEADERS = '#include <tractrix/tractrix.h>\n#include "rollout.h"\n'

# callbacks: each is defined in the Python file that passes it to C
CALLBACKS = """
extern "Python" bool trxi_on_iteration(const trx_iteration *iteration, void *user);
extern "Python" bool trxi_on_fit_iteration(const trx_fit_iteration *iteration, void *user);
extern "Python" bool trxi_on_step(int step, void *user);
extern "Python" bool trxi_on_candidate(const trx_candidate *candidate, void *user);
extern "Python" bool trxi_must_stop(void *user);
"""


def declarations(include, compiler):
    with tempfile.TemporaryDirectory() as folder:
        # types of these headers are known to cffi
        for name in ('stdbool.h', 'stddef.h', 'stdint.h'):
            with open(os.path.join(folder, name), 'w', encoding='utf-8'):
                pass
        command = [*compiler, '-E', '-P', '-nostdinc', '-D__attribute__(x)=', '-I', folder, '-I', include,
                   '-I', os.path.dirname(os.path.abspath(__file__)), '-x', 'c', '-']
        return subprocess.run(command, input=HEADERS, capture_output=True, text=True, check=True).stdout


def main():
    output, include, *compiler = sys.argv[1:]
    ffi = cffi.FFI()
    ffi.cdef(declarations(include, compiler) + CALLBACKS)
    ffi.set_source('tractrix._tractrix', HEADERS)
    ffi.emit_c_code(output)


if __name__ == '__main__':
    main()
