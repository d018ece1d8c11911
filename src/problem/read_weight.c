// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Weights of cost terms. A schedule, `{base: W, times: [...], factors: [...]}` or `{base: W, file: CSV}`, becomes one set of
// weights per knot: factors are linear between two times, and constant before the first and after the last.

#include "problem/read_weight.h"

#include <string.h>

static const trxi_field weight_field = {.key = "weight", .kind = TRXI_NOT_NEGATIVE};

typedef struct schedule_record {
    const trxi_yaml_node *base, *times, *factors;
    const char *file;
} schedule_record;

static const trxi_field schedule_fields[] = {
    TRXI_FIELD("base", TRXI_NODE, schedule_record, base),
    TRXI_FIELD("times", TRXI_LIST, schedule_record, times),
    TRXI_FIELD("factors", TRXI_LIST, schedule_record, factors),
    TRXI_FIELD("file", TRXI_PATH, schedule_record, file),
};

// one number for all components, or one per component
static void read_numbers(trxi_reader *reader, const trxi_yaml_node *node, trxi_term *term)
{
    const int count = term->of.dimension;
    double scalar = 1;
    if (node->kind != TRXI_YAML_SEQUENCE) {
        if (trxi_read_value(reader, node, &weight_field, &scalar))
            for (int i = 0; i < count; i++) term->weight[i] = scalar;
        return;
    }
    if (node->count != count) {
        trxi_error_at(reader->context, node->source,
                      "weight: %.100s has %d components, but %d weights are given: write one, or %d", term->of.text,
                      count, node->count, count);
        return;
    }
    for (int i = 0; i < count; i++) trxi_read_value(reader, node->items[i], &weight_field, &term->weight[i]);
}

static void check_factors(trxi_reader *reader, trx_source source, const trxi_time_table *table)
{
    for (int i = 0; i < table->rows; i++) {
        if (i > 0 && !(table->times[i] > table->times[i - 1]))
            trxi_error_at(reader->context, source, "times: %g does not come after %g: write later times", table->times[i],
                          table->times[i - 1]);
        if (table->values[i] < 0)
            trxi_error_at(reader->context, source, "a factor is %g: write numbers of 0 or above", table->values[i]);
    }
}

// times and factors from the problem file
static bool read_lists(trxi_reader *reader, const trxi_yaml_node *node, const schedule_record *record, trxi_time_table *table)
{
    if (!record->times || !record->factors || record->times->count == 0 || record->times->count != record->factors->count) {
        trxi_error_at(reader->context, node->source, "weight: write as many times as factors, at least one, or a file");
        return false;
    }
    const int rows = record->times->count;
    *table = (trxi_time_table){.rows = rows, .times = TRXI_READER_TAKE(reader, double, rows),
                               .values = TRXI_READER_TAKE(reader, double, rows)};
    return table->times && table->values && trxi_read_vector(reader, record->times, "times", rows, table->times) &&
           trxi_read_vector(reader, record->factors, "factors", rows, table->values);
}

static void read_schedule(trxi_reader *reader, const trxi_yaml_node *node, trxi_term *term)
{
    static const char *const names[] = {"factor"};
    const double defaults[] = {1};
    schedule_record record = {0};
    trxi_time_table *table = TRXI_READER_TAKE(reader, trxi_time_table, 1);
    if (!table || !TRXI_READ_RECORD(reader, node, "weight", schedule_fields, &record)) return;
    if (record.base) read_numbers(reader, record.base, term);
    if (record.file && (record.times || record.factors)) {
        trxi_error_at(reader->context, node->source, "weight: times and factors stand in the file: remove them here");
        return;
    }
    const trxi_yaml_node *file = trxi_yaml_get(node, "file");
    if (record.file && !trxi_time_table_read(reader, file->source, record.file, names, defaults, 1, table)) return;
    if (!record.file && !read_lists(reader, node, &record, table)) return;
    check_factors(reader, node->source, table);
    term->schedule = table;
}

void trxi_read_weight(trxi_reader *reader, const trxi_yaml_node *node, trxi_term *term)
{
    term->weight = TRXI_READER_TAKE(reader, double, term->of.dimension);
    for (int i = 0; term->weight && i < term->of.dimension; i++) term->weight[i] = 1;
    if (!node || !term->weight) return;
    if (node->kind == TRXI_YAML_MAPPING) read_schedule(reader, node, term);
    else read_numbers(reader, node, term);
}

static double factor_at(const trxi_time_table *table, double t)
{
    int row = 0;
    while (row + 1 < table->rows && table->times[row + 1] <= t) row++;
    const double *times = table->times + row, *values = table->values + row;
    if (row + 1 == table->rows || t <= times[0]) return values[0];
    return values[0] + (t - times[0]) / (times[1] - times[0]) * (values[1] - values[0]);
}

void trxi_weight_resolve(trxi_reader *reader, const trxi_term *entry, const trxi_task *task, trx_cost_term *term)
{
    const size_t count = (size_t)entry->of.dimension;
    term->weight = entry->weight;
    if (!entry->schedule) return;
    double *weights = trxi_pool_take(reader->pool, (size_t)task->steps + 1, count * sizeof *weights);
    if (!weights) {
        reader->memory = false;
        return;
    }
    for (size_t k = 0; k <= (size_t)task->steps; k++) {
        // a knot that misses a time of the schedule by round-off is at that time
        const double factor = factor_at(entry->schedule, (double)k * task->time_step * (1 + 1e-12));
        for (size_t i = 0; i < count; i++) weights[k * count + i] = factor * entry->weight[i];
    }
    term->weight = weights;
    term->weight_stride = (int)count;
}
