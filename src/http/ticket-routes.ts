/** One-time tickets for the URL of a socket, where a client can put its token nowhere else. */

import type { TicketHolder } from '../domain/access-key.js';
import type { Access } from './access.js';
import { CallBudget } from './call-budget.js';
import { type HttpRequest, jsonResponse, type Route } from './http.js';
import { Problem } from './problem.js';
import type { TicketIssuer } from './stores.js';

export interface TicketRoutesOptions {
  readonly access: Access;
  readonly tickets: TicketIssuer;
  /** The server's clock, epoch milliseconds. */
  readonly now: () => number;
}

/** Of one player or key at this server. */
const MAX_TICKETS = 30;
const WINDOW_MS = 10_000;

/** `POST /v1/tickets` with a player's token or an overlay key as bearer: 201 with `{"ticket", "expiresInMs"}`. The body is not read. */
export function ticketRoutes({ access, tickets, now }: TicketRoutesOptions): readonly Route[] {
  const budget = new CallBudget({ calls: MAX_TICKETS, windowMs: WINDOW_MS, now });
  return [
    {
      method: 'POST',
      pattern: '/v1/tickets',
      handle: async (request: HttpRequest) => {
        const holder = await access.requireHolder(request);
        refuseMany(budget.take(nameOf(holder)));
        return jsonResponse(201, await tickets.issue(holder));
      },
    },
  ];
}

/** A player id may look like anything: the kind stands before it. */
function nameOf(holder: TicketHolder): string {
  return holder.kind === 'player' ? `player ${holder.playerId}` : `key ${holder.keyId}`;
}

function refuseMany(waitMs: number): void {
  if (waitMs === 0) return;
  const seconds = Math.ceil(waitMs / 1_000);
  const detail = `at most ${MAX_TICKETS} tickets in ${WINDOW_MS / 1_000} s: try again in ${seconds} s`;
  throw new Problem('too-many', detail, { headers: { 'retry-after': String(seconds) } });
}
