// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A problem-like text with every construct of the YAML subset, and comparison of trees; shared by the YAML tests.

#ifndef TESTS_FORMATS_YAML_SAMPLE_H
#define TESTS_FORMATS_YAML_SAMPLE_H

#include "formats/yaml.h"

#include <string.h>

static const char yaml_sample[] =
    "# a comment\n"
    "tractrix: 1\n"
    "title: Push a box 15 cm across a table   # another\n"
    "model:\n"
    "  gravity: [0, 0, -9.81]\n"
    "  nothing:\n"
    "  bodies:\n"
    "    - name: box\n"
    "      geometry:\n"
    "        - {shape: box, size: [0.1, 0.1, 0.1], mass: 0.5}\n"
    "        - {shape: \"sphere\", empty: [], none: {}}\n"
    "    - name: 'pusher''s'\n"
    "      text: |\n"
    "        one\n"
    "        two\n"
    "      folded: >-\n"
    "        three\n"
    "        four\n"
    "    - - nested\n"
    "      -\n"
    "      - [a, [b, {c: d}]]\n"
    "contact: {tolerance: 1.0e-6, \"quoted key\": \"\\u00fc\\n\\t\\\"\"}\n"
    "mpc: {noise: {box.position: 0.001}}\n"
    "f\xC3\xBC: \"pair(box, ground).friction\"\n";

/// Whether two trees are equal but for their places. A plain scalar may have become quoted.
static inline bool yaml_equal(const trxi_yaml_node *a, const trxi_yaml_node *b)
{
    if (a->kind != b->kind || a->count != b->count || strcmp(a->text, b->text) != 0) return false;
    if (a->quoted && !b->quoted) return false;
    if (!a->quoted && !a->text[0] && b->quoted) return false; // no value stays no value
    for (int i = 0; i < a->count; i++) {
        if (a->kind == TRXI_YAML_MAPPING && strcmp(a->keys[i], b->keys[i]) != 0) return false;
        if (!yaml_equal(a->items[i], b->items[i])) return false;
    }
    return true;
}

#endif
