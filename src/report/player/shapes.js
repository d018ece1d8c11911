// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Things to draw, as three.js objects: the shapes and meshes of scene.json, the floor with its grid, the path of a
// body as a thin tube, and a pool of force arrows drawn with four instanced meshes however many there are.
// Written for the three.js of Debian 12 (r111): colours are made linear here, the renderer makes them sRGB.

const Shapes = (() => {
  const PALETTE = ['#4f8fc9', '#d9a441', '#4aa6ad', '#b5739d', '#8d82c4', '#7fa35a', '#8f9aa6', '#b98a6a'];
  const FIXED = '#a9b2bb';

  function color(value, fallback) {
    const made = new THREE.Color();
    if (Array.isArray(value)) made.setRGB(value[0], value[1], value[2]);
    else made.set(value || fallback);
    return made.convertSRGBToLinear();
  }

  const opacity = (value) => (Array.isArray(value) && value.length > 3 ? value[3] : 1);

  // a capsule is half a profile turned about y; axes are along z, so y is turned there
  function capsule(radius, length) {
    const profile = [];
    const arcs = 12;
    for (let i = 0; i <= arcs; i++) {
      const a = (-0.5 + (0.5 * i) / arcs) * Math.PI;
      profile.push(new THREE.Vector2(Math.max(radius * Math.cos(a), 1e-9), radius * Math.sin(a) - length / 2));
    }
    for (let i = 0; i <= arcs; i++) {
      const a = ((0.5 * i) / arcs) * Math.PI;
      profile.push(new THREE.Vector2(Math.max(radius * Math.cos(a), 1e-9), radius * Math.sin(a) + length / 2));
    }
    return new THREE.LatheBufferGeometry(profile, 32).rotateX(Math.PI / 2);
  }

  // the meshes of the scene, which geometries name by their number
  let meshes = [];
  const use = (all) => { meshes = all || []; };

  // flat normals: robots' meshes have edges
  const made = new Map();
  function triangles(source) {
    if (!source) return null;
    if (made.has(source)) return made.get(source);
    const indexed = new THREE.BufferGeometry();
    indexed.setAttribute('position', new THREE.Float32BufferAttribute(source.vertices, 3));
    indexed.setIndex(source.triangles);
    const geometry = indexed.toNonIndexed();
    geometry.computeVertexNormals();
    made.set(source, geometry);
    return geometry;
  }

  // a rounded solid is drawn as its core with larger sizes: only edges and corners stay sharp
  function grown(g) {
    const r = g.rounding || 0;
    if (!r) return g;
    return { ...g, size: g.size && g.size.map((s) => s + 2 * r), radius: g.radius + r, length: g.length + 2 * r };
  }

  function solid(g) {
    switch (g.shape) {
      case 'mesh': case 'heightfield': return triangles(meshes[g.mesh]);
      case 'box': return new THREE.BoxBufferGeometry(g.size[0], g.size[1], g.size[2]);
      case 'sphere': return new THREE.SphereBufferGeometry(g.radius, 40, 28);
      case 'ellipsoid':
        return new THREE.SphereBufferGeometry(0.5, 40, 28).applyMatrix(new THREE.Matrix4().makeScale(...g.size));
      case 'capsule': return capsule(g.radius, g.length);
      case 'cylinder': return new THREE.CylinderBufferGeometry(g.radius, g.radius, g.length, 48).rotateX(Math.PI / 2);
      default: return null;
    }
  }

  // edges, and on round shapes great circles, so that turning is seen
  function outline(g, geometry) {
    if (g.shape === 'box' || g.shape === 'cylinder' || g.mesh !== undefined) return new THREE.EdgesGeometry(geometry, 30);
    const axes = g.shape === 'ellipsoid' ? g.size.map((s) => s / 2) : [g.radius, g.radius, g.radius];
    const shift = g.shape === 'capsule' ? g.length / 2 : 0;
    const points = [];
    const at = (plane, a) => {
      const u = 1.004 * Math.cos(a);
      const w = 1.004 * Math.sin(a);
      if (plane === 2) return new THREE.Vector3(u * axes[0], w * axes[1], 0);
      const z = w * axes[2] + (w >= 0 ? shift : -shift);
      return plane === 0 ? new THREE.Vector3(u * axes[0], 0, z) : new THREE.Vector3(0, u * axes[1], z);
    };
    for (let plane = 0; plane < 3; plane++)
      for (let i = 0; i < 64; i++) points.push(at(plane, (i * Math.PI) / 32), at(plane, ((i + 1) * Math.PI) / 32));
    return new THREE.BufferGeometry().setFromPoints(points);
  }

  function place(object, pose) {
    if (pose && pose.xyz) object.position.fromArray(pose.xyz);
    if (pose && pose.quat) object.quaternion.set(pose.quat[1], pose.quat[2], pose.quat[3], pose.quat[0]).normalize();
    return object;
  }

  // one geometry of a body; a ghost has the same shape, and is transparent
  function build(shape, fallback, ghost) {
    const g = grown(shape);
    const geometry = solid(g);
    if (!geometry) return null;
    const alpha = ghost ? 0.16 : opacity(g.color);
    const material = new THREE.MeshStandardMaterial({
      color: color(g.color, fallback), roughness: 0.62, metalness: 0.02,
      transparent: alpha < 1, opacity: alpha, depthWrite: alpha === 1,
      polygonOffset: true, polygonOffsetFactor: ghost ? 3 : 1, polygonOffsetUnits: 1,
    });
    const mesh = place(new THREE.Mesh(geometry, material), g.pose);
    mesh.castShadow = !ghost;
    mesh.receiveShadow = !ghost;
    if (ghost) material.emissive = color(g.color, fallback).multiplyScalar(0.5);
    mesh.add(new THREE.LineSegments(outline(g, geometry), new THREE.LineBasicMaterial({
      color: ghost ? color(g.color, fallback).multiplyScalar(0.45) : color(g.color, fallback).multiplyScalar(0.25),
      transparent: true, opacity: ghost ? 0.75 : 0.4, depthWrite: false,
    })));
    return mesh;
  }

  // half lengths of the box along the geometry's axes that holds it; null for what has none
  function half(shape) {
    const g = grown(shape);
    const r = g.radius;
    switch (g.shape) {
      case 'mesh': case 'heightfield': {
        const { vertices } = meshes[g.mesh];
        return [0, 1, 2].map((c) => vertices.reduce((most, x, i) => (i % 3 === c ? Math.max(most, Math.abs(x)) : most), 0));
      }
      case 'box': case 'ellipsoid': return g.size.map((s) => s / 2);
      case 'sphere': return [r, r, r];
      case 'capsule': return [r, r, r + g.length / 2];
      case 'cylinder': return [r, r, g.length / 2];
      default: return null;
    }
  }

  const FLOOR_VERTEX = `
    uniform vec2 focus;
    varying vec2 p;
    void main() {
      p = position.xy + focus;
      gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
    }`;
  const FLOOR_FRAGMENT = `
    uniform vec2 focus;
    uniform vec3 fill, line;
    uniform float cell, radius, body, ink;
    varying vec2 p;
    float grid(float size, float width) {
      vec2 d = max(fwidth(p / size), vec2(1e-6));
      vec2 g = abs(fract(p / size - 0.5) - 0.5) / d;
      float crowded = smoothstep(0.25, 0.6, max(d.x, d.y));
      return clamp(width - min(g.x, g.y), 0.0, 1.0) * (1.0 - crowded);
    }
    void main() {
      float fade = 1.0 - smoothstep(0.15, 1.0, length(p - focus) / radius);
      float lines = max(0.38 * grid(cell, 1.0), 0.8 * grid(cell * 5.0, 1.2)) * ink;
      gl_FragColor = vec4(mix(fill, line, lines), fade * max(body, lines));
    }`;

  // a disc of floor about `focus`, fading outwards; `body` is the opacity of its surface
  function floor(radius, cell, focus, body) {
    const material = new THREE.ShaderMaterial({
      uniforms: {
        focus: { value: new THREE.Vector2(focus[0], focus[1]) }, fill: { value: new THREE.Color() },
        line: { value: new THREE.Color() }, cell: { value: cell }, radius: { value: radius },
        body: { value: body }, ink: { value: 1 },
      },
      vertexShader: FLOOR_VERTEX, fragmentShader: FLOOR_FRAGMENT,
      transparent: true, depthWrite: false, side: THREE.DoubleSide, extensions: { derivatives: true },
    });
    const disc = new THREE.Mesh(new THREE.CircleBufferGeometry(radius, 64), material);
    const shadow = new THREE.Mesh(new THREE.CircleBufferGeometry(radius, 64), new THREE.ShadowMaterial({ opacity: 0.3 }));
    shadow.receiveShadow = true;
    shadow.material.depthWrite = false;
    disc.renderOrder = -2;
    shadow.renderOrder = -1;
    const group = new THREE.Group();
    group.add(disc, shadow);
    group.position.set(focus[0], focus[1], 0);
    group.recolor = (fill, line, dark) => {
      material.uniforms.fill.value.set(fill);
      material.uniforms.line.value.set(line);
      shadow.material.opacity = dark ? 0.42 : 0.24;
    };
    return group;
  }

  // a tube through `points` (Vector3, no two alike): rings in a frame carried along the curve
  function tube(points, radius, material) {
    const sides = 6;
    const position = new Float32Array(points.length * sides * 3);
    const index = new Uint32Array((points.length - 1) * sides * 6);
    const tangent = new THREE.Vector3();
    const normal = new THREE.Vector3();
    const binormal = new THREE.Vector3();
    for (let i = 0; i < points.length; i++) {
      tangent.subVectors(points[Math.min(i + 1, points.length - 1)], points[Math.max(i - 1, 0)]).normalize();
      if (i === 0) normal.set(Math.abs(tangent.z) < 0.9 ? 0 : 1, 0, Math.abs(tangent.z) < 0.9 ? 1 : 0);
      normal.addScaledVector(tangent, -normal.dot(tangent));
      if (normal.lengthSq() < 1e-12) normal.set(tangent.y, tangent.z, tangent.x).cross(tangent);
      normal.normalize();
      binormal.crossVectors(tangent, normal);
      for (let s = 0; s < sides; s++) {
        const a = (2 * Math.PI * s) / sides;
        const at = points[i].clone().addScaledVector(normal, radius * Math.cos(a)).addScaledVector(binormal, radius * Math.sin(a));
        at.toArray(position, (i * sides + s) * 3);
      }
    }
    for (let i = 0, n = 0; i + 1 < points.length; i++) {
      for (let s = 0; s < sides; s++) {
        const a = i * sides + s;
        const b = i * sides + ((s + 1) % sides);
        index.set([a, b, a + sides, b, b + sides, a + sides], n);
        n += 6;
      }
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(position, 3));
    geometry.setIndex(new THREE.BufferAttribute(index, 1));
    const mesh = new THREE.Mesh(geometry, material);
    mesh.indicesPerSegment = sides * 6;
    return mesh;
  }

  // arrows of one colour: solid where seen, faint where a body hides them
  function arrows(capacity, width) {
    const shaft = new THREE.CylinderBufferGeometry(width, width, 1, 16).translate(0, 0.5, 0);
    const head = new THREE.ConeBufferGeometry(width * 2.6, width * 6, 20).translate(0, -width * 3, 0);
    const group = new THREE.Group();
    const seen = new THREE.MeshBasicMaterial();
    const hidden = new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.5, depthTest: false, depthWrite: false });
    const meshes = [];
    for (const [geometry, part] of [[shaft, 'shaft'], [head, 'head']]) {
      for (const material of [seen, hidden]) {
        const mesh = new THREE.InstancedMesh(geometry, material, capacity);
        mesh.frustumCulled = false;
        mesh.renderOrder = material === hidden ? 3 : 2;
        mesh.part = part;
        mesh.count = 0;
        meshes.push(mesh);
        group.add(mesh);
      }
    }
    const turn = new THREE.Quaternion();
    const up = new THREE.Vector3(0, 1, 0);
    const matrix = new THREE.Matrix4();
    const scale = new THREE.Vector3();
    let count = 0;
    return {
      group,
      recolor(value) {
        seen.color.copy(color(value));
        hidden.color.copy(color(value));
      },
      clear() { count = 0; },
      add(tail, direction, length) {
        if (count === capacity) return;
        turn.setFromUnitVectors(up, direction);
        const tip = tail.clone().addScaledVector(direction, length);
        const body = Math.max(length - width * 5, length * 0.2);
        const small = Math.min(1, (length - body) / (width * 5));
        for (const mesh of meshes) {
          if (mesh.part === 'shaft') matrix.compose(tail, turn, scale.set(small, body, small));
          else matrix.compose(tip, turn, scale.set(small, small, small));
          mesh.setMatrixAt(count, matrix);
        }
        count++;
      },
      finish() {
        for (const mesh of meshes) {
          mesh.count = count;
          mesh.visible = count > 0;
          mesh.instanceMatrix.needsUpdate = true;
        }
      },
    };
  }

  return { PALETTE, FIXED, use, build, half, place, color, floor, tube, arrows };
})();
