/** What the types must not allow, and a little that they must. Nothing here runs: tsc judges it. */

import createClient from "openapi-fetch";
import type { components, paths } from "./spieltisch.js";

type Schemas = components["schemas"];

// @ts-expect-error a follower needs its region
export const noRegion: Schemas["Action"] = { type: "place_follower" };

// @ts-expect-error there is no such kind of action
export const noKind: Schemas["Action"] = { type: "undo" };

// @ts-expect-error tiles turn by right angles
export const noAngle: Schemas["Action"] = { type: "place_tile", tile: "44mg", x: 1, y: 0, rotation: 45 };

// @ts-expect-error the options of one game are not those of the other
export const noOption: Schemas["MatchRequest"] = { game: "neues-land", seats: ["me"], options: { round_limit: 6 } };

/** What they must allow. */
export const dealt: Schemas["MatchRequest"] = { game: "neues-land", seats: ["me"], deal: { deck: ["44mg"] } };

export function tiles(game: Schemas["FullGame"]): unknown {
  return game.material["tiles"];
}

export function region(action: Schemas["Action"]): number {
  // @ts-expect-error only some actions have a region, so the kind must be asked first
  return action.region;
}

export function deadline(view: Schemas["View"]): number {
  // @ts-expect-error a spectator and whoever must wait have no legal actions
  return view.legal_actions.length;
}

export async function codes(): Promise<boolean> {
  const { error } = await createClient<paths>().GET("/v1/me");
  // @ts-expect-error reading an account cannot be illegal
  return error?.code === "illegal_action";
}

export async function suggestions(): Promise<number> {
  const { error } = await createClient<paths>().POST("/v1/matches/{match_id}/actions", {
    params: { path: { match_id: "mt_1" } },
    body: { actions: [{ type: "pass" }] },
  });
  if (error?.code === "illegal_action") return error.suggestions.length;
  // @ts-expect-error only an illegal action comes with suggestions
  return error?.suggestions.length;
}
