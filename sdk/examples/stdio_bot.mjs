// A bot in JavaScript, without dependencies: python -m spieltisch.bot run ./stdio_bot.mjs -n 20
// It scores where it can, passes where it must, and leaves the rest to chance. The protocol is in ../STDIO.md.

import { createHash } from "node:crypto";
import { createInterface } from "node:readline";

const PROTOCOL = 1;

const say = (message) => process.stdout.write(JSON.stringify({ ...message, protocol: PROTOCOL }) + "\n");

// Chance that is the same for the same seed and version, so that a run can be repeated.
const chance = (seed, version, n) =>
  createHash("sha256").update(`${seed}/${version}`).digest().readUInt32BE(0) % n;

function decide({ seed, view }) {
  const legal = view.legal_actions;
  const liked = legal.filter((action) => ["redeem", "place_follower"].includes(action.type));
  const useful = legal.filter((action) => !["pass", "end_turn", "recall_follower"].includes(action.type));
  const choice = [liked, useful, legal].find((actions) => actions.length > 0);
  return choice[chance(seed, view.version, choice.length)];
}

const answers = {
  hello: (message) =>
    message.protocol === PROTOCOL
      ? say({ type: "hello", name: "stdio_bot", games: ["neues-land", "wunderland"] })
      : say({ type: "error", message: `this bot speaks protocol ${PROTOCOL} only` }),
  decide: (message) => {
    try {
      say({ type: "action", id: message.id, action: decide(message) });
    } catch (error) {
      say({ type: "error", id: message.id, message: String(error) });
    }
  },
  end: () => {},
  error: (message) => console.error(`the host says: ${message.message}`),
};

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  answers[message.type]?.(message);
}
