// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The page of a comparison: the table, and one plot for the cost and for each coordinate, velocity and control, with a curve for each
// variant. The data are those of compare.json. Curves are SVG paths; nothing is loaded.

'use strict';
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const variants = data.variants;
  const shown = variants.map(() => true);
  const colour = (i) => `var(--s${i % 8})`;
  const dash = (i) => ['', '7 4', '2 3', '10 3 2 3'][Math.floor(i / 8) % 4];
  const SIZE = { width: 360, height: 190, left: 62, right: 14, top: 8, bottom: 22 };

  const make = (tag, attributes = {}, ...children) => {
    const svg = ['svg', 'path', 'line', 'text', 'g'].includes(tag);
    const element = svg ? document.createElementNS('http://www.w3.org/2000/svg', tag) : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const short = (value, digits = 4) => (value === null || value === undefined ? '–' : String(Number(value.toPrecision(digits))));

  // ---- table ----

  // a column without a number in any variant is left out
  const COLUMNS = [
    { title: 'status', text: true, show: (v) => v.status, mark: (v) => (v.status === 'converged' ? 'good' : v.status === 'failed' ? 'bad' : '') },
    { title: 'cost', value: (v) => v.cost, digits: 6 },
    { title: 'goals', show: (v) => (v.goals === null ? '–' : `${v.goals_met} of ${v.goals}`), mark: (v) => (v.goals === null ? '' : v.goals_met === v.goals ? 'good' : 'bad') },
    { title: 'worst goal / tolerance', value: (v) => v.worst_goal, digits: 3 },
    { title: 'worst limit / tolerance', value: (v) => v.worst_limit, digits: 3 },
    { title: 'iterations', value: (v) => v.iterations, digits: 6 },
    { title: 'time [s]', value: (v) => v.seconds, digits: 3 },
    { title: 'fine replay: cost', value: (v) => v.fine_cost, digits: 6 },
    { title: 'fine: worst goal / tolerance', value: (v) => v.fine_worst_goal, digits: 3 },
    { title: 'penetration [mm]', value: (v) => (v.penetration === null ? null : 1000 * v.penetration), digits: 3 },
    { title: 'iterations of a step', value: (v) => v.step_iterations, digits: 3 },
    { title: 'time of a step [µs]', value: (v) => (v.step_seconds === null ? null : 1e6 * v.step_seconds), digits: 3 },
    { title: 'e_p [N]', value: (v) => v.e_p, digits: 3 },
    { title: 'e_d [m/s²]', value: (v) => v.e_d, digits: 3 },
    { title: 'e_c [W/s]', value: (v) => v.e_c, digits: 3 },
    { title: 'lost energy [J]', show: (v) => short(v.lost), value: (v) => v.lost, neutral: true },
    { title: 'slip [m/s]', value: (v) => v.slip, digits: 3 },
    { title: 'distance from the first [m, rad]', value: (v) => v.distance, digits: 3, neutral: true },
    { title: 'error of A', value: (v) => v.a_error, digits: 2 },
    { title: 'error of B', value: (v) => v.b_error, digits: 2 },
  ].filter((column) => !column.value || variants.some((v) => column.value(v) !== null));

  function cell(column, variant) {
    const value = column.value ? column.value(variant) : null;
    const all = column.value ? variants.map(column.value).filter((x) => x !== null) : [];
    const text = (x) => short(x, column.digits);
    const least = text(Math.min(...all)), best = !column.neutral && value !== null && text(value) === least && text(Math.max(...all)) !== least;
    const classes = [column.text ? 'text' : '', column.mark ? column.mark(variant) : '', best ? 'best' : ''];
    return make('td', { class: classes.join(' ').trim() }, column.show ? column.show(variant) : short(value, column.digits));
  }

  function swatch(i) {
    return make('span', { class: 'swatch', style: `border-color: ${colour(i)}; border-top-style: ${dash(i) ? 'dashed' : 'solid'}` });
  }

  function fillTable() {
    const head = make('tr', {}, make('th', {}, 'variant'));
    for (const column of COLUMNS) head.append(make('th', column.text ? { class: 'text' } : {}, column.title));
    const body = variants.flatMap((variant, i) => {
      const name = variant.folder ? make('a', { href: `${variant.folder}/player.html` }, variant.name) : variant.name;
      const row = make('tr', {}, make('td', {}, swatch(i), name));
      for (const column of COLUMNS) row.append(cell(column, variant));
      if (!variant.message) return [row];
      row.className = 'explained';
      return [row, make('tr', {}, make('td', { class: 'message', colspan: COLUMNS.length + 1 }, variant.message))];
    });
    document.getElementById('table').append(make('thead', {}, head), make('tbody', {}, ...body));
    const costs = variants.filter((v) => v.cost !== null), lowest = short(Math.min(...costs.map((v) => v.cost)), 6);
    const names = costs.filter((v) => short(v.cost, 6) === lowest).map((v) => v.name);
    document.getElementById('facts').textContent =
      `${variants.length} variants of ${data.problem}` + (names.length ? `; lowest cost ${lowest}: ${names.join(' and ')}` : '');
  }

  // ---- plots ----

  // round numbers that divide a range into about four parts
  function ticks(low, high) {
    const rough = (high - low) / 4, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough);
    const list = [];
    for (let x = Math.ceil(low / step) * step; x <= high + 1e-9 * step; x += step) list.push(Math.abs(x) < 1e-9 * step ? 0 : x);
    return list;
  }

  // the plots: the cost by iteration, and every series by time; curves[i] belongs to variant i, null without data
  function allPlots() {
    const names = [];
    for (const variant of variants) for (const name of Object.keys(variant.series || {})) if (!names.includes(name)) names.push(name);
    const cost = { name: 'cost by iteration', log: true, curves: variants.map((v) => (v.costs ? { x: v.costs.map((_, i) => i), y: v.costs } : null)) };
    const series = names.map((name) => ({
      name, unit: 's',
      curves: variants.map((v) => (v.series && v.series[name] ? { x: v.t, y: v.series[name] } : null)),
    }));
    return [cost, ...series];
  }

  function range(values) {
    let low = Infinity, high = -Infinity;
    for (const v of values) if (v !== null && Number.isFinite(v)) { low = Math.min(low, v); high = Math.max(high, v); }
    if (!Number.isFinite(low)) return [0, 1];
    const flat = 1e-9 * Math.max(1, Math.abs(low), Math.abs(high)); // rounding is no curve
    if (high - low < flat) {
      const middle = 0.5 * (low + high), pad = Math.max(0.1 * Math.abs(middle), 1e-3);
      return [middle - pad, middle + pad];
    }
    return [low, high];
  }

  function scales(plot) {
    const curves = plot.curves.filter((c, i) => c && shown[i]);
    const log = plot.log && curves.every((c) => c.y.every((y) => y === null || y > 0));
    const seen = (y) => (y === null ? null : log ? Math.log10(y) : y);
    const [x0, x1] = range(curves.flatMap((c) => c.x)), [y0, y1] = range(curves.flatMap((c) => c.y.map(seen)));
    const { width, height, left, right, top, bottom } = SIZE;
    return {
      log, seen, x0, x1, y0, y1,
      x: (v) => left + ((v - x0) / (x1 - x0)) * (width - left - right),
      y: (v) => height - bottom - ((v - y0) / (y1 - y0)) * (height - top - bottom),
    };
  }

  function path(curve, to) {
    let line = '', pen = false;
    curve.x.forEach((x, k) => {
      const y = to.seen(curve.y[k]);
      if (y === null || y === undefined || !Number.isFinite(y)) { pen = false; return; }
      line += `${pen ? 'L' : 'M'}${to.x(x).toFixed(1)} ${to.y(y).toFixed(1)}`;
      pen = true;
    });
    return line;
  }

  // numbers of an axis, with as many decimals as its steps need; where these are many, the axis has one number and differences from it
  function labels(list) {
    const step = list.length > 1 ? list[1] - list[0] : 1, decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    const most = Math.max(...list.map(Math.abs));
    if (decimals <= 6 && most < 1e6) return list.map((v) => v.toFixed(decimals));
    if (step > 1e-3 * most) return list.map((v) => short(v, 3));
    return list.map((v, i) => (i === 0 ? short(v, 10) : `+${short(v - list[0], 2)}`));
  }

  function axes(svg, to) {
    const { width, height, left, right, bottom } = SIZE;
    const ys = ticks(to.y0, to.y1), xs = ticks(to.x0, to.x1);
    const names = labels(ys), times = labels(xs);
    ys.forEach((v, i) => {
      svg.append(make('line', { class: 'grid', x1: left, x2: width - right, y1: to.y(v), y2: to.y(v) }));
      svg.append(make('text', { x: left - 6, y: to.y(v) + 4, 'text-anchor': 'end' }, to.log ? short(10 ** v, 3) : names[i]));
    });
    xs.forEach((v, i) => svg.append(make('text', { x: to.x(v), y: height - bottom + 15, 'text-anchor': 'middle' }, times[i])));
  }

  // value of a curve at the sample nearest to x
  function nearest(curve, x) {
    let best = 0;
    curve.x.forEach((v, k) => { if (Math.abs(v - x) < Math.abs(curve.x[best] - x)) best = k; });
    return curve.y[best];
  }

  function follow(svg, output, plot, to) {
    const cursor = make('line', { class: 'cursor', y1: SIZE.top, y2: SIZE.height - SIZE.bottom, visibility: 'hidden' });
    svg.append(cursor);
    svg.addEventListener('pointermove', (event) => {
      const box = svg.getBoundingClientRect();
      const at = ((event.clientX - box.left) / box.width) * SIZE.width;
      const share = (at - SIZE.left) / (SIZE.width - SIZE.left - SIZE.right);
      const x = to.x0 + Math.min(1, Math.max(0, share)) * (to.x1 - to.x0);
      cursor.setAttribute('x1', to.x(x));
      cursor.setAttribute('x2', to.x(x));
      cursor.setAttribute('visibility', 'visible');
      const values = plot.curves.map((c, i) => (c && shown[i] ? short(nearest(c, x)) : null)).filter((v) => v !== null);
      output.textContent = `${short(x, 3)}${plot.unit ? ` ${plot.unit}` : ''}: ${values.join(' | ')}`;
    });
    svg.addEventListener('pointerleave', () => {
      cursor.setAttribute('visibility', 'hidden');
      output.textContent = '';
    });
  }

  function draw(plot) {
    const to = scales(plot), output = make('output');
    const svg = make('svg', { viewBox: `0 0 ${SIZE.width} ${SIZE.height}`, role: 'img', 'aria-label': plot.name });
    axes(svg, to);
    plot.curves.forEach((curve, i) => {
      if (curve && shown[i]) svg.append(make('path', { d: path(curve, to), stroke: colour(i), 'stroke-dasharray': dash(i) }));
    });
    follow(svg, output, plot, to);
    return make('figure', {}, make('figcaption', {}, plot.name, output), svg);
  }

  const plots = allPlots();
  function drawAll() {
    const wanted = document.getElementById('filter').value.trim().toLowerCase();
    const list = plots.filter((plot) => plot.name.toLowerCase().includes(wanted));
    document.getElementById('plots').replaceChildren(...list.map(draw));
  }

  function fillLegend() {
    variants.forEach((variant, i) => {
      if (!variant.t) return;
      const button = make('button', { type: 'button', 'aria-pressed': 'true' }, swatch(i), variant.name);
      button.addEventListener('click', () => {
        shown[i] = !shown[i];
        button.setAttribute('aria-pressed', String(shown[i]));
        drawAll();
      });
      document.getElementById('legend').append(button);
    });
  }

  fillTable();
  fillLegend();
  document.getElementById('filter').addEventListener('input', drawAll);
  drawAll();
})();
