// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Values of the public enums stay what they are: saved files, bindings and programs that were compiled earlier depend on them. A
// new value gets the next number of its enum.

#include "support/support.h"

#include <tractrix/tractrix.h>

typedef struct named_value {
    const char *name;
    int value, fixed;
} named_value;

#define VALUE(name, fixed) {#name, (int)(name), fixed}

static const named_value values[] = {
    VALUE(TRX_ERROR, 0), VALUE(TRX_WARNING, 1), VALUE(TRX_NOTE, 2),
    VALUE(TRX_SHAPE_HALFSPACE, 0), VALUE(TRX_SHAPE_MESH, 1), VALUE(TRX_SHAPE_BOX, 2), VALUE(TRX_SHAPE_CYLINDER, 3),
    VALUE(TRX_SHAPE_ELLIPSOID, 4), VALUE(TRX_SHAPE_CAPSULE, 5), VALUE(TRX_SHAPE_SPHERE, 6), VALUE(TRX_SHAPE_HEIGHT_FIELD, 7),
    VALUE(TRX_BASE_OF_FILE, 0), VALUE(TRX_BASE_FIXED, 1), VALUE(TRX_BASE_FREE, 2), VALUE(TRX_BASE_PLANAR, 3),
    VALUE(TRX_REPAIR_NONE, 0), VALUE(TRX_REPAIR_BOUND, 1), VALUE(TRX_REPAIR_BALANCE, 2),
    VALUE(TRX_REPAIR_FROM_GEOMETRY, 3), VALUE(TRX_REPAIR_NEAREST, 4),
    VALUE(TRX_NOTE_ASSUMED, 0), VALUE(TRX_NOTE_REPLACED, 1), VALUE(TRX_NOTE_DROPPED, 2),
    VALUE(TRX_NOTE_REPAIRED, 3), VALUE(TRX_NOTE_MISSING, 4),
    VALUE(TRX_JOINT_HINGE, 0), VALUE(TRX_JOINT_SLIDE, 1), VALUE(TRX_JOINT_BALL, 2), VALUE(TRX_JOINT_PLANAR, 3),
    VALUE(TRX_JOINT_FREE, 4),
    VALUE(TRX_MOTION_NONE, 0), VALUE(TRX_MOTION_SLIDE, 1), VALUE(TRX_MOTION_HINGE, 2), VALUE(TRX_MOTION_TABLE, 3),
    VALUE(TRX_CONSTRAINT_COUPLER, 0), VALUE(TRX_CONSTRAINT_BALL, 1), VALUE(TRX_CONSTRAINT_WELD, 2),
    VALUE(TRX_CONSTRAINT_DISTANCE, 3),
    VALUE(TRX_LOAD_CONSTANT, 0), VALUE(TRX_LOAD_SINE, 1), VALUE(TRX_LOAD_RAMP, 2), VALUE(TRX_LOAD_ROTATE, 3),
    VALUE(TRX_LOAD_TABLE, 4),
    VALUE(TRX_LAGGED, 0), VALUE(TRX_LAGGED_REGULARIZED, 1), VALUE(TRX_SIMILAR, 2), VALUE(TRX_SIMILAR_REGULARIZED, 3),
    VALUE(TRX_SAP, 4),
    VALUE(TRX_HUNT_CROSSLEY, 0), VALUE(TRX_KELVIN_VOIGT, 1), VALUE(TRX_SMOOTHED, 2), VALUE(TRX_HERTZ, 3),
    VALUE(TRX_LOG_BARRIER, 4), VALUE(TRX_IPC, 5), VALUE(TRX_USER_LAW, 6),
    VALUE(TRX_PAIR_STIFFNESS, 0), VALUE(TRX_PAIR_DISSIPATION, 1), VALUE(TRX_PAIR_RELAXATION_TIME, 2),
    VALUE(TRX_PAIR_FRICTION, 3), VALUE(TRX_PAIR_FRICTION_ACROSS, 4), VALUE(TRX_PAIR_DYNAMIC_FRICTION, 5),
    VALUE(TRX_PAIR_SLIP_SPEED, 6), VALUE(TRX_PAIR_TORSIONAL_FRICTION, 7), VALUE(TRX_PAIR_ROLLING_FRICTION, 8),
    VALUE(TRX_PAIR_BARRIER, 9), VALUE(TRX_PAIR_REACH, 10), VALUE(TRX_STICTION_TOLERANCE, 11),
    VALUE(TRX_JOINT_DAMPING, 12), VALUE(TRX_JOINT_STIFFNESS, 13), VALUE(TRX_JOINT_ARMATURE, 14),
    VALUE(TRX_ACTUATOR_GEAR, 15), VALUE(TRX_JOINT_REST, 16), VALUE(TRX_JOINT_FRICTION, 17),
    VALUE(TRX_JOINT_STICTION_TOLERANCE, 18), VALUE(TRX_ACTUATOR_GAIN, 19), VALUE(TRX_ACTUATOR_BIAS, 20),
    VALUE(TRX_ACTUATOR_KP, 21), VALUE(TRX_ACTUATOR_KD, 22), VALUE(TRX_GRAVITY, 23), VALUE(TRX_BODY_MASS, 24),
    VALUE(TRX_BODY_COM, 25), VALUE(TRX_BODY_TENSOR, 26), VALUE(TRX_GEOM_SIZE, 27), VALUE(TRX_GEOM_RADIUS, 28),
    VALUE(TRX_GEOM_LENGTH, 29), VALUE(TRX_GEOM_ROUNDING, 30), VALUE(TRX_PLACE_POSITION, 31), VALUE(TRX_PLACE_TURN, 32),
    VALUE(TRX_BODY_POSITION, 0), VALUE(TRX_BODY_ORIENTATION, 1), VALUE(TRX_BODY_VELOCITY, 2), VALUE(TRX_BODY_SPIN, 3),
    VALUE(TRX_FRAME_POSITION, 4), VALUE(TRX_FRAME_ORIENTATION, 5), VALUE(TRX_FRAME_VELOCITY, 6),
    VALUE(TRX_FRAME_SPIN, 7), VALUE(TRX_JOINT_POSITION, 8), VALUE(TRX_JOINT_VELOCITY, 9), VALUE(TRX_POSITION, 10),
    VALUE(TRX_VELOCITY, 11), VALUE(TRX_CONTROL, 12), VALUE(TRX_DISTANCE, 13), VALUE(TRX_COM_POSITION, 14),
    VALUE(TRX_COM_VELOCITY, 15), VALUE(TRX_USER, 16), VALUE(TRX_CONTACT_FORCE, 17), VALUE(TRX_CONTROL_RATE, 18),
    VALUE(TRX_SQUARE, 0), VALUE(TRX_HUBER, 1), VALUE(TRX_SMOOTH_ABS, 2),
    VALUE(TRX_RUNNING, 0), VALUE(TRX_END, 1), VALUE(TRX_ALL, 2),
    VALUE(TRX_LINE_SEARCH_EXACT, 0), VALUE(TRX_LINE_SEARCH_BACKTRACKING, 1),
    VALUE(TRX_SYMPLECTIC, 0), VALUE(TRX_IMPLICIT, 1), VALUE(TRX_MIDPOINT, 2), VALUE(TRX_THETA, 3),
    VALUE(TRX_SPIN_EXPLICIT, 0), VALUE(TRX_SPIN_MOMENTUM, 1),
    VALUE(TRX_CONTACT_OPEN, 0), VALUE(TRX_CONTACT_STICK, 1), VALUE(TRX_CONTACT_SLIP, 2),
    VALUE(TRX_TERM_MASS, 0), VALUE(TRX_TERM_BIAS, 1), VALUE(TRX_TERM_GEOMETRY, 2), VALUE(TRX_TERM_FRICTION, 3),
    VALUE(TRX_TERM_LIMIT, 4), VALUE(TRX_TERM_INTEGRATION, 5), VALUE(TRX_TERMS, 6),
};

#define STATUS(name, value, text) VALUE(name, value),
static const named_value statuses[] = {TRX_STATUS_LIST(STATUS)};

START_TEST(values_of_enums_are_pinned)
{
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        ck_assert_msg(values[i].value == values[i].fixed, "%s is %d, was %d", values[i].name, values[i].value, values[i].fixed);
}
END_TEST

// success is 0, caveats are positive, failures negative; the first and last of each kind are pinned
START_TEST(values_of_statuses_are_pinned)
{
    ck_assert_int_eq(TRX_OK, 0);
    ck_assert_int_eq(TRX_STALLED, 1);
    ck_assert_int_eq(TRX_ROUND_OFF, 5);
    ck_assert_int_eq(TRX_ERR_ARGUMENT, -1);
    ck_assert_int_eq(TRX_ERR_LAW, -14);
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        ck_assert_int_eq(statuses[i].value, statuses[i].fixed);
        ck_assert_str_eq(trx_status_name((trx_status)statuses[i].value), statuses[i].name);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("interface/values");
    TCase *cases = tcase_create("values");
    tcase_add_test(cases, values_of_enums_are_pinned);
    tcase_add_test(cases, values_of_statuses_are_pinned);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
