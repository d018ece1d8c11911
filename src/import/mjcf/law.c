// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Force laws of actuators and their defaults. A class has one actuator. All actuator elements write to it in order, class by class
// from the main class on: `general` changes the values that it names; a shortcut sets the whole law from its own parameters. A
// parameter that is not given is taken from the nearest earlier law of the same shortcut, or of `general` with a fixed gain.
// Without such a law the shortcut's own defaults count.

#include "import/mjcf/law.h"

#include "math/constants.h"

#include <math.h>
#include <string.h>

enum { MOST = 4096 };

static const char UNSERVED[] = "drives of this kind are not served";
static const char MOVING_GAIN[] = "its gain depends on the length";
static const char STATE[] = "it has a state of its own";
static const char TWO_CURVES[] = "its active and its passive force have muscles of their own";

// the laws made so far, in order
typedef struct history {
    const trxi_mjcf_element *e;
    trxi_mjcf_law *laws;
    int count;
} history;

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

// the law from which the parameters of a shortcut start; NULL: its own defaults
static const trxi_mjcf_law *nearest(const history *h, const char *kind)
{
    for (int i = h->count - 1; i >= 0; i--)
        if (is(h->laws[i].kind, kind) || (is(h->laws[i].kind, "general") && h->laws[i].fixed)) return &h->laws[i];
    return NULL;
}

static void apply_general(const trxi_mjcf_element *at, trxi_mjcf_law *law)
{
    static const char *const gains[] = {"fixed", "affine", "muscle", "dcmotor", "pid", "so3", "user"};
    static const char *const biases[] = {"none", "affine", "muscle", "dcmotor", "so3", "user"};
    static const char *const states[] = {"none", "integrator", "filter", "filterexact",
                                         "pid",  "dcmotor",    "muscle", "user"};
    bool gain_given = trxi_mjcf_text(at, "gaintype", NULL) != NULL,
         bias_given = trxi_mjcf_text(at, "biastype", NULL) != NULL;
    int gain = trxi_mjcf_word(at, "gaintype", gains, 7, 0), bias = trxi_mjcf_word(at, "biastype", biases, 6, 0);
    law->kind = "general";
    if (gain_given) {
        law->fixed = gain == 0;
        law->muscle = gain == 2;
        law->unserved[0] = gain == 0 || gain == 2 ? NULL : gain == 1 ? MOVING_GAIN : UNSERVED;
        law->odd = gain >= 3;
    }
    if (bias_given) {
        law->affine = bias == 1;
        law->passive = bias == 2;
        law->unserved[1] = bias > 2 ? UNSERVED : NULL;
    }
    if (trxi_mjcf_text(at, "dyntype", NULL)) {
        int state = trxi_mjcf_word(at, "dyntype", states, 8, 0);
        law->stateful = state > 0;
        law->activation = state == 1   ? TRX_ACTIVATION_INTEGRATOR
                          : state == 6 ? TRX_ACTIVATION_MUSCLE
                          : state > 0  ? TRX_ACTIVATION_FILTER
                                       : TRX_ACTIVATION_NONE;
        law->unserved[2] = state > 3 && state != 6 ? STATE : NULL;
    }
    law->early = trxi_mjcf_flag(at, "actearly", law->early);
    double times[TRXI_LAW_NUMBERS] = {law->times[0], law->times[1], law->times[2]};
    trxi_mjcf_numbers(at, "dynprm", 1, TRXI_LAW_NUMBERS, times);
    memcpy(law->times, times, sizeof law->times);
    trxi_mjcf_numbers(at, "gainprm", 1, TRXI_LAW_NUMBERS, law->gain);
    trxi_mjcf_numbers(at, "biasprm", 1, TRXI_LAW_NUMBERS, law->bias);
}

static void apply_position(const trxi_mjcf_element *at, const trxi_mjcf_law *from, trxi_mjcf_law *law)
{
    static const char *const forms[] = {"kv", "dampratio"};
    trxi_mjcf_element self;
    law->affine = true;
    law->gain[0] = trxi_mjcf_number(at, "kp", from ? from->gain[0] : 1);
    law->bias[1] = -law->gain[0];
    law->bias[2] = from ? from->bias[2] : 0;
    int form = trxi_mjcf_choice(at, forms, 2, &self);
    if (form < 0) return;
    double value = trxi_mjcf_number(at, forms[form], 0);
    if (value < 0)
        trxi_mjcf_error(at, at->node->source, forms[form], "%s of this %s is %g; it must not be negative", forms[form],
                        at->node->name, value);
    law->bias[2] = form == 0 ? -fabs(value) : fabs(value);
}

static void set_filter(double time_constant, trxi_mjcf_law *law)
{
    law->stateful = true, law->activation = TRX_ACTIVATION_FILTER, law->times[0] = time_constant;
}

static void apply_cylinder(const trxi_mjcf_element *at, const trxi_mjcf_law *from, trxi_mjcf_law *law)
{
    law->affine = true;
    law->gain[0] = trxi_mjcf_number(at, "area", from ? from->gain[0] : 1);
    double diameter = trxi_mjcf_number(at, "diameter", 0);
    if (diameter > 0) law->gain[0] = TRXI_PI / 4 * diameter * diameter;
    if (from) memcpy(law->bias, from->bias, sizeof law->bias);
    trxi_mjcf_numbers(at, "bias", 3, 3, law->bias);
    set_filter(trxi_mjcf_number(at, "timeconst", from ? from->times[0] : 1), law);
}

// a muscle keeps the numbers of the law before it. Numbers of a law without parameters (1, 0, 0, ...) count as not given
static void apply_muscle(const trxi_mjcf_element *at, const trxi_mjcf_law *before, trxi_mjcf_law *law)
{
    static const double usual[TRXI_MUSCLE_NUMBERS] = {0.75, 1.05, -1, 200, 0.5, 1.6, 1.5, 1.3, 1.2};
    static const char *const keys[TRXI_MUSCLE_NUMBERS] = {[TRXI_MUSCLE_FORCE] = "force",       [TRXI_MUSCLE_SCALE] = "scale",
                                                          [TRXI_MUSCLE_SHORTEST] = "lmin",     [TRXI_MUSCLE_LONGEST] = "lmax",
                                                          [TRXI_MUSCLE_SPEED] = "vmax",        [TRXI_MUSCLE_PASSIVE] = "fpmax",
                                                          [TRXI_MUSCLE_LENGTHENING] = "fvmax"};
    static const double usual_times[2] = {0.01, 0.04};
    if (before) memcpy(law->gain, before->gain, sizeof law->gain), memcpy(law->times, before->times, sizeof law->times);
    for (int i = 0; i < TRXI_MUSCLE_NUMBERS; i++) {
        if (law->gain[i] == (i == 0)) law->gain[i] = usual[i];
        const double given = keys[i] ? trxi_mjcf_number(at, keys[i], -1) : -1;
        if (given >= 0) law->gain[i] = given;
    }
    for (int i = 0; i < 2; i++)
        if (law->times[i] == (i == 0)) law->times[i] = usual_times[i];
    trxi_mjcf_numbers(at, "range", 2, 2, law->gain);
    trxi_mjcf_numbers(at, "timeconst", 2, 2, law->times);
    law->times[2] = trxi_mjcf_number(at, "tausmooth", law->times[2]);
    memcpy(law->bias, law->gain, sizeof law->bias);
    law->fixed = false, law->muscle = law->passive = law->stateful = true;
    law->activation = TRX_ACTIVATION_MUSCLE;
}

static trxi_mjcf_law shortcut(const history *h, const trxi_mjcf_element *at)
{
    const char *kind = at->node->name;
    const trxi_mjcf_law *from = nearest(h, kind);
    trxi_mjcf_law law = {.kind = kind, .fixed = true, .gain = {1}, .times = {1}};
    if (is(kind, "motor")) return law;
    if (is(kind, "position")) {
        apply_position(at, from, &law);
        const bool filtered = from && is(from->kind, kind) && from->activation;
        const double time_constant = trxi_mjcf_number(at, "timeconst", filtered ? from->times[0] : 0);
        if (time_constant > 0) set_filter(time_constant, &law);
    } else if (is(kind, "intvelocity")) {
        apply_position(at, from, &law);
        law.stateful = true, law.activation = TRX_ACTIVATION_INTEGRATOR;
    } else if (is(kind, "velocity")) {
        law.affine = true;
        law.gain[0] = trxi_mjcf_number(at, "kv", from ? from->gain[0] : 1);
        law.bias[2] = -law.gain[0];
    } else if (is(kind, "cylinder"))
        apply_cylinder(at, from, &law);
    else if (is(kind, "muscle"))
        apply_muscle(at, h->count > 0 ? &h->laws[h->count - 1] : NULL, &law);
    else {
        law.fixed = false;
        law.unserved[0] = is(kind, "damper") ? MOVING_GAIN : UNSERVED;
        law.odd = is(kind, "pid") || is(kind, "orientation") || is(kind, "dcmotor") || is(kind, "plugin");
    }
    return law;
}

static void apply(history *h, trxi_xml_node *node)
{
    trxi_mjcf_element at = trxi_mjcf_plain(h->e->reader, node);
    if (h->count == MOST) return;
    trxi_mjcf_law law = {.kind = "", .fixed = true, .gain = {1}, .times = {1}};
    if (h->count > 0) law = h->laws[h->count - 1];
    if (is(node->name, "general"))
        apply_general(&at, &law);
    else
        law = shortcut(h, &at);
    h->laws[h->count++] = law;
}

// applies the first `count` elements of a class, after the elements that it inherits
static void apply_class(history *h, const trxi_mjcf_class *class, int count)
{
    if (!class) return;
    apply_class(h, class->parent, class->inherited);
    for (int i = 0; i < count; i++) {
        trxi_xml_node *node = TRXI_MJCF_AT(class->nodes, trxi_mjcf_default, i)->node;
        if (trxi_mjcf_is_actuator(node->name)) apply(h, node);
    }
}

static int length_of(const trxi_mjcf_class *class)
{
    int length = 1;
    for (; class && length < MOST; class = class->parent) length += class->nodes.count;
    return length < MOST ? length : MOST;
}

// reason why the curves of a muscle are not served
static const char *judge_muscle(const trxi_mjcf_law *law)
{
    static const int shared[] = {TRXI_MUSCLE_FROM, TRXI_MUSCLE_TO, TRXI_MUSCLE_FORCE, TRXI_MUSCLE_SCALE, TRXI_MUSCLE_LONGEST};
    if (law->passive && !law->muscle) return TWO_CURVES;
    for (size_t i = 0; i < sizeof shared / sizeof *shared && law->passive; i++)
        if (law->gain[shared[i]] != law->bias[shared[i]]) return TWO_CURVES;
    return NULL;
}

trxi_mjcf_law trxi_mjcf_read_law(const trxi_mjcf_element *e)
{
    history h = {.e = e, .laws = TRXI_DRAFT_TAKE(e->reader->draft, trxi_mjcf_law, length_of(e->class) + 1)};
    if (!h.laws) return (trxi_mjcf_law){.kind = "", .why = UNSERVED};
    apply_class(&h, e->class, e->class ? e->class->nodes.count : 0);
    apply(&h, e->node);
    trxi_mjcf_law *law = &h.laws[h.count - 1];
    for (int i = 0; i < 3 && !law->why; i++) law->why = law->unserved[i];
    if (!law->why) law->why = judge_muscle(law);
    return *law;
}
