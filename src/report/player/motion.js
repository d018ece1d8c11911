// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Facts about the whole motion, found before drawing: which bodies move, where the goals are, which box the
// picture must hold, and the points of a path. Long runs are sampled at about SAMPLES knots where a bound is
// enough. Cost: O(bodies (SAMPLES + geometry)), and O(N) for a path.

const Motion = (() => {
  const SAMPLES = 240;

  // knots at an even stride, the last one among them
  function* sampled(data) {
    const last = data.times.length - 1;
    const stride = Math.max(1, Math.floor(last / SAMPLES));
    for (let k = 0; k < last; k += stride) yield k;
    yield last;
  }

  function moves(data, b) {
    const first = Data.pose(data, 0, 0, b, []);
    const other = [];
    for (const k of sampled(data)) {
      Data.pose(data, k, 0, b, other);
      if (first.some((value, c) => Math.abs(value - other[c]) > 1e-7)) return true;
    }
    return false;
  }

  // goals as full poses: numbers that a goal does not have come from the last pose of the body
  function goals(data) {
    return (data.scene.goals || []).flatMap((goal) => {
      const b = data.scene.bodies.findIndex((body) => body.name === goal.body);
      if (b < 0) return [];
      const pose = Data.pose(data, data.times.length - 1, 0, b, []);
      (goal.xyz || []).forEach((value, c) => { if (value !== null && c < 3) pose[c] = value; });
      (goal.quat || []).forEach((value, c) => { pose[3 + c] = value; });
      return [{ body: b, pose }];
    });
  }

  function setPose(object, pose) {
    object.position.set(pose[0], pose[1], pose[2]);
    object.quaternion.set(pose[4], pose[5], pose[6], pose[3]).normalize();
    return object;
  }

  // extends `box` by the corners of the boxes around the geometries of a body at `pose`
  function grow(box, pose, geometry) {
    const body = setPose(new THREE.Object3D(), pose);
    const own = new THREE.Object3D();
    const corner = new THREE.Vector3();
    for (const g of geometry) {
      const half = Shapes.half(g);
      if (!half) continue;
      Shapes.place(own, g.pose || { xyz: [0, 0, 0], quat: [1, 0, 0, 0] });
      for (let i = 0; i < 8; i++) {
        corner.set(i & 1 ? half[0] : -half[0], i & 2 ? half[1] : -half[1], i & 4 ? half[2] : -half[2]);
        corner.applyQuaternion(own.quaternion).add(own.position);
        box.expandByPoint(corner.applyQuaternion(body.quaternion).add(body.position));
      }
    }
  }

  const reach = (g) => Math.hypot(...(Shapes.half(g) || [0]));

  // what moving geometry sweeps, the goals, and fixed geometry that is not much larger
  function bounds(data, moving, ghosts) {
    const box = new THREE.Box3();
    const { bodies } = data.scene;
    const geometry = (b) => bodies[b].geometry || [];
    const pose = [];
    bodies.forEach((_, b) => {
      if (moving[b]) for (const k of sampled(data)) grow(box, Data.pose(data, k, 0, b, pose), geometry(b));
    });
    ghosts.forEach((ghost) => grow(box, ghost.pose, geometry(ghost.body)));
    const limit = box.isEmpty() ? Infinity : 4 * box.getSize(new THREE.Vector3()).length();
    bodies.forEach((_, b) => {
      if (!moving[b]) grow(box, Data.pose(data, 0, 0, b, pose), geometry(b).filter((g) => reach(g) < limit));
    });
    if (box.isEmpty()) box.setFromCenterAndSize(new THREE.Vector3(), new THREE.Vector3(1, 1, 1));
    return box;
  }

  // the point of a body whose path is drawn: the middle of its geometry
  function middle(geometry) {
    const sum = new THREE.Vector3();
    for (const g of geometry) sum.add(new THREE.Vector3().fromArray((g.pose && g.pose.xyz) || [0, 0, 0]));
    return sum.multiplyScalar(1 / Math.max(1, geometry.length));
  }

  // points of the path at least `spacing` apart, and their knots: a body at rest adds no points
  function path(data, b, spacing) {
    const points = [];
    const knots = [];
    const pose = [];
    const body = new THREE.Object3D();
    const local = middle(data.scene.bodies[b].geometry || []);
    for (let k = 0; k < data.times.length; k++) {
      setPose(body, Data.pose(data, k, 0, b, pose));
      const point = local.clone().applyQuaternion(body.quaternion).add(body.position);
      if (points.length && points[points.length - 1].distanceTo(point) < spacing) continue;
      points.push(point);
      knots.push(k);
    }
    return { points, knots };
  }

  return { moves, goals, setPose, bounds, path };
})();
