// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The page itself: reads the data, holds the time, and passes it to the stage and the plots. It draws only when
// something changed, so that a page left open costs nothing.
//
// The address may say how to open: #t=0.5 (time [s]), play, speed=0.25, loop=0, view=top, theme=dark,
// forces=0, paths=0, goals=0, joined by &. For tests and pictures the root element tells what is going on:
// data-state (loading, ready, failed), data-time [s], data-frames (pictures drawn).

(() => {
  const root = document.documentElement;
  const at = (id) => document.getElementById(id);
  const css = (name) => getComputedStyle(root).getPropertyValue(name).trim();
  const { element, number } = Plots;
  const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];
  const REST = 0.7; // s between the end and the next round

  function fail(text) {
    document.body.className = 'absent';
    at('notice').textContent = text;
    root.dataset.state = 'failed';
  }

  // ---- colours: the system's scheme unless the address names one ----
  const hash = new URLSearchParams(location.hash.slice(1));
  const system = window.matchMedia('(prefers-color-scheme: dark)');
  const isDark = () => (hash.has('theme') ? hash.get('theme') === 'dark' : system.matches);
  function applyTheme() {
    root.dataset.theme = isDark() ? 'dark' : 'light';
    root.style.colorScheme = root.dataset.theme;
  }

  // ---- summary ----
  const STATUS = {
    converged: 'good', stalled: 'warn', iteration_limit: 'warn', time_limit: 'warn', interrupted: 'warn', failed: 'bad',
  };

  function length(metres) {
    if (!Number.isFinite(metres)) return '';
    if (metres === 0) return '0';
    const [scale, unit] = Math.abs(metres) < 1e-3 ? [1e6, '\u00b5m'] : Math.abs(metres) < 0.1 ? [1e3, 'mm'] : [1, 'm'];
    return `${Number((metres * scale).toPrecision(3))} ${unit}`;
  }

  const short = (value) => (Number.isFinite(value) ? `${Number(value.toPrecision(3))}`.replace('-', '\u2212') : '');
  const row = (head, ...cells) => element('tr', {}, element('th', { scope: 'row' }, head), ...cells.map((cell) => element('td', {}, cell)));

  function goalRows(summary) {
    const fine = (summary.fine && summary.fine.goals) || [];
    return (summary.goals || []).map((goal, i) => {
      const verdict = element('span', { class: goal.met ? 'good' : 'bad', title: goal.met ? 'met' : 'missed' },
        goal.met ? '\u2713' : '\u2717', element('span', { class: 'hidden' }, goal.met ? ' met' : ' missed'));
      const name = element('span', {}, verdict, ' ', ...goal.name.split(/(?<=[./,])/).flatMap((part) => [part, element('wbr')]));
      return row(name, short(goal.error), fine[i] ? short(fine[i].error) : '', `\u2264 ${short(goal.tolerance)}`);
    });
  }

  // measured on both replays: the physical law at the step of the plan, and at a tenth of it
  function replayRows(summary) {
    const { physical, fine } = summary;
    const both = (name, key, format) => {
      const values = [physical, fine].map((replay) => (replay && Number.isFinite(replay[key]) ? format(replay[key]) : ''));
      return values.some((value) => value !== '') ? [row(name, ...values, '')] : [];
    };
    return [...both('penetration', 'penetration', length), ...both('slip while sticking', 'slip', (v) => `${length(v)}/s`)];
  }

  function writeSummary(summary) {
    if (!summary) return;
    if (summary.status) {
      const chip = at('status');
      chip.textContent = summary.status.replace('_', ' ');
      chip.classList.add(STATUS[summary.status] || 'warn');
      chip.hidden = false;
    }
    const facts = [];
    if (Number.isFinite(summary.cost)) facts.push(`cost ${Number(summary.cost.toPrecision(5))}`);
    if (Number.isFinite(summary.iterations)) facts.push(`${summary.iterations} iterations`);
    if (summary.timing && Number.isFinite(summary.timing.solve)) facts.push(`solved in ${short(summary.timing.solve)} s`);
    at('facts').textContent = facts.join(' \u00b7 ');
    const goals = goalRows(summary);
    const replays = replayRows(summary);
    if (summary.message) at('summary').append(element('p', {}, summary.message));
    if (goals.length + replays.length === 0) return;
    const hasFine = Boolean(summary.fine);
    const head = row(goals.length ? 'Goals' : 'Replay', 'physical', hasFine ? 'fine' : '', goals.length ? 'allowed' : '');
    head.querySelectorAll('td').forEach((cell) => cell.replaceWith(element('th', { scope: 'col' }, ...cell.childNodes)));
    const table = element('table', {}, element('thead', {}, head));
    if (goals.length) table.append(element('tbody', {}, ...goals));
    if (replays.length) table.append(element('tbody', {}, ...replays));
    table.title = 'physical: the controls replayed under the physical law; fine: the same with feedback at a tenth of the time step';
    at('summary').append(table);
  }

  // ---- the page ----
  function open(data) {
    writeSummary(data.summary);
    let time = data.start;
    let playing = false;
    let loop = hash.get('loop') !== '0';
    let view = hash.get('view') || 'default';
    let rest = 0;
    let dirty = true;
    let frames = 0;
    let readOutAt = 0;
    const digits = data.end - data.start >= 100 ? 1 : 2;
    const redraw = () => { dirty = true; };

    let stage = null;
    try {
      stage = Stage.create(at('view'), data);
    } catch (error) {
      at('notice').textContent = `The scene cannot be drawn here: ${error.message}. The plots below still work.`;
    }
    const plots = Plots.create(at('plots'), data, css, (t) => { pause(); seek(t); });

    function seek(t) {
      time = Math.min(data.end, Math.max(data.start, t));
      redraw();
    }

    function setPlaying(on) {
      if (on && time >= data.end) seek(data.start);
      playing = on && data.end > data.start;
      rest = 0;
      at('play').setAttribute('aria-label', playing ? 'Pause' : 'Play');
      at('play').querySelector('path').setAttribute('d', playing ? 'M7 5h4v14H7zM13 5h4v14h-4z' : 'M8 5v14l11-7z');
      redraw();
    }
    const pause = () => { if (playing) setPlaying(false); };

    function step(knots) {
      pause();
      const k = Data.knotAt(data.times, time + 1e-9);
      const between = time - data.times[k] > 1e-9;
      const target = knots < 0 && between ? k + knots + 1 : k + knots;
      seek(data.times[Math.min(data.times.length - 1, Math.max(0, target))]);
    }

    function advance(seconds) {
      if (!playing) return;
      if (time >= data.end) {
        rest += seconds;
        if (!loop) setPlaying(false);
        else if (rest > REST) { rest = 0; seek(data.start); }
        return;
      }
      seek(time + seconds * Number(at('speed').value));
    }

    function update(clock) {
      const k = Math.min(Data.knotAt(data.times, time + 1e-9), Math.max(0, data.times.length - 2));
      const span = data.times.length > 1 ? data.times[k + 1] - data.times[k] : 1;
      const fraction = Math.min(1, Math.max(0, (time - data.times[k]) / span));
      if (stage) {
        stage.show(k, fraction);
        stage.draw();
      }
      const withValues = !playing || clock - readOutAt > 100;
      if (withValues) readOutAt = clock;
      plots.show(time, withValues);
      at('time').value = time;
      at('time').setAttribute('aria-valuetext', `${time.toFixed(digits)} of ${data.end.toFixed(digits)} seconds`);
      at('clock').replaceChildren(time.toFixed(digits), element('small', {}, ` / ${data.end.toFixed(digits)} s`));
      frames += 1;
      root.dataset.time = time.toFixed(6);
      root.dataset.frames = frames;
    }

    let last = null;
    function tick(clock) {
      // a page that was hidden goes on where it was
      advance(last === null ? 0 : Math.min(0.25, (clock - last) / 1000));
      last = clock;
      if (dirty) {
        dirty = false;
        update(clock);
      }
      requestAnimationFrame(tick);
    }

    // ---- controls ----
    function toggle(id, layer, key) {
      const button = at(id);
      const empty = !stage || !stage.hasLayer[layer];
      button.hidden = empty;
      const set = (on) => {
        button.setAttribute('aria-pressed', String(on));
        if (stage) stage.layers[layer].visible = on;
        redraw();
      };
      set(hash.get(layer) !== '0');
      button.addEventListener('click', () => set(button.getAttribute('aria-pressed') !== 'true'));
      keys[key] = () => { if (!empty) button.click(); };
    }

    function setView(name) {
      view = name;
      at('camera').value = name;
      if (stage) stage.fit(name);
      redraw();
    }

    function setSpeed(shift) {
      const i = SPEEDS.indexOf(Number(at('speed').value));
      at('speed').value = String(SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, i + shift))]);
    }

    function setLoop(on) {
      loop = on;
      at('loop').setAttribute('aria-pressed', String(on));
    }

    const keys = {
      ' ': () => setPlaying(!playing),
      ArrowLeft: (event) => step(event.shiftKey ? -10 : -1),
      ArrowRight: (event) => step(event.shiftKey ? 10 : 1),
      Home: () => { pause(); seek(data.start); },
      End: () => { pause(); seek(data.end); },
      '-': () => setSpeed(-1),
      '+': () => setSpeed(1),
      '=': () => setSpeed(1),
      l: () => setLoop(!loop),
      r: () => setView(view),
      1: () => setView('default'), 2: () => setView('top'), 3: () => setView('front'), 4: () => setView('side'),
    };
    toggle('show-forces', 'forces', 'f');
    toggle('show-paths', 'paths', 'p');
    toggle('show-goals', 'goals', 'g');

    document.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const own = event.target.closest('button, select, summary');
      if (own && (event.key === ' ' || own.tagName === 'SELECT')) return;
      const act = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
      if (!act) return;
      event.preventDefault();
      act(event);
    });
    at('play').addEventListener('click', () => setPlaying(!playing));
    at('loop').addEventListener('click', () => setLoop(!loop));
    at('fit').addEventListener('click', () => setView(view));
    at('camera').addEventListener('change', () => setView(at('camera').value));
    at('time').addEventListener('input', () => { pause(); seek(Number(at('time').value)); });
    Object.assign(at('time'), { min: data.start, max: data.end });

    // ---- legend ----
    function writeLegend() {
      const modes = data.contacts.table.rows ? ['stick', 'slip'] : [];
      const items = modes.map((mode) => {
        const swatch = element('i', {});
        swatch.style.background = `var(--${mode})`;
        return element('span', {}, swatch, mode);
      });
      if (stage) items.push(element('span', {}, `grid ${length(stage.cell)}`));
      if (stage && stage.undrawn.length) items.push(element('span', {}, `not drawn: ${stage.undrawn.join(', ')}`));
      at('legend').replaceChildren(...items);
    }
    writeLegend();

    function recolor() {
      applyTheme();
      if (stage) stage.recolor(css, isDark());
      plots.recolor();
      redraw();
    }
    system.addEventListener('change', recolor);
    if (stage) stage.onChange(redraw);

    let fitted = false;
    new ResizeObserver(() => {
      if (!stage) return;
      stage.resize();
      if (!fitted) setView(view);
      fitted = true;
      redraw();
    }).observe(at('frame'));
    window.addEventListener('resize', () => plots.resize());

    setLoop(loop);
    if (SPEEDS.includes(Number(hash.get('speed')))) at('speed').value = String(Number(hash.get('speed')));
    seek(hash.has('t') ? Number(hash.get('t')) || data.start : data.start);
    recolor();
    setPlaying(hash.has('play'));
    requestAnimationFrame(tick);
    plots.start(() => {
      redraw();
      root.dataset.state = 'ready';
    });
  }

  applyTheme();
  root.dataset.state = 'loading';
  let data;
  try {
    data = Data.load();
  } catch (error) {
    fail(`This run cannot be shown: ${error.message}.`);
    return;
  }
  open(data);
})();
