// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The numbers of summary.json: status and cost beside the title, and a table of goals, limits that were missed and what was
// measured on both replays. The file says what is met and what is missed.

const Summary = (() => {
  const { element } = Plots;
  const STATUS = {
    converged: 'good', stalled: 'warn', iteration_limit: 'warn', time_limit: 'warn', interrupted: 'warn', failed: 'bad',
  };

  function length(metres) {
    if (!Number.isFinite(metres)) return '';
    if (metres === 0) return '0';
    const [scale, unit] = Math.abs(metres) < 1e-3 ? [1e6, '\u00b5m'] : Math.abs(metres) < 0.1 ? [1e3, 'mm'] : [1, 'm'];
    return `${Number((metres * scale).toPrecision(3))} ${unit}`;
  }

  function short(value) {
    if (!Number.isFinite(value)) return '';
    const tiny = value !== 0 && Math.abs(value) < 1e-3;
    const text = tiny ? value.toExponential(1).replace('.0e', 'e') : `${Number(value.toPrecision(3))}`;
    return text.replace(/^-/, '\u2212');
  }

  const row = (head, ...cells) => element('tr', {}, element('th', { scope: 'row' }, head), ...cells.map((cell) => element('td', {}, cell)));

  // the components of a goal, as rows below a goal that is missed on either replay, else as a tip
  const parts = (goal) => (goal && goal.components && goal.components.length > 1 ? goal.components : []);
  const amount = (part) => (part && Number.isFinite(part.error) ? short(part.error) : '');

  function componentRows(goal, fine) {
    if (goal.met && (!fine || fine.met)) return [];
    const other = parts(fine);
    return parts(goal).map((part, i) => {
      const line = row(part.name, amount(part), amount(other[i]), part.unit);
      line.classList.add('part');
      return line;
    });
  }

  const tip = (goal) => parts(goal).map((part) => `${part.name} ${amount(part)} ${part.unit}`).join(', ');

  // a row for each goal or limit: its errors on both replays, and its tolerance
  function judgedRows(judged, fine, key) {
    return (judged || []).flatMap((item, i) => {
      const verdict = element('span', { class: item.met ? 'good' : 'bad', title: item.met ? 'met' : 'missed' },
        item.met ? '\u2713' : '\u2717', element('span', { class: 'hidden' }, item.met ? ' met' : ' missed'));
      const words = String(item.name).split(/(?<=[./,])/).flatMap((part) => [part, element('wbr')]);
      const bound = Number.isFinite(item.tolerance) ? `\u2264 ${short(item.tolerance)}` : '';
      const other = fine && fine[i];
      const line = row(element('span', {}, verdict, ' ', ...words), short(item[key]), other ? short(other[key]) : '', bound);
      line.title = tip(item);
      return [line, ...componentRows(item, other)];
    });
  }

  // name of a limit with the component and the knot of its largest violation
  function place(limit) {
    const component = limit.component ? ` (${limit.component})` : '';
    return Number.isFinite(limit.knot) ? `${limit.name}${component}, knot ${limit.knot}` : limit.name;
  }

  // limits of the problem and limits that were missed, and how many others were kept: robots have dozens
  function limitRows(limits, fine) {
    const shown = (limits || []).map((item, i) => ({ item, fine: fine && fine[i] })).filter(({ item }) => item.asked || !item.met);
    const named = shown.map(({ item }) => ({ ...item, name: place(item) }));
    const rows = judgedRows(named, shown.map((pair) => pair.fine), 'violation');
    const kept = (limits || []).length - shown.length;
    if (kept === 0) return rows;
    const mark = element('span', { class: 'good', title: 'met' }, '\u2713');
    return [...rows, row(element('span', {}, mark, ` ${kept} ${kept === 1 ? 'limit' : 'limits'} kept`), '', '', '')];
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

  // seconds as they are read: 1.5 ms
  function time(seconds) {
    const [scale, unit] = seconds < 1e-3 ? [1e6, '\u00b5s'] : seconds < 1 ? [1e3, 'ms'] : [1, 's'];
    return `${Number((seconds * scale).toPrecision(3))} ${unit}`;
  }

  // ticks of a closed loop: how many, and a histogram of their times
  function showLoop(loop) {
    if (!loop) return;
    const { median, p99, most } = loop.seconds;
    const counts = ['failed', 'dropped', 'late', 'pushes'].filter((key) => loop[key] > 0).map((key) => `, ${loop[key]} ${key}`);
    const bins = loop.histogram || [];
    const all = bins.reduce((sum, bin) => sum + bin.ticks, 0);
    const rows = bins.map((bin) => row(`\u2264 ${time(bin.up_to)}`, `${bin.ticks}`,
      element('meter', { max: all, value: bin.ticks, title: `${Number((100 * bin.ticks / all).toPrecision(3))} %` })));
    const text = `${loop.ticks} ticks every ${time(loop.period)}${counts.join('')}`
      + (all > 0 ? `; median ${time(median)}, 99 % ${time(p99)}, slowest ${time(most)}` : '');
    document.getElementById('summary').append(element('p', {}, text),
      element('table', { class: 'ticks', title: 'times of the ticks' }, element('tbody', {}, ...rows)));
  }

  // the plan reaches a goal at its own time step alone
  function warnOfStep(summary) {
    const doubt = summary.leans_on_time_step;
    if (!doubt) return;
    const times = Number.isFinite(doubt.times_tolerance) ? `${Number(doubt.times_tolerance.toPrecision(3))} times its tolerance` : 'all bounds';
    const chip = document.getElementById('doubt');
    chip.textContent = 'leans on its time step';
    chip.hidden = false;
    document.getElementById('summary').append(element('p', { class: 'warn' },
      `Replayed at a tenth of the time step, ${doubt.goal} is off by ${times}.`));
  }

  // the table of goals, limits and measures
  function showJudged(summary, groups) {
    const judged = (summary.goals || []).length + (summary.limits || []).length > 0;
    const head = row(judged ? 'Goals and limits' : 'Replay', 'physical', summary.fine ? 'fine' : '', judged ? 'allowed' : '');
    head.querySelectorAll('td').forEach((cell) => cell.replaceWith(element('th', { scope: 'col' }, ...cell.childNodes)));
    const table = element('table', {}, element('thead', {}, head), ...groups.map((rows) => element('tbody', {}, ...rows)));
    table.title = 'physical: the controls replayed under the physical law; fine: the same with feedback at a tenth of the time step';
    document.getElementById('summary').append(table);
  }

  function write(summary) {
    if (!summary) return;
    if (summary.status) {
      const chip = document.getElementById('status');
      chip.textContent = summary.status.replace('_', ' ');
      chip.classList.add(STATUS[summary.status] || 'warn');
      chip.hidden = false;
    }
    const facts = [];
    if (Number.isFinite(summary.cost)) facts.push(`cost ${Number(summary.cost.toPrecision(5))}`);
    const planned = summary.kind !== 'sim';
    if (planned && Number.isFinite(summary.iterations)) facts.push(`${summary.iterations} iterations`);
    if (summary.timing && Number.isFinite(summary.timing.solve))
      facts.push(`${planned ? 'solved' : 'simulated'} in ${short(summary.timing.solve)} s`);
    const every = summary.simulation ? summary.simulation.frame_every : 1;
    if (every > 1) facts.push(`one knot in ${every} shown`);
    document.getElementById('facts').textContent = facts.join(' \u00b7 ');
    const fine = summary.fine || {};
    const groups = [
      judgedRows(summary.goals, fine.goals, 'error'), limitRows(summary.limits, fine.limits), replayRows(summary),
    ].filter((rows) => rows.length > 0);
    if (summary.message) document.getElementById('summary').append(element('p', {}, summary.message));
    warnOfStep(summary);
    if (groups.length > 0) showJudged(summary, groups);
    showLoop(summary.loop);
  }

  return { write, length };
})();
