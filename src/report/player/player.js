// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The page itself: reads the data, passes the clock's time to the stage and the plots, and gives every button and
// key its meaning. It draws only when something changed, so that a page left open costs nothing.
//
// The address may say how to open: #t=0.5 (time [s]), play, speed=0.25, loop=0, view=top, theme=dark,
// forces=0, paths=0, horizons=0, goals=0, shapes=1, joined by &. For tests and pictures the root element tells what is going on:
// data-state (loading, ready, failed), data-time [s], data-frames (pictures drawn).

(() => {
  const root = document.documentElement;
  const at = (id) => document.getElementById(id);
  const css = (name) => getComputedStyle(root).getPropertyValue(name).trim();
  const { element } = Plots;
  const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];
  const PLAY = 'M8 5v14l11-7z';
  const PAUSE = 'M7 5h4v14H7zM13 5h4v14h-4z';
  const hash = new URLSearchParams(location.hash.slice(1));

  function fail(text) {
    document.body.className = 'absent';
    at('notice').textContent = text;
    root.dataset.state = 'failed';
  }

  // the system's colour scheme unless the address names one
  const system = window.matchMedia('(prefers-color-scheme: dark)');
  const isDark = () => (hash.has('theme') ? hash.get('theme') === 'dark' : system.matches);
  function applyTheme() {
    root.dataset.theme = isDark() ? 'dark' : 'light';
    root.style.colorScheme = root.dataset.theme;
  }

  // the stage, or null where the browser has no WebGL: numbers and plots still work
  function makeStage(data) {
    try {
      return Stage.create(at('view'), data);
    } catch (error) {
      at('notice').textContent = `The scene cannot be drawn here: ${error.message}. The plots still work.`;
      return null;
    }
  }

  // one picture a frame of the browser, while `page.dirty`
  function run(page) {
    const { clock, stage, plots } = page;
    const digits = clock.end - clock.start >= 100 ? 1 : 2;
    let last = null;
    let readOutAt = -Infinity;
    let frames = 0;

    function draw(now) {
      const { k, fraction } = clock.place();
      if (stage) {
        stage.show(k, fraction);
        stage.draw();
      }
      // numbers that change faster than ten times a second cannot be read
      const withValues = !clock.playing || now - readOutAt > 100;
      if (withValues) readOutAt = now;
      plots.show(clock.time, withValues);
      const [time, end] = [clock.time, clock.end].map((t) => t.toFixed(digits));
      at('time').value = clock.time;
      at('time').setAttribute('aria-valuetext', `${time} of ${end} seconds`);
      at('clock').replaceChildren(time, element('small', {}, ` / ${end} s`));
      at('play').setAttribute('aria-label', clock.playing ? 'Pause' : 'Play');
      at('play').querySelector('path').setAttribute('d', clock.playing ? PAUSE : PLAY);
      frames += 1;
      root.dataset.time = clock.time.toFixed(6);
      root.dataset.frames = frames;
    }

    function tick(now) {
      // a page that was hidden goes on where it was
      clock.advance(last === null ? 0 : Math.min(0.25, (now - last) / 1000));
      last = now;
      if (page.dirty) {
        page.dirty = false;
        draw(now);
      }
      requestAnimationFrame(tick);
    }
    requestAnimationFrame(tick);
  }

  // a button and a key that show or hide one layer of the stage
  function addToggle(page, keys, layer, key, first = true) {
    const button = at(`show-${layer}`);
    const { stage } = page;
    if (!stage || !stage.hasLayer[layer]) {
      button.hidden = true;
      return;
    }
    const set = (on) => {
      button.setAttribute('aria-pressed', String(on));
      stage.layers[layer].visible = on;
      page.redraw();
    };
    set(hash.has(layer) ? hash.get(layer) !== '0' : first);
    button.addEventListener('click', () => set(!stage.layers[layer].visible));
    keys[key] = () => button.click();
  }

  function addTransport(page, keys) {
    const { clock } = page;
    const setLoop = (on) => {
      clock.loop = on;
      at('loop').setAttribute('aria-pressed', String(on));
    };
    const setSpeed = (speed) => {
      clock.speed = speed;
      at('speed').value = String(speed);
    };
    const shiftSpeed = (shift) => {
      const i = SPEEDS.indexOf(clock.speed) + shift;
      setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, i))]);
    };
    const toggle = () => clock.play(!clock.playing);
    Object.assign(at('time'), { min: clock.start, max: clock.end });
    at('play').addEventListener('click', toggle);
    at('loop').addEventListener('click', () => setLoop(!clock.loop));
    at('speed').addEventListener('change', () => setSpeed(Number(at('speed').value)));
    at('time').addEventListener('input', () => clock.hold(Number(at('time').value)));
    Object.assign(keys, {
      ' ': toggle,
      ArrowLeft: (event) => clock.step(event.shiftKey ? -10 : -1),
      ArrowRight: (event) => clock.step(event.shiftKey ? 10 : 1),
      Home: () => clock.hold(clock.start),
      End: () => clock.hold(clock.end),
      '-': () => shiftSpeed(-1), '+': () => shiftSpeed(1), '=': () => shiftSpeed(1),
      l: () => setLoop(!clock.loop),
    });
    setLoop(hash.get('loop') !== '0');
    setSpeed(SPEEDS.includes(Number(hash.get('speed'))) ? Number(hash.get('speed')) : 1);
  }

  // the choice of view; framed first when the size of the picture is known
  function addCamera(page, keys) {
    const { stage } = page;
    if (!stage) return;
    const known = [...at('camera').options].map((option) => option.value);
    let view = known.includes(hash.get('view')) ? hash.get('view') : known[0];
    const setView = (name) => {
      view = name;
      at('camera').value = name;
      stage.fit(name);
      page.redraw();
    };
    at('camera').addEventListener('change', () => setView(at('camera').value));
    at('fit').addEventListener('click', () => setView(view));
    keys.r = () => setView(view);
    known.forEach((name, i) => { keys[i + 1] = () => setView(name); });
    stage.onChange(page.redraw);
    let framed = false;
    new ResizeObserver(() => {
      stage.resize();
      if (!framed) setView(view);
      framed = true;
      page.redraw();
    }).observe(at('frame'));
  }

  function listen(keys) {
    document.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      // a focused button or list keeps its own keys
      const own = event.target.closest('button, select, summary');
      if (own && (event.key === ' ' || own.tagName === 'SELECT')) return;
      const act = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
      if (!act) return;
      event.preventDefault();
      act(event);
    });
  }

  function writeLegend({ data, stage }) {
    if (!stage) return;
    const modes = data.contacts.table.rows ? ['stick', 'slip'] : [];
    const items = modes.map((mode) => {
      const swatch = element('i', {});
      swatch.style.background = `var(--${mode})`;
      return element('span', {}, swatch, mode);
    });
    items.push(element('span', {}, `grid ${Summary.length(stage.cell)}`));
    if (stage.undrawn.length) items.push(element('span', {}, `not drawn: ${stage.undrawn.join(', ')}`));
    at('legend').replaceChildren(...items);
  }

  function open(data) {
    const page = { data, dirty: true };
    page.redraw = () => { page.dirty = true; };
    page.clock = Clock.create(data.times, page.redraw);
    page.stage = makeStage(data);
    page.plots = Plots.create(at('plots'), data, css, page.clock.hold);
    Summary.write(data.summary);
    writeLegend(page);

    const keys = {};
    addTransport(page, keys);
    addCamera(page, keys);
    addToggle(page, keys, 'forces', 'f');
    addToggle(page, keys, 'paths', 'p');
    addToggle(page, keys, 'horizons', 'h');
    addToggle(page, keys, 'goals', 'g');
    addToggle(page, keys, 'shapes', 's', false);
    listen(keys);

    function recolor() {
      applyTheme();
      if (page.stage) page.stage.recolor(css, isDark());
      page.plots.recolor();
      page.redraw();
    }
    system.addEventListener('change', recolor);
    window.addEventListener('resize', page.plots.resize);

    recolor();
    page.clock.seek(Number(hash.get('t')) || data.start);
    page.clock.play(hash.has('play'));
    run(page);
    page.plots.start(() => {
      page.redraw();
      root.dataset.state = 'ready';
    });
  }

  applyTheme();
  root.dataset.state = 'loading';
  let data = null;
  try {
    data = Data.load();
  } catch (error) {
    fail(`This run cannot be shown: ${error.message}.`);
  }
  if (data) open(data);
})();
