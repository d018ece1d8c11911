// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Trajectory optimization through contact by iLQR, multiple shooting or Ipopt (theory 7, 8).
//
//     min  sum_{k<N} dt sum_j w_j rho_j(r_j(x_k, u_k))  +  sum_j w_j rho_j(r_j(x_N)),       rho(r) = |r|^2 or another norm
//     s.t. x_{k+1} = f(x_k, u_k),   lower <= u <= upper,   lower_i <= r_i(x_k, u_k) <= upper_i   (limits)
//
// A plan runs through stages of contact law and stiction tolerance. Each stage starts from the result of the last. The
// final stage has the physical model, and the result is judged on this model.
//
// A plan can be solved many times: start, guess and targets change between solves, and trx_plan_shift moves a plan on by
// some knots (docs/examples/mpc.c). These calls allocate no memory, except as trx_plan_solve says.

#ifndef TRACTRIX_PLAN_H
#define TRACTRIX_PLAN_H

#include <tractrix/sim.h>

TRX_BEGIN_C

/// Quantity that a cost term measures; the length of its residual in brackets.
typedef enum trx_quantity {
    TRX_BODY_POSITION = 0,    // origin of a body, world [3, m]
    TRX_BODY_ORIENTATION = 1, // Log(R_target^T R) of a body [3, rad]
    TRX_BODY_VELOCITY = 2,    // of a body's origin, world axes [3, m/s]
    TRX_BODY_SPIN = 3,        // angular velocity of a body, world axes [3, rad/s]
    TRX_FRAME_POSITION = 4,   // position, orientation, velocity, spin of a named frame, as for bodies
    TRX_FRAME_ORIENTATION = 5,
    TRX_FRAME_VELOCITY = 6,
    TRX_FRAME_SPIN = 7,
    TRX_JOINT_POSITION = 8,   // positions of the 1-dof joints listed in `joints` [njoint]
    TRX_JOINT_VELOCITY = 9,   // velocities of these joints [njoint]
    TRX_POSITION = 10,        // q (-) target, all joints [nv]; target is a configuration (nq)
    TRX_VELOCITY = 11,        // v - target [nv]
    TRX_CONTROL = 12,         // u - target [nu]
    TRX_DISTANCE = 13,        // least signed distance between two sets of geometries, minus the target [1, m]
    TRX_COM_POSITION = 14,    // centre of mass of bodies, world [3, m]
    TRX_COM_VELOCITY = 15,    // its velocity [3, m/s]
    TRX_USER = 16,            // r(x, u) - target of a function of the caller [dimension]
    TRX_CONTACT_FORCE = 17,   // force of all contacts of two sets of geometries on the second set, in the step from the knot,
                              // world [3, N]
    TRX_CONTROL_RATE = 18,    // (u_k - u_{k-1}) / dt - target, 0 at knot 0; with TRX_ILQR only [nu, 1/s]
} trx_quantity;

typedef enum trx_term_time {
    TRX_RUNNING = 0, // knots 0 .. N-1, multiplied by dt
    TRX_END = 1,     // knot N
    TRX_ALL = 2,     // both
} trx_term_time;

/// Norm rho of each component of a residual; s is the scale of the term.
typedef enum trx_norm {
    TRX_SQUARE = 0,     // r^2
    TRX_HUBER = 1,      // r^2 for |r| <= s, beyond it s (2 |r| - s): as square near 0, linear far away
    TRX_SMOOTH_ABS = 2, // sqrt(r^2 + s^2) - s: smooth near 0, |r| far away
} trx_norm;

/// The point at which a function of the caller is evaluated.
typedef struct trx_term_point {
    int knot;        // 0 .. N
    double time;     // of this knot [s]
    const double *x; // nstate
    const double *u; // nu; NULL at knot N, where r must not depend on u
} trx_term_point;

/// A residual of the caller: writes r (dimension). r_x (dimension x ntangent, by tangent coordinates) and r_u (dimension x
/// nu) take the derivatives, column-major, and are 0 before the call; both are NULL when only r is wanted, and r_u is NULL at
/// knot N. Several threads call the function at once if the plan has several. A residual that is not finite makes a trial
/// step fail.
typedef void (*trx_term_function)(const trx_term_point *at, double *r, double *r_x, double *r_u, void *user);

typedef struct trx_cost_term {
    const char *name; // as in the problem file ("box.position"), for messages and goals
    trx_source source;
    trx_quantity quantity;
    int index;         // body or frame; unused otherwise
    const int *joints; // TRX_JOINT_*: joint indices
    int njoint;
    const int *geoms_a, *geoms_b; // TRX_DISTANCE, TRX_CONTACT_FORCE: geometry indices of the two sets; meshes must collide
    int ngeom_a, ngeom_b;
    const int *bodies; // TRX_COM_*: body indices, NULL: all moving bodies
    int nbody;
    const double *target; // one target, or one per knot when target_stride > 0; NULL: zero, identity
    int target_stride;    // numbers from the target of one knot to the next; 0: constant
    const double *weight; // one weight per component, >= 0
    trx_term_time time;
    double tolerance; // > 0: the term is a goal, judged on the physical replay; 0: no goal [unit of the quantity]
    trx_norm norm;    // of every component
    double norm_scale; // TRX_HUBER, TRX_SMOOTH_ABS: > 0, in the unit of the residual; else unused
    int weight_stride; // numbers from the weights of one knot to the next (N + 1 knots); 0: the same at every knot
    trx_term_function function; // TRX_USER; must stay valid as long as the plan
    void *user;                 // its argument
    int dimension;              // TRX_USER: length of r [1]
} trx_cost_term;

/// Length of a term's residual. The target has the same length (but 4 for orientations: quaternion; nq for TRX_POSITION).
TRX_API int trx_cost_term_dimension(const trx_model *model, const trx_cost_term *term);
TRX_API int trx_cost_term_target_length(const trx_model *model, const trx_cost_term *term);

/// A limit: lower <= r(x_k, u_k) <= upper for every component of the residual r of a term at the knots first .. last. Limits
/// enter every minimization as an augmented Lagrangian (theory 7). Nothing changes the state of knot 0, so a limit of the state
/// must be met there when the plan is created.
typedef struct trx_limit {
    trx_cost_term term; // name, source, quantity and target as in a cost term; weight, time and tolerance have no effect
    const double *lower, *upper; // one per component, infinite where there is none; NULL: none; equal: an equation
    int first, last;             // knots 0 .. N, of controls 0 .. N-1; knots beyond do not exist
    double tolerance;            // largest violation that counts as met, > 0 [unit of the quantity]
} trx_limit;

/// All knots, tolerance 1e-4.
TRX_API trx_limit trx_limit_default(void);

/// One stage of the continuation. The law replaces the values of the selected pairs. A value that is NAN or -1 stays as in
/// the model.
typedef struct trx_stage {
    bool physical;      // the unchanged model: every other law field is ignored
    int approximation;  // trx_approximation or -1
    int force_law;      // trx_force_law or -1
    double smoothing;   // [m]
    double stiffness;   // [N/m]
    double dissipation; // [s/m]
    double relaxation_time; // [s]
    double friction;    // [1]
    double stiction_tolerance; // of all pairs [m/s]
    int iterations;     // limit of this stage, -1: the limit of the plan
    double tolerance;   // of this stage, NAN: the tolerance of the plan, but at least 1e-3 before the last stage [1]
    const bool *pairs;  // npair flags of the pairs that change; NULL: pairs with an actuated side
    double friction_margin; // share of friction that pairs with an actuated side lack, also when `physical` [1]
    int contact_model;  // trx_contact_model of all pairs, with its usual solver, or -1: the problem's
    double kappa;       // of TRX_CONTACT_DOJO, NAN: the problem's [J]
} trx_stage;

TRX_API trx_stage trx_stage_default(void);

typedef struct trx_plan_problem {
    size_t size; // sizeof(trx_plan_problem), set by the default function
    const trx_model *model; // must outlive the plan; needs at least one actuator
    trx_sim_settings sim; // the physical settings
    int steps;            // N
    const double *x0;     // start state (nstate)
    const double *u_guess; // nu x N, clamped to the limits; NULL: zero
    const trx_cost_term *terms;
    int nterm;
    const trx_stage *stages; // NULL: chosen by trx_plan_default_stages; a physical stage is added if the last is not
    int nstage;              // at most 31 [1]
    const double *x_guess; // nstate x (N + 1): states of the guess, as in trx_plan_set_guess; NULL: unknown
    const trx_limit *limits; // besides the limits of joints and controls that the model has
    int nlimit;
} trx_plan_problem;

TRX_API trx_plan_problem trx_plan_problem_default(void);

/// Method of a plan.
typedef enum trx_method {
    TRX_ILQR = 0,              // controls alone; every iterate is a simulation
    TRX_MULTIPLE_SHOOTING = 1, // controls and states; defects between knots are closed on the way
    TRX_IPOPT = 2,             // controls and states, by Ipopt in a process of its own (the program tractrix-ipopt)
} trx_method;

typedef struct trx_plan_settings {
    size_t size;      // sizeof(trx_plan_settings), set by the default function
    int iterations;   // of one stage, all its parts together [1]
    int max_iterations; // of all stages together, 0: no limit. A quarter of them belongs to the last stage [1]
    double tolerance; // relative decrease of the cost at which a stage has converged [1]
    double time_limit; // of the whole solve, INFINITY: none. A quarter of it belongs to the last stage, which always runs [s]
    bool judge;       // replay and judge the result of every solve; without it trx_plan_judge does so on demand
    int threads;       // of the solve, 1 to 64; results have the same bits for every number. The allocator of the caller
                       // must be safe for these threads [1]
    trx_method method; // of every stage
    bool resumable;    // records the progress of every solve for trx_plan_save, which takes memory during the solve
    bool second_try; // if no stage smooths a contact that stops a body which the cost wants to move: solve again with stages that
                     // change every pair; needs `judge`
    bool lbfgs;        // TRX_IPOPT: Ipopt builds its Hessian from gradients; else the Gauss-Newton Hessian of the cost
    int memory_limit;  // TRX_IPOPT: address space of its process, 0: no limit [MB]
    double friction_margin; // share of friction that pairs with an actuated side lack in the stages, 0 to less than 1; every
                            // replay has the friction of the model [1]
} trx_plan_settings;

/// 200 iterations, no limit over all stages, 1e-5, no time limit, judged, one thread, iLQR, not resumable, with a second
/// try, without a margin of friction.
TRX_API trx_plan_settings trx_plan_settings_default(void);

/// One line of the iteration table.
typedef struct trx_iteration {
    int stage, iteration; // from 0; iteration 0 of a stage is its first evaluation
    double cost;
    double change;         // decrease of the cost in this iteration
    double expected;       // decrease predicted for the full step
    double gradient;       // max |Q_u|
    double step;           // accepted step length, 0 when none was accepted
    double regularization; // mu
    double seconds;        // since the start of the solve [s]
    double defect;         // sum of |f(x_k, u_k) (-) x_{k+1}| over the trajectory; 0 for a simulated trajectory
    int attempt;           // 0: first try, 1: second try
} trx_iteration;

/// Called after every iteration; returning false ends the solve with TRX_INTERRUPTED and the best iterate.
typedef bool (*trx_plan_callback)(const trx_iteration *iteration, void *user);

typedef struct trx_stage_info {
    double cost;
    int iterations;
    double seconds;
    trx_status status;
} trx_stage_info;

typedef struct trx_goal_result {
    const char *name;
    double error, tolerance;  // norm of the components; in the unit of the term
    bool met;
    int ncomponent;           // length of the term's residual [1]
    const double *components; // the residual at the knot of the error, 0 for components without a weight
    const char *const *names; // of the components: "x", "ry", a joint, an actuator; "" for the only one of a distance
    const char *const *units; // of the components: "m", "rad/s"
} trx_goal_result;

/// A limit and the largest violation along a trajectory.
typedef struct trx_limit_result {
    const char *name;      // "px.position", "u.px"
    double violation;      // 0 when the limit is satisfied [unit of the quantity]
    double tolerance;      // largest violation that counts as met [unit of the quantity]
    bool met;
    int knot;              // of the largest violation, -1: no violation
    const char *component; // of the largest violation: "x", the name of a joint; "" when there is only one
    const char *unit;      // "m", "rad", "m/s", "N" ...
} trx_limit_result;

/// Result of a replay of the plan.
typedef struct trx_replay {
    trx_status status;
    double cost;
    double penetration;       // largest -phi over all steps and contacts, 0 without overlap [m]
    double slip;              // largest v_t of sticking contacts [m/s]
    double momentum_residual; // largest over the steps [1]
    const trx_goal_result *goals; // ngoal
    const trx_limit_result *limits; // nlimit: of the problem's limits
} trx_replay;

/// The second try of a solve, with stages that change every pair (theory 8).
typedef enum trx_second_try {
    TRX_TRY_NONE = 0,  // not needed, not allowed, or no time
    TRX_TRY_KEPT = 1,  // the second try gave the result
    TRX_TRY_WORSE = 2, // the second try was not better
} trx_second_try;

typedef struct trx_plan_info {
    trx_status status;
    const char *message; // why it did not converge or missed a goal, naming knot and cause; "" otherwise
    double cost;         // of the physical replay; of the last stage if the result has not been judged
    int iterations;      // over all stages
    double seconds;      // of the solve [s]
    int nstage;
    const trx_stage_info *stages;
    int ngoal;
    trx_replay physical; // open-loop replay of u under the physical model
    // replay at a tenth of the time step under clamp(u + K (x (-) x_plan)), with u constant from knot to knot and x_plan
    // interpolated
    trx_replay fine;
    // both replays have the status NO_STEP while the result has not been judged
    int nlimit;      // limits of `physical` and `fine`
    trx_second_try second_try; // iterations and seconds count both tries, stages and goals belong to the result
    bool ended_early; // of a resumable plan: interrupted or out of time, and trx_plan_restore could go on
} trx_plan_info;

typedef struct trx_plan trx_plan;

/// Creates a plan. Copies the problem and allocates everything that a solve needs. Errors: ARGUMENT, NOT_FINITE, MEMORY,
/// UNSUPPORTED (control rates with another method than iLQR; the program of Ipopt is missing).
TRX_API trx_status trx_plan_create(trx_context *context, const trx_plan_problem *problem,
                                   const trx_plan_settings *settings, trx_plan **plan);
TRX_API void trx_plan_destroy(trx_plan *plan);

/// Creates a plan for `problem` with a finer time step, time step / parts (1 to 100), and one stage under the physical law. `plan`
/// is a solved plan of `problem`. The guess is a simulation that follows the result of `plan` with its controls, or with controls
/// and gains if this costs less. Targets and weights per knot are interpolated. Stages and guesses of the problem are not used.
/// Functions of the caller get knots of the finer step. Errors: ARGUMENT, NO_STEP (not solved), errors of trx_plan_create.
TRX_API trx_status trx_plan_create_refined(trx_context *context, const trx_plan_problem *problem, const trx_plan_settings *settings,
                                           const trx_plan *plan, int parts, trx_plan **refined);

/// Runs all stages from the guess, then both replays if settings.judge is set. Keeps the best trajectory so far in every
/// case. Returns TRX_OK, STALLED, ITERATION_LIMIT, TIME_LIMIT, INTERRUPTED, PROCESS_LOST (of Ipopt) or an error: a step that
/// failed (the sim's status), NOT_PD, NOT_FINITE (the cost overflows). Allocates nothing, with three exceptions: sparse factors
/// of islands with more than 36 dofs may grow when contacts connect bodies in a new way; memory for contacts may grow
/// (trx_sim_create); a resumable plan records its progress.
TRX_API trx_status trx_plan_solve(trx_plan *plan, trx_plan_callback callback, void *user);

/// Progress of the running solve up to its last iteration, or of the last solve: bytes owned by the plan, valid until its next
/// call. A callback may call this function. The bytes fit the machine and the version of the library that made them. After a
/// time limit they end at the last iteration before it. Errors: ARGUMENT (the plan is not resumable), NO_STEP (no solve has
/// begun), MEMORY.
TRX_API trx_status trx_plan_save(trx_plan *plan, const void **bytes, size_t *length);

/// The next solve continues from a saved progress, with the same bits as a solve without interruption, for every number of
/// threads. The solve first reports the lines before the interruption again. Its time limit counts the time before the
/// interruption. The plan must have the problem, settings (except threads and time_limit), start, guess and targets of the
/// saved solve. Errors: ARGUMENT (the plan is not resumable); INPUT (damaged, or the progress of another problem or version);
/// MEMORY. The next solve then starts from the guess.
TRX_API trx_status trx_plan_restore(trx_plan *plan, const void *bytes, size_t length);

/// Replays the controls of the result from the start state under the physical model, linearizes this trajectory,
/// replays it at a tenth of the time step with its gains, and writes goals and message. Returns the status of the
/// physical replay. Errors: ARGUMENT, NO_STEP before the first solve, errors of trx_step. Allocates nothing.
TRX_API trx_status trx_plan_judge(trx_plan *plan);

/// The next solve starts at the state x0 (nstate; quaternions of any length but 0) at the time `time` [s], on which
/// prescribed motions and varying loads depend. The stages of the plan stay. Errors: ARGUMENT, NOT_FINITE; the start is
/// then unchanged. Allocates nothing.
TRX_API trx_status trx_plan_set_start(trx_plan *plan, const double *x0, double time);

/// The next solve starts from the controls u (nu x N, clamped to the limits; NULL: zero) and the states `x` (nstate x
/// (N + 1), quaternions of any length but 0; NULL: unknown). Multiple shooting starts at these states, which need not
/// follow from the controls; only knot 0 is the start state of the plan. iLQR simulates the controls, and the contact
/// solver of every step starts near the states. Errors: ARGUMENT, NOT_FINITE; the guess is then unchanged. Allocates
/// nothing.
TRX_API trx_status trx_plan_set_guess(trx_plan *plan, const double *u, const double *x);

/// A new target for the cost term with index `term`, as in trx_cost_term: one for all knots with stride 0, else one per
/// knot (N + 1), for terms created with a target per knot. Errors: ARGUMENT; the target is then unchanged. Allocates
/// nothing.
TRX_API trx_status trx_plan_set_target(trx_plan *plan, int term, const double *target, int stride);

/// Shifts the result by `knots` (0 to N) and makes it the guess: knot k takes the values of knot k + knots, and the
/// last knot is repeated at the end. Start state and time become the values of the new knot 0; trx_plan_set_start
/// replaces them by a measured state. The next solve follows the old plan with its gains if this is cheaper than its
/// controls alone, and starts from the multipliers of the limits. Targets per knot do not move, and trx_plan_get_info
/// still describes the last solve. Errors: ARGUMENT, NO_STEP before the first solve. Allocates nothing.
TRX_API trx_status trx_plan_shift(trx_plan *plan, int knots);

/// The next solve has `steps` knots after its start (1 to the steps of the problem), for a horizon that shrinks towards the end
/// of a task. Guess and result keep their first knots; added knots repeat the last knot. Terms and limits at the end act at the
/// new last knot. Errors: ARGUMENT. Allocates nothing.
TRX_API trx_status trx_plan_set_steps(trx_plan *plan, int steps);
TRX_API int trx_plan_get_steps(const trx_plan *plan);

TRX_API trx_plan_info trx_plan_get_info(const trx_plan *plan);

/// The stages of the plan, given or chosen, in the order of info.stages; owned by the plan. Returns their number.
TRX_API int trx_plan_stages(const trx_plan *plan, const trx_stage **stages);

/// Contact points of the step from a knot (0 .. N; at N under the last controls) of the result under the physical
/// model. Returns their number or a negative status: ARGUMENT, NO_STEP before the first solve, errors of trx_step.
/// `*contacts` is valid until the next call with the plan. Takes one step.
TRX_API int trx_plan_contacts(trx_plan *plan, int knot, const trx_contact **contacts);

/// Views of the result, owned by the plan: x nstate x (N + 1), u nu x N, K (nu x ntangent) x N, A (ntangent x ntangent) x N,
/// B (ntangent x nu) x N, column-major. After a solve they belong to the trajectory of the physical replay. While the result
/// has not been judged, x and u belong to the last stage, K to its last iteration, and A and B to the last judgement.
TRX_API const double *trx_plan_states(const trx_plan *plan);
TRX_API const double *trx_plan_controls(const trx_plan *plan);
TRX_API const double *trx_plan_gains(const trx_plan *plan);
TRX_API const double *trx_plan_A(const trx_plan *plan);
TRX_API const double *trx_plan_B(const trx_plan *plan);

/// Default stages for a problem without stages, from the initial gaps, masses, time step and gravity (theory 8). Fills at
/// most `capacity` stages (the last is physical) and returns their number, or a negative status.
TRX_API int trx_plan_default_stages(trx_context *context, const trx_plan_problem *problem, trx_stage *stages,
                                    int capacity);

/// Cost and its gradient pieces at one knot, for tests and other optimizers: knot in 0 .. N; at N u is ignored.
/// l_x (ntangent), l_u (nu), l_xx (ntangent x ntangent), l_ux (nu x ntangent), l_uu (nu x nu); each may be NULL. Gauss-Newton.
TRX_API trx_status trx_plan_cost(trx_plan *plan, int knot, const double *x, const double *u, double *cost, double *l_x,
                                 double *l_u, double *l_xx, double *l_ux, double *l_uu);

/// Cost of the controls u (nu x N, not clamped; NULL: the controls of the plan) from the start state under the physical
/// model, and its exact gradient by one backward pass of adjoint products: grad_u (nu x N), grad_x0 (ntangent, tangent). cost
/// and grad_x0 may be NULL. Allocates nothing and does not change the plan's result. Errors: ARGUMENT, errors of trx_step
/// and trx_step_vjp.
TRX_API trx_status trx_plan_gradient(trx_plan *plan, const double *u, double *cost, double *grad_u, double *grad_x0);

/// The gradient of the same cost with respect to `count` parameters of the model (grad: count numbers), by the same pass. The
/// gradient includes the direct effect of parameters on the cost: masses on centres of mass, shapes on distances, poses of fixed
/// bodies on bodies and frames that they carry. Targets are constant. Errors: ARGUMENT, UNSUPPORTED (no such parameter, or a
/// cost of contact forces), MEMORY, errors of trx_step and trx_step_vjp_parameters.
TRX_API trx_status trx_plan_gradient_parameters(trx_plan *plan, const double *u, const trx_parameter *parameters, int count,
                                                double *cost, double *grad);

/// Residual of one cost term at one knot, unweighted (trx_cost_term_dimension numbers).
TRX_API trx_status trx_plan_residual(trx_plan *plan, int term, int knot, const double *x, const double *u,
                                     double *residual);

/// Times of parts of one iteration on the current trajectory, for benchmarks [s]. Each call does the work once.
typedef struct trx_plan_timing {
    double rollout;   // N steps from the start state
    double linearize; // derivatives of N steps of an existing trajectory, by all threads
    double at_once;   // N steps from the start state with linearization, as in an iteration
    double backward;  // one Riccati sweep
    double search;    // N steps under the policy, with the largest step length that succeeds; NAN: none
} trx_plan_timing;

TRX_API trx_status trx_plan_measure(trx_plan *plan, trx_plan_timing *timing);

TRX_END_C

#endif
