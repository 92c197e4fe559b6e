/** What the bot does: it knows the rules only as far as the API description names their actions. */

import type { components } from "./spieltisch.js";

export type Action = components["schemas"]["Action"];
export type View = components["schemas"]["View"];

/** How much the bot likes an action. A kind that is missing here does not compile. */
function worth(action: Action): number {
  switch (action.type) {
    case "redeem":
      return 100;
    case "collect":
      return 50 + action.postcards;
    case "place_follower":
      return 40 + action.region;
    case "place_tile":
      return 30 - Math.abs(action.x) - Math.abs(action.y);
    case "travel":
      return 20 + action.travellers + (action.destination.endsWith("-post") ? 10 : 0);
    case "travel_along":
      return 10 + action.travellers;
    case "stay":
    case "pass":
      return 5;
    case "end_turn":
      return 1;
    case "recall_follower":
      return 0;
    default:
      return unknownKind(action);
  }
}

function unknownKind(action: never): never {
  throw new Error(`an action that the API description does not name: ${JSON.stringify(action)}`);
}

/** The best of the legal actions. */
export function best(legal: readonly Action[]): Action {
  return legal.reduce((found, other) => (worth(other) > worth(found) ? other : found));
}

/** Something of the form of a legal action that no rule allows, where the bot can think of one. */
export function forbidden(action: Action, view: View): Action | null {
  switch (action.type) {
    case "place_tile": {
      if (view.state === null || !("tiles" in view.state)) return null;
      const start = view.state.tiles[0];
      return start === undefined ? null : { ...action, x: start.x, y: start.y };
    }
    case "travel":
      return { ...action, destination: action.origin };
    default:
      return null;
  }
}
