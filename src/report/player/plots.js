// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The plots over time: one dygraph a group of series, a key button for each series with its value now, and
// a cursor at the playback time. A press or a drag in a chart moves the time; Shift and a drag zoom all
// charts to a span, a double click shows all again. Charts are made one at a time after the first picture, and
// only the series that are shown are handed to dygraphs, so that long runs open at once.

const Plots = (() => {
  const SHOWN = 8;
  const QUATERNION = /\.q[wxyz]$/;

  function number(value) {
    if (!Number.isFinite(value)) return '';
    const size = Math.abs(value);
    if (size !== 0 && (size >= 1e5 || size < 5e-4)) return value.toExponential(1).replace('-', '\u2212').replace('e\u2212', 'e-');
    return value.toFixed(size < 10 ? 3 : size < 1000 ? 2 : 0).replace('-', '\u2212');
  }

  function range(values) {
    let low = Infinity;
    let high = -Infinity;
    for (const value of values) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
    return high > low ? high - low : 0;
  }

  // at first the series that move most, without quaternions; never none
  function choose({ key, series }) {
    // constant forces are shown first, constant coordinates are not
    const spans = series.map((s) => ('fdl'.includes(key) ? Math.max(range(s.values), s.values[0]) : range(s.values)));
    const widest = Math.max(...spans.filter((_, i) => !QUATERNION.test(series[i].name)), 0);
    const ranked = series.map((_, i) => i)
      .filter((i) => !QUATERNION.test(series[i].name) && spans[i] > 0.004 * widest)
      .sort((a, b) => spans[b] - spans[a] || a - b);
    const shown = new Set(ranked.slice(0, SHOWN));
    if (shown.size === 0) shown.add(0);
    return shown;
  }

  function element(tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) made.setAttribute(name, value);
    made.append(...children);
    return made;
  }

  function create(parent, data, css, seek) {
    const plots = [];
    let zoom = null;

    function addPlot(group) {
      const shown = choose(group);
      const chart = element('div', { 'aria-hidden': 'true' });
      const cursor = element('div', { class: 'cursor', hidden: '' });
      const band = element('div', { class: 'band', hidden: '' });
      const area = element('div', { class: 'chart' }, chart, band, cursor);
      const keys = element('div', { class: 'keys', role: 'group', 'aria-label': `Series of ${group.title}` });
      const details = element('details', { class: 'plot', open: '', id: `plot-${group.key}` },
        element('summary', {}, element('h2', {}, group.title), element('span', {}, group.unit)), area, keys);
      parent.append(details);
      const inOrder = [...group.series.keys()].sort((a, b) => shown.has(b) - shown.has(a) || a - b);
      const hues = group.series.map((_, i) => inOrder.indexOf(i));
      const plot = { group, shown, hues, area, chart, band, cursor, details, graph: null, values: [] };
      group.series.forEach((s, i) => {
        const swatch = element('i', {});
        const value = element('b', {});
        const button = element('button', { type: 'button', 'aria-pressed': String(shown.has(i)) }, swatch, s.name, value);
        button.addEventListener('click', () => {
          if (shown.has(i)) shown.delete(i);
          else shown.add(i);
          button.setAttribute('aria-pressed', String(shown.has(i)));
          paintKeys(plot);
          if (plot.graph) plot.graph.updateOptions(options(plot));
          place(plot);
        });
        keys.append(button);
        plot.values.push({ swatch, value });
      });
      details.addEventListener('toggle', () => {
        if (!details.open) return;
        if (plot.graph) plot.graph.resize();
        place(plot);
      });
      scrub(plot);
      plots.push(plot);
      paintKeys(plot);
      return plot;
    }

    // a series keeps its colour whatever else is shown; those shown at first have the first colours
    const hue = (plot, i) => css(`--s${plot.hues[i] % 8}`);

    function paintKeys(plot) {
      plot.values.forEach(({ swatch }, i) => { swatch.style.background = plot.shown.has(i) ? hue(plot, i) : ''; });
    }

    function options(plot) {
      const { series } = plot.group;
      const picked = [...plot.shown].sort((a, b) => a - b);
      const file = Array.from(plot.group.times, (t, k) => [t, ...picked.map((i) => series[i].values[k])]);
      const perSeries = {};
      picked.forEach((i) => { perSeries[series[i].name] = { stepPlot: series[i].step }; });
      const none = picked.length === 0;
      return {
        file: none ? file.map((row) => [row[0], NaN]) : file,
        labels: ['t', ...(none ? [' '] : picked.map((i) => series[i].name))],
        colors: none ? ['#888888'] : picked.map((i) => hue(plot, i)),
        series: perSeries,
        dateWindow: zoom,
        axisLineColor: css('--rule'), gridLineColor: css('--rule'),
      };
    }

    // dashed lines where limits of the shown series lie in the picture
    function drawLimits(plot, context, area, graph) {
      context.save();
      context.setLineDash([5, 4]);
      context.lineWidth = 1;
      plot.shown.forEach((i) => {
        context.strokeStyle = hue(plot, i);
        for (const end of plot.group.series[i].limits || []) {
          const y = Number.isFinite(end) ? graph.toDomYCoord(end) : -1;
          if (!(y >= area.y && y <= area.y + area.h)) continue;
          context.beginPath();
          context.moveTo(area.x, y);
          context.lineTo(area.x + area.w, y);
          context.stroke();
        }
      });
      context.restore();
    }

    function draw(plot) {
      const first = options(plot);
      const { file } = first;
      delete first.file;
      plot.graph = new Dygraph(plot.chart, file, {
        ...first,
        legend: 'never', interactionModel: {}, highlightCircleSize: 0, strokeWidth: 1.5, axisLabelFontSize: 11.5,
        includeZero: 'fdl'.includes(plot.group.key), xRangePad: 0, yRangePad: 6,
        axes: {
          x: { axisLabelFormatter: (t) => `${Number(t.toPrecision(6))} s`, pixelsPerLabel: 56 },
          y: { axisLabelWidth: 46, pixelsPerLabel: 26, axisLabelFormatter: (y) => `${Number(y.toPrecision(4))}`.replace('-', '\u2212') },
        },
        drawCallback: () => place(plot),
        underlayCallback: (context, area, graph) => drawLimits(plot, context, area, graph),
      });
      place(plot);
    }

    // press and drag: the time, or with Shift a span to zoom to
    function scrub(plot) {
      const { area, band } = plot;
      let from = null; // where the span begins [px], null while scrubbing
      const pixel = (event) => event.clientX - area.getBoundingClientRect().left;
      const timeAt = (x) => Math.min(data.end, Math.max(data.start, plot.graph.toDataXCoord(x)));
      const move = (x) => {
        if (from === null) return seek(timeAt(x));
        band.hidden = false;
        band.style.left = `${Math.min(x, from)}px`;
        band.style.width = `${Math.abs(x - from)}px`;
      };
      area.addEventListener('pointerdown', (event) => {
        if (!plot.graph || event.button !== 0) return;
        area.setPointerCapture(event.pointerId);
        from = event.shiftKey ? pixel(event) : null;
        move(pixel(event));
        event.preventDefault();
      });
      area.addEventListener('pointermove', (event) => {
        if (plot.graph && area.hasPointerCapture(event.pointerId)) move(pixel(event));
      });
      const finish = (event) => {
        if (from !== null && Math.abs(pixel(event) - from) > 3) setZoom([from, pixel(event)].map(timeAt).sort((a, b) => a - b));
        from = null;
        band.hidden = true;
      };
      area.addEventListener('pointerup', finish);
      area.addEventListener('pointercancel', () => { from = null; band.hidden = true; });
      area.addEventListener('dblclick', () => setZoom(null));
    }

    function setZoom(ends) {
      zoom = ends;
      plots.forEach((plot) => plot.graph && plot.graph.updateOptions({ dateWindow: zoom }));
    }

    // the cursor is laid over the chart: moving it redraws nothing
    let now = data.start;
    function place(plot) {
      if (!plot.graph || !plot.details.open) return;
      const area = plot.graph.getArea();
      const x = plot.graph.toDomXCoord(now);
      plot.cursor.hidden = !(x >= area.x - 1 && x <= area.x + area.w + 1);
      plot.cursor.style.transform = `translateX(${x}px)`;
      plot.cursor.style.top = `${area.y}px`;
      plot.cursor.style.height = `${area.h}px`;
    }

    function readOut(plot) {
      if (!plot.details.open) return;
      const knot = Data.knotAt(plot.group.times, now + 1e-9);
      plot.shown.forEach((i) => {
        const text = number(plot.group.series[i].values[knot]);
        const { value } = plot.values[i];
        if (value.textContent !== text) value.textContent = text;
      });
    }

    function show(t, withValues) {
      now = t;
      plots.forEach(place);
      if (withValues) plots.forEach(readOut);
    }

    function recolor() {
      plots.forEach((plot) => {
        paintKeys(plot);
        if (plot.graph) plot.graph.updateOptions(options(plot));
      });
    }

    function start(done) {
      const waiting = data.plots.filter((group) => group.series.length > 0).map(addPlot);
      const next = () => {
        const plot = waiting.shift();
        if (!plot) return done();
        draw(plot);
        readOut(plot);
        return setTimeout(next, 0);
      };
      setTimeout(next, 0);
    }

    return { start, show, recolor, resize: () => plots.forEach((plot) => plot.graph && plot.graph.resize()) };
  }

  return { create, number, element };
})();
