// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// tractrix help [VERB].

#include "cli.h"

#include <string.h>

static const char overview[] =
    "tractrix plans motions through contact: one text file describes model, task and solver.\n"
    "\n"
    "usage: tractrix VERB PROBLEM [OPTION]...\n"
    "\n"
    "  check PROBLEM     read and validate a problem file, report the model, check its gradients\n"
    "  sim PROBLEM       simulate from the start state\n"
    "  plan PROBLEM      optimize the trajectory\n"
    "  mpc PROBLEM       close the loop between a planner and a plant\n"
    "  trial RUN         run a plan in worlds that differ from its model\n"
    "  fit PROBLEM       find parameters of the model from recorded motion, and how sure they are\n"
    "  compare PROBLEM   plan it under several settings: one table, one page of overlaid plots\n"
    "  view RUN          rewrite the replay of a run folder, --open it, write it as --mjcf, --export its policy\n"
    "  bench [PROBLEM]   time steps, derivatives and iterations\n"
    "  help [VERB]       this text, or more about a verb\n"
    "  version           the version\n";

static const char common[] =
    "\n"
    "options\n"
    "  -o DIR            run folder; default: runs/NAME, the file's name without .yaml\n"
    "  --set KEY=VALUE   replace a value of the problem file; KEY is a dotted path with list elements by name or\n"
    "                    number (model.bodies.box.geometry.0.mass), VALUE is YAML; repeatable\n"
    "  --package NAME=DIR  where package://NAME/... of included robots is; repeatable\n"
    "  --with FILE       values of parameters, such as the fitted.yaml of a fit; before --set; repeatable\n"
    "  --threads N       1 to 64 threads, of all verbs but check, sim and view (results never depend on N)\n"
    "  --seed N          trial, mpc, fit --design: seed of the random numbers, recorded in the summary\n"
    "  --quiet           print errors only\n"
    "  --json            print one JSON object on stdout, nothing else\n"
    "  --no-color        plain text on a terminal too (as does the environment variable NO_COLOR)\n";

static const char exit_codes[] =
    "\n"
    "exit codes\n"
    "  0    plan: every goal and limit met, converged or stalled (without goals: converged); else: it worked\n"
    "  1    ran, but a goal or limit missed or not converged (the best result is written); check: a gradient fails\n"
    "  2    wrong usage, a bad --set, -o on something that is not a run, or not in this version\n"
    "  3    bad input: file:line:column: error: what, and what to write instead; nothing is written\n"
    "  4    could not read or write; the previous run folder is intact\n"
    "  130  interrupted (SIGINT, SIGTERM, SIGHUP): the best so far is written as a normal run folder; a second signal\n"
    "       ends at once, and so does a signal while the problem is loaded\n";

typedef struct verb_help {
    const char *verb, *text;
} verb_help;

static const verb_help verbs[] = {
    {"check",
     "usage: tractrix check PROBLEM [--run RUN] [--notes] [--strict] [--json] [--set KEY=VALUE]...\n"
     "\n"
     "Reads and validates the problem file and reports its model: the tree of bodies with joints and masses, the\n"
     "pairs that may meet with their contact laws, drives, constraints; what was assumed, replaced, dropped or repaired\n"
     "in included robots; warnings about what will run but perhaps not as meant; and the derivatives of the step\n"
     "by state, controls and parameters, and of its terms, against central differences at the start and along a simulation\n"
     "without controls. Writes nothing.\n"
     "  --run RUN         judges them at up to 50 knots of a run of this problem instead, with its controls\n"
     "  --notes           every note of an included robot; without it, notes that differ in names and numbers are one line\n"
     "  --strict          whatever was replaced, dropped or repaired in an included robot is an error\n"},
    {"sim",
     "usage: tractrix sim PROBLEM [-o DIR] [--hold | --controls CSV | --policy RUN] [--every N] [--statistics]\n"
     "                            [--condition] [--save FILE [--save-every N]] [--restore FILE] [--linearize]\n"
     "\n"
     "Simulates the problem from its start state under the physical contact law and writes a run folder while it runs.\n"
     "  (nothing)         zero controls\n"
     "  --hold            constant controls that hold the start still as far as the actuators can\n"
     "  --controls CSV    columns t and u.NAME, held between rows; a trajectory.csv is such a file\n"
     "  --policy RUN      controls and feedback gains of a planned run, clamped to the actuators' limits\n"
     "  --every N         rows of every N-th knot in trajectory.csv and contacts.csv (and of the first and the last)\n"
     "  --statistics      also write steps.csv: status, iterations, contacts, residual and time of every step\n"
     "  --condition       with --statistics: the condition number of the Hessian, which costs more than the step\n"
     "  --save FILE       write the state at the end, also of a run that was interrupted or failed\n"
     "  --save-every N    and after every N steps, replacing the file\n"
     "  --restore FILE    begin at a saved state and go on to the last step: the same bits as without a break\n"
     "  --linearize       also write linearization.npz: the derivatives of every step, kept in memory until the end\n"
     "Goals are reported but not judged: the exit code is 0 when the simulation reached its end.\n"},
    {"plan",
     "usage: tractrix plan PROBLEM [-o DIR] [--resume] [--strict] [--json] [--set KEY=VALUE]...\n"
     "\n"
     "Optimizes the trajectory through the stages of solve.continuation, each warm-started by the one before, the\n"
     "last under the physical contact law; then replays the controls and judges the goals on that replay. Writes a\n"
     "run folder: summary.json, trajectory.csv, contacts.csv, iterations.csv, linearization.npz, player.html and more.\n"
     "  --resume          go on from where a signal, the time limit or a crash ended the same command: the same bits as\n"
     "                    without a break; the time limit counts the time before\n"
     "  --strict          exit code 1 also when a goal is met at the plan's time step alone, and missed at a tenth of it\n"},
    {"compare",
     "usage: tractrix compare PROBLEM --over KEY=V1,V2 [--over KEY=V1,V2]... [-o DIR] [--json]\n"
     "       tractrix compare PROBLEM --models all | M1,M2 [--hold | --controls CSV] [--over KEY=V1,V2]... [-o DIR] [--json]\n"
     "\n"
     "Plans the problem once for every value of --over, and for every combination when there are several: methods\n"
     "(solve.method=ilqr,multiple_shooting), settings (solve.tolerance=1e-4,1e-6), approximations\n"
     "(contact.approximation=lagged,similar). Writes DIR (default: runs/NAME-compare): compare.html, one page with the\n"
     "table and the curves of all variants over each other; compare.csv; compare.json; and a run folder for each variant.\n"
     "  --over KEY=V1,V2  values of a key as in --set; commas inside brackets and quotes do not separate\n"
     "  --models M1,M2    simulates with these contact models (all: with every model) instead: residuals against rigid\n"
     "                    contact, iterations and time of a step, lost energy, distance of the motion from the first model's, and\n"
     "                    derivatives against differences. --hold and --controls drive the simulations as in sim\n"},
    {"mpc",
     "usage: tractrix mpc PROBLEM [-o DIR] [--every N] [--statistics] [--threads N] [--seed N] [--json] [--set KEY=VALUE]...\n"
     "\n"
     "Closes the loop: a planner with the model of the file, and a plant that may differ (mpc.plant). First the task is\n"
     "planned as by `plan`; then the plan is solved again from the plant's state every mpc.replan_every seconds, and the\n"
     "plant follows controls and gains in between. Noise, delays, dropped ticks and pushes of the section mpc depend on the\n"
     "seed. Writes the run folder of a simulation.\n"},
    {"trial",
     "usage: tractrix trial RUN [--with open|policy|mpc] [--worlds N] [--first-world N] [--seed N] [--resume] [--threads N]\n"
     "                          [--json]\n"
     "\n"
     "Runs the plan of a run folder in worlds that differ from its model: friction, stiffness, masses, start, delay, ...\n"
     "as the section trial of the problem file says. Prints the success rate with its 95 % interval, the errors of the\n"
     "goals, the worst worlds and what decides. Writes RUN/trial_policy.csv and .json (or trial_open).\n"
     "  --with open       the controls alone; policy: controls and gains about the interpolated plan (default);\n"
     "                    mpc: planned again in every tick, as the section mpc says\n"
     "  --worlds N        number of worlds; --first-world N: number of the first one, to repeat single worlds\n"
     "  --resume          keep the worlds that the same trial has finished before\n"},
    {"fit",
     "usage: tractrix fit PROBLEM [-o DIR] [--resume] [--threads N] [--json] [--set KEY=VALUE]...\n"
     "       tractrix fit --design PROBLEM [--controls CSV] [--seed N]\n"
     "\n"
     "Finds the parameters of the section fit from recorded motion: the start state of every recording is estimated with\n"
     "them. Prints values, standard deviations, 95 % intervals and what the recordings do not determine; residuals and\n"
     "their noise; errors of whole recordings, also of those held out. Writes a run folder with fitted.yaml, which every\n"
     "verb takes by --with.\n"
     "  --resume          go on from where a signal or a crash ended the same command: the same bits as without a break\n"
     "  --design          no recordings: standard deviations that a planned motion will give, and a motion that gives smaller\n"
     "                    ones within limits, as fit.design says\n"
     "  --controls CSV    the planned controls, 0 without; --seed N: of the search\n"},
    {"view",
     "usage: tractrix view RUN [--open] [--mjcf FILE] [--export FILE]\n"
     "\n"
     "Rewrites RUN/player.html from the other files of the run folder. The page plays the motion in any browser, from\n"
     "disk and without a network. --open shows it at once (xdg-open). --mjcf FILE also writes\n"
     "the model and the trajectory for MuJoCo: one keyframe a knot, with qpos, qvel and ctrl.\n"
     "--export FILE writes the policy of a plan: FILE.c (C99 for a robot's processor), FILE.csv or FILE.npz.\n"},
    {"bench",
     "usage: tractrix bench [PROBLEM] [--json]\n"
     "\n"
     "Times the step, its derivatives A and B (jac) and the adjoint product (vjp): settled after 2 s without\n"
     "controls, and along the solved plan; then the Riccati sweep and a whole iteration. Medians and minima over\n"
     "batches, state reset before every call. Without PROBLEM: the problems in ./problems.\n"},
    {"help", "usage: tractrix help [VERB]\n"},
    {"version", "usage: tractrix version\n"},
};

int cli_help(const char *verb)
{
    if (!verb) {
        printf("%s%s%s", overview, common, exit_codes);
        return CLI_OK;
    }
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        if (strcmp(verb, verbs[i].verb)) continue;
        bool small = !strcmp(verb, "help") || !strcmp(verb, "version");
        printf("%s%s%s", verbs[i].text, small ? "" : common, small ? "" : exit_codes);
        return CLI_OK;
    }
    cli_error("no help on '%s': the verbs are check, sim, plan, mpc, fit, compare, trial, view, bench, help, version", verb);
    return CLI_USAGE;
}
