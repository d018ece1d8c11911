// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The stage: bodies at a time, their paths so far, goals, contact forces, light, floor and camera.
// show(k, fraction) places everything between knots k and k + 1; draw() renders. Nothing moves by itself.

const Stage = (() => {
  // directions from the scene to the eye
  const VIEWS = { default: [-0.42, -1, 0.52], top: [0, -1e-4, 1], front: [0, -1, 0.06], side: [1, 0, 0.06] };
  const MARGIN = 0.9;

  const niceCell = (length) => {
    const power = 10 ** Math.floor(Math.log10(length));
    return [1, 2, 5, 10].map((m) => m * power).find((cell) => cell >= length * 0.999);
  };

  function makeRenderer(canvas) {
    const renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true });
    renderer.gammaOutput = true;
    renderer.gammaFactor = 2.2;
    renderer.shadowMap.enabled = true;
    renderer.shadowMap.type = THREE.PCFSoftShadowMap;
    return renderer;
  }

  // a soft sky and one sun with shadows, both sized to the scene
  function addLight(world, centre, radius) {
    const sky = new THREE.HemisphereLight(0xffffff, 0x8d959c, 0.62);
    sky.position.set(0, 0, 1);
    const sun = new THREE.DirectionalLight(0xfff6ea, 0.62);
    sun.position.copy(centre).add(new THREE.Vector3(-0.9, -1.1, 2.4).multiplyScalar(radius * 1.6));
    sun.target.position.copy(centre);
    sun.castShadow = true;
    sun.shadow.mapSize.set(2048, 2048);
    sun.shadow.radius = 3;
    sun.shadow.bias = -0.0006;
    const half = radius * 1.5;
    Object.assign(sun.shadow.camera, { left: -half, right: half, top: half, bottom: -half, near: radius / 2, far: radius * 9 });
    world.add(sky, sun, sun.target);
    return sky;
  }

  // a half space of a body as a disc where it is nearest to the scene; level ones reach far
  function addHalfspace(group, g, { centre, radius, cell }) {
    const holder = Shapes.place(new THREE.Object3D(), g.pose);
    group.add(holder);
    group.updateMatrixWorld(true);
    const local = holder.worldToLocal(centre.clone());
    const level = new THREE.Vector3(0, 0, 1).transformDirection(holder.matrixWorld).z > 0.7;
    const disc = Shapes.floor(level ? radius * 9 : radius * 1.6, cell, [local.x, local.y], level ? 0.85 : 0.6);
    disc.level = level;
    holder.add(disc);
    return disc;
  }

  // a grid where no body makes a floor: at z = 0, or lower when the motion goes there
  function addGrid(world, { box, centre, radius, cell }) {
    const disc = Shapes.floor(radius * 6, cell, [centre.x, centre.y], 0);
    disc.position.z = box.min.z >= 0 && box.min.z < radius ? 0 : box.min.z;
    world.add(disc);
    return disc;
  }

  // a shape for contact alone: a convex part of a mesh, or a shape of a body that has other shapes for drawing
  const hidden = (body, g) => g.part_of !== undefined || (g.collide !== false && body.geometry.some((other) =>
    other.collide === false && !body.geometry.some((part) => part.part_of === other.name)));

  // each body a group at its first pose
  function addBodies(world, data, moving, place) {
    const floors = [];
    const shapes = [];
    const undrawn = new Set();
    let colored = 0;
    const groups = data.scene.bodies.map((body, b) => {
      const group = Motion.setPose(new THREE.Group(), Data.pose(data, 0, 0, b, []));
      const own = moving[b] ? Shapes.PALETTE[colored++ % Shapes.PALETTE.length] : Shapes.FIXED;
      group.color = body.color || own;
      for (const g of body.geometry || []) {
        if (g.shape === 'halfspace') {
          floors.push(addHalfspace(group, g, place));
          continue;
        }
        const mesh = Shapes.build(g, group.color, false);
        if (mesh) group.add(mesh);
        else undrawn.add(g.shape);
        if (mesh && hidden(body, g)) shapes.push(mesh);
      }
      world.add(group);
      return group;
    });
    if (!floors.some((disc) => disc.level)) floors.push(addGrid(world, place));
    return { groups, floors, shapes, undrawn };
  }

  function addGoals(world, data, ghosts, groups) {
    const layer = new THREE.Group();
    for (const ghost of ghosts) {
      const group = Motion.setPose(new THREE.Group(), ghost.pose);
      for (const g of data.scene.bodies[ghost.body].geometry || []) {
        if (hidden(data.scene.bodies[ghost.body], g)) continue;
        const mesh = Shapes.build(g, groups[ghost.body].color, true);
        if (mesh) group.add(mesh);
      }
      layer.add(group);
    }
    world.add(layer);
    return layer;
  }

  // paths of the moving bodies that carry no other body
  function addPaths(world, data, moving, groups, radius) {
    const layer = new THREE.Group();
    data.scene.bodies.forEach((body, b) => {
      if (!moving[b] || data.scene.bodies.some((other) => other.parent === body.name)) return;
      const { points, knots } = Motion.path(data, b, radius / 120);
      if (points.length < 3) return;
      const material = new THREE.MeshBasicMaterial({ color: Shapes.color(groups[b].color), transparent: true, opacity: 0.85 });
      const mesh = Shapes.tube(points, radius * 0.006, material);
      mesh.knots = knots;
      layer.add(mesh);
    });
    world.add(layer);
    return layer;
  }

  // predictions of a closed loop: a line for each body after each tick; the lines of the last tick are shown
  function addHorizons(world, data, groups) {
    const layer = new THREE.Group();
    const { bodies, times, paths } = data.scene.horizons || { bodies: [], times: [], paths: [] };
    bodies.forEach((b) => {
      const look = { color: Shapes.color(groups[b].color), depthTest: false };
      const line = new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial(look));
      const knots = new THREE.Points(line.geometry, new THREE.PointsMaterial({ ...look, size: 5, sizeAttenuation: false }));
      line.frustumCulled = false;
      knots.frustumCulled = false;
      line.add(knots);
      layer.add(line);
    });
    let shown = -1;
    layer.show = (t) => {
      const tick = Data.knotAt(times, t);
      if (times.length === 0 || tick === shown) return;
      shown = tick;
      layer.children.forEach((line, i) => {
        line.geometry.setAttribute('position', new THREE.Float32BufferAttribute(paths[tick][i], 3));
      });
    };
    world.add(layer);
    return layer;
  }

  // objects that are shown and hidden together
  function several(objects) {
    return {
      get visible() { return objects.length > 0 && objects[0].visible; },
      set visible(value) { objects.forEach((object) => { object.visible = value; }); },
    };
  }

  // the nearest eye along `back` that has all corners of the box in the picture
  function eyeFor(camera, box, centre, back) {
    const right = new THREE.Vector3(0, 0, 1).cross(back).normalize();
    const up = back.clone().cross(right);
    const tall = Math.tan((camera.fov * Math.PI) / 360) * MARGIN;
    const wide = tall * camera.aspect;
    let distance = 0;
    for (let i = 0; i < 8; i++) {
      const corner = new THREE.Vector3(
        i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 4 ? box.max.z : box.min.z).sub(centre);
      const need = Math.max(Math.abs(corner.dot(right)) / wide, Math.abs(corner.dot(up)) / tall);
      distance = Math.max(distance, need + corner.dot(back));
    }
    return centre.clone().addScaledVector(back, distance);
  }

  // orbit about the scene, z up
  function makeCamera(canvas, { box, centre, radius }) {
    const camera = new THREE.PerspectiveCamera(32, 1, radius / 100, radius * 60);
    camera.up.set(0, 0, 1);
    const controls = new THREE.OrbitControls(camera, canvas);
    Object.assign(controls, { enableKeys: false, minDistance: radius * 0.2, maxDistance: radius * 25 });
    function fit(view) {
      const back = new THREE.Vector3(...(VIEWS[view] || VIEWS.default)).normalize();
      controls.target.copy(centre);
      camera.position.copy(eyeFor(camera, box, centre, back));
      controls.update();
    }
    return { camera, controls, fit };
  }

  function create(canvas, data) {
    const { bodies } = data.scene;
    Shapes.use(data.scene.meshes);
    const moving = bodies.map((_, b) => Motion.moves(data, b));
    const ghosts = Motion.goals(data);
    const box = Motion.bounds(data, moving, ghosts);
    const centre = box.getCenter(new THREE.Vector3());
    const radius = Math.max(1e-3, box.getSize(new THREE.Vector3()).length() / 2);
    const place = { box, centre, radius, cell: niceCell(radius / 4) };

    const renderer = makeRenderer(canvas);
    const world = new THREE.Scene();
    const sky = addLight(world, centre, radius);
    const { groups, floors, shapes, undrawn } = addBodies(world, data, moving, place);
    const goals = addGoals(world, data, ghosts, groups);
    const paths = addPaths(world, data, moving, groups, radius);
    const horizons = addHorizons(world, data, groups);
    const forces = Forces.create(data, moving, ghosts, radius);
    world.add(forces.group);
    const { camera, controls, fit } = makeCamera(canvas, place);

    const pose = [];
    function show(k, fraction) {
      groups.forEach((group, b) => { if (moving[b]) Motion.setPose(group, Data.pose(data, k, fraction, b, pose)); });
      for (const mesh of paths.children) mesh.geometry.setDrawRange(0, Data.knotAt(mesh.knots, k) * mesh.indicesPerSegment);
      horizons.show(data.times[k] + fraction * (data.times[Math.min(k + 1, data.times.length - 1)] - data.times[k]));
      forces.show(k, fraction);
    }

    function resize() {
      const { clientWidth, clientHeight } = canvas.parentElement;
      if (clientWidth === 0 || clientHeight === 0) return;
      renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
      renderer.setSize(clientWidth, clientHeight, false);
      camera.aspect = clientWidth / clientHeight;
      camera.updateProjectionMatrix();
    }

    function recolor(css, dark) {
      floors.forEach((disc) => disc.recolor(css(disc.level === false ? '--wall' : '--floor'), css('--line'), dark));
      forces.recolor(css);
      sky.intensity = dark ? 0.5 : 0.62;
    }

    return {
      show, fit, resize, recolor,
      cell: place.cell,
      undrawn: [...undrawn],
      layers: { forces: forces.group, paths, horizons, goals, shapes: several(shapes) },
      hasLayer: {
        forces: !forces.empty, paths: paths.children.length > 0, horizons: horizons.children.length > 0,
        goals: goals.children.length > 0, shapes: shapes.length > 0,
      },
      draw: () => renderer.render(world, camera),
      onChange: (call) => controls.addEventListener('change', call),
    };
  }

  return { create };
})();
