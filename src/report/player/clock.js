// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The time of the replay: playing, looping, stepping by knots. It knows the knots' times and nothing of pictures;
// `changed` is called when time or playing changed.

const Clock = (() => {
  const REST = 0.7; // s between the end and the next round

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

    // to another knot; from between two, a step back is to the one before
    clock.step = (knots) => {
      const { k, fraction } = clock.place();
      const here = fraction > 1 - 1e-6 ? k + 1 : k;
      const between = fraction > 1e-6 && here === k;
      const target = here + knots + (between && knots < 0 ? 1 : 0);
      clock.hold(times[Math.min(times.length - 1, Math.max(0, target))]);
    };

    // `seconds` of the viewer's time go by
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
