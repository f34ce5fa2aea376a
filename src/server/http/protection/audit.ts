import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Log } from '../../log.ts';
import { readAddress } from '../client-address.ts';
import { Refusal } from '../pipeline/errors.ts';

/** Where an act came from, as the audit trail names it. */
export interface AuditSource {
  /** One IP address, in full; `unknown` where a proxy sent none. */
  address: string;
  requestId: string;
}

export type AuditEvent =
  | 'account_deleted'
  | 'admin_act'
  | 'device_approved'
  | 'device_refused'
  | 'email_changed'
  | 'gate_entered'
  | 'gate_refused'
  | 'identity_linked'
  | 'identity_unlinked'
  | 'invitation_refused'
  | 'metrics_refused'
  | 'password_changed'
  | 'password_refused'
  | 'registered'
  | 'registration_refused'
  | 'sign_in_refused'
  | 'signed_in';

/**
 * Ids and words of our own. Nothing that somebody typed belongs here: people type passwords into the field for the
 * name.
 */
export type AuditFacts = Record<string, string | number | boolean | null>;

export interface Audit {
  write(event: AuditEvent, source: AuditSource, facts?: AuditFacts): void;
}

/**
 * One line for each act that matters to whoever guards the site: `audit: <event> address=<ip> request=<id> …`. The line
 * is part of what operators build on (README, 'The audit trail'): its beginning stays as it is. It is written at every
 * log level but `silent`.
 */
export function createAudit(log: Log): Audit {
  const trail = log.child({}, { level: log.level === 'silent' ? 'silent' : 'info' });
  return {
    write(event, { address, requestId }, facts = {}) {
      const words = Object.entries({ address, request: requestId, ...facts }).map(
        ([name, value]) => `${name}=${value ?? '-'}`,
      );
      trail.info({ event, address, request_id: requestId, ...facts }, `audit: ${event} ${words.join(' ')}`);
    },
  };
}

export function auditSourceOf(request: Pick<FastifyRequest, 'ip' | 'id'>): AuditSource {
  return { address: readAddress(request.ip ?? '') ?? 'unknown', requestId: request.id };
}

/** More than any call has; a body may bring a million. */
const namedFieldsMax = 32;

/**
 * Whatever an administrator does through a call of the contract, done or refused: nobody who adds a call can forget it.
 */
export function auditAdminActs(app: FastifyInstance, audit: Audit): void {
  app.addHook('onResponse', async (request, reply) => {
    const { endpoint } = request.routeOptions.config;
    const user = request.caller?.user;
    if (endpoint?.caller !== 'admin' || endpoint.method === 'GET' || user?.isAdmin !== true) return;
    const target = wordOf((request.params as { id?: string }).id);
    audit.write('admin_act', auditSourceOf(request), {
      user: user.userId,
      call: `${endpoint.method}:${endpoint.path}`,
      target,
      fields: fieldsOf(request.body),
      status: reply.statusCode,
    });
  });
}

/** A text or a list has none, though each of its characters or entries has a key. */
function fieldsOf(body: unknown): string {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return '';
  return Object.keys(body).slice(0, namedFieldsMax).map(wordOf).join(',');
}

/** Ids and names of fields as they are; anything else is none. */
function wordOf(text: string | undefined): string | null {
  return text !== undefined && /^[\w-]{1,64}$/.test(text) ? text : null;
}

/**
 * Writes down that `work` was refused and by which code, whatever the reason: a wrong password, a limit, a name that is
 * taken.
 */
export async function auditRefusals<T>(
  audit: Audit,
  event: AuditEvent,
  source: AuditSource,
  facts: AuditFacts,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal) audit.write(event, source, { reason: error.code, ...facts });
    throw error;
  }
}
