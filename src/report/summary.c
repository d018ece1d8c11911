// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// summary.json: input, outcome and quality of a run (docs/run_folder.md). A number that is unknown or not finite is
// null. Simulations have no stages and no `fine` replay.

#include "report/loop.h"

#include "formats/json.h"
#include "model/model.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

const char *trxi_status_word(trx_status status)
{
    switch (status) {
    case TRX_OK:
    case TRX_ROUND_OFF: return "converged";
    case TRX_STALLED: return "stalled";
    case TRX_ITERATION_LIMIT: return "iteration_limit";
    case TRX_TIME_LIMIT: return "time_limit";
    case TRX_INTERRUPTED: return "interrupted";
    case TRX_PROCESS_LOST: return "solver_lost";
    default: return "failed";
    }
}

static const char *second_try_word(trx_second_try tried)
{
    return tried == TRX_TRY_KEPT ? "kept" : tried == TRX_TRY_WORSE ? "worse" : "none";
}

// components of a goal's error; all are null when the trajectory failed
static void write_components(trxi_json *json, const trx_goal_result *goal)
{
    trxi_json_put_array(json, "components");
    for (int i = 0; trxi_json_next_object(json, i, goal->ncomponent); i++) {
        trxi_json_put_string(json, "name", goal->names[i]);
        trxi_json_put_number(json, "error", isfinite(goal->error) ? goal->components[i] : NAN);
        trxi_json_put_string(json, "unit", goal->units[i]);
    }
}

static void write_goals(trxi_json *json, const trx_goal_result *goals, int count)
{
    trxi_json_put_array(json, "goals");
    for (int i = 0; trxi_json_next_object(json, i, count); i++) {
        trxi_json_put_string(json, "name", goals[i].name);
        trxi_json_put_number(json, "error", goals[i].error);
        trxi_json_put_number(json, "tolerance", goals[i].tolerance);
        trxi_json_put_bool(json, "met", goals[i].met);
        write_components(json, &goals[i]);
    }
}

// the first `asked` are limits of the problem
static void write_limits(trxi_json *json, const trx_limit_result *limits, int count, int asked)
{
    trxi_json_put_array(json, "limits");
    for (int i = 0; trxi_json_next_object(json, i, count); i++) {
        const trx_limit_result *limit = &limits[i];
        trxi_json_put_string(json, "name", limit->name);
        trxi_json_put_number(json, "violation", limit->violation);
        trxi_json_put_number(json, "tolerance", limit->tolerance);
        trxi_json_put_bool(json, "met", limit->met);
        trxi_json_put_number(json, "knot", limit->knot < 0 ? NAN : (double)limit->knot);
        trxi_json_put_string(json, "component", limit->component);
        trxi_json_put_string(json, "unit", limit->unit);
        trxi_json_put_bool(json, "asked", i < asked);
    }
}

// A plan leans on its time step where a goal is met at the step of the plan and missed at a tenth of it (theory 7, replays).
const trx_goal_result *trx_run_doubtful_goal(const trx_run *run)
{
    const trx_goal_result *worst = NULL;
    double most = 1;
    for (int i = 0; run->planned && i < run->ngoal; i++) {
        const trx_goal_result *fine = &run->fine.goals[i];
        const double times = fine->error / fine->tolerance;
        if (!run->physical.goals[i].met || !(times > most)) continue;
        most = times;
        worst = fine;
    }
    return worst;
}

// the goal that is met at the step of the plan alone; null: none
static void write_doubt(trxi_json *json, const trx_run *run)
{
    const trx_goal_result *goal = trx_run_doubtful_goal(run);
    if (!trxi_json_put_object_if(json, "leans_on_time_step", goal != NULL)) return;
    assert(goal);
    trxi_json_put_string(json, "goal", goal->name);
    trxi_json_put_number(json, "times_tolerance", goal->error / goal->tolerance);
    trxi_json_end_object(json);
}

// `name`: null without such a replay
static void write_replay(trxi_json *json, const trx_run *run, const char *name, const trx_replay *replay, bool present)
{
    if (!trxi_json_put_object_if(json, name, present)) return;
    trxi_json_put_string(json, "status", trxi_status_word(replay->status));
    trxi_json_put_number(json, "cost", run->has_cost ? replay->cost : NAN);
    trxi_json_put_number(json, "penetration", replay->penetration);
    trxi_json_put_number(json, "slip", replay->slip);
    trxi_json_put_number(json, "momentum_residual", replay->momentum_residual);
    write_goals(json, replay->goals, run->ngoal);
    if (replay->limits) write_limits(json, replay->limits, run->nasked, run->nasked);
    trxi_json_end_object(json);
}

// values of a stage that stay as in the model are left out
static void put_if_set(trxi_json *json, const char *key, double value)
{
    if (!isnan(value)) trxi_json_put_number(json, key, value);
}

static void write_settings(trxi_json *json, const trx_stage *stage)
{
    trxi_json_put_object(json, "settings");
    trxi_json_put_bool(json, "physical", stage->physical);
    if (!stage->physical) {
        const char *approximation = trx_approximation_name((trx_approximation)stage->approximation);
        if (stage->approximation >= 0) trxi_json_put_string(json, "approximation", approximation);
        const char *model = trx_contact_model_name((trx_contact_model)stage->contact_model);
        if (stage->contact_model >= 0) trxi_json_put_string(json, "model", model);
        put_if_set(json, "kappa", stage->kappa);
        const char *force_law = trx_force_law_name((trx_force_law)stage->force_law);
        if (stage->force_law >= 0) trxi_json_put_string(json, "force_law", force_law);
        put_if_set(json, "smoothing", stage->smoothing);
        put_if_set(json, "stiffness", stage->stiffness);
        put_if_set(json, "dissipation", stage->dissipation);
        put_if_set(json, "relaxation_time", stage->relaxation_time);
        put_if_set(json, "friction", stage->friction);
        put_if_set(json, "stiction_tolerance", stage->stiction_tolerance);
    }
    trxi_json_put_int(json, "iterations", stage->iterations);
    trxi_json_put_number(json, "tolerance", stage->tolerance);
    trxi_json_end_object(json);
}

static void write_stages(trxi_json *json, const trx_run *run)
{
    trxi_json_put_array(json, "stages");
    for (int i = 0; trxi_json_next_object(json, i, run->nstage); i++) {
        const trxi_stage_record *stage = &run->stages[i];
        write_settings(json, &stage->set);
        trxi_json_put_number(json, "cost", stage->info.cost);
        trxi_json_put_int(json, "iterations", stage->info.iterations);
        trxi_json_put_number(json, "seconds", stage->info.seconds);
        trxi_json_put_string(json, "status", trxi_status_word(stage->info.status));
    }
}

static void write_candidate(trxi_json *json, const trx_candidate *c)
{
    trxi_json_put_int(json, "number", c->number);
    trxi_json_put_int(json, "parent", c->parent);
    trxi_json_put_int(json, "piece", c->piece);
    trxi_json_put_string(json, "kind", trx_candidate_kind_name(c->kind));
    trxi_json_put_string(json, "outcome", trx_candidate_outcome_name(c->outcome));
    trxi_json_put_string(json, "placement", c->placement);
    trxi_json_put_number(json, "miss", c->score);
    trxi_json_put_int(json, "first", c->first);
    trxi_json_put_int(json, "last", c->last);
    trxi_json_put_int(json, "approach", c->approach);
    trxi_json_put_number(json, "error", c->error);
    trxi_json_put_number(json, "fine", c->fine);
    trxi_json_put_number(json, "cost", c->cost);
    trxi_json_put_int(json, "iterations", c->iterations);
    trxi_json_put_int(json, "simulations", c->simulations);
    trxi_json_put_number(json, "seconds", c->seconds);
}

// null without a search
static void write_search(trxi_json *json, const trx_run *run)
{
    if (!trxi_json_put_object_if(json, "search", run->searched)) return;
    trxi_json_put_string(json, "status", trxi_status_word(run->search.status));
    trxi_json_put_string(json, "message", run->search.message);
    trxi_json_put_int(json, "best", run->search.best);
    trxi_json_put_number(json, "seconds", run->search.seconds);
    trxi_json_put_array(json, "candidates");
    for (int i = 0; trxi_json_next_object(json, i, run->search.ncandidate); i++) write_candidate(json, &run->search.candidates[i]);
    trxi_json_end_object(json);
}

static void write_before_and_after(trxi_json *json, const char *name, const double values[2])
{
    trxi_json_put_named(json, name, 2, (const char *const[]){"before", "after"}, values);
}

// worlds of a robust plan and its costs
static void write_robust(trxi_json *json, const trx_run *run)
{
    if (!trxi_json_put_object_if(json, "robust", run->made_robust)) return;
    trxi_json_put_int(json, "worlds", run->robust.worlds);
    trxi_json_put_int(json, "iterations", run->robust.iterations);
    trxi_json_put_string(json, "status", trxi_status_word(run->robust.status));
    write_before_and_after(json, "nominal", run->robust.nominal);
    write_before_and_after(json, "mean", run->robust.mean);
    write_before_and_after(json, "worst", run->robust.worst);
    trxi_json_put_number(json, "seconds", run->robust.seconds);
    trxi_json_end_object(json);
}

static void write_energy(trxi_json *json, const char *name, const trx_simulation_info *info, int end)
{
    trxi_json_put_named(json, name, 3, (const char *const[]){"kinetic", "gravity", "springs"},
                        (const double[]){info->kinetic[end], info->gravity[end], info->springs[end]});
}

static void write_mean_and_most(trxi_json *json, const char *name, double mean, double most)
{
    trxi_json_put_named(json, name, 2, (const char *const[]){"mean", "most"}, (const double[]){mean, most});
}

// statistics of the steps of a simulation, and its energy balance
static void write_simulation(trxi_json *json, const trx_run *run)
{
    if (!trxi_json_put_object_if(json, "simulation", !run->planned)) return;
    const trx_simulation_info info = trx_run_get_simulation(run);
    trxi_json_put_int(json, "first_step", info.first_step);
    trxi_json_put_int(json, "every", run->every);
    trxi_json_put_int(json, "frames", info.frames);
    trxi_json_put_int(json, "frame_every", info.frame_every);
    write_mean_and_most(json, "newton_iterations", info.iterations, info.most_iterations);
    write_mean_and_most(json, "contacts", info.contacts, info.most_contacts);
    trxi_json_put_int(json, "round_off_steps", info.round_off);

    trxi_json_put_named(json, "step_seconds", 3, (const char *const[]){"median", "mean", "most"},
                        (const double[]){info.step_median, info.step_mean, info.step_most});
    trxi_json_put_object(json, "energy");
    write_energy(json, "start", &info, 0);
    write_energy(json, "end", &info, 1);
    trxi_json_put_number(json, "actuators", info.actuators);
    trxi_json_put_number(json, "lost", info.lost);
    trxi_json_end_object(json);
    trxi_json_end_object(json);
}

static void write_names(trxi_json *json, const trx_run *run, const char *key,
                        const char *(*name)(const trx_model *, int), int count)
{
    trxi_json_put_array(json, key);
    for (int i = 0; i < count; i++) trxi_json_string(json, name(run->model, i));
    trxi_json_end_array(json);
}

static void write_model(trxi_json *json, const trx_run *run)
{
    const trx_model_size *n = &run->size;
    trxi_json_put_named(json, "model", 5, (const char *const[]){"nq", "nv", "nu", "bodies", "pairs"},
                        (const double[]){n->nq, n->nv, n->nu, n->nbody, n->npair});
    write_names(json, run, "coordinates", trx_model_q_name, run->size.nq);
    write_names(json, run, "velocities", trx_model_v_name, run->size.nv);
    if (run->size.na > 0) write_names(json, run, "activations", trxi_model_activation_name, run->size.na);
    write_names(json, run, "controls", trx_model_actuator_name, run->size.nu);
}

// notes of imports: assumed, replaced, left out or repaired; same form as in check --json
static void write_notes(trxi_json *json, const trx_run *run)
{
    trxi_json_put_array(json, "notes");
    for (int i = 0; trxi_json_next_object(json, i, trx_problem_note_count(run->problem)); i++) {
        trx_note note = trx_problem_note(run->problem, i);
        const char *file = note.source.file ? note.source.file : "";
        char place[1024];
        snprintf(place, sizeof place, "%.900s:%d:%d", file, note.source.line, note.source.column);
        trxi_json_put_string(json, "kind", trx_note_kind_name(note.kind));
        trxi_json_put_string(json, "at", place);
        trxi_json_put_string(json, "text", note.text);
    }
}

static void write_origin(trxi_json *json, const trx_run *run)
{
    trxi_json_put_named(json, "time", 2, (const char *const[]){"step", "steps"}, (const double[]){run->time_step, run->steps});
    trxi_version_fact facts[TRXI_MAX_VERSION_FACTS];
    int count = trxi_version_facts(facts);
    trxi_json_put_object(json, "versions");
    for (int i = 0; i < count; i++) trxi_json_put_string(json, facts[i].name, facts[i].text);
    trxi_json_end_object(json);
    trxi_json_put_number(json, "seed", (double)run->seed);
    trxi_json_put_string(json, "problem_sha256", trx_problem_sha256(run->problem));
}

void trxi_write_summary(const trx_run *run, trxi_text *out)
{
    trxi_json json = trxi_json_create(out, 2);
    trxi_json_begin_object(&json);
    trxi_json_put_string(&json, "title", trx_problem_title(run->problem));
    trxi_json_put_string(&json, "kind", run->planned ? "plan" : "sim");
    trxi_json_put_string(&json, "status", trxi_status_word(run->status));
    trxi_json_put_string(&json, "message", run->message);
    if (run->planned) trxi_json_put_string(&json, "second_try", second_try_word(run->second_try));
    trxi_json_put_number(&json, "cost", run->has_cost ? run->cost : NAN);
    trxi_json_put_int(&json, "iterations", run->iteration_count);
    write_goals(&json, run->physical.goals, run->ngoal);
    write_limits(&json, run->limits, run->nlimit, run->nasked);
    write_replay(&json, run, "physical", &run->physical, true);
    write_replay(&json, run, "fine", &run->fine, run->planned);
    write_doubt(&json, run);
    write_simulation(&json, run);
    trxi_write_loop(run, &json);
    write_stages(&json, run);
    write_search(&json, run);
    write_robust(&json, run);
    trxi_json_put_named(&json, "timing", 3, (const char *const[]){"solve", "setup", "write"},
                        (const double[]){run->solve, run->setup, run->write});
    write_model(&json, run);
    write_notes(&json, run);
    write_origin(&json, run);
    trxi_json_end_object(&json);
    trxi_text_char(out, '\n');
}
