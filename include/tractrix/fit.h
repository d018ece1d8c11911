// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Identification: parameters of a model from recorded motion, with their uncertainty (theory 10). Recordings are cut into
// windows. Every window has a start state of its own, which is estimated with the parameters. The solution minimizes
//
//     sum over windows and samples of rho((y_predicted - y_recorded) / noise) + priors
//
// by Levenberg-Marquardt on exact derivatives of every step. The result has the same bits for any number of threads.

#ifndef TRACTRIX_FIT_H
#define TRACTRIX_FIT_H

#include <tractrix/sim.h>

TRX_BEGIN_C

// ---- what is recorded ----

typedef enum trx_fit_channel_kind {
    TRX_FIT_COORDINATE = 0,        // q[index], not of a quaternion [m or rad]
    TRX_FIT_VELOCITY = 1,          // v[index] [m/s or rad/s]
    TRX_FIT_ROTATION = 2,          // quaternion of joint `index`: four columns, three residuals [rad]
    TRX_FIT_BODY_POSITION = 3,     // `component` of the origin of body `index`, world [m]
    TRX_FIT_BODY_ORIENTATION = 4,  // of body `index` in the world: four columns, three residuals [rad]
    TRX_FIT_FRAME_POSITION = 5,    // of frame `index`, as for bodies
    TRX_FIT_FRAME_ORIENTATION = 6,

    // means over a step. A sample is compared with the step that begins at its time (in schemes other than symplectic: with the
    // step whose middle is at its time). Forces need the symplectic scheme and convex contact
    TRX_FIT_CONTACT_FORCE = 7,      // `component` of the force of body `index` on body `other`, world [N]
    TRX_FIT_JOINT_FORCE = 8,        // of joint `index` with one dof: actuators, dry friction, damping, spring and limits, minus the
                                    // inertia of the rotor [N or N m]
    TRX_FIT_ACTUATOR_FORCE = 9,     // of actuator `index` [N or N m]
    TRX_FIT_BODY_ACCELERATION = 10, // accelerometer at the origin of body `index`, `component` in its axes: acceleration
                                    // minus gravity [m/s^2]
    TRX_FIT_FRAME_ACCELERATION = 11, // of frame `index`, as for bodies
} trx_fit_channel_kind;

typedef struct trx_fit_channel {
    trx_fit_channel_kind kind;
    int index, component;
    int other;         // second body of a contact force
    int column;        // first column of the recordings' values
    int group;         // channels of one group have the same noise
    const char *name;  // "box.x", "box.q"
} trx_fit_channel;

/// Channels with the same noise: the components of one quantity.
typedef struct trx_fit_group {
    const char *name; // "box.position"
    double noise;     // standard deviation; NAN: estimated [unit of the channel]
    bool ignored;     // only for the first guess of states; not compared
} trx_fit_group;

/// One recorded motion.
typedef struct trx_fit_recording {
    const char *name;
    int rows;
    const double *t;      // rows: increasing [s]
    const double *values; // rows x columns, row-major; NAN: missing. Quaternions are w x y z
    const double *u;      // rows x nu, row-major: held from row to row; NULL: zero
    int window;           // steps of a window, 0: the whole recording; windows start outside of impacts (start_in_impacts)
    bool held_out;        // does not count for the parameters: only its start state is estimated
    const char *file;     // file of the recording, for parameters per file; NULL: unknown
} trx_fit_recording;

// ---- what is asked for ----

/// Parameters of signals. They turn the prediction y of every channel of one group into gain y(t - delay) + bias. Rotations have no
/// gain and no bias. A delay needs finite bounds. A recorded pose may belong to a marker frame M that is fixed to the body B of a
/// body, frame or free joint: p_M = p_B + R_B offset, R_M = R_B Exp(turn).
typedef enum trx_fit_signal {
    TRX_FIT_NO_SIGNAL = 0, // a parameter of the model
    TRX_FIT_GAIN = 1,      // starts at 1 [1]
    TRX_FIT_BIAS = 2,      // starts at 0 [unit of the channel]
    TRX_FIT_DELAY = 3,     // starts at 0 [s]
    TRX_FIT_OFFSET = 4,    // of positions: component `signal_axis` in the axes of B, starts at 0 [m]
    TRX_FIT_TURN = 5,      // of rotations: component `signal_axis` of the rotation vector, starts at 0 [rad]
} trx_fit_signal;

/// The recordings that share the value of a parameter. Parameters per recording and parameters per file do not go
/// together in one fit.
typedef enum trx_fit_sharing {
    TRX_FIT_SHARED = 0,        // all recordings
    TRX_FIT_PER_RECORDING = 1, // each recording has a value of its own
    TRX_FIT_PER_FILE = 2,      // all recordings of one file
} trx_fit_sharing;

typedef struct trx_fit_parameter {
    trx_parameter of; // ignored for signals
    const char *name;
    double start;    // NAN: the value of the model
    double min, max; // bounds; -INFINITY, INFINITY: none
    double prior_mean, prior_sd; // sd INFINITY: no prior
    int same_as;     // this parameter is `ratio` times an earlier parameter, which has no same_as itself; -1: free
    double ratio;
    // 1 to 10: mass, com x y z, tensor xx yy zz xy xz yz of one body. All ten follow each other in the list and are fitted
    // together, so that the result is the inertia of a possible body. The fit starts at the inertia of the model; start, bounds and
    // same_as are not allowed. prior_sd is the deviation of the relative change [1]. 0: an independent parameter
    int body_number;
    bool profile;    // asks for its profile likelihood; not with same_as, and not per recording or file
    trx_fit_signal signal;
    int signal_group, signal_channel; // of a signal: its group; the channel, or -1: all channels of the group
    int signal_axis;     // of an offset or a turn: 0 to 2
    trx_fit_sharing per; // of a free parameter; a parameter with same_as follows the other parameter in each recording
} trx_fit_parameter;

typedef struct trx_fit_problem {
    const trx_model *model;
    trx_sim_settings sim;
    const double *x0; // nstate: start of every window, for the coordinates and velocities that are not recorded
    const trx_fit_channel *channels;
    int nchannel, columns;
    const trx_fit_group *groups;
    int ngroup;
    const trx_fit_recording *recordings;
    int nrecording;
    const trx_fit_parameter *parameters;
    int nparameter;
} trx_fit_problem;

/// How a round is solved. Both minimize the same objective within the same bounds, from the same start.
typedef enum trx_fit_solver {
    TRX_FIT_GAUSS_NEWTON = 0, // Levenberg-Marquardt, start states eliminated
    TRX_FIT_IPOPT = 1,        // Ipopt in a process of its own, with exact gradients and the Gauss-Newton Hessian
} trx_fit_solver;

typedef struct trx_fit_settings {
    size_t size;           // sizeof(trx_fit_settings), set by the default function
    trx_fit_solver solver; // solver of the rounds; fits of the first samples and profiles always use Gauss-Newton
    int iterations;        // largest number of iterations of one solve [1]
    int rounds;            // largest number of solves; the noise is estimated after each solve [1]
    double tolerance;      // a solve ends when the predicted decrease is below this share of the objective [1]
    double huber;          // larger residuals, in standard deviations, count linearly; INFINITY: all count as squares [1]
    double start_position; // standard deviation of start coordinates from their first guess; INFINITY: no prior; 0: not estimated
                           // [m or rad]
    double start_velocity; // the same for start velocities [m/s or rad/s]
    double first_velocity; // for the first window of a recording: standard deviation of start velocities from the velocities of x0;
                           // INFINITY: start_velocity holds there too [m/s or rad/s]
    double start_activation; // standard deviation of start activations from the activations that the controls produce from x0
                             // [1, or the unit of the control]
    int starts;            // number of starts, 1 to 1000: the first is given, the others are drawn; the best fit is the result [1]
    unsigned long long seed; // of the draws [1]
    bool start_in_impacts; // windows may start within a jump of the recorded motion
    int folds;             // of the cross-validation: 0: none, else 2 to the number of fitted recordings [1]
    int threads;           // over windows, 1 to 64; results have the same bits for every number [1]
    const char *save;      // file that keeps the progress, written about once a second and when the callback ends the fit; the
                           // caller removes it; NULL: none
    bool resume;           // continues from this file, if it exists, with the same bits as a fit without a break
} trx_fit_settings;

/// Gauss-Newton, 50 iterations, 4 rounds, tolerance 1e-6, squares, start states without prior, one start, seed 1, no window that
/// starts in an impact, one thread.
TRX_API trx_fit_settings trx_fit_settings_default(void);

// ---- the answer ----

typedef struct trx_fit trx_fit;

typedef struct trx_fit_info {
    trx_status status;     // OK, STALLED, ITERATION_LIMIT, INTERRUPTED, PROCESS_LOST (of Ipopt; the best values so far)
    const char *solver_note; // how the last solve by Ipopt ended, a sentence without its full stop; NULL: by the tolerance, or no
                             // Ipopt
    double objective;      // half the sum of the losses [1]
    double start_objective; // the objective before the first iteration, with the last noise [1]
    int iterations, rounds; // of the best start
    int nstart, best_start; // starts that were tried, and the best of them
    int windows, held_windows;
    long long residuals;   // numbers that were compared, without held-out recordings
    double seconds;
    int nparameter;        // number of estimates; the values of a parameter per recording follow each other
    int nfree, ngroup, nrecording, ndirection, nresidual, nprofile, folds;
    const char *step_verdict; // a sentence without its full stop if half the time step would move a value by more than its
                              // deviation; else NULL
    double roughness;         // relative error of the parabola that the deviations assume: root mean square over a few directions,
                              // one deviation from the estimates; NAN: not known [1]
    const char *rough_verdict; // a sentence without its full stop if the objective is no parabola there; else NULL
} trx_fit_info;

typedef enum trx_fit_verdict {
    TRX_FIT_DETERMINED = 0,
    TRX_FIT_UNDETERMINED = 1, // the recordings do not determine the value: no number can be given
    TRX_FIT_AT_BOUND = 2,     // at min or max: no standard deviation can be given
    TRX_FIT_BY_PRIOR = 3,     // the prior alone determines the value
} trx_fit_verdict;

/// "determined", "not determined", "at its bound", "by its prior".
TRX_API const char *trx_fit_verdict_name(trx_fit_verdict verdict);

typedef struct trx_fit_estimate {
    const char *name; // "box.mass", "pair(box, table).friction of slide 3"
    int parameter;    // of the problem
    const char *session; // the recording or file whose value this is; NULL: shared by all
    double start, value;
    double sd;        // if the residuals are independent with the noise of their groups; NAN: none
    double sd_robust; // sandwich over recordings, or over windows if recordings are few: also valid if the model is wrong; NAN:
                      // fewer than 8 of them, or at most two for each shared unknown, or a value of one session
    double low, high; // 95 % interval by the larger of sd and sd_robust, within positive values for positive parameters
    trx_fit_verdict verdict;
    int same_as;      // the estimate that this estimate follows; -1: free
    double halved;    // change of the value in a fit at half the time step, to first order; NAN: not known
} trx_fit_estimate;

typedef struct trx_fit_group_info {
    const char *name;
    double noise;       // standard deviation by which the residuals were weighted
    bool estimated;
    double rms, rms_held; // root mean square of residuals, of fitted and of held-out recordings; NAN: none
    double autocorrelation; // of residuals of neighbouring samples, fitted recordings: 0 for white noise
    long long count;
} trx_fit_group_info;

typedef enum trx_fit_whiteness {
    TRX_FIT_TOO_FEW = 0,  // too few residuals for a verdict
    TRX_FIT_WHITE = 1,    // the residuals look like white noise
    TRX_FIT_COLOURED = 2, // the residuals do not: the model does not explain all of the recorded motion
} trx_fit_whiteness;

enum { TRX_FIT_LAGS = 20 };

/// Residuals of one number of a channel: the channel itself, or a component of the rotation vector of an orientation.
typedef struct trx_fit_residual_info {
    const char *name;                     // "box.x", "box.orientation about z"
    int group;
    long long count;                      // of fitted recordings
    double mean, rms, rms_held;           // mean and rms of fitted, rms_held of held-out recordings; NAN: none [unit of the
                                          // channel]
    double autocorrelation[TRX_FIT_LAGS]; // about the mean, 1, 2, ... samples apart in one window; NAN: no such samples
    double band;                          // 99.9 % of white noise has a smaller first autocorrelation; NAN: too few
    trx_fit_whiteness whiteness;
    const char *verdict;                  // the same as a sentence without its full stop
} trx_fit_residual_info;

/// Profile likelihood of a parameter: the rise of the objective when the parameter is fixed and all others are fitted again.
typedef struct trx_fit_profile {
    int estimate;                // index for trx_fit_get_estimate
    int count;
    const double *values, *rises; // count: values of the parameter, increasing; rises of the objective [1]
    double bound;                // rise at the ends of the 95 % interval [1]
    double low, high;            // the interval; NAN: the rise stays below the bound on this side
    const char *verdict;         // a sentence without its full stop
} trx_fit_profile;

/// A whole recording, predicted twice: from the estimated start state, and from the first guess, which comes from its first
/// samples.
typedef struct trx_fit_recording_info {
    const char *name;
    bool held_out;
    int rows;
    double position, rotation;             // mean errors of positions and rotations over the samples; NAN: none [m, rad]
    double guess_position, guess_rotation; // the same errors, predicted from the first guess
    trx_status status;                     // of the predictions
    double early_position, early_rotation; // the same errors of a held-out recording, predicted from a start state that was
                                           // estimated over the first 12 samples; else NAN
} trx_fit_recording_info;

enum { TRX_FIT_AGAIN = -1 };

/// Called after every iteration; false ends the fit with the best parameters so far.
typedef struct trx_fit_iteration {
    int round, iteration; // round 0: fit of the first samples; TRX_FIT_AGAIN: fit of a profile or a fold
    double objective, damping, step; // step: largest change of a parameter, relative or in its unit [1]
    bool accepted;
    int start;                       // number of the start; 0: the given start
} trx_fit_iteration;
typedef bool (*trx_fit_progress)(const trx_fit_iteration *iteration, void *user);

/// Fits. The arrays of the problem must outlive the result. Returns the status of trx_fit_info with a result, or an error without
/// one. Errors: ARGUMENT, NOT_FINITE, INPUT (a value that a parameter cannot have; a progress that is damaged or of another fit),
/// UNSUPPORTED (also: the program of Ipopt is missing), IO, MEMORY, and the status of a step that fails at the start.
TRX_API trx_status trx_fit_run(trx_context *context, const trx_fit_problem *problem, const trx_fit_settings *settings,
                               trx_fit_progress progress, void *user, trx_fit **fit);
TRX_API void trx_fit_destroy(trx_fit *fit);

TRX_API trx_fit_info trx_fit_get_info(const trx_fit *fit);

/// A fit from one start.
typedef struct trx_fit_start {
    trx_status status;  // as in trx_fit_info; negative: the start could not be simulated
    double objective;   // half the sum of the losses, with the noise of this start [1]
    double cost;        // objective, plus logarithms of estimated noise: starts are compared by it; INFINITY: no answer [1]
    int iterations, rounds;
    double *from, *to;  // nparameter: values before and after the fit, in the order of the estimates; the arrays belong to the fit
} trx_fit_start;

/// One of the nstart starts; zeros out of range.
TRX_API trx_fit_start trx_fit_get_start(const trx_fit *fit, int start);

/// One of the nparameter values of the answer.
TRX_API trx_fit_estimate trx_fit_get_estimate(const trx_fit *fit, int estimate);

/// Correlation of two estimates (0: not known) [1].
TRX_API double trx_fit_correlation(const trx_fit *fit, int a, int b);
TRX_API trx_fit_group_info trx_fit_get_group(const trx_fit *fit, int group);

/// Fits again settings.folds times, each time without one part of the fitted recordings, and predicts the part that was left out.
/// Does nothing without folds. Returns INTERRUPTED with the folds so far. Errors: those of trx_fit_run.
TRX_API trx_status trx_fit_cross_validate(trx_fit *fit);

/// The errors of a recording predicted by the fold that left it out (name NULL: no cross-validation; NAN: held out in every fold).
TRX_API trx_fit_recording_info trx_fit_get_validated(const trx_fit *fit, int recording);

/// An estimate of one of the folds; NAN: not determined.
TRX_API double trx_fit_fold_value(const trx_fit *fit, int estimate, int fold);
/// Standard deviation of an estimate from the values of the folds (jackknife); NAN: not known.
TRX_API double trx_fit_fold_deviation(const trx_fit *fit, int estimate);

/// One of the nprofile profiles, in the order of the parameters that ask for them.
TRX_API trx_fit_profile trx_fit_get_profile(const trx_fit *fit, int profile);

/// Residuals of the number `residual` (nresidual of trx_fit_info).
TRX_API trx_fit_residual_info trx_fit_get_residual(const trx_fit *fit, int residual);
TRX_API trx_fit_recording_info trx_fit_get_recording(const trx_fit *fit, int recording);

/// One of the ndirection directions that the recordings do not determine, in words; the least determined direction comes first.
/// NULL out of range.
TRX_API const char *trx_fit_direction(const trx_fit *fit, int direction);

/// The objective and its gradient with respect to the nfree free parameters, for tests of derivatives. The gradient is by the
/// logarithm of positive parameters, else by the value. Parameters have the given values, start states their first guess; the noise
/// is the noise of the problem, or 1 if that is NAN. Values and gradient have the order of the estimates: a parameter per recording
/// has as many numbers as there are fitted recordings. `objective` and `gradient` may be NULL. Errors as for trx_fit_run.
TRX_API trx_status trx_fit_objective(trx_context *context, const trx_fit_problem *problem, const trx_fit_settings *settings,
                                     const double *values, double *objective, double *gradient);

/// Writes a run folder (docs/run_folder.md): summary.json, tables, fitted.yaml, the page fit.html with the title `title`, and
/// problem.yaml with the text `problem_text` (NULL: none). Errors: ARGUMENT, IO, MEMORY.
TRX_API trx_status trx_fit_write(trx_fit *fit, const char *folder, const char *title, const char *problem_text);

// ---- recordings from files ----

typedef struct trx_fit_data trx_fit_data;

/// One CSV file: names first, then rows. Columns: the time, an optional number of the recording, coordinates and velocities as in
/// trajectory.csv, NAME.x ... NAME.qz of bodies and frames, and u.NAME of actuators; other columns are noted and left out.
typedef struct trx_fit_file {
    const char *path;
    const char *time;      // NULL: "t"
    const char *recording; // column that numbers the recordings; NULL: the file is one recording
    const double *holdout; // nholdout numbers of recordings that are held out
    int nholdout;
    int holdout_every;     // n: every n-th recording is held out; 0: none
    bool held_out;         // true: all recordings of the file are held out
    int window;            // steps, 0: whole recordings
    trx_source source;     // of the entry, for messages
} trx_fit_file;

/// Reads files into channels, groups and recordings. Suspicions about units and order are warnings of the context. Errors:
/// ARGUMENT, IO, INPUT (with file, line and column), MEMORY.
TRX_API trx_status trx_fit_data_read(trx_context *context, const trx_model *model, const trx_fit_file *files, int count,
                                     trx_fit_data **data);

/// Makes channels and groups, without recordings, from column names as in files: for a design. Errors: ARGUMENT, INPUT, MEMORY.
TRX_API trx_status trx_fit_data_name(trx_context *context, const trx_model *model, const char *const *names, int count,
                                     trx_source source, trx_fit_data **data);
TRX_API void trx_fit_data_destroy(trx_fit_data *data);

/// Puts channels, groups and recordings into `problem`; they belong to `data`.
TRX_API void trx_fit_data_use(const trx_fit_data *data, trx_fit_problem *problem);

/// The ngroup groups. The caller may change their noise, and may mark them as ignored.
TRX_API trx_fit_group *trx_fit_data_groups(trx_fit_data *data);

TRX_END_C

#endif
