import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Log } from '../../log.ts';
import { readAddress } from '../client-address.ts';
import { Refusal } from '../pipeline/errors.ts';

/** The source of an act in the audit trail. */
export interface AuditSource {
  /** A full IP address; `unknown` if a proxy sent none. */
  address: string;
  requestId: string;
}

type AuditEvent =
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
 * Ids and words of the product itself, never text that a person typed: people type passwords into
 * the name field.
 */
export type AuditFacts = Record<string, string | number | boolean | null>;

export interface Audit {
  write(event: AuditEvent, source: AuditSource, facts?: AuditFacts): void;
}

/**
 * Writes one line for each act that matters for the site's security: `audit: <event> address=<ip>
 * request=<id> …`. Operators parse these lines (README, 'The audit trail'), so their beginning does
 * not change. They are written at every log level but `silent`.
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

/** More fields than any call has; a body may bring a million. */
const namedFieldsMax = 32;

/**
 * Audits every call that an administrator makes to change something, done or refused. It works for
 * all endpoints, so that no new one can be forgotten.
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

/** The names of an object's fields. A text or a list has none, though it has keys. */
function fieldsOf(body: unknown): string {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return '';
  return Object.keys(body).slice(0, namedFieldsMax).map(wordOf).join(',');
}

/** Returns ids and field names unchanged; null for anything else. */
function wordOf(text: string | undefined): string | null {
  return text !== undefined && /^[\w-]{1,64}$/.test(text) ? text : null;
}

/**
 * Audits the refusal of `work` with its error code, whatever the reason: a wrong password, a limit,
 * a name that is taken.
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
