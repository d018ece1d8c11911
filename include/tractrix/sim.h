// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// One step of the discrete dynamics x' = f(x, u) with contact, and its derivatives.
//
// State x = [q; v; a] (nstate numbers), with the activations a of actuators with a state of their own. Derivatives are taken in
// tangent coordinates dx = [dq; dv; da] (ntangent numbers): A = dx'/dx (ntangent x ntangent), B = dx'/du (ntangent x nu),
// column-major. They follow from the implicit function theorem at the solution of the contact problem, and share one
// factorization there (theory 2 to 6). A sim holds all mutable state: one per thread;
// threads share the model.

#ifndef TRACTRIX_SIM_H
#define TRACTRIX_SIM_H

#include <tractrix/parameters.h>

TRX_BEGIN_C

typedef struct trx_sim trx_sim;

/// Length of a Newton step: exact minimum along the step, or halving until the decrease is sufficient. Both converge from
/// any start. Halving needs more iterations, each with a factorization, and about as many evaluations of the slope in each
/// iteration. Halving is slower when piles fall or settle and when legs hit the ground, and as fast when one iteration is enough.
typedef enum trx_line_search { TRX_LINE_SEARCH_EXACT = 0, TRX_LINE_SEARCH_BACKTRACKING = 1 } trx_line_search;

/// Time scheme (theory 2). Symplectic: forces at the start of the step, springs and dampers at its end. The other schemes
/// solve the motion without contact at q_th = q0 (+) dt theta v_vq and v_th = theta v + (1 - theta) v0, and positions move
/// with v_vq = theta_vq v + (1 - theta_vq) v0. Implicit: both numbers 1. Midpoint: both 1/2. Theta: as in the settings.
typedef enum trx_scheme { TRX_SYMPLECTIC = 0, TRX_IMPLICIT = 1, TRX_MIDPOINT = 2, TRX_THETA = 3 } trx_scheme;

/// Gyroscopic torque of single free bodies under the symplectic scheme: explicit, or by rotating the angular momentum.
typedef enum trx_spin { TRX_SPIN_EXPLICIT = 0, TRX_SPIN_MOMENTUM = 1 } trx_spin;

/// Contact model (theory 4). Convex: the approximation of each pair. LCP to Raisim are rigid: a contact closes its gap by the end
/// of the step, and the force law of the pair has no effect. LCP: pyramid of friction (`sides`). CCP: cone complementarity
/// (convex, lifts while sliding). NCP: Signorini and Coulomb. Dojo: the central path of NCP, smooth. Raisim: NCP whose friction
/// takes the direction that dissipates most, contact by contact. First order: implicit springs with the stiffness and relaxation
/// time of the pair, and Coulomb friction; constraints keep their stiffness. All have derivatives.
typedef enum trx_contact_model {
    TRX_CONTACT_CONVEX = 0,
    TRX_CONTACT_LCP = 1,
    TRX_CONTACT_CCP = 2,
    TRX_CONTACT_NCP = 3,
    TRX_CONTACT_DOJO = 4,
    TRX_CONTACT_RAISIM = 5,
    TRX_CONTACT_FIRST_ORDER = 6,
} trx_contact_model;

/// Number of contact models: their values are 0 .. TRX_CONTACT_MODELS - 1.
enum { TRX_CONTACT_MODELS = TRX_CONTACT_FIRST_ORDER + 1 };

/// "convex", "lcp", "ccp", "ncp", "dojo", "raisim", "first_order"; "" if out of range.
TRX_API const char *trx_contact_model_name(trx_contact_model model);

/// Solver of a contact model. Newton serves convex and CCP. PGS (projected Gauss-Seidel: block by block) and ADMM (alternating
/// directions: all blocks at once) serve LCP, CCP, NCP and Raisim. Staggered (normal impulses and friction in turn, each by Newton)
/// serves LCP, NCP and Raisim. Pivoting (Lemke's direct method) serves LCP, in islands of at most 64 contacts. Usual: Newton for
/// convex and CCP, interior points for Dojo, two levels for First order. The other models try a list of solvers in turn until one
/// solves the step: a few sweeps of PGS, ADMM, lifted contacts (NCP, Raisim; theory 4) or Pivoting (LCP), Staggered, PGS.
typedef enum trx_contact_solver {
    TRX_SOLVER_USUAL = 0,
    TRX_SOLVER_NEWTON = 1,
    TRX_SOLVER_PGS = 2,
    TRX_SOLVER_ADMM = 3,
    TRX_SOLVER_STAGGERED = 4,
    TRX_SOLVER_PIVOTING = 5,
} trx_contact_solver;

/// Number of contact solvers: their values are 0 .. TRX_CONTACT_SOLVERS - 1.
enum { TRX_CONTACT_SOLVERS = TRX_SOLVER_PIVOTING + 1 };

/// "usual", "newton", "pgs", "admm", "staggered", "pivoting"; "" if out of range.
TRX_API const char *trx_contact_solver_name(trx_contact_solver solver);

typedef struct trx_sim_settings {
    size_t size;               // sizeof(trx_sim_settings), set by the default function
    double time_step;          // [s]
    double stiction_tolerance; // slip speed at which friction reaches 1/sqrt(2) of its limit [m/s]
    double tolerance;          // relative residual of the convex solve [1]
    double margin;             // pairs enter the step below this distance; NAN: chosen per pair (theory 1) [m]
    int max_iterations;        // Newton iterations of one solve before the step fails [1]
    double near_rigid;         // beta of theory 4: shortest period of vibration of a stiff contact, in time steps [1]
    double friction_regularization; // sigma of theory 4 [1]
    double joint_stiction_tolerance; // joint velocity at which dry friction reaches 1/sqrt(2) of its value [m/s or rad/s]
    trx_line_search line_search;
    trx_scheme scheme;
    double theta, theta_vq; // parameters of the scheme theta, from 0 to 1 [1]
    bool contact_midpoint;  // midpoint, theta: contact laws are evaluated at the middle of the step, not at its end
    trx_spin spin;
    trx_contact_model contact_model;
    trx_contact_solver contact_solver;
    int max_sweeps;    // sweeps of PGS, iterations of ADMM or rounds of Staggered before the step fails [1]
    double relaxation; // PGS, Staggered (up to 1), ADMM (below 2): share of each change that is applied; 0 means 1 [1]
    double compliance; // compliance of a rigid contact, or of friction (First order), as a fraction of the inverse mass [1]
    double kappa;      // Dojo: product of normal impulse and separation velocity at the end of the step [J]
    int sides;         // LCP: sides of the pyramid of friction, even, from 4 to 64 [1]
} trx_sim_settings;

/// Defaults: 10 ms, 1e-4 m/s, 1e-6, automatic margin, 100 iterations, beta 1, sigma 1e-3, joints 1e-3, exact line search,
/// symplectic, theta and theta_vq 1/2, contacts at the end, explicit spin, convex with its usual solver, 2000 sweeps, the
/// relaxation of the solver, compliance 1e-8, kappa 1e-6, 4 sides.
TRX_API trx_sim_settings trx_sim_settings_default(void);

/// Creates a simulator of `model`, which must outlive it. The contact laws start with the values of the model. Memory grows
/// with bodies, contacts and islands. A step allocates when it has more contacts than all steps before; the simulator begins with
/// memory for 1024 points. The first call for derivatives allocates for its islands, and later calls when islands are larger.
/// Nothing else is allocated. Errors: ARGUMENT, MEMORY.
TRX_API trx_status trx_sim_create(trx_context *context, const trx_model *model, const trx_sim_settings *settings,
                                  trx_sim **sim);
TRX_API void trx_sim_destroy(trx_sim *sim);

TRX_API const trx_model *trx_sim_model(const trx_sim *sim);
TRX_API trx_sim_settings trx_sim_get_settings(const trx_sim *sim);

/// Replaces settings; the next step uses them. Errors: ARGUMENT.
TRX_API trx_status trx_sim_set_settings(trx_sim *sim, const trx_sim_settings *settings);

/// The contact law of a pair; zeros when there is no such pair.
TRX_API trx_pair_law trx_sim_pair_law(const trx_sim *sim, int pair);
/// Replaces the contact law of a pair for this simulator alone. Only replaced laws take memory. Errors: ARGUMENT, MEMORY.
TRX_API trx_status trx_sim_set_pair_law(trx_sim *sim, int pair, const trx_pair_law *law);

/// The arguments of a step. Prescribed motions and time-varying loads depend on the time; knot k is at k time_step. If the model
/// does not depend on time (trx_model_is_timed), all times from 0 on give the same step. Before time 0, loads that start at 0
/// do not act.
typedef struct trx_step_input {
    double time;           // at the start of the step [s]
    const double *x;       // nstate; quaternions of any length but 0
    const double *u;       // nu; NULL: zero
    const double *v_guess; // nv: velocities at which the solve starts; NULL: v of x. Only the time of the solve depends on v_guess
} trx_step_input;

/// x_next = f(time, x, u); x_next (nstate) may be NULL or alias x. TRX_OK and TRX_ROUND_OFF are converged steps. Errors:
/// ARGUMENT, NOT_FINITE; NOT_CONVERGED and ILL_CONDITIONED, with the name of the worst contact, or of the joint whose free
/// motion fails, in the context's message; INFEASIBLE (a contact with a barrier starts closed), LAW (a user's law) and UNSUPPORTED
/// (torsional, rolling or anisotropic friction outside the convex model), with the name of the pair; UNSUPPORTED also for too many
/// contacts for Pivoting; MEMORY. After an error x_next is unchanged.
TRX_API trx_status trx_step_from(trx_sim *sim, const trx_step_input *input, double *x_next);

/// trx_step_from with the time and the guess that trx_sim_set_time and trx_sim_warm_start have set.
TRX_API trx_status trx_step(trx_sim *sim, const double *x, const double *u, double *x_next);

/// The time of the next trx_step, initially 0. A step does not change it: set the time before every step. Errors: ARGUMENT (not
/// finite).
TRX_API trx_status trx_sim_set_time(trx_sim *sim, double time);
TRX_API double trx_sim_time(const trx_sim *sim);

/// Velocities (nv) at which the solve of the next trx_step starts. Used once. NULL removes them.
TRX_API void trx_sim_warm_start(trx_sim *sim, const double *v);

/// Derivatives of the last step: A (ntangent x ntangent), B (ntangent x nu), either may be NULL. The step is first solved to
/// 1e-10. Errors of this and the next functions: NO_STEP when there is no converged step; NOT_CONVERGED when the step does not
/// converge to 1e-10 (the simulator then has no converged step); ILL_CONDITIONED; MEMORY (trx_sim_create).
TRX_API trx_status trx_step_jac(trx_sim *sim, double *A, double *B);

/// An island: trees that the contacts and constraints of a step connect, directly or through other trees. A step's
/// derivatives have no entries from one island to another.
typedef struct trx_island {
    int nv, nu, na;         // dofs; controls that act on them; activations of these controls
    const int *dofs;        // nv, ascending
    const int *controls;    // nu, ascending; a control that acts on several islands is listed in each of them
    const int *activations; // na, ascending; each belongs to one island
    const double *A;        // square, 2 nv + na: derivative of [dq; dv; da] of these after the step by their values before
    const double *B;        // 2 nv + na x nu
} trx_island;

/// Derivatives of the last step without the zeros between islands, for scenes of many bodies. Writes the matrices of
/// `count` islands, in the order of their first bodies, to A and B one after the other. The buffers need room for at most
/// ntangent^2 and ntangent nu numbers; only the numbers of the islands are written. B may be NULL when nu is 0. The list of
/// islands belongs to `sim` and is valid until its next step or the next call of this function. Errors: ARGUMENT, and the errors
/// of trx_step_jac.
TRX_API trx_status trx_step_jac_islands(trx_sim *sim, double *A, double *B, int *count, const trx_island **islands);

/// Forward product of the last step: tangent_x_next = A tangent_x + B tangent_u (ntangent; inputs ntangent and nu, NULL for
/// zero). The output may not overlap the inputs.
TRX_API trx_status trx_step_jvp(trx_sim *sim, const double *tangent_x, const double *tangent_u, double *tangent_x_next);

/// Adjoint product of the last step: grad_x = A^T seed (ntangent), grad_u = B^T seed (nu); outputs may be NULL.
TRX_API trx_status trx_step_vjp(trx_sim *sim, const double *seed_x_next, double *grad_x, double *grad_u);

/// Derivatives of the last step with respect to `count` parameters: C (ntangent x count, column-major), with the factor of A and
/// B. Errors: ARGUMENT, UNSUPPORTED (the model has no such parameter; the message says why), and the errors of trx_step_jac.
TRX_API trx_status trx_step_jac_parameters(trx_sim *sim, const trx_parameter *parameters, int count, double *C);

/// Adjoint product: grad (count) = C^T seed (ntangent), with one back-substitution. Errors as for trx_step_jac_parameters.
TRX_API trx_status trx_step_vjp_parameters(trx_sim *sim, const trx_parameter *parameters, int count, const double *seed_x_next,
                                           double *grad);

/// The value of a parameter for this simulator. Errors: ARGUMENT, UNSUPPORTED.
TRX_API trx_status trx_sim_parameter(const trx_sim *sim, trx_parameter parameter, double *value);

/// Sets a parameter for this simulator alone. Parameters of pairs and settings belong to the simulator. For other
/// parameters the first call gives the simulator a copy of its model, which trx_sim_model returns from then on. Later calls
/// allocate nothing. Errors: ARGUMENT, INPUT (a value that is not allowed), UNSUPPORTED, MEMORY; the simulator is then
/// unchanged.
TRX_API trx_status trx_sim_set_parameter(trx_sim *sim, trx_parameter parameter, double value);

/// Statistics of the last step, also of a failed step.
typedef struct trx_step_info {
    int contacts;         // contact points in the problem [1]
    int limits;           // joint-limit rows in the problem [1]
    int scalars;          // all rows except contacts: limits, constraints, drives, dry friction [1]
    int iterations;       // Newton iterations or sweeps, largest number of any island [1]
    int line_search;      // slope evaluations [1]
    int continuation;     // stages of the continuation within the step, 0 when none was needed [1]
    int islands;          // islands with rows; trees without rows are not counted [1]
    int largest_island;   // unknowns of the largest island [1]
    double residual;      // || E r ||, theory 5 [sqrt J]
    double scale;         // max(|| E p ||, || E j ||) per tree, summed over trees [sqrt J]
    double floor;         // round-off floor of the residual, 0 when it was not computed [sqrt J]
    // 0 without a converged step: before the first step, after a failed step, after a change of settings, laws or parameters
    double kink;          // distance to the nearest kink: smallest gap change that switches a branch [m]
    unsigned long long branches; // hash of all branches: steps with equal hashes lie on the same smooth piece
} trx_step_info;

TRX_API trx_step_info trx_sim_step_info(const trx_sim *sim);

/// The statistics without `kink` and `branches`, which are 0 here because they need a pass over all contacts. For every step of a
/// long run.
TRX_API trx_step_info trx_sim_step_statistics(const trx_sim *sim);

/// Residuals of the contact points of the last step against rigid contact with Coulomb friction (theory 4), the same measure for
/// every contact model: f = gamma/dt, c = (v_c - v_target)/dt, Gamma(c) = (0, 0, mu |c_t|). Largest of all points; torsional and
/// rolling friction are left out.
typedef struct trx_contact_residual {
    double e_p; // distance of f from the friction cone [N]
    double e_d; // distance of c + Gamma(c) from the dual cone [m/s^2]
    double e_c; // |f . (c + Gamma(c))| [W/s]
} trx_contact_residual;

/// Zeros without contacts and without a converged step.
TRX_API trx_contact_residual trx_sim_contact_residual(const trx_sim *sim);

/// Condition number of the Hessian A + J^T G J at the solution of the last step, within a few percent: the ratio of its
/// largest to its smallest eigenvalue, in SI units. Costs a few hundred products and solves. NAN without a converged step, and for
/// solvers without a Hessian, such as PGS.
TRX_API double trx_sim_condition(trx_sim *sim);

typedef enum trx_contact_mode { TRX_CONTACT_OPEN = 0, TRX_CONTACT_STICK = 1, TRX_CONTACT_SLIP = 2 } trx_contact_mode;

/// "open", "stick", "slip".
TRX_API const char *trx_contact_mode_name(trx_contact_mode mode);

/// One contact point of the last step. The normal points from geom_a to geom_b; forces act on geom_b.
typedef struct trx_contact {
    int pair, geom_a, geom_b;
    int point;                // number of the point within its pair
    double position[3];       // world [m]
    double normal[3];         // world, from a to b
    double distance;          // phi at the start of the step [m]
    double v_n, v_t;          // relative normal velocity, slip speed at the end of the step [m/s]
    double f_n, f_t;          // impulse / dt [N]
    double force[3];          // on b, world [N]
    double moment[3];         // moment of torsional and rolling friction on b, world [N m]
    trx_contact_mode mode;    // stick: f_t below its sliding limit (|v_t| below the stiction tolerance)
} trx_contact;

/// Contact points of the last step. Returns their number; `*contacts` belongs to the sim and is valid until the next step.
/// Returns 0 without a converged step: before the first step, after a failed step, and after a change of settings, laws or
/// parameters.
TRX_API int trx_sim_contacts(trx_sim *sim, const trx_contact **contacts);

/// Force of an actuator in the last step: f of trx_actuator_def, at the end of the step [N or N m]. 0 when out of range or
/// without a converged step.
TRX_API double trx_sim_actuator_force(const trx_sim *sim, int actuator);

/// Force of a joint's limits in the last step, positive in the direction of increasing q [N or N m]. 0 for joints without
/// limits or without a converged step.
TRX_API double trx_sim_limit_force(const trx_sim *sim, int joint);

/// Rows of a constraint in the last step: gap (nrow: g, before the step; tendon: room to the lower and to the upper limit [m or
/// rad]) and force (nrow: impulse / dt [N or N m]). Either may be NULL. Errors: ARGUMENT, NO_STEP.
TRX_API trx_status trx_sim_constraint(const trx_sim *sim, int constraint, double *gap, double *force);

/// Momentum residual of the last step relative to its scale; 0 when at the round-off floor [1].
TRX_API double trx_sim_momentum_residual(const trx_sim *sim);

TRX_END_C

#endif
