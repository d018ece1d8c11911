// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// model_probe [--base WORD] [--repair WORD] [--prefix NAME] [--package NAME=DIR] ROBOT [STATES]: a robot file as numbers,
// in JSON on standard output, for comparison with other readers (scripts/check_models, tests/import/reference.py).
//
// What is printed: bodies (name, parent, mass, com, inertia), joints (name, type, body, where in q and v, limits, damping,
// friction, armature), actuators, constraints, notes, the start; and for each state of STATES, a text of nq + nv numbers a
// state, the poses of all bodies, M (columns), the bias forces,
// length and gradient of each tendon. A robot that cannot be read is {"error": .., "messages":
// [..]} and exit code 3.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tractrix/tractrix.h>

static void print_number(double x)
{
    if (isfinite(x))
        printf("%.17g", x);
    else
        printf(isnan(x) ? "null" : x > 0 ? "1e999" : "-1e999");
}

static void print_numbers(const char *key, const double *x, int n)
{
    printf("\"%s\": [", key);
    for (int i = 0; i < n; i++) {
        if (i) printf(", ");
        print_number(x[i]);
    }
    printf("]");
}

static void print_text(const char *key, const char *text)
{
    printf("\"%s\": \"", key);
    for (const char *c = text ? text : ""; *c; c++) {
        if (*c == '"' || *c == '\\')
            printf("\\%c", *c);
        else if ((unsigned char)*c < 32)
            printf("\\u%04x", (unsigned char)*c);
        else
            putchar(*c);
    }
    printf("\"");
}

static void print_place(trx_source source)
{
    print_text("file", source.file);
    printf(", \"line\": %d, \"column\": %d, ", source.line, source.column);
}

static int fail(const trx_context *context, trx_status status)
{
    printf("{\"status\": %d, ", (int)status);
    print_text("error", trx_context_message(context));
    printf(", \"messages\": [");
    for (int i = 0; i < trx_context_diagnostic_count(context); i++) {
        trx_diagnostic d = trx_context_diagnostic(context, i);
        printf("%s{", i ? ", " : "");
        print_place(d.source);
        print_text("text", d.text);
        printf("}");
    }
    printf("]}\n");
    return 3;
}

static void print_bodies(const trx_model *model)
{
    printf("\"bodies\": [");
    for (int i = 0; i < trx_model_get_size(model).nbody; i++) {
        trx_body_info body = trx_model_body(model, i);
        trx_body_inertia inertia = trx_model_body_inertia(model, i);
        printf("%s\n  {", i ? "," : "");
        print_text("name", body.name);
        printf(", \"parent\": %d, \"mass\": ", body.parent);
        print_number(inertia.mass);
        printf(", ");
        print_numbers("com", inertia.com, 3);
        printf(", ");
        print_numbers("inertia", inertia.tensor, 6);
        printf("}");
    }
    printf("],\n");
}

static void print_joints(const trx_model *model)
{
    static const char *const types[] = {"hinge", "slide", "ball", "planar", "free"};
    printf("\"joints\": [");
    for (int i = 0; i < trx_model_get_size(model).njoint; i++) {
        trx_joint_info joint = trx_model_joint(model, i);
        const double limits[] = {joint.lower, joint.upper};
        printf("%s\n  {", i ? "," : "");
        print_text("name", joint.name);
        printf(", \"type\": \"%s\", \"body\": %d, \"q\": %d, \"v\": %d, ", types[joint.type], joint.body, joint.q_index,
               joint.v_index);
        print_numbers("limits", limits, 2);
        printf(", \"damping\": %.17g, \"stiffness\": %.17g, \"friction\": %.17g, \"armature\": %.17g, \"reference\": "
               "%.17g}",
               joint.damping, joint.stiffness, joint.friction, joint.armature, joint.reference);
    }
    printf("],\n");
}

static void print_geometry(const trx_model *model)
{
    printf("\"geometry\": [");
    for (int i = 0; i < trx_model_get_size(model).ngeom; i++) {
        trx_geom_info geom = trx_model_geom(model, i);
        printf("%s\n  {", i ? "," : "");
        print_text("name", geom.name);
        printf(", \"body\": %d, \"shape\": \"%s\", \"collide\": %s, ", geom.body, trx_shape_name(geom.shape.type),
               geom.collide ? "true" : "false");
        print_numbers("size", geom.shape.size, 3);
        printf(", \"radius\": %.17g, \"length\": %.17g, ", geom.shape.radius, geom.shape.length);
        print_numbers("p", geom.pose.p, 3);
        printf(", ");
        print_numbers("quat", geom.pose.quat, 4);
        printf("}");
    }
    printf("],\n");
}

static void print_drives(const trx_model *model)
{
    printf("\"actuators\": [");
    for (int i = 0; i < trx_model_get_size(model).nu; i++) {
        trx_actuator_info a = trx_model_actuator(model, i);
        const double limits[] = {a.lower, a.upper}, effort[] = {a.effort_lower, a.effort_upper};
        printf("%s\n  {", i ? "," : "");
        print_text("name", a.name);
        printf(", \"joint\": %d, \"gear\": %.17g, \"gain\": %.17g, \"bias\": %.17g, \"kp\": %.17g, \"kd\": %.17g, ",
               a.joint, a.gear, a.gain, a.bias, a.kp, a.kd);
        print_numbers("limits", limits, 2);
        printf(", ");
        print_numbers("effort", effort, 2);
        printf(", ");
        print_numbers("factors", a.factors, a.nfactor);
        printf("}");
    }
    printf("],\n\"constraints\": [");
    for (int i = 0; i < trx_model_get_size(model).nconstraint; i++) {
        trx_constraint_info c = trx_model_constraint(model, i);
        printf("%s\n  {", i ? "," : "");
        print_text("name", c.name);
        printf(", \"type\": \"%s\", \"rows\": %d, \"body_a\": %d, \"body_b\": %d, \"joint_a\": %d, \"joint_b\": %d}",
               trx_constraint_type_name(c.type), c.nrow, c.body_a, c.body_b, c.joint_a, c.joint_b);
    }
    printf("],\n");
}

static void print_tendons(trx_context *context, const trx_model *model, const double *q, double *gradient)
{
    const trx_model_size size = trx_model_get_size(model);
    printf("\"tendons\": [");
    for (int i = 0; i < size.ntendon; i++) {
        double length = NAN;
        trx_model_tendon(context, model, i, q, &length, gradient);
        printf("%s{\"length\": ", i ? ", " : "");
        print_number(length);
        printf(", ");
        print_numbers("gradient", gradient, size.nv);
        printf("}");
    }
    printf("]");
}

static void print_notes(const trx_import_result *result)
{
    printf("\"notes\": [");
    for (int i = 0; i < result->nnote; i++) {
        const trx_note *note = &result->notes[i];
        printf("%s\n  {\"kind\": \"%s\", ", i ? "," : "", trx_note_kind_name(note->kind));
        print_place(note->source);
        print_text("text", note->text);
        printf("}");
    }
    printf("],\n\"keyframes\": [");
    for (int i = 0; i < result->nkeyframe; i++) {
        printf("%s\n  {", i ? "," : "");
        print_text("name", result->keyframes[i].name);
        printf(", ");
        print_numbers("q", result->keyframes[i].q, result->nq);
        printf("}");
    }
    printf("],\n");
    print_numbers("gravity", result->gravity, 3);
    printf(",\n\"time_step\": ");
    print_number(result->time_step);
    printf(",\n");
    print_numbers("q0", result->q0, result->nq);
}

// one state in, one line out; false at the end of the file
static int print_state(trx_context *context, const trx_model *model, FILE *file, bool first)
{
    trx_model_size size = trx_model_get_size(model);
    size_t nv = (size_t)size.nv;
    double *q = calloc((size_t)(size.nq + size.nv) + nv * nv + nv + 1, sizeof *q), *v = q + size.nq, *M = v + nv,
           *bias = M + nv * nv;
    trx_pose *poses = calloc((size_t)size.nbody + 1, sizeof *poses);
    int more = 1;
    for (int i = 0; i < size.nq + size.nv && more; i++) more = fscanf(file, "%lf", &q[i]) == 1;
    if (more && trx_model_dynamics(context, model, q, v, M, bias) < 0) more = -1;
    if (more == 1) {
        trx_model_body_poses(model, q, poses);
        printf("%s\n  {\"poses\": [", first ? "" : ",");
        for (int i = 0; i < size.nbody; i++) {
            printf("%s{", i ? ", " : "");
            print_numbers("p", poses[i].p, 3);
            printf(", ");
            print_numbers("quat", poses[i].quat, 4);
            printf("}");
        }
        printf("], ");
        print_numbers("M", M, size.nv * size.nv);
        printf(", ");
        print_numbers("bias", bias, size.nv);
        printf(", ");
        print_tendons(context, model, q, bias);
        printf("}");
    }
    free(q);
    free(poses);
    return more;
}

static int print_all(trx_context *context, const trx_import *import, const char *states)
{
    const trx_import_result *result = trx_import_get(import);
    trx_model *model;
    trx_status status = trx_model_create(context, &result->def, &model);
    if (status < 0) return fail(context, status);
    trx_model_size size = trx_model_get_size(model);
    printf("{\"status\": 0, \"nq\": %d, \"nv\": %d, \"nu\": %d, \"pairs\": %d, \"mass\": %.17g,\n", size.nq, size.nv,
           size.nu, size.npair, trx_model_mass(model));
    print_bodies(model);
    print_joints(model);
    print_geometry(model);
    print_drives(model);
    print_notes(result);
    FILE *file = states ? fopen(states, "r") : NULL;
    int code = states && !file ? 2 : 0;
    if (file) {
        printf(",\n\"states\": [");
        bool first = true;
        int more;
        while (size.nq > 0 && (more = print_state(context, model, file, first)) == 1) first = false;
        printf("]");
        fclose(file);
    }
    printf("}\n");
    trx_model_destroy(model);
    return code;
}

// index of `word` among the words, -1 when it is none
static int choose(const char *word, const char *const *words, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(word, words[i]) == 0) return i;
    return -1;
}

int main(int argc, char **argv)
{
    static const char *const bases[] = {"of_file", "fixed", "free", "planar"};
    static const char *const repairs[] = {"none", "bound", "balance", "from_geometry"};
    trx_import_options options = trx_import_options_default();
    const char *packages[16];
    int at = 1;
    for (; at + 1 < argc && strncmp(argv[at], "--", 2) == 0; at += 2) {
        int base = choose(argv[at + 1], bases, 4), repair = choose(argv[at + 1], repairs, 4);
        if (strcmp(argv[at], "--base") == 0 && base >= 0)
            options.base = (trx_base)base;
        else if (strcmp(argv[at], "--repair") == 0 && repair >= 0)
            options.repair = (trx_repair_inertia)repair;
        else if (strcmp(argv[at], "--prefix") == 0)
            options.prefix = argv[at + 1];
        else if (strcmp(argv[at], "--package") == 0 && options.npackage < 16)
            packages[options.npackage++] = argv[at + 1];
        else
            return 2;
    }
    if (at >= argc) return 2;
    options.packages = packages;

    trx_context *context;
    if (trx_context_create(NULL, &context) < 0) return 2;
    trx_import *import;
    trx_status status = trx_import_load(context, argv[at], &options, &import);
    int code = status < 0 ? fail(context, status) : print_all(context, import, at + 1 < argc ? argv[at + 1] : NULL);
    if (status == TRX_OK) trx_import_destroy(import);
    trx_context_destroy(context);
    return code;
}
