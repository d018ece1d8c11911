// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The page of an identification: tables from summary.json, and one plot for each channel of the recording that is chosen, drawn by
// dygraphs. Nothing is loaded.

'use strict';
(() => {
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const summary = read('summary-data'), { every, recordings } = read('recordings-data');
  const byId = (id) => document.getElementById(id);
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  const make = (tag, attributes = {}, ...children) => {
    const svg = ['svg', 'line', 'rect'].includes(tag);
    const element = svg ? document.createElementNS('http://www.w3.org/2000/svg', tag) : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const missing = (value) => value === null || value === undefined;
  const short = (value, digits = 3) => {
    if (missing(value)) return '–';
    const small = value !== 0 && Math.abs(value) < 1e-4;
    return (small ? value.toExponential(digits - 1) : String(Number(value.toPrecision(digits)))).replace(/-/g, '\u2212');
  };

  // a table from columns { title, text?, show(row) -> text or element, mark?(row) }
  function fill(id, columns, rows) {
    const head = make('tr', {}, ...columns.map((c) => make('th', c.text ? { class: 'text' } : {}, c.title)));
    const body = rows.map((row) => make('tr', {}, ...columns.map((c) => {
      const classes = [c.text ? 'text' : '', c.class || '', c.mark ? c.mark(row) : ''].join(' ').trim();
      return make('td', classes ? { class: classes } : {}, c.show(row));
    })));
    byId(id).replaceChildren(make('thead', {}, head), make('tbody', {}, ...body));
  }

  // ---- parameters ----

  const interval = (low, high) => (missing(low) || missing(high) ? '–' : `${short(low, 4)} to ${short(high, 4)}`);

  // whether half the time step would move a value by more than its deviation
  const tooLong = (p) => Math.abs(p.half_step) > Math.max(p.sd, p.sd_robust);

  function fillParameters() {
    fill('parameters', [
      { title: 'parameter', text: true, show: (p) => p.name + (p.same_as ? ` (follows ${p.same_as})` : '') },
      { title: 'verdict', text: true, show: (p) => p.verdict, mark: (p) => (p.verdict === 'determined' ? 'good' : 'bad') },
      { title: 'start', show: (p) => short(p.start, 4) },
      { title: 'value', show: (p) => short(p.value, 5) },
      { title: 'sd', show: (p) => short(p.sd, 2) },
      { title: 'sd (sandwich)', show: (p) => short(p.sd_robust, 2) },
      { title: '95 % interval', show: (p) => interval(p.low, p.high) },
      { title: 'moves at half the step', show: (p) => short(p.half_step, 2), mark: (p) => (tooLong(p) ? 'bad' : '') },
    ], summary.parameters);
    const sentences = [...summary.not_determined, ...(summary.time_step ? [summary.time_step] : [])];
    byId('undetermined').append(...sentences.map((sentence) => make('li', {}, sentence)));
  }

  function fillCorrelations() {
    const shared = summary.parameters.filter((p) => missing(p.session));
    const known = shared.map((_, i) => i).filter((i) => !missing(shared[i].sd));
    if (known.length < 2) return;
    byId('correlated').hidden = false;
    const head = make('tr', {}, make('th', {}, ''), ...known.map((j) => make('th', {}, shared[j].name)));
    const body = known.map((i) => make('tr', {}, make('th', {}, shared[i].name), ...known.map((j) => {
      const c = summary.correlations[i][j], share = Math.round(60 * Math.abs(c));
      const colour = `color-mix(in srgb, var(${c > 0 ? '--s0' : '--s1'}) ${i === j ? 0 : share}%, transparent)`;
      return make('td', { style: `background: ${colour}` }, i === j ? '1' : c.toFixed(2).replace('-', '\u2212'));
    })));
    byId('correlations').append(make('thead', {}, head), make('tbody', {}, ...body));
  }

  // ---- profiles ----

  // the bound as a line, and the interval as a band
  function drawBound(profile, context, area, graph) {
    const y = graph.toDomYCoord(profile.bound);
    const left = missing(profile.low) ? area.x : graph.toDomXCoord(profile.low);
    const right = missing(profile.high) ? area.x + area.w : graph.toDomXCoord(profile.high);
    context.fillStyle = css('--rule');
    context.globalAlpha = 0.5;
    context.fillRect(left, area.y, right - left, area.h);
    context.globalAlpha = 1;
    context.strokeStyle = css('--s1');
    context.setLineDash([5, 4]);
    context.beginPath();
    context.moveTo(area.x, y);
    context.lineTo(area.x + area.w, y);
    context.stroke();
    context.setLineDash([]);
  }

  function fillProfiles() {
    if (!summary.profiles.length || typeof Dygraph === 'undefined') return;
    byId('profiled').hidden = false;
    summary.profiles.forEach((profile) => {
      const output = make('output'), chart = make('div', { class: 'chart' });
      const text = `${interval(profile.low, profile.high)}: ${profile.verdict}`;
      byId('profiles').append(make('figure', {}, make('figcaption', {}, profile.name, output), chart, make('p', {}, text)));
      new Dygraph(chart, profile.values.map((value, k) => [value, profile.rises[k]]), {
        labels: ['value', 'rise of the objective'], colors: [css('--s0')], drawPoints: true, pointSize: 2.5, strokeWidth: 1.5,
        legend: 'never', axisLabelFontSize: 11.5, xRangePad: 6, yRangePad: 6, includeZero: true,
        axisLineColor: css('--rule'), gridLineColor: css('--rule'),
        axes: {
          x: { axisLabelFormatter: (x) => short(x, 4), pixelsPerLabel: 70 },
          y: { axisLabelWidth: 46, pixelsPerLabel: 28, axisLabelFormatter: (y) => short(y, 3) },
        },
        underlayCallback: (context, area, graph) => drawBound(profile, context, area, graph),
        highlightCallback: (_, x, points) => { output.textContent = `${short(x, 5)}: ${short(points[0].yval, 3)}`; },
        unhighlightCallback: () => { output.textContent = ''; },
      });
    });
  }

  // ---- residuals ----

  // bars of the autocorrelation, with the band of white noise
  function bars(channel) {
    const width = 124, height = 34, middle = height / 2, unit = middle - 1, lags = channel.autocorrelation;
    const svg = make('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `autocorrelation of ${channel.name}` });
    const band = missing(channel.band) ? 0 : Math.min(channel.band, 1);
    svg.append(make('rect', { class: 'band', x: 0, width, y: middle - band * unit, height: 2 * band * unit }));
    svg.append(make('line', { class: 'grid', x1: 0, x2: width, y1: middle, y2: middle }));
    lags.forEach((rho, k) => {
      if (missing(rho)) return;
      const x = 5 + k * 6, y = middle - Math.max(-1, Math.min(1, rho)) * unit;
      svg.append(make('line', { class: Math.abs(rho) > band ? 'bar out' : 'bar', x1: x, x2: x, y1: middle, y2: y }));
    });
    return svg;
  }

  function fillResiduals() {
    fill('residuals', [
      { title: 'channel', text: true, show: (c) => c.name },
      { title: 'numbers', show: (c) => short(c.count, 9) },
      { title: 'noise', show: (c) => short(c.noise) },
      { title: 'mean', show: (c) => short(c.mean, 2) },
      { title: 'rms', show: (c) => short(c.rms) },
      { title: 'rms, held out', show: (c) => short(c.rms_held_out) },
      { title: 'neighbours alike', show: (c) => short(c.autocorrelation[0], 2), mark: (c) => (c.white === false ? 'bad' : '') },
      { title: `1 to ${summary.channels.length ? summary.channels[0].autocorrelation.length : 0} samples apart`, class: 'bars', show: bars },
      { title: 'verdict', text: true, class: 'verdict', show: (c) => c.verdict },
    ], summary.channels);
  }

  // ---- recordings ----

  function fillGroups() {
    const groups = [{ title: 'fitted', of: summary.fitted }, { title: 'held out', of: summary.held_out },
      { title: 'left out by one fold', of: summary.cross_validated || { recordings: 0 } }].filter((g) => g.of.recordings > 0);
    const pair = (e, factor, digits = 3) => (missing(e.mean) ? '–' : `${short(factor * e.median, digits)} (${short(factor * e.mean, digits)})`);
    const degrees = 180 / Math.PI;
    fill('groups', [
      { title: 'median (mean) error', text: true, show: (g) => g.title },
      { title: 'recordings', show: (g) => String(g.of.recordings) },
      { title: 'position [mm]', show: (g) => pair(g.of.position, 1000) },
      { title: 'rotation [°]', show: (g) => pair(g.of.rotation, degrees) },
      { title: 'from the first guess [mm]', show: (g) => pair(g.of.guess_position, 1000) },
      { title: '[°]', show: (g) => pair(g.of.guess_rotation, degrees) },
      { title: 'from 12 samples [mm]', show: (g) => pair(g.of.early_position, 1000) },
      { title: '[°]', show: (g) => pair(g.of.early_rotation, degrees) },
    ], groups);
  }

  // ---- predicted and recorded ----

  let graphs = [];
  const CURVES = [
    { key: 'recorded', title: 'recorded', colour: '--s1', options: { drawPoints: true, strokeWidth: 0, pointSize: 1.8 } },
    { key: 'windowed', title: 'predicted from the start of each window', colour: '--s2', options: { strokeWidth: 1.5, strokePattern: [5, 3] } },
    { key: 'predicted', title: 'predicted from the first state', colour: '--s0', options: { strokeWidth: 1.7 } },
  ];
  const differences = () => byId('difference').getAttribute('aria-pressed') === 'true';

  function table(recording, channel, curves) {
    const shown = (curve, k) => {
      const value = channel[curve.key][k];
      if (missing(value)) return null;
      if (!differences()) return value;
      return missing(channel.recorded[k]) ? null : value - channel.recorded[k];
    };
    return recording.t.map((t, k) => [t, ...curves.map((curve) => shown(curve, k))]);
  }

  function draw(recording, channel) {
    const curves = CURVES.filter((c) => channel[c.key] && !(differences() && c.key === 'recorded'));
    const output = make('output'), chart = make('div', { class: 'chart' });
    byId('plots').append(make('figure', {}, make('figcaption', {}, channel.name, output), chart));
    const graph = new Dygraph(chart, table(recording, channel, curves), {
      labels: ['t', ...curves.map((c) => c.title)],
      colors: curves.map((c) => css(c.colour)),
      series: Object.fromEntries(curves.map((c) => [c.title, c.options])),
      legend: 'never', highlightCircleSize: 3, axisLabelFontSize: 11.5, xRangePad: 4, yRangePad: 8,
      axisLineColor: css('--rule'), gridLineColor: css('--rule'),
      axes: {
        x: { axisLabelFormatter: (t) => `${Number(t.toPrecision(6))} s`, pixelsPerLabel: 60 },
        y: { axisLabelWidth: 56, pixelsPerLabel: 28, axisLabelFormatter: (y) => short(y, 5) },
      },
      highlightCallback: (_, t, points) => {
        output.textContent = `${short(t, 4)} s: ${points.map((p) => short(p.yval, 5)).join(' | ')}`;
      },
      unhighlightCallback: () => { output.textContent = ''; },
    });
    graphs.push(graph);
  }

  function show() {
    const recording = recordings[byId('recording').selectedIndex];
    graphs.forEach((graph) => graph.destroy());
    graphs = [];
    byId('plots').replaceChildren();
    if (!recording || typeof Dygraph === 'undefined') return;
    const windowed = recording.channels.some((c) => c.windowed);
    byId('key').replaceChildren(...CURVES.filter((c) => (c.key !== 'windowed' || windowed) && !(differences() && c.key === 'recorded'))
      .flatMap((c) => [make('i', { class: c.key === 'recorded' ? 'dots' : '', style: `background: var(${c.colour})` }), c.title]),
      differences() ? ', less what was recorded' : '', '. Drag in a plot to zoom, double click to see all.',
      every > 1 ? ` One sample in ${every} is shown.` : '');
    recording.channels.forEach((channel) => draw(recording, channel));
  }

  function fillRecordings() {
    recordings.forEach((r) => {
      const errors = [missing(r.position) ? '' : `${short(1000 * r.position)} mm`, missing(r.rotation) ? '' : `${short(180 / Math.PI * r.rotation)}°`];
      byId('recording').append(make('option', {}, [r.name, r.held_out ? 'held out' : '', ...errors].filter((word) => word).join(', ')));
    });
    byId('recording').addEventListener('change', show);
    byId('difference').addEventListener('click', () => {
      byId('difference').setAttribute('aria-pressed', String(!differences()));
      show();
    });
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', show);
  }

  byId('facts').textContent = `${summary.status.replace('_', ' ')} in ${summary.iterations} iterations; ${short(summary.samples, 9)} numbers in ` +
    `${summary.windows} windows of ${summary.fitted.recordings} recordings, ${summary.held_out.recordings} held out; objective ${short(summary.objective, 6)}`;
  fillParameters();
  fillCorrelations();
  fillProfiles();
  fillResiduals();
  fillGroups();
  fillRecordings();
  show();
})();
