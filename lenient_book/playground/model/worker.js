// What runs in the worker: play, and send counts whenever some are there.
import { runner } from "./runs.js";

const OFTEN = 60; // milliseconds between two messages

/** Play all runs, in the order of the policies' blocks; `send` gets runs as they are done. */
export function* playAll({ means, eps, policies, seed, runs, times }, send) {
  const size = times.length * means.length;
  const players = policies.map((policy) => runner({ means, eps, policy, seed, times }));
  const block = Math.max(1, Math.min(50, Math.ceil(runs / 20)));
  let since = performance.now();
  for (let done = 0; done < runs; done += block) {
    const some = Math.min(block, runs - done);
    for (let k = 0; k < policies.length; k++) {
      const pulls = new Float64Array(some * size);
      for (let run = 0; run < some; run++) {
        players[k].next(pulls.subarray(run * size, (run + 1) * size));
        if (performance.now() - since > OFTEN) {
          since = performance.now();
          yield;
        }
      }
      send({ policy: policies[k], from: done, pulls });
    }
  }
  send({ done: true });
}

/** In a worker: answer one message, then be thrown away. */
export function serve(self) {
  self.onmessage = ({ data }) => {
    const send = (message) =>
      self.postMessage(message, message.pulls ? [message.pulls.buffer] : []);
    const work = playAll(data, send);
    while (!work.next().done);
  };
}
