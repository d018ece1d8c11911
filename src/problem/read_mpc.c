// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The section mpc: planner, plant and duration of `tractrix mpc` (docs/problem_file.md, mpc).

#include "problem/read_mpc.h"

#include <string.h>

typedef struct mpc_record {
    double duration, replan_every, latency, delay, deadline, friction_margin, search_effort, search_delay, goal_weight;
    double plant_delay, plant_latency, age, dropped;
    int horizon, least_horizon, iterations, refine, soft_stages, seed;
    const trxi_yaml_node *noise, *pushes, *plant;
} mpc_record;

static const trxi_field mpc_fields[] = {
    TRXI_FIELD("duration", TRXI_POSITIVE, mpc_record, duration, .of = TRXI_OF_TIME),
    TRXI_FIELD("replan_every", TRXI_POSITIVE, mpc_record, replan_every, .of = TRXI_OF_TIME),
    TRXI_FIELD("horizon", TRXI_COUNT, mpc_record, horizon, .of = TRXI_OF_STEPS),
    TRXI_FIELD("least_horizon", TRXI_COUNT, mpc_record, least_horizon, .of = TRXI_OF_STEPS),
    TRXI_FIELD("iterations", TRXI_COUNT, mpc_record, iterations, .of = TRXI_OF_ITERATIONS),
    TRXI_FIELD("deadline", TRXI_POSITIVE, mpc_record, deadline, .of = TRXI_OF_TIME),
    TRXI_FIELD("latency", TRXI_NOT_NEGATIVE, mpc_record, latency, .of = TRXI_OF_TIME),
    TRXI_FIELD("delay", TRXI_NOT_NEGATIVE, mpc_record, delay, .of = TRXI_OF_TIME),
    TRXI_FIELD("refine", TRXI_COUNT, mpc_record, refine),
    TRXI_FIELD("soft_stages", TRXI_COUNT, mpc_record, soft_stages),
    TRXI_FIELD("friction_margin", TRXI_NOT_NEGATIVE, mpc_record, friction_margin),
    TRXI_FIELD("goal_weight", TRXI_POSITIVE, mpc_record, goal_weight),
    TRXI_FIELD("search_effort", TRXI_NOT_NEGATIVE, mpc_record, search_effort),
    TRXI_FIELD("search_delay", TRXI_NOT_NEGATIVE, mpc_record, search_delay, .of = TRXI_OF_TIME),
    TRXI_FIELD("plant_delay", TRXI_NOT_NEGATIVE, mpc_record, plant_delay, .of = TRXI_OF_TIME),
    TRXI_FIELD("plant_latency", TRXI_NOT_NEGATIVE, mpc_record, plant_latency, .of = TRXI_OF_TIME),
    TRXI_FIELD("age", TRXI_NOT_NEGATIVE, mpc_record, age, .of = TRXI_OF_TIME),
    TRXI_FIELD("dropped", TRXI_NOT_NEGATIVE, mpc_record, dropped),
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
        set = trxi_reader_printf(reader, "%s=%s", key, trxi_text_get(&text));
    }
    trxi_text_destroy(&text);
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

static mpc_record record_of(const trx_mpc_problem *mpc)
{
    const trx_mpc_settings *s = &mpc->settings;
    return (mpc_record){.duration = mpc->duration, .replan_every = mpc->period, .latency = s->latency, .deadline = s->deadline,
                        .horizon = s->horizon, .least_horizon = s->least_horizon, .iterations = s->iterations,
                        .delay = s->delay, .refine = s->refine, .soft_stages = s->soft_stages,
                        .friction_margin = s->friction_margin, .search_effort = s->search_effort,
                        .search_delay = s->search_delay, .goal_weight = s->goal_weight, .plant_delay = mpc->plant_delay,
                        .plant_latency = mpc->plant_latency, .age = mpc->age, .dropped = mpc->dropped, .seed = (int)mpc->seed};
}

static void take_record(const mpc_record *record, trx_mpc_problem *mpc)
{
    trx_mpc_settings *s = &mpc->settings;
    mpc->duration = record->duration;
    mpc->period = record->replan_every;
    mpc->plant_delay = record->plant_delay;
    mpc->plant_latency = record->plant_latency;
    mpc->age = record->age;
    mpc->dropped = record->dropped;
    mpc->seed = (unsigned long long)record->seed;
    s->latency = record->latency;
    s->deadline = record->deadline;
    s->horizon = record->horizon;
    s->least_horizon = record->least_horizon;
    s->iterations = record->iterations;
    s->delay = record->delay;
    s->refine = record->refine;
    s->soft_stages = record->soft_stages;
    s->friction_margin = record->friction_margin;
    s->search_effort = record->search_effort;
    s->search_delay = record->search_delay;
    s->goal_weight = record->goal_weight;
}

void trxi_read_mpc(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene, trxi_mpc_section *section)
{
    trx_mpc_problem *mpc = &section->mpc;
    mpc_record record = record_of(mpc);
    if (!node || !TRXI_READ_RECORD(reader, node, "mpc", mpc_fields, &record)) return;
    check_dropped(reader, node, record.dropped);
    if (record.noise) trxi_read_noise(reader, record.noise, scene, &section->disturbances);
    if (record.pushes && reader->memory) trxi_read_pushes(reader, record.pushes, scene, &section->disturbances);
    if (record.plant && reader->memory) read_plant(reader, record.plant, mpc);
    take_record(&record, mpc);
}
