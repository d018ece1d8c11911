// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// tractrix check PROBLEM prints the model (tree of bodies, sizes, pairs and their laws, drives, constraints), what
// was assumed or changed in included robots, and warnings. It compares the derivatives of the problem's steps with
// central differences. It writes nothing.

#include "cli.h"

#include <math.h>
#include <string.h>

enum { MAX_STATES = 50 };
static const double work_limit = 2e7;          // limit of states x columns x nv^2, about a minute [1]
static const double most_work_of_state = 1e11; // limit of columns x nv^2, at about 3,600 dofs: minutes and gigabytes [1]

static const char *joint_type(trx_joint_type type)
{
    static const char *const names[] = {"hinge", "slide", "ball", "planar", "free"};
    return names[type];
}

// joints of a body: " hinge theta [-2, 2], slide x"
static void print_joints(const trx_model *model, int body)
{
    trx_model_size size = trx_model_get_size(model);
    const char *before = "  ";
    for (int j = 0; j < size.njoint; j++) {
        trx_joint_info joint = trx_model_joint(model, j);
        if (joint.body != body) continue;
        printf("%s%s %s", before, joint_type(joint.type), joint.name);
        if (isfinite(joint.lower) && isfinite(joint.upper)) printf(" [%g, %g]", joint.lower, joint.upper);
        else if (isfinite(joint.lower)) printf(" >= %g", joint.lower);
        else if (isfinite(joint.upper)) printf(" <= %g", joint.upper);
        before = ", ";
    }
}

// "  (3 boxes, sphere)": the geometries of a body
static void print_shapes(const trx_model *model, const trx_body_info *body)
{
    int counts[TRX_SHAPE_HEIGHT_FIELD + 1] = {0}, shown = 0;
    for (int g = body->first_geom; g < body->first_geom + body->ngeom; g++) counts[trx_model_geom(model, g).shape.type]++;
    for (int type = 0; type <= TRX_SHAPE_HEIGHT_FIELD; type++) {
        if (counts[type] == 0) continue;
        fputs(shown++ == 0 ? "  (" : ", ", stdout);
        const char *name = trx_shape_name((trx_shape_type)type);
        bool hissing = strchr("xh", name[strlen(name) - 1]) != NULL;
        if (counts[type] > 1) printf("%d %s%s", counts[type], name, hissing ? "es" : "s");
        else fputs(name, stdout);
    }
    puts(shown > 0 ? ")" : "");
}

// prints the bodies whose parent is `parent`, each followed by its descendants; the recursion ends because parents precede
// their children
static void print_tree(const trx_model *model, int parent, int depth)
{
    trx_model_size size = trx_model_get_size(model);
    for (int b = 0; b < size.nbody; b++) {
        trx_body_info body = trx_model_body(model, b);
        if (body.parent != parent) continue;
        char mass[CLI_NUMBER];
        printf("  %*s%s", 2 * depth, "", body.name);
        if (body.mass > 0) printf("  %s kg", cli_number(mass, 4, body.mass));
        print_joints(model, b);
        if (body.tree < 0) fputs(body.motion ? "  prescribed motion" : "  fixed", stdout);
        print_shapes(model, &body);
        print_tree(model, b, depth + 1);
    }
}

static void print_pairs(const trx_model *model)
{
    enum { SHOWN = 12 };
    int count = trx_model_get_size(model).npair;
    for (int i = 0; i < count && i < SHOWN; i++) {
        trx_pair_info pair = trx_model_pair(model, i);
        const trx_pair_law *law = &pair.law;
        printf("  %s|%s  %s, %s, %g N/m, ", trx_model_geom_name(model, pair.geom_a),
               trx_model_geom_name(model, pair.geom_b), trx_approximation_name(law->approximation),
               trx_force_law_name(law->force_law), law->stiffness);
        if (law->force_law == TRX_KELVIN_VOIGT) printf("relaxation %g s", law->relaxation_time);
        else printf("dissipation %g s/m", law->dissipation);
        if (law->force_law == TRX_SMOOTHED) printf(", smoothing %g m", law->smoothing);
        printf(", friction %g", law->friction);
        if (law->torsional_friction > 0) printf(", torsional %g m", law->torsional_friction);
        if (law->rolling_friction > 0) printf(", rolling %g m", law->rolling_friction);
        printf("\n");
    }
    if (count > SHOWN) printf("  and %d more\n", count - SHOWN);
}

static void print_range(const char *before, double lower, double upper)
{
    if (isfinite(lower) || isfinite(upper)) printf("%s[%g, %g]", before, lower, upper);
}

static void print_activation(const trx_activation_def *activation)
{
    if (!activation->type) return;
    printf(", %s", trx_activation_type_name(activation->type));
    if (activation->type == TRX_ACTIVATION_FILTER) printf(" %g s", activation->time_constant);
    if (activation->type == TRX_ACTIVATION_MUSCLE) printf(" %g and %g s", activation->time_constant, activation->fall_time);
    print_range(" in ", activation->lower, activation->upper);
}

static bool is_motor(const trx_actuator_info *a)
{
    return a->kp == 0 && a->kd == 0 && a->muscle.optimal_length == 0;
}

// the efforts of a motor without a state are limits of its control already
static void print_motor(const trx_actuator_info *a)
{
    printf("%s", a->name);
    print_range(" ", a->lower, a->upper);
    if (a->activation.type) print_range(", effort ", a->effort_lower, a->effort_upper);
    print_activation(&a->activation);
}

static void print_drive(const trx_actuator_info *a)
{
    if (a->muscle.optimal_length > 0) printf("muscle %s: force %g, optimal length %g", a->name, a->gain, a->muscle.optimal_length);
    else printf("drive %s: kp %g, kd %g", a->name, a->kp, a->kd);
    print_range(", effort ", a->effort_lower, a->effort_upper);
    print_range(", limits ", a->lower, a->upper);
    print_activation(&a->activation);
    putchar('\n');
}

// prints the motors in one line, and each drive and muscle in its own line with its gains
static void print_actuators(const trx_model *model)
{
    const int count = trx_model_get_size(model).nu;
    int motors = 0;
    for (int i = 0; i < count; i++) {
        const trx_actuator_info actuator = trx_model_actuator(model, i);
        if (!is_motor(&actuator)) continue;
        printf("%s", motors++ == 0 ? "actuators: " : ", ");
        print_motor(&actuator);
    }
    if (motors > 0) putchar('\n');
    for (int i = 0; i < count; i++) {
        const trx_actuator_info actuator = trx_model_actuator(model, i);
        if (!is_motor(&actuator)) print_drive(&actuator);
    }
}

static const char *side_name(const trx_model *model, const trx_constraint_info *info, bool second)
{
    int body = second ? info->body_b : info->body_a, joint = second ? info->joint_b : info->joint_a;
    const int tendon = second ? info->tendon_b : info->tendon_a;
    if (tendon >= 0) return trx_model_tendon_name(model, tendon);
    if (info->type == TRX_CONSTRAINT_COUPLER) return joint < 0 ? NULL : trx_model_joint_name(model, joint);
    return body < 0 ? "world" : trx_model_body_name(model, body);
}

static void print_constraints(const trx_model *model)
{
    int count = trx_model_get_size(model).nconstraint;
    if (count > 0) printf("constraints: %d\n", count);
    for (int i = 0; i < count; i++) {
        trx_constraint_info info = trx_model_constraint(model, i);
        if (info.type == TRX_CONSTRAINT_TENDON) {
            printf("  %s  tendon [%g, %g]\n", info.name, info.lower, info.upper);
            continue;
        }
        const char *a = side_name(model, &info, false), *b = side_name(model, &info, true);
        printf("  %s  %s of %s%s%s\n", info.name, trx_constraint_type_name(info.type), a ? a : "-", b ? " and " : "",
               b ? b : "");
    }
}

// prints the meshes whose convex hulls close openings or fill hollows; the parts of a divided mesh are neighbours
static void print_meshes(const trx_model *model)
{
    static const double NEARLY_FULL = 0.9;
    const int count = trx_model_get_size(model).ngeom;
    int hollow = 0;
    for (int g = 0; g < count; g++) {
        const trx_geom_info geom = trx_model_geom(model, g);
        if (!(geom.fill < NEARLY_FULL)) continue;
        fputs(hollow++ == 0 ? "meshes that fill less than 90 % of the convex hull that touches (decompose): " : ", ", stdout);
        printf("%s %.0f %%", geom.name, 100 * geom.fill);
    }
    if (hollow > 0) putchar('\n');
    for (int g = 0, parts; g < count; g += parts) {
        const int whole = trx_model_geom(model, g).part_of;
        for (parts = 1; g + parts < count && trx_model_geom(model, g + parts).part_of == whole;) parts++;
        if (whole >= 0)
            printf("mesh %s touches as %d convex part%s\n", trx_model_geom_name(model, whole), parts, parts > 1 ? "s" : "");
    }
}

static void print_place(trx_source source)
{
    printf("%s:%d:%d", source.file ? source.file : "", source.line, source.column);
}

// returns whether two notes differ in names and numbers only
static bool alike(const trx_note *a, const trx_note *b)
{
    return a->kind == b->kind && (a->form == b->form || strcmp(a->form, b->form) == 0);
}

static bool is_first_of_form(const trx_problem *problem, int index, const trx_note *note)
{
    for (int i = 0; i < index; i++) {
        trx_note earlier = trx_problem_note(problem, i);
        if (alike(&earlier, note)) return false;
    }
    return true;
}

// prints one line for the note and all later notes of the same form; returns true when there are later ones
static bool print_form(const trx_problem *problem, int index, const trx_note *note)
{
    int more = 0;
    for (int i = index + 1; i < trx_problem_note_count(problem); i++) {
        trx_note later = trx_problem_note(problem, i);
        more += alike(&later, note);
    }
    printf("  ");
    print_place(note->source);
    printf(": %s", note->text);
    if (more > 0) printf(" (and %d more of this kind)", more);
    putchar('\n');
    return more > 0;
}

static void print_whole(const trx_note *note)
{
    printf("  ");
    print_place(note->source);
    printf(": %s\n", note->text);
    for (int i = 0; i < note->nplace; i++) {
        printf("    also ");
        print_place(note->places[i]);
        putchar('\n');
    }
}

// prints the notes by kind: with `every` each note with its place, else one line for alike notes
static void print_notes(const trx_problem *problem, bool every)
{
    bool summed = false;
    static const trx_note_kind kinds[] = {TRX_NOTE_REPAIRED, TRX_NOTE_MISSING, TRX_NOTE_REPLACED, TRX_NOTE_DROPPED,
                                          TRX_NOTE_ASSUMED};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        int found = 0;
        for (int i = 0; i < trx_problem_note_count(problem); i++) {
            trx_note note = trx_problem_note(problem, i);
            if (note.kind != kinds[k] || (!every && !is_first_of_form(problem, i, &note))) continue;
            if (found++ == 0) printf("%s:\n", trx_note_kind_name(kinds[k]));
            if (every)
                print_whole(&note);
            else
                summed |= print_form(problem, i, &note);
        }
    }
    if (summed) puts("--notes lists every note");
}

// --strict: reports every change of an included robot as an error; returns the number of changes
static int report_changes(const trx_problem *problem)
{
    int changes = 0;
    for (int i = 0; i < trx_problem_note_count(problem); i++) {
        trx_note note = trx_problem_note(problem, i);
        if (note.kind == TRX_NOTE_ASSUMED) continue;
        cli_error("%s:%d:%d: %s: %s", note.source.file ? note.source.file : "", note.source.line, note.source.column,
                  trx_note_kind_name(note.kind), note.text);
        changes++;
    }
    return changes;
}

static void print_settling(const trx_problem *problem)
{
    trx_settling settling = trx_problem_settling(problem);
    char speed[CLI_NUMBER];
    if (settling.steps > 0)
        printf("start: settled for %g s in %d steps; the fastest point left moves at %s m/s\n", settling.seconds,
               settling.steps, cli_number(speed, 3, settling.speed));
}

static void print_model(const cli_session *session, bool every_note)
{
    const trx_model *model = trx_problem_model(session->problem);
    trx_model_size size = trx_model_get_size(model);
    char mass[CLI_NUMBER];
    printf("%s%s%s\n", cli_style_text(CLI_BOLD), trx_problem_title(session->problem), cli_style_text(CLI_PLAIN));
    printf("bodies: %d in %d %s, %s kg; nq %d, nv %d, nu %d", size.nbody, size.ntree,
           size.ntree == 1 ? "tree" : "trees",
           cli_number(mass, 6, trx_model_mass(model)), size.nq, size.nv, size.nu);
    if (size.na > 0) printf(", na %d", size.na);
    putchar('\n');
    print_tree(model, -1, 0);
    printf("pairs that may meet: %d\n", size.npair);
    print_pairs(model);
    print_actuators(model);
    print_constraints(model);
    print_meshes(model);
    if (size.nload > 0) printf("loads: %d\n", size.nload);
    print_settling(session->problem);
    print_notes(session->problem, every_note);
}

static void print_gradient(const char *name, double error, const char *at)
{
    char text[CLI_NUMBER];
    printf("  %s: largest relative error %s%s%s\n", name, cli_number(text, 3, error), *at ? " at " : "", at);
}

static void print_gradients(const trx_gradient_check *check)
{
    const bool judged = check->states > 0;
    printf("gradients %s%s%s: %d states judged, %d at kinks\n",
           cli_style_text(!check->ok ? CLI_RED : judged ? CLI_GREEN : CLI_YELLOW),
           !check->ok ? "FAIL" : judged ? "agree with differences" : "not judged", cli_style_text(CLI_PLAIN), check->states,
           check->kinks);
    print_gradient("A", check->a_error, check->a_at);
    print_gradient("B", check->b_error, check->b_at);
    print_gradient("C", check->c_error, check->c_at);
    for (int k = 0; k < TRX_TERMS; k++)
        if (check->terms[k].columns > 0) print_gradient(trx_term_name((trx_term)k), check->terms[k].error, check->terms[k].at);
    if (check->cost.columns > 0) print_gradient("cost", check->cost.error, check->cost.at);
    printf("     C: %d columns of parameters judged, %d not\n", check->parameters, check->parameters_left);
}

static void json_gradient(const char *name, double error, const char *at)
{
    printf("\"%s\": {\"max_rel_error\": ", name);
    cli_json_number(stdout, error);
    fputs(", \"at\": ", stdout);
    cli_json_string(stdout, at);
    fputs("}, ", stdout);
}

static void json_terms(const trx_gradient_check *check)
{
    fputs("\"terms\": {", stdout);
    for (int k = 0; k < TRX_TERMS; k++) {
        const trx_term_check *term = &check->terms[k];
        printf("%s\"%s\": {\"max_rel_error\": ", k > 0 ? ", " : "", trx_term_name((trx_term)k));
        cli_json_number(stdout, term->error);
        fputs(", \"at\": ", stdout);
        cli_json_string(stdout, term->at);
        printf(", \"columns\": %d, \"not_judged\": %d}", term->columns, term->left);
    }
    printf("}, \"term_states\": %d, \"cost\": {\"max_rel_error\": ", check->term_states);
    cli_json_number(stdout, check->cost.error);
    fputs(", \"at\": ", stdout);
    cli_json_string(stdout, check->cost.at);
    printf(", \"columns\": %d, \"not_judged\": %d}, ", check->cost.columns, check->cost.left);
}

// the warnings as "file:line:column: text"
static void json_warnings(const trx_context *context)
{
    bool any = false;
    fputs("\"warnings\": [", stdout);
    for (int i = 0; i < trx_context_diagnostic_count(context); i++) {
        trx_diagnostic finding = trx_context_diagnostic(context, i);
        if (finding.severity != TRX_WARNING) continue;
        char text[1600];
        const trx_source *source = &finding.source;
        if (source->file && source->line > 0)
            snprintf(text, sizeof text, "%s:%d:%d: %s", source->file, source->line, source->column, finding.text);
        else snprintf(text, sizeof text, "%s", finding.text);
        if (any) fputs(", ", stdout);
        cli_json_string(stdout, text);
        any = true;
    }
    fputs("], ", stdout);
}

static void json_notes(const trx_problem *problem)
{
    fputs("\"notes\": [", stdout);
    for (int i = 0; i < trx_problem_note_count(problem); i++) {
        trx_note note = trx_problem_note(problem, i);
        char place[1200];
        snprintf(place, sizeof place, "%s:%d:%d", note.source.file ? note.source.file : "", note.source.line,
                 note.source.column);
        printf("%s{\"kind\": \"%s\", \"at\": ", i > 0 ? ", " : "", trx_note_kind_name(note.kind));
        cli_json_string(stdout, place);
        fputs(", \"text\": ", stdout);
        cli_json_string(stdout, note.text);
        putchar('}');
    }
    fputs("], ", stdout);
}

static void print_json(const cli_session *session, const trx_gradient_check *check)
{
    const trx_model *model = trx_problem_model(session->problem);
    trx_model_size size = trx_model_get_size(model);
    printf("{\"ok\": %s, \"model\": {\"nq\": %d, \"nv\": %d, \"nu\": %d, \"bodies\": [", check->ok ? "true" : "false",
           size.nq, size.nv, size.nu);
    for (int i = 0; i < size.nbody; i++) {
        if (i > 0) fputs(", ", stdout);
        cli_json_string(stdout, trx_model_body_name(model, i));
    }
    printf("], \"pairs\": %d, \"constraints\": %d, \"mass\": ", size.npair, size.nconstraint);
    cli_json_number(stdout, trx_model_mass(model));
    fputs("}, ", stdout);
    trx_settling settling = trx_problem_settling(session->problem);
    if (settling.steps > 0) {
        printf("\"settled\": {\"seconds\": %.17g, \"steps\": %d, \"speed\": ", settling.seconds, settling.steps);
        cli_json_number(stdout, settling.speed);
        fputs("}, ", stdout);
    }
    json_warnings(session->context);
    json_notes(session->problem);
    fputs("\"gradients\": {", stdout);
    json_gradient("A", check->a_error, check->a_at);
    json_gradient("B", check->b_error, check->b_at);
    json_gradient("C", check->c_error, check->c_at);
    json_terms(check);
    printf("\"parameters\": %d, \"parameters_not_judged\": %d, ", check->parameters, check->parameters_left);
    printf("\"states\": %d, \"kinks\": %d}}\n", check->states, check->kinks);
}

// a valid file may still need a later version for `plan`
static void print_not_planned(cli_session *session)
{
    trx_plan_problem problem = trx_plan_problem_default();
    trx_plan_settings settings = trx_plan_settings_default();
    bool planned = trx_problem_has_cost(session->problem);
    if (planned && trx_problem_plan(session->problem, &problem, &settings) == TRX_ERR_UNSUPPORTED)
        cli_note("plan cannot serve this file: %s", trx_context_message(session->context));
}

// number of states at which derivatives are compared. Differences cost two steps per coordinate, and each step factorizes a
// matrix at a cost of nv^3, so large models are judged at fewer states and the largest models at none
static int states_to_judge(const trx_problem *problem)
{
    trx_model_size size = trx_model_get_size(trx_problem_model(problem));
    double work = (2.0 * size.nv + size.nu) * size.nv * size.nv, states = work > 0 ? work_limit / work : MAX_STATES;
    if (work > most_work_of_state) return 0;
    return states < 1 ? 1 : states < MAX_STATES ? (int)states : MAX_STATES;
}

static trx_status judge_gradients(const cli_options *options, cli_session *session, int states, trx_gradient_check *check)
{
    if (states == 0) {
        check->ok = true;
        return TRX_OK;
    }
    if (options->run) return trx_problem_check_run(session->problem, options->run, states, check);
    return trx_problem_check_gradients(session->problem, states, check);
}

// place of the worst error. A wrong term also makes A, B and C wrong, so the worst term has priority
static const char *worst_at(const trx_gradient_check *check)
{
    double error = 0;
    const char *at = "";
    for (int k = 0; k < TRX_TERMS; k++)
        if (check->terms[k].error > error) error = check->terms[k].error, at = check->terms[k].at;
    if (error >= 1e-5) return at;
    if (check->cost.error >= 1e-5) return check->cost.at;
    if (check->c_error > check->a_error && check->c_error > check->b_error) return check->c_at;
    return check->a_error > check->b_error ? check->a_at : check->b_at;
}

static int check_problem(const cli_options *options, cli_session *session)
{
    if (options->strict && report_changes(session->problem) > 0) return CLI_INPUT;
    trx_status status = trx_problem_diagnose(session->problem);
    if (status < 0) return cli_fail(session->context, status);
    trx_gradient_check check = {0};
    const int states = states_to_judge(session->problem);
    trx_status checked = judge_gradients(options, session, states, &check);
    if (cli_exit_code(checked) > CLI_MISSED) return cli_fail(session->context, checked);
    if (checked < 0) check.ok = false;

    if (options->json) print_json(session, &check);
    else if (!options->quiet) {
        print_model(session, options->notes);
        fflush(stdout);
    }
    cli_print_findings(session->context, checked, !options->quiet && !options->json);
    if (!options->json && !options->quiet) {
        if (states == 0) cli_note("derivatives are not judged: differences take too long for %d dofs",
                                  trx_model_get_size(trx_problem_model(session->problem)).nv);
        else if (checked >= 0) print_gradients(&check);
        print_not_planned(session);
    }
    if (options->quiet && checked >= 0 && !check.ok)
        cli_error("a gradient fails, at %s", worst_at(&check));
    return check.ok ? CLI_OK : CLI_MISSED;
}

int cli_check(const cli_options *options)
{
    cli_session session;
    int code = cli_session_open(options, options->target, &session);
    if (code == CLI_OK) code = check_problem(options, &session);
    cli_session_close(&session);
    return code;
}
