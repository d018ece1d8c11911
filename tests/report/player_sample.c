// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// See player_sample.h. Explicit small steps are enough here: the numbers are looked at, not judged.

#include "report/player_sample.h"

#include <math.h>
#include <stdlib.h>

static const double BOX_MASS = 0.5, BALL_MASS = 0.3, BALL_RADIUS = 0.02, HALF = 0.05, GRAVITY = 9.81;

typedef struct push {
    double box, ball;          // x of the centres [m]
    double v_box, v_ball;      // [m/s]
    double force, floor, push; // on the ball, friction on the box, between them [N]
    bool sliding;
} push;

// approach, push, then back off: a force that follows a speed
static double wanted_speed(double t, double duration)
{
    double s = t / duration;
    return s < 0.12 ? 2.0 * s : s < 0.62 ? 0.24 + 0.135 * sin(6.2 * (s - 0.12)) : s < 0.75 ? 0.0 : -0.12;
}

static void advance(push *p, double t, double dt, double duration)
{
    enum { SUBSTEPS = 200 };
    double h = dt / SUBSTEPS;
    for (int i = 0; i < SUBSTEPS; i++) {
        double overlap = p->ball + BALL_RADIUS - (p->box - HALF);
        double rate = p->v_ball - p->v_box;
        p->push = overlap > 0 ? fmax(0, 1e4 * overlap * (1 + 60 * rate)) : 0;
        p->force = fmin(20, fmax(-20, 30 * (wanted_speed(t, duration) - p->v_ball) + p->push));
        p->floor = -0.3 * BOX_MASS * GRAVITY * p->v_box / hypot(p->v_box, 1e-3);
        p->v_ball += h * (p->force - p->push) / BALL_MASS;
        p->v_box += h * (p->push + p->floor) / BOX_MASS;
        p->ball += h * p->v_ball;
        p->box += h * p->v_box;
    }
    p->sliding = fabs(p->v_box) > 5e-3;
}

static void put_row(trxi_text *out, const double *values, int count)
{
    for (int i = 0; i < count; i++) {
        if (i) trxi_text_char(out, ',');
        trxi_text_number(out, values[i]);
    }
}

static void put_state(player_sample *s, const push *p, double t, bool last)
{
    double lift = 0.03 * fmax(0, sin(6 * t)) * (t > 0.62);
    double row[] = {t, p->box, 0, HALF, 1, 0, 0, 0, p->ball, 0, HALF + lift, p->v_box, 0, 0, 0, 0, 0, p->v_ball, 0, 0};
    put_row(&s->trajectory, row, sizeof row / sizeof row[0]);
    trxi_text_char(&s->trajectory, ',');
    if (!last) {
        double u[] = {p->force, 0, 4 * lift};
        put_row(&s->trajectory, u, 3);
    } else {
        trxi_text_string(&s->trajectory, ",,");
    }
    trxi_text_char(&s->trajectory, '\n');

    trxi_text_char(&s->scene, '[');
    double poses[3][7] = {{0, 0, 0, 1, 0, 0, 0}, {p->box, 0, HALF, 1, 0, 0, 0}, {p->ball, 0, HALF + lift, 1, 0, 0, 0}};
    for (int b = 0; b < 3; b++) {
        trxi_text_string(&s->scene, b ? ",[" : "[");
        put_row(&s->scene, poses[b], 7);
        trxi_text_char(&s->scene, ']');
    }
    trxi_text_string(&s->scene, last ? "]\n" : "],\n");
}

static void put_contact(player_sample *s, double t, const char *pair, int point, double f_n, const char *mode,
                        const double p[3], const double n[3])
{
    trxi_text_number(&s->contacts, t);
    trxi_text_printf(&s->contacts, ",%s,%d,", pair, point);
    double before[] = {-f_n / 1e4, 0, 0, f_n, 0.1 * f_n};
    put_row(&s->contacts, before, 5);
    trxi_text_printf(&s->contacts, ",%s,", mode);
    double after[] = {p[0], p[1], p[2], n[0], n[1], n[2]};
    put_row(&s->contacts, after, 6);
    trxi_text_char(&s->contacts, '\n');
}

// four corners on the floor, loaded more at the front while it is pushed, and the ball on the box
static void put_contacts(player_sample *s, const push *p, double t)
{
    double weight = BOX_MASS * GRAVITY / 4, tilt = 0.25 * p->floor / 2;
    for (int c = 0; c < 4; c++) {
        double x = c & 1 ? HALF : -HALF, y = c & 2 ? HALF : -HALF;
        double at[3] = {p->box + x, y, 0}, down[3] = {0, 0, -1};
        put_contact(s, t, "box#1|ground#1", c, weight - (x > 0 ? tilt : -tilt), p->sliding ? "slip" : "stick", at, down);
    }
    double at[3] = {p->ball + BALL_RADIUS, 0, HALF}, back[3] = {-1, 0, 0};
    if (p->push > 0) put_contact(s, t, "box#1|pusher#1", 0, p->push, "stick", at, back);
}

static void put_head(player_sample *s)
{
    trxi_text_string(&s->scene,
                     "{\"title\": \"Push a box across a table\", \"gravity\": [0, 0, -9.81],\n\"bodies\": [\n"
                     "{\"name\": \"ground\", \"parent\": \"world\", \"geometry\": [{\"name\": \"ground#1\", \"shape\": "
                     "\"halfspace\", \"pose\": {\"xyz\": [0, 0, 0], \"quat\": [1, 0, 0, 0]}, \"collide\": true}]},\n"
                     "{\"name\": \"box\", \"parent\": \"world\", \"geometry\": [{\"name\": \"box#1\", \"shape\": \"box\", "
                     "\"size\": [0.1, 0.1, 0.1], \"pose\": {\"xyz\": [0, 0, 0], \"quat\": [1, 0, 0, 0]}}]},\n"
                     "{\"name\": \"pusher\", \"parent\": \"world\", \"color\": \"#d9a441\", \"geometry\": [{\"name\": "
                     "\"pusher#1\", \"shape\": \"sphere\", \"radius\": 0.02}, {\"name\": \"pusher#2\", "
                     "\"shape\": \"mesh\", \"mesh\": 0, \"collide\": false, \"color\": [0.1, 0.6, 0.2]}]}],\n"
                     "\"meshes\": [{\"vertices\": [-0.02, -0.02, -0.03, 0.02, -0.02, -0.03, 0, 0.03, -0.03, 0, 0, 0.05], "
                     "\"triangles\": [0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3]}],\n"
                     "\"limits\": {\"px\": [-0.09, 0.3], \"u.px\": [-20, 20]},\n"
                     "\"goals\": [{\"body\": \"box\", \"xyz\": [0.15, 0, null]}],\n\"poses\": [\n");
    trxi_text_string(&s->trajectory,
                     "t,box.x,box.y,box.z,box.qw,box.qx,box.qy,box.qz,px,py,pz,box.vx,box.vy,box.vz,box.wx,box.wy,"
                     "box.wz,px.v,py.v,pz.v,u.px,u.py,u.pz\n");
    trxi_text_string(&s->contacts, "t,pair,point,distance,v_n,v_t,f_n,f_t,mode,px,py,pz,nx,ny,nz\n");
}

player_sample player_sample_create(trx_context *context, int knots, double duration)
{
    player_sample s = {trxi_text_create(context), trxi_text_create(context), trxi_text_create(context),
                       trxi_text_create(context)};
    put_head(&s);
    push p = {.box = 0, .ball = -0.10};
    double dt = duration / (knots - 1);
    for (int k = 0; k < knots; k++) {
        push before = p;
        if (k < knots - 1) advance(&p, k * dt, dt, duration);
        before.force = p.force;
        put_state(&s, &before, k * dt, k == knots - 1);
        before.push = p.push;
        before.floor = p.floor;
        before.sliding = p.sliding;
        if (k < knots - 1) put_contacts(&s, &before, k * dt);
    }
    trxi_text_string(&s.scene, "],\n\"drives\": [{\"name\": \"px\", \"effort\": [-5, 5], \"values\": [");
    for (int k = 0; k + 1 < knots; k++) trxi_text_printf(&s.scene, "%s%d", k ? "," : "", k % 7 - 3);
    trxi_text_string(&s.scene, "]}],\n\"times\": [");
    for (int k = 0; k < knots; k++) {
        if (k) trxi_text_char(&s.scene, ',');
        trxi_text_number(&s.scene, k * dt);
    }
    trxi_text_string(&s.scene, "]}\n");
    double error = fabs(p.box - 0.15);
    trxi_text_printf(&s.summary,
                     "{\"status\": \"converged\", \"message\": \"\", \"cost\": 0.12345, \"iterations\": 87,\n"
                     "\"leans_on_time_step\": {\"goal\": \"box.position\", \"times_tolerance\": 1.7},\n"
                     "\"goals\": [{\"name\": \"box.position\", \"error\": %.6f, \"tolerance\": 0.005, \"met\": %s, \"components\": "
                     "[{\"name\": \"x\", \"error\": 0.001, \"unit\": \"m\"}, {\"name\": \"y\", \"error\": 0, \"unit\": \"m\"}]}],\n"
                     "\"limits\": [{\"name\": \"px.position\", \"violation\": 0, \"tolerance\": 1e-6, \"met\": true}, "
                     "{\"name\": \"pz.position\", \"violation\": 0.002, \"tolerance\": 1e-6, \"met\": false}],\n"
                     "\"physical\": {\"penetration\": 0.00021, \"slip\": 0.00008, \"momentum_residual\": 1e-9},\n"
                     "\"fine\": {\"penetration\": 0.00032, \"slip\": 0.00009, \"momentum_residual\": 1e-9, \"goals\": "
                     "[{\"name\": \"box.position\", \"error\": %.6f, \"tolerance\": 0.005, \"met\": true}]},\n"
                     "\"timing\": {\"solve\": 0.243, \"setup\": 0.01, \"write\": 0.01}}\n",
                     error, error <= 0.005 ? "true" : "false", 1.3 * error);
    return s;
}

void player_sample_destroy(player_sample *sample)
{
    trxi_text_destroy(&sample->scene);
    trxi_text_destroy(&sample->trajectory);
    trxi_text_destroy(&sample->contacts);
    trxi_text_destroy(&sample->summary);
}
