// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Attributes of MJCF elements. An attribute that an element lacks comes from its class of defaults, else from the
// class around that class, and so on to the main class. Within a class the last element of the kind counts. A wrong
// value is reported once, however many elements inherit it.

#include "import/mjcf/mjcf.h"

#include "formats/scalar.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

bool trxi_mjcf_is_actuator(const char *name)
{
    static const char *const names[] = {"general",     "motor",   "position", "velocity", "intvelocity",
                                        "orientation", "pid",     "damper",   "cylinder", "muscle",
                                        "adhesion",    "dcmotor", "plugin"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

trxi_mjcf_element trxi_mjcf_plain(trxi_mjcf *reader, trxi_xml_node *node)
{
    return (trxi_mjcf_element){.reader = reader, .node = node, .kind = node->name};
}

void trxi_mjcf_error(const trxi_mjcf_element *e, trx_source source, const char *key, const char *format, ...)
{
    trxi_draft *draft = e->reader->draft;
    bool known = true;
    const char *place = trxi_draft_printf(draft, "%s:%d:%d:%s", source.file, source.line, source.column, key);
    if (!trxi_table_at(draft, &e->reader->reported, place, 0, &known) || known) return;

    char text[600];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    trxi_error_at(e->reader->context, source, "%s", text);
}

static bool counts(const trxi_mjcf_element *e, const trxi_xml_node *node)
{
    return strcmp(e->kind, "actuator") == 0 ? trxi_mjcf_is_actuator(node->name) : strcmp(e->kind, node->name) == 0;
}

// the attribute at the nearest place that sets the attribute, after `passed` places; NULL without such a place
static const char *text_beyond(const trxi_mjcf_element *e, const char *key, int passed, trx_source *where)
{
    if (where) *where = e->node->source;
    const char *text = trxi_xml_get(e->node, key);
    if (text && passed-- > 0) text = NULL;
    int count = e->class ? e->class->nodes.count : 0;
    for (const trxi_mjcf_class *class = e->class; !text && class; count = class->inherited, class = class->parent)
        for (int i = count - 1; !text && i >= 0; i--) {
            trxi_xml_node *node = TRXI_MJCF_AT(class->nodes, trxi_mjcf_default, i)->node;
            if (!counts(e, node)) continue;
            text = trxi_xml_get(node, key);
            if (text && passed-- > 0) text = NULL;
            if (where) *where = node->source;
        }
    return text;
}

const char *trxi_mjcf_text(const trxi_mjcf_element *e, const char *key, trx_source *where)
{
    return text_beyond(e, key, 0, where);
}

// the keys of one element, without its defaults: index of the first key, -1 without keys
static int own_key(const trxi_mjcf_element *e, const char *const *keys, int count)
{
    int found = -1;
    for (int i = 0; i < count; i++) {
        if (!trxi_xml_get(e->node, keys[i])) continue;
        if (found >= 0)
            trxi_mjcf_error(e, e->node->source, keys[i], "this %s has both %s and %s; keep one of them", e->node->name,
                            keys[found], keys[i]);
        else
            found = i;
    }
    return found;
}

int trxi_mjcf_choice(const trxi_mjcf_element *e, const char *const *keys, int count, trxi_mjcf_element *at)
{
    *at = *e;
    at->class = NULL;
    int found = own_key(at, keys, count), nodes = e->class ? e->class->nodes.count : 0;
    for (const trxi_mjcf_class *class = e->class; found < 0 && class; nodes = class->inherited, class = class->parent)
        for (int i = nodes - 1; found < 0 && i >= 0; i--) {
            at->node = TRXI_MJCF_AT(class->nodes, trxi_mjcf_default, i)->node;
            if (counts(e, at->node)) found = own_key(at, keys, count);
        }
    return found;
}

const char *trxi_mjcf_required(const trxi_mjcf_element *e, const char *key)
{
    const char *text = trxi_mjcf_text(e, key, NULL);
    if (!text) trxi_mjcf_error(e, e->node->source, key, "this %s needs the attribute %s", e->node->name, key);
    return text;
}

// messages repeat at most this much of a wrong value
static const char *shortened(const trxi_mjcf_element *e, const char *text)
{
    return strlen(text) <= 60 ? text : trxi_draft_printf(e->reader->draft, "%.60s...", text);
}

int trxi_mjcf_numbers(const trxi_mjcf_element *e, const char *key, int least, int most, double *values)
{
    trx_source where;
    const char *text = trxi_mjcf_text(e, key, &where);
    if (!text) return 0;
    double *read = TRXI_DRAFT_TAKE(e->reader->draft, double, most);
    if (!read) return 0;
    int count = trxi_xml_numbers(text, most, read);
    if (count < least) {
        const char *wanted = most == 1 ? "one number" : trxi_draft_printf(e->reader->draft, "%d numbers", most);
        if (least < most) wanted = trxi_draft_printf(e->reader->draft, "%d to %d numbers", least, most);
        trxi_mjcf_error(e, where, key, "%s of this %s is '%s'; write %s", key, e->node->name, shortened(e, text),
                        wanted);
        return 0;
    }
    memcpy(values, read, (size_t)count * sizeof *values);
    return count;
}

int trxi_mjcf_numbers_over(const trxi_mjcf_element *e, const char *key, int most, double *values)
{
    int have = trxi_mjcf_numbers(e, key, 1, most, values);
    double *read = TRXI_DRAFT_TAKE(e->reader->draft, double, most);
    const char *text = NULL;
    for (int passed = 1; read && have > 0 && have < most && (text = text_beyond(e, key, passed, NULL)); passed++)
        for (int count = trxi_xml_numbers(text, most, read); have < count; have++) values[have] = read[have];
    return have;
}

double trxi_mjcf_number(const trxi_mjcf_element *e, const char *key, double fallback)
{
    double value = fallback;
    trxi_mjcf_numbers(e, key, 1, 1, &value);
    return value;
}

int trxi_mjcf_integer(const trxi_mjcf_element *e, const char *key, int fallback)
{
    double value = fallback;
    trx_source where;
    const char *text = trxi_mjcf_text(e, key, &where);
    if (trxi_mjcf_numbers(e, key, 1, 1, &value) == 0) return fallback;
    if (value == floor(value) && fabs(value) < 2147483648.0) return (int)value;
    trxi_mjcf_error(e, where, key, "%s of this %s is '%s'; write a whole number", key, e->node->name,
                    shortened(e, text));
    return fallback;
}

int trxi_mjcf_word(const trxi_mjcf_element *e, const char *key, const char *const *words, int count, int fallback)
{
    trx_source where;
    const char *text = trxi_mjcf_text(e, key, &where);
    if (!text) return fallback;
    for (int i = 0; i < count; i++)
        if (strcmp(text, words[i]) == 0) return i;

    const char *list = words[0];
    for (int i = 1; i < count; i++)
        list = trxi_draft_printf(e->reader->draft, "%s%s%s", list, i + 1 < count ? ", " : " or ", words[i]);
    trxi_mjcf_error(e, where, key, "%s of this %s is '%s'; write %s", key, e->node->name, shortened(e, text), list);
    return fallback;
}

bool trxi_mjcf_flag(const trxi_mjcf_element *e, const char *key, bool fallback)
{
    static const char *const words[] = {"false", "true"};
    return trxi_mjcf_word(e, key, words, 2, fallback) == 1;
}

// two numbers of which one at least is inf or -inf; false for other texts
static bool endless(const char *text, double out[2])
{
    char words[2][64], more;
    if (!text || sscanf(text, "%63s %63s %c", words[0], words[1], &more) != 2) return false;
    for (int i = 0; i < 2; i++) {
        const char *word = words[i] + (words[i][0] == '-' || words[i][0] == '+');
        const bool infinite = strcasecmp(word, "inf") == 0 || strcasecmp(word, "infinity") == 0;
        if (infinite)
            out[i] = words[i][0] == '-' ? -INFINITY : INFINITY;
        else if (!trxi_number_parse(words[i], &out[i]))
            return false;
    }
    return isinf(out[0]) || isinf(out[1]);
}

bool trxi_mjcf_range(const trxi_mjcf_element *e, const char *range, const char *limited, double out[2])
{
    static const char *const words[] = {"false", "true", "auto"};
    double values[2] = {0, 0};
    trx_source where;
    const char *text = trxi_mjcf_text(e, range, &where);
    bool given = endless(text, values) || trxi_mjcf_numbers(e, range, 2, 2, values) == 2;
    int limits = trxi_mjcf_word(e, limited, words, 3, 2);

    // a range of two zeros is no range unless it is enabled explicitly
    if (limits == 2 && given && !(values[0] == 0 && values[1] == 0)) {
        if (!e->reader->compiler.autolimits)
            trxi_mjcf_error(e, where, range,
                            "this %s has a %s that is not in force: without autolimits write %s as true "
                            "or false",
                            e->node->name, range, limited);
        limits = 1;
    }
    if (limits != 1) return false;
    if (values[0] < values[1]) {
        out[0] = values[0], out[1] = values[1];
        return true;
    }
    if (given)
        trxi_mjcf_error(e, where, range, "%s of this %s is '%g %g'; the smaller number comes first", range,
                        e->node->name, values[0], values[1]);
    else
        trxi_mjcf_error(e, e->node->source, range, "%s of this %s is true, but it has no %s", limited, e->node->name,
                        range);
    return false;
}
