// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The time of the replay: playing, looping, stepping by knots. It knows the times of the knots and draws nothing.
// `changed` is called when the time or `playing` has changed.

const Clock = (() => {
  const REST = 0.7; // pause between the end and a new start [s]

  function create(times, changed) {
    const start = times[0];
    const end = times[times.length - 1];
    let rest = 0;
    const clock = { start, end, time: start, playing: false, loop: true, speed: 1 };

    clock.seek = (t) => {
      clock.time = Math.min(end, Math.max(start, t));
      changed();
    };

    clock.play = (on) => {
      if (on && clock.time >= end) clock.seek(start);
      clock.playing = on && end > start;
      rest = 0;
      changed();
    };

    clock.pause = () => { if (clock.playing) clock.play(false); };

    // pauses at another time
    clock.hold = (t) => {
      clock.pause();
      clock.seek(t);
    };

    // goes to another knot; between two knots, a step back goes to the earlier one
    clock.step = (knots) => {
      const { k, fraction } = clock.place();
      const here = fraction > 1 - 1e-6 ? k + 1 : k;
      const between = fraction > 1e-6 && here === k;
      const target = here + knots + (between && knots < 0 ? 1 : 0);
      clock.hold(times[Math.min(times.length - 1, Math.max(0, target))]);
    };

    // called when `seconds` have passed for the viewer
    clock.advance = (seconds) => {
      if (!clock.playing) return;
      if (clock.time < end) return void clock.seek(clock.time + seconds * clock.speed);
      rest += seconds;
      if (!clock.loop) clock.play(false);
      else if (rest > REST) clock.play(true);
    };

    // the knot k and the fraction of the way to k + 1
    clock.place = () => {
      const k = Math.min(Data.knotAt(times, clock.time + 1e-9), Math.max(0, times.length - 2));
      const span = times.length > 1 ? times[k + 1] - times[k] : 1;
      return { k, fraction: Math.min(1, Math.max(0, (clock.time - times[k]) / span)) };
    };

    return clock;
  }

  return { create };
})();
