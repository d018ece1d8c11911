// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// proxddp_loop URDF STEPS LIMITED MU ROLLOUT ITERATIONS SOLVES: ProxDDP of aligator on a motion of a robot between two
// configurations, for scripts/bench_methods. stdin has the armature, start and target of every joint. LIMITED 1: torques stay
// within the efforts of the URDF. MU is the first penalty, ROLLOUT linear or nonlinear. The first line of stdout has the cost
// and the infeasibility after each iteration of the first solve; then each of SOLVES solves has a line with its processor time
// [s].

#include <fmt/format.h>
#include <aligator/core/history-callback.hpp>
#include <aligator/core/stage-model.hpp>
#include <aligator/core/traj-opt-problem.hpp>
#include <aligator/modelling/constraints/box-constraint.hpp>
#include <aligator/modelling/costs/quad-state-cost.hpp>
#include <aligator/modelling/costs/sum-of-costs.hpp>
#include <aligator/modelling/dynamics/integrator-semi-euler.hpp>
#include <aligator/modelling/dynamics/multibody-free-fwd.hpp>
#include <aligator/modelling/spaces/multibody.hpp>
#include <aligator/solvers/proxddp/solver-proxddp.hpp>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/parsers/urdf.hpp>

using namespace aligator;
using Vector = Eigen::VectorXd;
using Space = MultibodyPhaseSpace<double>;

static const double STEP = 0.01; // [s]

static double now()
{
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

static Vector numbers(long count)
{
    Vector values(count);
    for (long i = 0; i < count; i++) std::cin >> values[i];
    return values;
}

// weights of squares of positions and of velocities; aligator halves squares
static Eigen::MatrixXd weights(long n, double position, double velocity)
{
    Vector diagonal(2 * n);
    diagonal << Vector::Constant(n, 2 * position), Vector::Constant(n, 2 * velocity);
    return diagonal.asDiagonal();
}

static TrajOptProblemTpl<double> make_problem(pinocchio::Model &model, int steps, bool limited, Vector &x0, Vector &hold)
{
    const long n = model.nv;
    model.armature = numbers(n);
    const Vector start = numbers(n), target = numbers(n), zero = Vector::Zero(n);
    pinocchio::Data data(model);
    hold = pinocchio::rnea(model, data, start, zero, zero);
    x0.resize(2 * n), x0 << start, zero;
    Vector end(2 * n);
    end << target, zero;

    const Space space(model);
    CostStackTpl<double> running(space, static_cast<int>(n));
    running.addCost(QuadraticStateCostTpl<double>(space, static_cast<int>(n), x0, weights(n, STEP, STEP)));
    const Eigen::MatrixXd torques = 2 * 0.001 * STEP * Eigen::MatrixXd::Identity(n, n);
    running.addCost(QuadraticControlCostTpl<double>(space, hold, torques));
    const QuadraticStateCostTpl<double> terminal(space, static_cast<int>(n), end, weights(n, 1000, 10));

    const dynamics::MultibodyFreeFwdDynamicsTpl<double> acceleration(space);
    StageModelTpl<double> stage(running, dynamics::IntegratorSemiImplEulerTpl<double>(acceleration, STEP));
    if (limited)
        stage.addConstraint(ControlErrorResidualTpl<double>(space.ndx(), Vector(zero)),
                            BoxConstraintTpl<double>(-model.effortLimit, model.effortLimit));
    std::vector<xyz::polymorphic<StageModelTpl<double>>> stages(static_cast<size_t>(steps), stage);
    return TrajOptProblemTpl<double>(x0, stages, terminal);
}

int main(int argc, char **argv)
{
    if (argc != 8) return 2;
    pinocchio::Model model;
    pinocchio::urdf::buildModel(argv[1], model);
    const int steps = atoi(argv[2]), solves = atoi(argv[7]);
    Vector x0, hold;
    const TrajOptProblemTpl<double> problem = make_problem(model, steps, atoi(argv[3]) != 0, x0, hold);

    SolverProxDDPTpl<double> solver(1e-10, atof(argv[4]), static_cast<size_t>(atoi(argv[6])));
    solver.rollout_type_ = std::string(argv[5]) == "linear" ? RolloutType::LINEAR : RolloutType::NONLINEAR;
    const std::vector<Vector> xs(static_cast<size_t>(steps) + 1, x0), us(static_cast<size_t>(steps), hold);

    // the holding torques keep the start, so this guess has no defects
    const auto history = std::make_shared<HistoryCallbackTpl<double>>(&solver);
    solver.registerCallback("history", history);
    solver.setup(problem);
    const std::vector<Vector> vs = solver.results_.vs, lams = solver.results_.lams; // multipliers, zero
    solver.run(problem, xs, us, vs, lams);
    for (size_t i = 0; i < history->values.size(); i++) printf("%.12g %.6g ", history->values[i], history->prim_infeas[i]);
    printf("\n");

    // each solve begins with the same multipliers, in the same memory
    solver.clearCallbacks();
    const size_t iterations = solver.results_.num_iters;
    for (int k = 0; k < solves; k++) {
        const double begun = now();
        solver.run(problem, xs, us, vs, lams);
        if (solver.results_.num_iters != iterations) return 1;
        printf("%.9f\n", now() - begun);
    }
    return 0;
}
