// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// One step of the discrete dynamics x' = f(x, u) with convex contact, and its derivatives.
//
// State x = [q; v] (nq + nv numbers). Derivatives are taken in tangent coordinates dx = [dq; dv]
// (2 nv numbers): A = dx'/dx (2nv x 2nv), B = dx'/du (2nv x nu), column-major. They come from the implicit
// function theorem on the converged contact problem and share one Cholesky factor, at its solution (theory 2 to 6).
// A sim holds all mutable state: one per thread; the model is shared.

#ifndef TRACTRIX_SIM_H
#define TRACTRIX_SIM_H

#include <tractrix/parameters.h>

typedef struct trx_sim trx_sim;

/// How far a Newton step goes: to the minimum along it, or halved until the decrease is enough. Both converge from anywhere.
/// Halving needs more iterations, each with a factorization, for hardly fewer evaluations of the slope in each: its steps
/// take longer in piles that fall or settle and where legs stamp; where one iteration is enough the two cost the same.
typedef enum trx_line_search { TRX_LINE_SEARCH_EXACT, TRX_LINE_SEARCH_BACKTRACKING } trx_line_search;

/// How a step moves through time (theory 2). Symplectic: forces of the start, springs and dampers of the end. The others
/// solve the motion without contact at q_th = q0 (+) dt theta v_vq and v_th = theta v + (1 - theta) v0, and move with
/// v_vq = theta_vq v + (1 - theta_vq) v0: both 1 (implicit), both 1/2 (midpoint), or as the settings say (theta).
typedef enum trx_scheme { TRX_SYMPLECTIC, TRX_IMPLICIT, TRX_MIDPOINT, TRX_THETA } trx_scheme;

/// Gyroscopic torque of single free bodies under the symplectic scheme: explicit, or by turning the angular momentum.
typedef enum trx_spin { TRX_SPIN_EXPLICIT, TRX_SPIN_MOMENTUM } trx_spin;

typedef struct trx_sim_settings {
    size_t size;               // sizeof(trx_sim_settings), set by the default function
    double time_step;          // [s]
    double stiction_tolerance; // slip speed at which friction reaches 1/sqrt(2) of its limit [m/s]
    double tolerance;          // relative residual of the convex solve [1]
    double margin;             // pairs enter the step below this distance; NAN: chosen per pair (theory 1) [m]
    int max_iterations;        // Newton iterations of one solve before the step fails [1]
    double near_rigid;         // beta of theory 4: smallest compliance as a fraction of the inertial one [1]
    double friction_regularization; // sigma of theory 4 [1]
    double joint_stiction_tolerance; // the same for dry friction of joints [m/s or rad/s]
    trx_line_search line_search;
    trx_scheme scheme;
    double theta, theta_vq; // of the scheme theta, from 0 to 1 [1]
    bool contact_midpoint;  // midpoint, theta: laws of contacts see gap and speed of the middle, not of the end
    trx_spin spin;
} trx_sim_settings;

/// 10 ms, 1e-4 m/s, 1e-6, automatic margin, 100 iterations, beta 1, sigma 1e-3, joints 1e-3, exact line search, symplectic,
/// theta and theta_vq 1/2, contacts at the end, explicit spin.
TRX_API trx_sim_settings trx_sim_settings_default(void);

/// Creates a simulator of `model`, which must outlive it. The contact laws start as the model's. Everything
/// is allocated here; steps and derivatives allocate nothing. Errors: ARGUMENT, MEMORY.
TRX_API trx_status trx_sim_create(trx_context *context, const trx_model *model, const trx_sim_settings *settings,
                                  trx_sim **sim);
TRX_API void trx_sim_destroy(trx_sim *sim);

TRX_API const trx_model *trx_sim_model(const trx_sim *sim);
TRX_API trx_sim_settings trx_sim_get_settings(const trx_sim *sim);

/// Replaces settings; the next step uses them. Errors: ARGUMENT.
TRX_API trx_status trx_sim_set_settings(trx_sim *sim, const trx_sim_settings *settings);

/// The contact law of a pair (zeros when there is no such pair), and its replacement for this simulator alone.
/// Errors: ARGUMENT.
TRX_API trx_pair_law trx_sim_pair_law(const trx_sim *sim, int pair);
TRX_API trx_status trx_sim_set_pair_law(trx_sim *sim, int pair, const trx_pair_law *law);

/// Velocities (nv) at which the next solve starts, instead of those of its state; used once. NULL takes them back.
TRX_API void trx_sim_warm_start(trx_sim *sim, const double *v);

/// The time at the start of the next step, 0 at first: what bodies that move by themselves and loads that change go by. A step
/// is a function of time, state and controls alone, and leaves the time as it is: whoever simulates sets it before every step
/// (knot k is at k time_step), and repeated steps, derivatives and differences at one knot see one motion. Of a model that is
/// not timed (trx_model_is_timed) no time from 0 on changes anything; before 0 no load acts that starts there. The last step
/// keeps the time that it was taken at. Errors: ARGUMENT (not finite).
TRX_API trx_status trx_sim_set_time(trx_sim *sim, double time);
TRX_API double trx_sim_time(const trx_sim *sim);

/// x_next = f(x, u): x (nq + nv; quaternions of any length but 0), u (nu; NULL for zero), x_next (nq + nv; may be NULL
/// or alias x). TRX_OK and TRX_ROUND_OFF are converged steps. Errors: ARGUMENT, NOT_FINITE, NOT_CONVERGED and
/// ILL_CONDITIONED, with the worst contact, or the joint whose free motion fails, named in the context's message;
/// INFEASIBLE (a contact with a barrier starts closed), LAW (a user's law), both with the pair named; x_next is then
/// left as it was.
TRX_API trx_status trx_step(trx_sim *sim, const double *x, const double *u, double *x_next);

/// Derivatives of the last step: A (2nv x 2nv), B (2nv x nu), either may be NULL. Errors: NO_STEP when there is
/// no converged step, ILL_CONDITIONED.
TRX_API trx_status trx_step_jac(trx_sim *sim, double *A, double *B);

/// Trees of bodies that the contacts and constraints of a step tie together, directly or through others. A step's derivatives
/// have no entries from one island to another.
typedef struct trx_island {
    int nv, nu;          // dofs; controls that act on them
    const int *dofs;     // nv, ascending
    const int *controls; // nu, ascending; a control that acts on several islands is in each of them
    const double *A;     // 2nv x 2nv: [dq; dv] of these dofs after the step by those before it
    const double *B;     // 2nv x nu
} trx_island;

/// Derivatives of the last step without the zeros between islands, for scenes of many bodies: `count` islands in the order of
/// their first bodies, whose matrices are written to A and B one after the other (room for at most 4 nv^2 and 2 nv nu
/// numbers; only what the islands have is touched; B may be NULL when nu is 0). The list of islands belongs to `sim` and lives
/// until its next step or call of this. Errors: ARGUMENT, NO_STEP, ILL_CONDITIONED.
TRX_API trx_status trx_step_jac_islands(trx_sim *sim, double *A, double *B, int *count, const trx_island **islands);

/// Forward product of the last step: tangent_x_next = A tangent_x + B tangent_u (2nv; inputs 2nv and nu, NULL for
/// zero). The output may not overlap the inputs.
TRX_API trx_status trx_step_jvp(trx_sim *sim, const double *tangent_x, const double *tangent_u, double *tangent_x_next);

/// Adjoint product of the last step: grad_x = A^T seed (2nv), grad_u = B^T seed (nu); outputs may be NULL.
TRX_API trx_status trx_step_vjp(trx_sim *sim, const double *seed_x_next, double *grad_x, double *grad_u);

/// Derivatives of the last step with respect to `count` parameters: C (2nv x count, column-major), on the same factor
/// as A and B. Errors: ARGUMENT, UNSUPPORTED (the model has no such parameter; the message says why), NO_STEP, ILL_CONDITIONED.
TRX_API trx_status trx_step_jac_parameters(trx_sim *sim, const trx_parameter *parameters, int count, double *C);

/// Their adjoint product: grad (count) = C^T seed (2nv), for one back-substitution. Errors: the same.
TRX_API trx_status trx_step_vjp_parameters(trx_sim *sim, const trx_parameter *parameters, int count, const double *seed_x_next,
                                           double *grad);

/// The value of a parameter for this simulator. Errors: ARGUMENT, UNSUPPORTED.
TRX_API trx_status trx_sim_parameter(const trx_sim *sim, trx_parameter parameter, double *value);

/// Another value of a parameter for this simulator alone: the first call for one that is not of pairs or settings gives the
/// simulator a copy of its model, which trx_sim_model returns from then on; no later call takes memory. Errors: ARGUMENT, INPUT (a
/// value that is not allowed), UNSUPPORTED, MEMORY; the simulator is then as before.
TRX_API trx_status trx_sim_set_parameter(trx_sim *sim, trx_parameter parameter, double value);

/// Statistics of the last step, also of one that failed.
typedef struct trx_step_info {
    int contacts;         // contact points in the problem [1]
    int limits;           // joint-limit rows in the problem [1]
    int scalars;          // all rows beside contacts: limits, constraints, drives, dry friction [1]
    int iterations;       // Newton iterations, of the island that took most [1]
    int line_search;      // slope evaluations [1]
    int continuation;     // stages of in-step continuation, 0 when none was needed [1]
    int islands;          // groups of trees solved on their own; trees that nothing touches are not counted [1]
    int largest_island;   // its unknowns [1]
    double residual;      // || E r ||, theory 5 [sqrt J]
    double scale;         // max(|| E p ||, || E j ||) of each tree, together [sqrt J]
    double floor;         // round-off floor of the residual, 0 where it was not needed [sqrt J]
    double kink;          // distance to the nearest kink: smallest gap change that switches a branch [m]
    unsigned long long branches; // hash of all branches taken: equal hashes, same smooth piece
} trx_step_info;

TRX_API trx_step_info trx_sim_step_info(const trx_sim *sim);

/// The same with `kink` and `branches` left 0, which cost a pass over all contacts: for every step of a long run.
TRX_API trx_step_info trx_sim_step_statistics(const trx_sim *sim);

/// Condition number of the Hessian A + J^T G J at the solution of the last step, within a few percent: the ratio of its largest
/// to its smallest eigenvalue, in SI units. Costs some hundred products and solves with it. NAN without a converged step.
TRX_API double trx_sim_condition(trx_sim *sim);

typedef enum trx_contact_mode { TRX_CONTACT_OPEN, TRX_CONTACT_STICK, TRX_CONTACT_SLIP } trx_contact_mode;

/// "open", "stick", "slip".
TRX_API const char *trx_contact_mode_name(trx_contact_mode mode);

/// One contact point of the last step. The normal points from geom_a to geom_b; forces act on b.
typedef struct trx_contact {
    int pair, geom_a, geom_b;
    int point;                // number of the point within its pair
    double position[3];       // world [m]
    double normal[3];         // world, from a to b
    double distance;          // phi at the start of the step [m]
    double v_n, v_t;          // relative normal velocity, slip speed at the end of the step [m/s]
    double f_n, f_t;          // impulse / dt [N]
    double force[3];          // on b, world [N]
    double moment[3];         // of torsional and rolling friction on b, world [N m]
    trx_contact_mode mode;    // stick: f_t below its sliding limit (|v_t| below the stiction tolerance)
} trx_contact;

/// Contact points of the last step: returns their number, `*contacts` (owned by the sim, valid until the next step). 0
/// where there is no converged step: before the first, after one that failed, and after settings, laws or parameters changed.
TRX_API int trx_sim_contacts(trx_sim *sim, const trx_contact **contacts);

/// What an actuator did in the last step: f of trx_actuator_def, at the end of the step [N or N m]; 0 when out of range, or
/// without a converged step.
TRX_API double trx_sim_actuator_force(const trx_sim *sim, int actuator);

/// Force of a joint's limits in the last step, positive where it pushes q up [N or N m]; 0 for joints without limits, or
/// without a converged step.
TRX_API double trx_sim_limit_force(const trx_sim *sim, int joint);

/// Rows of a constraint in the last step: gap (nrow: g, before the step [m or rad]) and force (nrow: impulse / dt
/// [N or N m]), either may be NULL. Errors: ARGUMENT, NO_STEP.
TRX_API trx_status trx_sim_constraint(const trx_sim *sim, int constraint, double *gap, double *force);

/// Momentum residual of the last step relative to its scale, or 0 when at the round-off floor [1].
TRX_API double trx_sim_momentum_residual(const trx_sim *sim);

#endif
