// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// All public headers: #include <tractrix/tractrix.h>

#ifndef TRACTRIX_TRACTRIX_H
#define TRACTRIX_TRACTRIX_H

#include <tractrix/channel.h>
#include <tractrix/context.h>
#include <tractrix/fit.h>
#include <tractrix/fit_design.h>
#include <tractrix/geometry.h>
#include <tractrix/import.h>
#include <tractrix/kinematics.h>
#include <tractrix/model.h>
#include <tractrix/mpc.h>
#include <tractrix/parameters.h>
#include <tractrix/plan.h>
#include <tractrix/policy.h>
#include <tractrix/problem.h>
#include <tractrix/process.h>
#include <tractrix/report.h>
#include <tractrix/robust.h>
#include <tractrix/search.h>
#include <tractrix/sim.h>
#include <tractrix/status.h>
#include <tractrix/trial.h>
#include <tractrix/verify.h>
#include <tractrix/version.h>

#endif
