// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Contact forces as arrows that start at the contact point: the force on B along the normal (contacts.csv:
// from A to B), or, when B never moves or only A has a goal, the opposite one on A. The length is proportional to
// f_n up to a cap of about half the scene; the 80th percentile of all forces of the run is a fifth of the scene.
// The forces of a step are shown from its start to its end. If the next step has the same contacts, their points
// move smoothly. contacts.csv gives no direction for friction, so it is not drawn.

const Forces = (() => {
  const MODES = ['stick', 'slip', 'open'];
  const COLUMNS = ['pair', 'mode', 'f_n', 'px', 'py', 'pz', 'nx', 'ny', 'nz'];

  function percentile(values, p) {
    const sorted = values.filter((f) => f > 0).sort((a, b) => a - b);
    return sorted.length ? sorted[Math.min(sorted.length - 1, Math.floor(p * sorted.length))] : 1;
  }

  // 1 when the force on B is drawn, -1 for the one on A
  function signOf(data, moving, ghosts) {
    const owner = new Map();
    data.scene.bodies.forEach((body, b) => (body.geometry || []).forEach((g) => owner.set(g.name, b)));
    const hasGoal = (b) => ghosts.some((ghost) => ghost.body === b);
    const known = new Map();
    return (pair) => {
      if (!known.has(pair)) {
        const [a, b] = pair.split('|').map((name) => owner.get(name));
        const onA = moving[a] && (!moving[b] || (hasGoal(a) && !hasGoal(b)));
        known.set(pair, onA ? -1 : 1);
      }
      return known.get(pair);
    };
  }

  function create(data, moving, ghosts, radius) {
    const { table, first, order } = data.contacts;
    const at = Object.fromEntries(COLUMNS.map((name) => [name, table.column(name)]));
    const perNewton = (0.4 * radius) / percentile(Array.from(at.f_n || []), 0.8);
    const sign = signOf(data, moving, ghosts);

    // a pool of arrows for each mode, for the step with the most contacts
    let fullest = 1;
    for (let k = 0; k < data.times.length; k++) fullest = Math.max(fullest, first[k + 1] - first[k]);
    const group = new THREE.Group();
    const pools = MODES.map(() => Shapes.arrows(fullest, radius * 0.011));
    pools.forEach((pool) => group.add(pool.group));

    const foot = new THREE.Vector3();
    const along = new THREE.Vector3();

    // row r now, row s in the next step
    function add(r, s, fraction) {
      const length = Math.min(at.f_n[r] * perNewton, radius * 1.1);
      if (!(length > radius * 0.004)) return;
      const same = at.pair[r] === at.pair[s] ? fraction : 0;
      ['px', 'py', 'pz'].forEach((name, c) => foot.setComponent(c, at[name][r] + same * (at[name][s] - at[name][r])));
      along.set(at.nx[r], at.ny[r], at.nz[r]).normalize().multiplyScalar(sign(at.pair[r]));
      pools[Math.max(0, MODES.indexOf(at.mode[r]))].add(foot, along, length);
    }

    function show(k, fraction) {
      pools.forEach((pool) => pool.clear());
      const count = first[k + 1] - first[k];
      const next = k + 1 < data.times.length ? first[k + 2] - first[k + 1] : 0;
      for (let i = 0; i < count; i++) {
        const r = order[first[k] + i];
        add(r, count === next ? order[first[k + 1] + i] : r, fraction);
      }
      pools.forEach((pool) => pool.finish());
    }

    const recolor = (css) => MODES.forEach((mode, m) => pools[m].recolor(css(`--${mode}`)));
    return { group, show, recolor, empty: table.rows === 0 };
  }

  return { create };
})();
