import { Refusal } from '../pipeline/errors.ts';
import type { Audit, AuditEvent, AuditFacts, AuditSource } from './audit.ts';

/** Writes down that `work` was refused and by which code, whatever the reason: a wrong password, a limit, a name that is taken. */
export async function auditRefusals<T>(audit: Audit, event: AuditEvent, source: AuditSource, facts: AuditFacts, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal) audit.write(event, source, { reason: error.code, ...facts });
    throw error;
  }
}
