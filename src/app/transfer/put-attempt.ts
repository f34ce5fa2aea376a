import type { HttpRequest, HttpResponse, HttpStack } from 'tus-js-client';
import { readAnswer } from './answer-end.ts';
import type { Attempt, AttemptEnd, AttemptEvents, AttemptPlan } from './attempt.ts';

/** By one `PUT` of the whole file, for addresses that cannot do more: it begins at 0 each time. */
export class PutAttempt implements Attempt {
  private readonly plan: AttemptPlan;
  private readonly events: AttemptEvents;
  private readonly request: HttpRequest;
  private abortRun = () => {};

  constructor(plan: AttemptPlan, events: AttemptEvents, httpStack: HttpStack) {
    this.plan = plan;
    this.events = events;
    this.request = httpStack.createRequest('PUT', plan.address);
  }

  run(): Promise<AttemptEnd> {
    const aborted = new Promise<AttemptEnd>((resolve) => {
      this.abortRun = () => resolve({ kind: 'aborted' });
    });
    return Promise.race([this.send(), aborted]);
  }

  abort(): void {
    this.abortRun();
    void this.request.abort();
  }

  private async send(): Promise<AttemptEnd> {
    const { source, key, type } = this.plan;
    this.events.onAcknowledged(0);
    const body = await source.slice(0, source.size).catch(() => null);
    if (body === null || body.size !== source.size) return { kind: 'unreadable' };
    this.request.setHeader('AccessKey', key);
    this.request.setHeader('Content-Type', type || 'application/octet-stream');
    this.request.setProgressHandler((sent) => this.events.onSent(sent));
    const response = await this.request.send(body).catch(() => null);
    if (response === null) return { kind: 'unanswered' };
    if (!isConfirmed(response)) return readAnswer(response);
    this.events.onAcknowledged(source.size);
    return { kind: 'sent' };
  }
}

/** The page of a captive portal confirms nothing. */
function isConfirmed(response: HttpResponse): boolean {
  const status = response.getStatus();
  return status >= 200 && status < 300 && !/^text\/html/i.test(response.getHeader('Content-Type') ?? '');
}
