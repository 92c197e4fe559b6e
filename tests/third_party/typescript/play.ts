/**
 * Plays one match against the house bot and tells how it went, as one line of JSON: `node play.js ADDRESS REQUEST`.
 * REQUEST is the name of one of the matches below. All that it knows of the service are the generated types.
 */

import { randomUUID } from "node:crypto";
import { argv, stdout } from "node:process";
import createClient, { type Client } from "openapi-fetch";
import type { components, paths } from "./spieltisch.js";
import { type Action, best, forbidden, type View } from "./strategy.js";

type Problem = components["schemas"]["Problem"];
type Api = Client<paths>;

const MATCHES = {
  "neues-land": { game: "neues-land", seats: ["me", "bot:random"] },
  wunderland: { game: "wunderland", seats: ["me", "bot:random"], options: { round_limit: 6 } },
} satisfies Record<string, components["schemas"]["MatchRequest"]>;

/** What the bot learned on the way, for whoever started it. */
class Report {
  readonly refusals: { rule: string; suggestions: number }[] = [];
  readonly stale: { sent: number; now: number }[] = [];
  readonly played: Action[] = [];
}

class Refused extends Error {
  constructor(readonly problem: Problem) {
    super(`${problem.status} ${problem.code}: ${problem.detail}`);
  }
}

function isGame(name: string | undefined): name is keyof typeof MATCHES {
  return name !== undefined && name in MATCHES;
}

function once() {
  return { "Idempotency-Key": randomUUID() };
}

async function register(api: Api): Promise<void> {
  const { data, error } = await api.POST("/v1/accounts", {
    params: { header: once() },
    body: { name: "Third party", kind: "bot" },
  });
  if (error) throw new Refused(error);
  const authorization = `Bearer ${data.key}`;
  api.use({
    onRequest({ request }) {
      request.headers.set("Authorization", authorization);
    },
  });
}

/** Do `action`; whatever is refused is mended by what the problem offers. Answers the next view. */
async function act(api: Api, match: string, version: number, action: Action, report: Report): Promise<View> {
  const { data, error } = await api.POST("/v1/matches/{match_id}/actions", {
    params: { path: { match_id: match }, header: once() },
    body: { actions: [action], version },
  });
  if (!error) {
    report.played.push(action);
    return data.view;
  }
  switch (error.code) {
    case "illegal_action": {
      const [nearest] = error.suggestions;
      if (nearest === undefined) throw new Refused(error);
      report.refusals.push({ rule: error.rule, suggestions: error.suggestions.length });
      return act(api, match, error.version, nearest, report);
    }
    case "stale_version":
      report.stale.push({ sent: version, now: error.version });
      return error.view;
    default:
      throw new Refused(error);
  }
}

async function wait(api: Api, match: string, after: number): Promise<View> {
  const { data, error } = await api.GET("/v1/matches/{match_id}/view", {
    params: { path: { match_id: match }, query: { after, wait: 25 } },
  });
  if (error) throw new Refused(error);
  return data;
}

/** Play to the end; on the way, send one outdated version and one action that is not legal. */
async function play(api: Api, match: string, report: Report): Promise<View> {
  let view = await wait(api, match, 0);
  while (view.status === "running") {
    if (view.legal_actions === null) {
      view = await wait(api, match, view.version);
      continue;
    }
    const action = best(view.legal_actions);
    const wrong = report.refusals.length === 0 ? forbidden(action, view) : null;
    const version = report.stale.length === 0 ? view.version - 1 : view.version;
    view = await act(api, match, version, wrong ?? action, report);
  }
  return view;
}

/** The points that each seat gained by its actions, by the log. */
async function gained(api: Api, match: string, seats: number): Promise<number[]> {
  const points = Array<number>(seats).fill(0);
  for (let after = 0; ; ) {
    const { data, error } = await api.GET("/v1/matches/{match_id}/events", {
      params: { path: { match_id: match }, query: { after, limit: 50 } },
    });
    if (error) throw new Refused(error);
    if (typeof data === "string") throw new Error("asked for JSON, got a stream");
    for (const event of data.events) {
      if (event.seq !== after + 1) throw new Error(`event ${event.seq} after ${after}`);
      after = event.seq;
      switch (event.type) {
        case "action":
          if (event.seat === null) throw new Error("an action of nobody");
          points[event.seat] = (points[event.seat] ?? 0) + event.data.points;
          break;
        case "match_finished":
          for (const { seat, points: more } of event.data.final ?? []) points[seat] = (points[seat] ?? 0) + more;
          return points;
        case "match_aborted":
          throw new Error(`aborted: ${event.data.reason}`);
      }
    }
  }
}

const [, , address, name] = argv;
if (address === undefined || !isGame(name)) throw new Error(`usage: play.js ADDRESS ${Object.keys(MATCHES).join("|")}`);
const api = createClient<paths>({ baseUrl: address });
await register(api);
const { data: match, error } = await api.POST("/v1/matches", { params: { header: once() }, body: MATCHES[name] });
if (error) throw new Refused(error);
const report = new Report();
const end = await play(api, match.id, report);
const points = await gained(api, match.id, match.seats.length);
stdout.write(`${JSON.stringify({ match: match.id, result: end.result, points, ...report })}\n`);
