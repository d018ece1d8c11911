// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The data of the page: four blocks of JSON (title and places, scene, summary, and the two CSV files as
// strings), read into typed columns, and functions that the other files call: the knot at a time t,
// the pose of a body at this time, the contacts of a step.
//
// scene.json, the format (written by the library, read here; lengths in m, world frame, z up):
//
//   title     string
//   gravity   [x, y, z]
//   bodies    [{ name, parent, color?, geometry }]       parent: "world" or the name of a body
//     geometry  [{ name, shape, size | radius | radius, length | mesh, rounding?, pose, color?, collide }]
//       shape     box { size } | sphere { radius } | capsule { radius, length of the cylinder part } |
//                 cylinder { radius, length } | ellipsoid { size } | mesh { mesh: index } | halfspace (solid where z < 0) |
//                 heightfield { mesh: index, its surface }
//       size      full lengths; axes along z, centred
//       pose      { xyz: [x, y, z], quat: [w, x, y, z] }  in the body frame
//       color     "#rrggbb" or [r, g, b] or [r, g, b, a], each 0 to 1; the geometry's wins over the body's
//       collide   false for geometry that is only looked at
//       part_of   name of the geometry of which this is a convex part
//   meshes    [{ vertices: [x, y, z, ..], triangles: [i, j, k, ..] }]
//   limits    { column of trajectory.csv: [lower, upper] }   null where there is none
//   drives    [{ name, values: one a step, effort? }]     forces of drives
//   limit_forces  [{ name, values }]                      forces of joint limits that were met
//   times     [t_0 .. t_N]                                one per knot, increasing
//   poses     [knot][body] -> [x, y, z, qw, qx, qy, qz]   pose of the body frame in the world
//   horizons  { bodies: [index], times, paths: [tick][body] -> [x, y, z, ..] }   the motion that a closed loop predicts after
//                                                         each of its ticks; absent in other runs
//   goals     [{ body, xyz?, quat? }]                     drawn translucent; what is missing or null (xyz may
//                                                         hold nulls) is taken from the body's last pose
//
// Everything is optional except bodies, times and poses. Cost: linear in the text, once; queries O(log N).
'use strict';

const Data = (() => {
  const block = (id) => JSON.parse(document.getElementById(id).textContent);

  // one typed column per number, one array per word
  function parseCsv(text) {
    const lines = text.split(/\r?\n/).filter((line) => line !== '');
    const names = lines.length ? lines[0].split(',').map((name) => name.trim().replace(/^"|"$/g, '')) : [];
    const rows = Math.max(0, lines.length - 1);
    const words = new Set(['pair', 'mode']);
    const columns = names.map((name) => (words.has(name) ? new Array(rows).fill('') : new Float64Array(rows).fill(NaN)));
    for (let r = 0; r < rows; r++) {
      const cells = lines[r + 1].split(',');
      for (let c = 0; c < names.length && c < cells.length; c++) {
        const cell = cells[c].trim().replace(/^"|"$/g, '');
        if (words.has(names[c])) columns[c][r] = cell;
        else if (cell !== '') columns[c][r] = Number(cell);
      }
    }
    return { names, columns, rows, column: (name) => columns[names.indexOf(name)] };
  }

  // largest k with times[k] <= t, at least 0
  function knotAt(times, t) {
    let low = 0;
    let high = times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (times[middle] <= t) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  // the groups of columns are told apart by their names: u.NAME is a control, NAME.a the activation of the actuator NAME,
  // NAME.v NAME.vx .. NAME.wz a velocity, anything else a coordinate
  function group(name, names) {
    if (name.startsWith('u.')) return 'u';
    if (name.endsWith('.a') && names.includes('u.' + name.slice(0, -2))) return 'a';
    return /\.(v|[vw][xyz])$/.test(name) ? 'v' : 'q';
  }

  // rows of contacts.csv by knot: the contacts of the step that starts at knot k are first[k] .. first[k+1]-1
  function contactsByKnot(table, times) {
    const first = new Int32Array(times.length + 1);
    const order = [];
    const t = table.column('t');
    const knots = new Int32Array(table.rows);
    for (let r = 0; r < table.rows; r++) {
      let k = knotAt(times, t[r]);
      if (k + 1 < times.length && times[k + 1] - t[r] < t[r] - times[k]) k++;
      knots[r] = k;
      first[k + 1]++;
      order.push(r);
    }
    for (let k = 0; k < times.length; k++) first[k + 1] += first[k];
    order.sort((a, b) => knots[a] - knots[b] || a - b);
    return { first, order };
  }

  // the normal force of each pair over time, its points summed, one value a step
  function pairForces(contacts, knots) {
    const pairs = new Map();
    const pair = contacts.table.column('pair');
    const force = contacts.table.column('f_n');
    for (let k = 0; k < knots; k++) {
      for (let i = contacts.first[k]; i < contacts.first[k + 1]; i++) {
        const r = contacts.order[i];
        if (!pairs.has(pair[r])) pairs.set(pair[r], new Float64Array(knots));
        pairs.get(pair[r])[k] += force[r] || 0;
      }
    }
    // the last step's value is held to the last knot
    for (const values of pairs.values()) if (knots > 1) values[knots - 1] = values[knots - 2];
    return [...pairs].map(([name, values]) => ({ name, values, step: true }));
  }

  // one value a step, the last one held to the last knot
  function stepped(entries, knots) {
    return (entries || []).map(({ name, values, effort }) => {
      const held = new Float64Array(knots);
      held.set(values.slice(0, knots));
      if (knots > 1) held[knots - 1] = held[knots - 2];
      return { name, values: held, step: true, limits: effort };
    });
  }

  function series(trajectory, which, limits) {
    const found = [];
    trajectory.names.forEach((name, c) => {
      if (name === 't' || group(name, trajectory.names) !== which) return;
      const values = trajectory.columns[c];
      const last = values.length - 1;
      if (which === 'u' && last > 0 && Number.isNaN(values[last])) values[last] = values[last - 1];
      found.push({ name: which === 'u' ? name.slice(2) : name, values, step: which === 'u', limits: limits[name] });
    });
    return found;
  }

  // poses as one flat array, 7 numbers a body, a knot after the other
  function flatten(scene) {
    const bodies = scene.bodies.length;
    const flat = new Float64Array(scene.times.length * bodies * 7);
    scene.poses.forEach((row, k) => row.forEach((pose, b) => flat.set(pose, (k * bodies + b) * 7)));
    return flat;
  }

  function check(scene) {
    if (!scene || !Array.isArray(scene.bodies) || !Array.isArray(scene.times) || !Array.isArray(scene.poses))
      throw new Error('scene.json lacks bodies, times or poses');
    if (scene.times.length === 0 || scene.times.length !== scene.poses.length)
      throw new Error(`scene.json has ${scene.times.length} times and ${scene.poses.length} poses`);
  }

  // [x y z qw qx qy qz] of body b between knots k and k+1: linear in position, slerp in orientation
  function pose(data, k, fraction, b, out) {
    const count = data.scene.bodies.length;
    const i = (k * count + b) * 7;
    const j = Math.min(k + 1, data.times.length - 1) * count * 7 + b * 7;
    const p = data.poses;
    for (let c = 0; c < 3; c++) out[c] = p[i + c] + fraction * (p[j + c] - p[i + c]);
    let dot = 0;
    for (let c = 3; c < 7; c++) dot += p[i + c] * p[j + c];
    const sign = dot < 0 ? -1 : 1;
    const angle = Math.acos(Math.min(1, Math.abs(dot)));
    const near = angle < 1e-4;
    const a = near ? 1 - fraction : Math.sin((1 - fraction) * angle) / Math.sin(angle);
    const z = near ? fraction : Math.sin(fraction * angle) / Math.sin(angle);
    for (let c = 3; c < 7; c++) out[c] = a * p[i + c] + sign * z * p[j + c];
    return out;
  }

  function load() {
    const scene = block('scene-data');
    check(scene);
    const times = Float64Array.from(scene.times);
    const trajectory = parseCsv(block('trajectory-data') || '');
    const table = parseCsv(block('contacts-data') || '');
    const contacts = { table, ...contactsByKnot(table, times) };
    const t = trajectory.column('t') || times;
    const limits = scene.limits || {};
    return {
      scene, times, contacts, summary: block('summary-data'), poses: flatten(scene),
      start: times[0], end: times[times.length - 1],
      plots: [
        { key: 'q', title: 'Coordinates', unit: 'q [m, rad]', times: t, series: series(trajectory, 'q', limits) },
        { key: 'v', title: 'Velocities', unit: 'v [m/s, rad/s]', times: t, series: series(trajectory, 'v', {}) },
        { key: 'a', title: 'Activations', unit: 'a', times: t, series: series(trajectory, 'a', {}) },
        { key: 'u', title: 'Controls', unit: 'u', times: t, series: series(trajectory, 'u', limits) },
        { key: 'd', title: 'Drive forces', unit: 'f [N, N m]', times, series: stepped(scene.drives, times.length) },
        { key: 'l', title: 'Limit forces', unit: 'of joint limits [N, N m]', times, series: stepped(scene.limit_forces, times.length) },
        { key: 'f', title: 'Contact forces', unit: 'normal, per pair [N]', times, series: pairForces(contacts, times.length) },
      ],
    };
  }

  return { load, knotAt, pose };
})();
