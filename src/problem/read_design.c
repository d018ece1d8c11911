// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The mapping fit.design: what a planned motion records, its limits, and the search of a better one (docs/problem_file.md, fit).

#include "problem/read_fit.h"

#include <math.h>

typedef struct design_record {
    const trxi_yaml_node *record, *limits, *controls, *criterion;
    int every, knots, evaluations, seed;
} design_record;

static const trxi_field design_fields[] = {
    TRXI_FIELD("record", TRXI_LIST, design_record, record, .required = true),
    TRXI_FIELD("every", TRXI_COUNT, design_record, every),
    TRXI_FIELD("criterion", TRXI_NODE, design_record, criterion),
    TRXI_FIELD("knots", TRXI_COUNT, design_record, knots),
    TRXI_FIELD("evaluations", TRXI_INDEX, design_record, evaluations),
    TRXI_FIELD("seed", TRXI_INDEX, design_record, seed),
    TRXI_FIELD("limits", TRXI_MAP, design_record, limits),
    TRXI_FIELD("controls", TRXI_MAP, design_record, controls),
};

// NAME: [lower, upper] of every key
static int read_ranges(trxi_reader *reader, const trxi_yaml_node *node, trxi_design_range **ranges)
{
    *ranges = node ? TRXI_READER_TAKE(reader, trxi_design_range, node->count) : NULL;
    for (int i = 0; node && i < node->count && reader->memory; i++) {
        trxi_design_range *r = &(*ranges)[i];
        *r = (trxi_design_range){.name = node->keys[i], .source = node->key_sources[i]};
        if (trxi_read_vector(reader, node->items[i], node->keys[i], 2, r->range) && !(r->range[0] < r->range[1]))
            trxi_error_at(reader->context, node->items[i]->source, "%.100s: write the lower limit before the upper one",
                          node->keys[i]);
    }
    return node ? node->count : 0;
}

static void read_columns(trxi_reader *reader, const trxi_yaml_node *node, trxi_design_section *design)
{
    design->record = TRXI_READER_TAKE(reader, const char *, node->count);
    for (int i = 0; i < node->count && reader->memory; i++)
        if (trxi_expect_text(reader, node->items[i], "record", "a column such as arm.x"))
            design->record[design->nrecord++] = node->items[i]->text;
}

void trxi_read_design(trxi_reader *reader, const trxi_yaml_node *node, trxi_design_section *design)
{
    static const char *const criteria[] = {"trace", "log_determinant"};
    trx_fit_design_settings set = trx_fit_design_settings_default();
    design_record record = {.every = 1, .knots = set.knots, .evaluations = set.evaluations, .seed = (int)set.seed};
    int criterion = (int)set.criterion;
    *design = (trxi_design_section){0};
    if (!node || !TRXI_READ_RECORD(reader, node, "design", design_fields, &record) || !record.record) return;
    if (record.criterion) trxi_read_word(reader, record.criterion, "criterion", criteria, 2, &criterion);
    if (record.knots < 2) trxi_error_at(reader->context, trxi_yaml_get(node, "knots")->source, "knots: write 2 or more");
    design->given = true;
    design->source = node->source;
    design->every = record.every;
    set.criterion = (trx_fit_criterion)criterion;
    set.knots = record.knots;
    set.evaluations = record.evaluations;
    set.seed = (unsigned long long)record.seed;
    design->settings = set;
    read_columns(reader, record.record, design);
    design->nlimit = read_ranges(reader, record.limits, &design->limits);
    design->ncontrol = read_ranges(reader, record.controls, &design->controls);
}
