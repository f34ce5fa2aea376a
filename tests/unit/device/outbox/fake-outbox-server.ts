import { limits } from '#contract/limits.ts';
import { nameKey } from '#contract/rules/text.ts';
import type { OutboxEntry } from '#device/outbox-entry.ts';
import type { ReplayAnswer, ReplayNetwork } from '#device/outbox-replay.ts';

/** What becomes of one request on its way. */
export type Fate = 'arrives' | 'is lost' | 'loses its answer' | 'fails' | 'is too early' | 'comes twice';

export const fates = ['arrives', 'is lost', 'loses its answer', 'fails', 'is too early', 'comes twice'] as const;

const unanswered: ReplayAnswer = { kind: 'unanswered' };

/** A server with tags and links, which remembers the keys of what it has done, behind a network that loses things. */
export class FakeOutboxServer implements ReplayNetwork {
  /** Ids and names. */
  readonly tags = new Map<string, string>();
  /** What was done, in order; a call that is repeated by its key does nothing. */
  readonly done: string[] = [];
  /** Keys in the order in which they came, repetitions included. */
  readonly seen: string[] = [];
  /** Who the requests came from. */
  readonly senders = new Set<string>();
  /** Requests under way now, and the most at once. */
  underWay = 0;
  mostUnderWay = 0;
  time = 0;
  retryAfterMs: number | null = 3_000;
  private readonly answers = new Map<string, { answer: ReplayAnswer; at: number }>();
  private readonly nextFate: () => Fate;

  constructor(nextFate: () => Fate = () => 'arrives') {
    this.nextFate = nextFate;
  }

  async send(entry: OutboxEntry): Promise<ReplayAnswer> {
    this.underWay += 1;
    this.mostUnderWay = Math.max(this.mostUnderWay, this.underWay);
    await Promise.resolve();
    const answer = this.meet(entry, this.nextFate());
    this.underWay -= 1;
    return answer;
  }

  async findTag({ body }: OutboxEntry): Promise<string | null> {
    return this.findName((body as { name: string }).name);
  }

  addTag(name: string): string {
    const id = `tag-${this.tags.size + 1}`;
    this.tags.set(id, name);
    return id;
  }

  private meet(entry: OutboxEntry, fate: Fate): ReplayAnswer {
    if (fate === 'is lost') return unanswered;
    if (fate === 'fails') return refusal(500);
    if (fate === 'is too early') return { ...refusal(429), retryAfterMs: this.retryAfterMs };
    const answer = this.answerOnce(entry);
    if (fate === 'comes twice') this.answerOnce(entry);
    return fate === 'loses its answer' ? unanswered : answer;
  }

  private answerOnce(entry: OutboxEntry): ReplayAnswer {
    this.seen.push(entry.idempotencyKey);
    this.senders.add(entry.userId);
    const known = this.answers.get(entry.idempotencyKey);
    if (known && this.time - known.at < limits.idempotencyHours * 3_600_000) return known.answer;
    const answer = this.act(entry);
    if (answer.status < 400) this.answers.set(entry.idempotencyKey, { answer, at: this.time });
    return answer;
  }

  private act({ call, params, body }: OutboxEntry): Answered {
    const { tag_ids = [], name = '' } = (body ?? {}) as { tag_ids?: string[]; name?: string };
    const id = params?.id ?? params?.tagId ?? '';
    if (call === 'createTag') return this.create(name);
    const missing =
      call === 'assignTags' ? tag_ids.some((one) => !this.tags.has(one)) : id !== '' && !this.tags.has(id);
    if (missing) return refusal(404);
    if (call === 'deleteTag') this.tags.delete(id);
    this.done.push([call, params?.path, ...tag_ids, id].filter(Boolean).join(' '));
    return { ...refusal(200), body: {} };
  }

  private create(name: string): Answered {
    if (this.findName(name) !== null) return refusal(409);
    const id = this.addTag(name);
    this.done.push(`createTag ${name}`);
    return { ...refusal(201), body: { tag: { id } } };
  }

  private findName(name: string): string | null {
    const found = [...this.tags].find(([, other]) => nameKey(other) === nameKey(name));
    return found ? found[0] : null;
  }
}

type Answered = Extract<ReplayAnswer, { kind: 'answered' }>;

function refusal(status: number): Answered {
  return { kind: 'answered', status, body: null, sentence: `Refused with ${status}`, retryAfterMs: null };
}
