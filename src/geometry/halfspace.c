// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A halfspace, solid where z < 0 of its frame, against convex shapes with few extreme points: the centre of a sphere,
// the two cap centres of a capsule, the eight corners of a box. Each point is a contact with n the plane's normal
// (theory 1, 6):
//
//     phi = n . (c - p) - radius,     a = c - (phi + radius) n
//
// with the radius of the ball around the point (a box's rounding). Points above the lowest one support a shape that
// lies flat. (The witness of a leaning capsule's upper point is on the ball of its cap, inside the capsule.) The
// branch never changes, so `tie` is infinite. `feature` is the number of the point: cap 0 at the lower end of the
// capsule's axis, 1 at the upper end; corner bits 0, 1, 2 set where x, y, z is positive.

#include "geometry/pairs.h"

int trxi_collide_halfspace_sphere(const trxi_placed_shape *A, const trxi_placed_shape *B, double margin,
                                  bool derivatives, trxi_contact_point *points)
{
    double z = trxi_height_over(A, B->p);
    if (!(z - B->shape->radius < margin)) return 0;
    points->feature = 0;
    trxi_put_over(A->R + 6, B->p, z, B->shape->radius, derivatives, points);
    return 1;
}

int trxi_collide_halfspace_capsule(const trxi_placed_shape *A, const trxi_placed_shape *B, double margin,
                                   bool derivatives, trxi_contact_point *points)
{
    double radius = B->shape->radius, h = B->shape->length / 2;
    int count = 0;
    for (int end = 0; end < 2; end++) {
        double c[3];
        trxi_copy3(B->p, c);
        trxi_axpy3(end ? h : -h, B->R + 6, c);
        double z = trxi_height_over(A, c);
        if (!(z - radius < margin)) continue;
        points[count].feature = end;
        trxi_put_over(A->R + 6, c, z, radius, derivatives, points + count++);
    }
    return count;
}

int trxi_collide_halfspace_box(const trxi_placed_shape *A, const trxi_placed_shape *B, double margin, bool derivatives,
                               trxi_contact_point *points)
{
    // rise of the height along each half edge
    double rise[3], z = trxi_height_over(A, B->p);
    for (int i = 0; i < 3; i++) rise[i] = 0.5 * B->shape->size[i] * trxi_dot3(A->R + 6, B->R + 3 * i);
    double radius = B->shape->rounding;
    if (!(z - fabs(rise[0]) - fabs(rise[1]) - fabs(rise[2]) - radius < margin)) return 0;

    int count = 0;
    for (int corner = 0; corner < 8; corner++) {
        double height_of_corner = z, c[3];
        for (int i = 0; i < 3; i++) height_of_corner += corner >> i & 1 ? rise[i] : -rise[i];
        if (!(height_of_corner - radius < margin)) continue;
        trxi_copy3(B->p, c);
        for (int i = 0; i < 3; i++)
            trxi_axpy3(corner >> i & 1 ? 0.5 * B->shape->size[i] : -0.5 * B->shape->size[i], B->R + 3 * i, c);
        points[count].feature = corner;
        trxi_put_over(A->R + 6, c, height_of_corner, radius, derivatives, points + count++);
    }
    return count;
}
