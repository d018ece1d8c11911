# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""MJCF against MuJoCo."""

from common import Result


def version():
    import mujoco

    return f"MuJoCo {mujoco.__version__}"


def is_robot(path):
    return False


def check(probe, path):
    return Result(path, "MJCF")
