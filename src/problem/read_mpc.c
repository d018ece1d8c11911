// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The section mpc: planner, plant and duration of `tractrix mpc` (docs/problem_file.md, mpc).

#include "problem/read_mpc.h"

#include <string.h>

typedef struct mpc_record {
    trx_mpc_problem mpc;
    int seed, gains;
    const trxi_yaml_node *noise, *pushes, *plant;
} mpc_record;

// which gains act between ticks
enum { SOLVER_GAINS, POLICY_GAINS, GAINS };

static const char *const gains_words[GAINS] = {"solver", "policy"};

static const trxi_field mpc_fields[] = {
    TRXI_FIELD("duration", TRXI_POSITIVE, mpc_record, mpc.duration, .of = TRXI_OF_TIME),
    TRXI_FIELD("replan_every", TRXI_POSITIVE, mpc_record, mpc.period, .of = TRXI_OF_TIME),
    TRXI_FIELD("horizon", TRXI_COUNT, mpc_record, mpc.settings.horizon, .of = TRXI_OF_STEPS),
    TRXI_FIELD("least_horizon", TRXI_COUNT, mpc_record, mpc.settings.least_horizon, .of = TRXI_OF_STEPS),
    TRXI_FIELD("iterations", TRXI_COUNT, mpc_record, mpc.settings.iterations, .of = TRXI_OF_ITERATIONS),
    TRXI_FIELD("deadline", TRXI_POSITIVE, mpc_record, mpc.settings.deadline, .of = TRXI_OF_TIME),
    TRXI_FIELD("latency", TRXI_NOT_NEGATIVE, mpc_record, mpc.settings.latency, .of = TRXI_OF_TIME),
    TRXI_FIELD("delay", TRXI_NOT_NEGATIVE, mpc_record, mpc.settings.delay, .of = TRXI_OF_TIME),
    TRXI_FIELD("refine", TRXI_COUNT, mpc_record, mpc.settings.refine),
    TRXI_FIELD("soft_stages", TRXI_INDEX, mpc_record, mpc.settings.soft_stages),
    TRXI_FIELD("friction_margin", TRXI_NOT_NEGATIVE, mpc_record, mpc.settings.friction_margin),
    TRXI_FIELD("goal_weight", TRXI_POSITIVE, mpc_record, mpc.settings.goal_weight),
    TRXI_FIELD("friction_range", TRXI_NOT_NEGATIVE, mpc_record, mpc.settings.friction_range),
    TRXI_FIELD("gains", TRXI_WORD, mpc_record, gains, .words = gains_words, .count = GAINS),
    TRXI_FIELD("search_effort", TRXI_NOT_NEGATIVE, mpc_record, mpc.settings.search_effort),
    TRXI_FIELD("search_delay", TRXI_NOT_NEGATIVE, mpc_record, mpc.settings.search_delay, .of = TRXI_OF_TIME),
    TRXI_FIELD("plant_delay", TRXI_NOT_NEGATIVE, mpc_record, mpc.plant_delay, .of = TRXI_OF_TIME),
    TRXI_FIELD("plant_latency", TRXI_NOT_NEGATIVE, mpc_record, mpc.plant_latency, .of = TRXI_OF_TIME),
    TRXI_FIELD("age", TRXI_NOT_NEGATIVE, mpc_record, mpc.age, .of = TRXI_OF_TIME),
    TRXI_FIELD("dropped", TRXI_NOT_NEGATIVE, mpc_record, mpc.dropped),
    TRXI_FIELD("seed", TRXI_INDEX, mpc_record, seed),
    TRXI_FIELD("noise", TRXI_MAP, mpc_record, noise),
    TRXI_FIELD("pushes", TRXI_LIST, mpc_record, pushes),
    TRXI_FIELD("plant", TRXI_MAP, mpc_record, plant),
};

// ---- the plant ----

static bool is_path(const char *key)
{
    static const char *const sections[] = {"model", "contact", "time"};
    const size_t length = strcspn(key, ".");
    bool known = false;
    for (int s = 0; s < 3; s++) known = known || (strlen(sections[s]) == length && strncmp(sections[s], key, length) == 0);
    return known && key[length] != '\0';
}

// "KEY=VALUE", as --set takes it; NULL when memory is out
static const char *override(trxi_reader *reader, const char *key, const trxi_yaml_node *value)
{
    trxi_text text = trxi_text_create(reader->context);
    const char *set = NULL;
    if (trxi_yaml_write(value, &text) >= 0) {
        while (text.length > 0 && text.data[text.length - 1] == '\n') text.data[--text.length] = '\0';
        set = trxi_pool_printf(reader->pool, "%s=%s", key, trxi_text_get(&text)); // of any length
    }
    trxi_text_destroy(&text);
    if (!set) reader->memory = false;
    return set;
}

// dotted paths into the sections that describe the plant, with their values
static void read_plant(trxi_reader *reader, const trxi_yaml_node *map, trx_mpc_problem *mpc)
{
    const char **sets = TRXI_READER_TAKE(reader, const char *, map->count + 1);
    for (int i = 0; sets && i < map->count && reader->memory; i++) {
        if (is_path(map->keys[i])) sets[mpc->nplant++] = override(reader, map->keys[i], map->items[i]);
        else
            trxi_error_at(reader->context, map->key_sources[i],
                          "plant: \"%.100s\" is no path into the plant: write model.KEY, contact.KEY or time.KEY", map->keys[i]);
    }
    mpc->plant = sets;
}

// reports a share above 1
static void check_dropped(trxi_reader *reader, const trxi_yaml_node *node, double dropped)
{
    if (dropped > 1)
        trxi_error_at(reader->context, trxi_yaml_get(node, "dropped")->source, "dropped is %g: write a share of the ticks, 0 to 1",
                      dropped);
}

void trxi_read_mpc(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene, trxi_mpc_section *section)
{
    trx_mpc_problem *mpc = &section->mpc;
    mpc_record record = {.mpc = *mpc, .seed = (int)mpc->seed};
    if (!node || !TRXI_READ_RECORD(reader, node, "mpc", mpc_fields, &record)) return;
    check_dropped(reader, node, record.mpc.dropped);
    if (record.noise) trxi_read_noise(reader, record.noise, scene, &section->disturbances);
    if (record.pushes && reader->memory) trxi_read_pushes(reader, record.pushes, scene, &section->disturbances);
    *mpc = record.mpc;
    mpc->seed = (unsigned long long)record.seed;
    section->policy_gains = record.gains == POLICY_GAINS;
    if (record.plant && reader->memory) read_plant(reader, record.plant, mpc);
}
