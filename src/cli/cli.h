// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Common parts of the verbs. The command uses only the public headers. It alone owns stdout, the terminal, signals
// and the exit code (docs/command_line.md).

#ifndef TRACTRIX_CLI_H
#define TRACTRIX_CLI_H

#include <stdbool.h>
#include <stdio.h>
#include <tractrix/tractrix.h>

enum {
    CLI_OK = 0,          // ran, every goal and limit met
    CLI_MISSED = 1,      // ran, but missed a goal or limit, or did not converge; check: a derivative is wrong
    CLI_USAGE = 2,       // wrong usage, or not in this version
    CLI_INPUT = 3,       // bad input file
    CLI_IO = 4,          // could not read or write
    CLI_INTERRUPTED = 130,
};

// ---- verbs and options: options.c ----

typedef enum cli_verb {
    CLI_CHECK, CLI_SIM, CLI_PLAN, CLI_MPC, CLI_COMPARE, CLI_TRIAL, CLI_FIT, CLI_VIEW, CLI_BENCH, CLI_HELP, CLI_VERSION,
    CLI_VERBS
} cli_verb;

/// Values of an option that may be given several times, in order.
typedef struct cli_list {
    const char **words;
    int count;
} cli_list;

typedef struct cli_options {
    cli_verb verb;
    const char *target; // PROBLEM, RUN, or the verb to help with; NULL when not given
    const char *output; // -o, NULL: the default
    cli_list set, over, packages, values; // --set; compare: --over; --package; --with FILE
    const char *models; // compare: contact models to simulate with, NULL: plans
    int threads;
    unsigned long long seed;
    bool quiet, json, no_color;
    bool notes; // check: every note in its own line
    bool strict; // plan: exit code 1 when only the fine replay misses a goal; check: notes of changes are errors
    bool hold, linearize, open, statistics, condition, resume, design;
    int every;      // sim, mpc: knots from one row of the tables to the next
    int save_every; // sim: steps from one saved state to the next, 0: only the last state
    const char *save, *restore; // sim: files of states, NULL: none
    const char *mjcf; // view: where to write the run as MJCF; NULL: nowhere
    const char *export; // view: where to write the policy of the run; NULL: nowhere
    const char *controls, *policy;
    const char *with; // trial: open, policy or mpc
    int worlds, first_world; // trial: 0, -1: as in the problem file
    const char *run; // check: the run whose knots are judged, NULL: a simulation without controls
} cli_options;

/// Reads the command line. Prints an error on stderr and returns CLI_USAGE when it is wrong; CLI_IO without memory. Release the
/// options in either case.
int cli_options_parse(int argc, char **argv, cli_options *options);
void cli_options_release(cli_options *options);

// ---- verbs: one file each ----

int cli_check(const cli_options *options);
int cli_sim(const cli_options *options);
int cli_plan(const cli_options *options);
int cli_compare(const cli_options *options);
int cli_mpc(const cli_options *options);
int cli_trial(const cli_options *options);
int cli_fit(const cli_options *options);
int cli_view(const cli_options *options);
int cli_bench(const cli_options *options);
int cli_help(const char *verb);

// ---- messages: message.c ----

/// Decides once whether to use colours: on a terminal, without NO_COLOR and --no-color.
void cli_message_setup(bool no_color);

/// Escape sequences on stdout, "" without colours.
typedef enum cli_style { CLI_PLAIN, CLI_BOLD, CLI_DIM, CLI_RED, CLI_GREEN, CLI_YELLOW, CLI_CYAN } cli_style;
const char *cli_style_text(cli_style style);

/// "tractrix: error: TEXT" on stderr.
void cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/// "tractrix: note: TEXT" on stderr.
void cli_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/// Prints the context's findings on stderr, at most 20 errors, and its message when no error has a place; warnings and
/// notes only when `all`.
void cli_print_findings(const trx_context *context, trx_status status, bool all);

/// Exit code of a failed library call.
int cli_exit_code(trx_status status);

/// Exit code of a failed library call that has read a problem: CLI_USAGE if all errors are in values of --set.
int cli_failure_code(const trx_context *context, trx_status status);

/// Prints the error and returns cli_failure_code.
int cli_fail(const trx_context *context, trx_status status);

/// Makes `text` safe for a terminal: control characters become \xNN, and the text is cut off at CLI_TEXT bytes, the size of
/// `buffer`. Returns `buffer`.
enum { CLI_TEXT = 8192 };
const char *cli_shown(char *buffer, const char *text);

/// A number for people, "-" when it is not finite; `buffer` has CLI_NUMBER bytes.
enum { CLI_NUMBER = 32 };
const char *cli_number(char *buffer, int digits, double number);

/// A length with a fitting unit: "0.21 mm".
const char *cli_length(char *buffer, double metres);

/// Seconds: "0.31 s", "12 ms".
const char *cli_seconds(char *buffer, double seconds);

// ---- a loaded problem: session.c ----

/// Context, problem and the time it took to load them.
typedef struct cli_session {
    trx_context *context;
    trx_problem *problem;
    double seconds;
    char *folder; // run folder of sim and plan
} cli_session;

/// How the options load a problem: --set, --package, --with FILE.
trx_problem_options cli_load_options(const cli_options *options);

/// Loads `path` with the options' --set and prints nothing. After TRX_ERR_MEMORY the session may have no context. Close the session
/// in every case.
trx_status cli_session_load(const cli_options *options, const char *path, cli_session *session);

/// Loads `path` like cli_session_load. On failure prints the error and returns the exit code.
int cli_session_open(const cli_options *options, const char *path, cli_session *session);

/// The default folder of a problem file NAME.yaml: "runs/NAME" with `suffix` appended. NULL without memory; the caller frees it.
char *cli_default_folder(const char *path, const char *suffix);

/// Determines the run folder and fails early if it must not be replaced.
int cli_session_folder(const cli_options *options, cli_session *session);
void cli_session_close(cli_session *session);

/// The controls of a simulation and its first state; NULL: zero controls, the problem's start.
typedef struct cli_drive {
    double *u, *start;
    trx_policy *policy;
} cli_drive;

/// Reads the controls that --hold, --controls or --policy ask for. cli_drive_apply passes them to a simulation, and
/// cli_drive_release releases them; release them after a failure too.
trx_status cli_drive_read(const cli_options *options, cli_session *session, trx_run *run, cli_drive *drive);
void cli_drive_apply(const cli_options *options, const cli_drive *drive, trx_simulation *simulation);
void cli_drive_release(cli_drive *drive);

/// Runs a verb that writes a run folder: opens the problem, determines the folder, prints findings, catches
/// signals, works, closes. Returns the exit code.
int cli_session_run(const cli_options *options, int (*work)(const cli_options *options, cli_session *session));

// ---- the step of a policy: policy_step.c ----

typedef struct cli_policy_time {
    cli_options options; // the given options, with finer steps if the policy has finer steps
    const char **set;    // words of options.set if steps were added, else NULL; the caller frees it
    char step[64], steps[64];
} cli_policy_time;

/// The options of `sim` for the policy of a run. Returns an exit code.
int cli_policy_step(const cli_options *options, cli_policy_time *time);

// ---- signals: signals.c ----

/// From the start of the command on, SIGINT, SIGTERM, SIGHUP and SIGXCPU end the command with exit code 130. A closed pipe or a
/// file that becomes too large is an error of writing, not a signal.
void cli_signals_start(void);

/// After this call the first of these signals only sets a flag, which cli_interrupted returns. The second signal ends the
/// command.
void cli_catch_signals(void);
bool cli_interrupted(void);

/// Whether the reader of stdout has closed its end of the pipe.
bool cli_reader_left(void);

// ---- design.c ----

/// fit --design: expected deviations of a planned motion, and a better motion.
int cli_design(const cli_options *options, cli_session *session);

// ---- progress of a plan: resume.c ----

/// Saves the progress of a plan beside its run folder.
typedef struct cli_keeper {
    const trx_context *context;
    trx_run *run;
    trx_plan *plan;
    trx_search *search; // after the plan; NULL: none
    trx_plan *refined;  // after both; NULL: none
    const char *folder;
    trx_progress saved; // what --resume has read
    double due;         // time of the next writing (trx_clock) [s]
    bool failed;        // a writing failed; the progress is not written again
    bool interrupted;   // a signal came before the end of plan, search and refinement
    bool early;         // a signal or the time limit ended the plan: --resume can go on
} cli_keeper;

/// With --resume, restores the saved progress in the plan. Errors: of trx_run_read_progress and trx_plan_restore.
trx_status cli_keeper_start(const cli_options *options, cli_session *session, trx_run *run, trx_plan *plan, cli_keeper *keeper);

/// Writes the progress when a writing is due, or after a signal; called after every iteration.
void cli_keeper_tick(cli_keeper *keeper);

/// From now on saves the progress of a search too, and restores it. Errors: of trx_search_restore.
trx_status cli_keeper_search(cli_keeper *keeper, trx_search *search);

/// From now on saves the progress of the refined plan too, and restores it. Errors: of trx_plan_restore.
trx_status cli_keeper_refined(cli_keeper *keeper, trx_plan *refined);

/// After the last use of plan, search and refined plan: writes the progress if one of them ended early.
void cli_keeper_stop(cli_keeper *keeper);

/// After the run folder is written: removes the progress of a plan that ended by itself, or says how to go on.
void cli_keeper_finish(const cli_options *options, cli_keeper *keeper);

// ---- terminal: table.c, progress.c, outcome.c ----

/// One line of a progress display, redrawn in place on a terminal. A pipe gets no lines, or a plain line from time
/// to time.
typedef struct cli_progress {
    bool shown, enabled;
    bool lines;          // plain lines
    double begun, drawn; // times [s]
} cli_progress;

/// `lines`: a pipe gets plain lines.
cli_progress cli_progress_start(const cli_options *options, bool lines);
/// Returns whether the display is due. The call is cheap enough for every step.
bool cli_progress_due(const cli_progress *progress);
/// Shows the text `what` and the fraction of the work that is done, NAN if unknown. Does nothing if the display is not due.
void cli_progress_show(cli_progress *progress, double fraction, const char *what);
void cli_progress_clear(cli_progress *progress);

/// The iteration table of a plan.
typedef struct cli_table {
    const cli_options *options;
    cli_progress progress;
    const trx_stage *stages;
    int nstage;
    bool refined;   // the stage is a refinement
    int attempt;    // attempt of the last row
    int stage;      // stage of the last row, -1 before the first row
    int in_stage;   // iterations of this stage so far
    int finished;   // iterations of earlier stages
    bool defects;   // whether the table has a column for defects
} cli_table;

cli_table cli_table_start(const cli_options *options, const trx_stage *stages, int nstage, trx_method method);
void cli_table_row(cli_table *table, const trx_iteration *iteration);
void cli_table_finish(cli_table *table);

/// Plans a loaded problem, with a search if the plan misses a goal, and records the results in *run, which the caller destroys
/// (plan.c). `keeper` saves the progress; NULL: the progress is not saved.
trx_status cli_plan_solve(const cli_options *options, cli_session *session, cli_keeper *keeper, trx_run **run);

/// Searches for a plan that meets the goals which `plan` misses, and records table and result in `run`. Does nothing if the
/// problem turns the search off.
trx_status cli_search(const cli_options *options, cli_session *session, const trx_plan_problem *problem,
                      const trx_plan_settings *settings, const trx_plan *plan, cli_keeper *keeper, trx_run *run);

/// Whether the physical replay meets every goal and keeps every limit.
bool cli_meets_goals(const trx_plan_info *info);

/// Refines `plan`, a solved plan of the problem, as solve.refine says, and records the result in `run`. A refinement that misses
/// a goal which the plan meets is not recorded. *refined is the recorded refinement, which the caller destroys, or NULL.
trx_status cli_refine(const cli_options *options, cli_session *session, const trx_plan_problem *problem,
                      const trx_plan_settings *settings, const trx_plan *plan, cli_keeper *keeper, trx_run *run,
                      trx_plan **refined);

/// Refines `plan`, a solved plan of the problem, then makes it robust as solve.robust says, and records the results in `run`.
trx_status cli_polish(const cli_options *options, cli_session *session, const trx_plan_problem *problem,
                      const trx_plan_settings *settings, const trx_plan *plan, cli_keeper *keeper, trx_run *run);

/// Prints the result for people: goals, limits, replays, folder.
void cli_print_outcome(const trx_run *run, const cli_session *session, cli_verb verb);

/// Writes the run folder if it is not yet written, and reports. Returns the exit code.
int cli_finish_run(const cli_options *options, cli_session *session, trx_run *run);

// ---- JSON on stdout: json.c ----

void cli_json_string(FILE *out, const char *text);
void cli_json_number(FILE *out, double number);
/// Copies FOLDER/NAME.json to stdout.
void cli_json_file(const char *folder, const char *name);

#endif
