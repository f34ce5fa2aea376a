import type { Call, CallOf, FinalVideo, History } from './history.ts';

/*
 * What may be said of a history without accusing wrongly:
 *
 * - A write with an answer has happened between its beginning and its end. One without may have happened, or happen
 *   later, until the nodes have stopped. A refused one has not happened.
 * - What the database answers (tags, offsets, the final state) has to be explained by some order of the writes in which
 *   each lies within its call. Nothing is said about writes that overlap.
 * - What a node answers from memory may be old by what is promised: 2 s for picks, 5 s for sessions, which is what holds
 *   when a node cannot read the log of changes. Both rest on rows that were read that recently, not on a timer that a
 *   busy machine delays, so that a well node never exceeds them. A node without a database answers from memory, and may
 *   be older: it counts as unwell during a fault, for a while after it, and while any of its calls is slow.
 * - A node that has proven to know a change may never be older than that: one that made the change itself, that began
 *   after it, or that has given a video which appeared after it. This holds without any bound.
 * - The holder of a lease is the process whose name stands in its row. A process that has never got a lease, or whose
 *   lease ran out long ago, must not do its work; one that ran out a moment ago may be finishing.
 */

/** A broken promise. */
export interface Violation {
  rule: 'links' | 'merges' | 'videos' | 'objects' | 'offsets' | 'picks' | 'sessions' | 'jobs' | 'leases' | 'processes';
  what: string;
}

/** How old an answer from memory may be, in milliseconds. */
export const pickAgeMs = 2_000;
export const sessionAgeMs = 5_000;
/** After a fault, a node may wait this long for statements and connections that do not come back. */
const recoveryMs = 25_000;
/** A node that takes longer for a call may have given up on its database. */
const slowMs = 2_500;
const leaseMs = 15_000;
/** A sweep that has begun under its lease reaches its first statement within this time. */
const finishingMs = 60_000;

export function checkHistory(history: History): Violation[] {
  const facts = new Facts(history);
  return [
    ...checkLinks(facts),
    ...checkMerges(facts),
    ...checkVideos(facts),
    ...checkObjects(facts),
    ...checkOffsets(facts),
    ...checkPicks(facts).violations,
    ...checkSessions(facts).violations,
    ...checkJobs(facts),
    ...checkLeases(facts),
    ...checkProcesses(facts),
  ];
}

/** What a history says beside its violations. */
export interface Figures {
  violations: number;
  calls: number;
  unanswered: number;
  faults: number;
  /** Answers from memory that would have been accused, had they been old. */
  judged: number;
  /** The oldest answers, in milliseconds behind an acknowledged change. */
  oldestPick: number;
  oldestSession: number;
}

export function measureHistory(history: History): Figures {
  const facts = new Facts(history);
  const [picks, sessions] = [checkPicks(facts), checkSessions(facts)];
  return {
    violations: checkHistory(history).length,
    calls: history.calls.length,
    unanswered: history.calls.filter(({ outcome }) => outcome === 'unknown').length,
    faults: history.faults.length,
    judged: picks.judged + sessions.judged,
    oldestPick: picks.oldest,
    oldestSession: sessions.oldest,
  };
}

/** A history with its calls by kind and subject. */
class Facts {
  readonly history: History;
  /** The id of the video that an upload file has become. */
  readonly videoOf = new Map<string, string>();
  readonly fileOf = new Map<string, string>();
  private readonly byKind: Map<Call['kind'], Call[]>;
  private readonly slow: readonly Call[];

  constructor(history: History) {
    this.history = history;
    this.byKind = Map.groupBy(history.calls, ({ kind }) => kind);
    this.slow = history.calls.filter(({ begin, heard }) => heard - begin > slowMs);
    for (const { file, video } of this.of('complete')) if (video !== null) this.videoOf.set(file, video);
    for (const [file, video] of history.final.completed) this.videoOf.set(file, video);
    for (const { id, file } of this.finalVideos) if (file !== null) this.videoOf.set(file, id);
    for (const [file, video] of this.videoOf) this.fileOf.set(video, file);
  }

  get finalVideos(): FinalVideo[] {
    return [...this.history.final.videos, ...this.history.final.removed];
  }

  of<Kind extends Call['kind']>(kind: Kind): CallOf<Kind>[] {
    return (this.byKind.get(kind) ?? []) as CallOf<Kind>[];
  }

  /** Whether a node certainly had its database all the time. */
  isWell(node: string, from: number, to: number): boolean {
    const isAt = (begin: number, end: number) => begin <= to && end >= from;
    const { faults } = this.history;
    const isUnwell = faults.some((fault) => {
      const counts = fault.node === node && fault.kind !== 'cut-store';
      return counts && isAt(fault.begin, fault.end + recoveryMs);
    });
    // Nobody knows which node a call waited for that got no answer.
    const isSlow = this.slow.some((call) => (call.node ?? node) === node && isAt(call.begin, call.heard));
    return !isUnwell && !isSlow;
  }

  /** Whether the process that answered between two instants has begun after another one. */
  hasBegunAfter(node: string | null, instant: number, { begin, end }: { begin: number; end: number }): boolean {
    const processes = this.history.processes.filter((process) => process.node === node);
    const answering = processes.filter((process) => process.begin <= end && process.end >= begin);
    return answering.length > 0 && answering.every((process) => process.begin > instant);
  }
}

type Timed = Pick<Call, 'begin' | 'end' | 'outcome'>;
type Write<Value> = Timed & { value: Value };

/** Whether a call was over when the other one began. */
function isBefore(first: { end: number }, second: { begin: number }): boolean {
  return first.end < second.begin;
}

function isDone({ outcome }: Timed): boolean {
  return outcome === 'done';
}

function mayHaveHappened({ outcome }: Timed): boolean {
  return outcome !== 'refused';
}

/**
 * Whether a value can be read that was written last in some order of the writes.
 * @param initial the value before all writes
 */
export function canBeRead<Value>(
  value: Value,
  read: { begin: number; end: number },
  writes: readonly Write<Value>[],
  initial: Value,
): boolean {
  const done = writes.filter(({ outcome }) => outcome === 'done');
  const isOverwritten = (write: { end: number }) =>
    done.some((later) => isBefore(write, later) && isBefore(later, read));
  if (value === initial && !isOverwritten({ end: Number.NEGATIVE_INFINITY })) return true;
  return writes.some(
    (write) => write.value === value && mayHaveHappened(write) && write.begin <= read.end && !isOverwritten(write),
  );
}

const atTheEnd = { begin: Number.POSITIVE_INFINITY, end: Number.POSITIVE_INFINITY };

function checkLinks(facts: Facts): Violation[] {
  const merged = new Set(facts.of('merge').flatMap(({ tag, into }) => [tag, into]));
  const writes = new Map<string, Map<string, Write<boolean>[]>>();
  const add = (video: string, tag: string, { begin, end, outcome }: Timed, value: boolean) => {
    const ofVideo = writes.get(video) ?? new Map<string, Write<boolean>[]>();
    writes.set(video, ofVideo.set(tag, [...(ofVideo.get(tag) ?? []), { begin, end, outcome, value }]));
  };
  for (const call of facts.of('link')) if (!merged.has(call.tag)) add(call.video, call.tag, call, call.isOn);
  for (const call of facts.of('complete')) {
    const video = facts.videoOf.get(call.file);
    if (video !== undefined)
      for (const tag of facts.history.uploads.get(call.file)?.tags ?? []) add(video, tag, call, true);
  }
  const violations: Violation[] = [];
  const check = (video: string, tags: readonly string[], read: { begin: number; end: number }, where: string) => {
    for (const [tag, ofTag] of writes.get(video) ?? []) {
      const isOn = tags.includes(tag);
      if (canBeRead(isOn, read, ofTag, false)) continue;
      violations.push({ rule: 'links', what: `${where}: video ${video} ${isOn ? 'has' : 'lacks'} tag ${tag}` });
    }
    const strange = tags.filter((tag) => !merged.has(tag) && writes.get(video)?.has(tag) !== true);
    for (const tag of strange)
      violations.push({ rule: 'links', what: `${where}: nobody has given video ${video} tag ${tag}` });
  };
  for (const call of facts.of('read-links'))
    if (call.outcome === 'done' && !isBeingDeleted(facts, call))
      check(call.video, call.tags, call, `node ${call.node}`);
  for (const { id, tags } of facts.finalVideos) check(id, tags, atTheEnd, 'at the end');
  return violations;
}

/** The path and the tags are read one after the other: between them, the video may have gone. */
function isBeingDeleted(facts: Facts, { video, begin, end }: CallOf<'read-links'>): boolean {
  const file = facts.fileOf.get(video);
  return facts.of('delete').some((call) => {
    const mayOverlap = !isBefore(call, { begin }) && call.begin <= end;
    return call.file === file && mayHaveHappened(call) && mayOverlap;
  });
}

/** Who merges gives the tag to videos first; nobody else uses it, nor gives the one that it goes into. */
function checkMerges(facts: Facts): Violation[] {
  const { final } = facts.history;
  const violations: Violation[] = [];
  const say = (what: string) => violations.push({ rule: 'merges', what });
  const mergesOf = Map.groupBy(facts.of('merge'), ({ tag }) => tag);
  const given = facts.of('link').filter((call) => mayHaveHappened(call));
  const reached = new Map<string, Set<string>>();
  for (const [tag, merges] of mergesOf) {
    const isMerged = !final.activeTags.has(tag);
    if (isMerged && !merges.some(mayHaveHappened)) say(`tag ${tag} is merged, and nobody has done so`);
    if (!isMerged && merges.some(({ outcome }) => outcome === 'done')) say(`the merge of tag ${tag} is lost`);
    const counted = final.activities.get(`tag_merged ${tag}`) ?? 0;
    if (counted !== (isMerged ? 1 : 0)) say(`tag ${tag} was merged ${counted} times`);
    const into = merges[0]?.into ?? '';
    for (const { video, outcome } of given.filter((call) => call.tag === tag)) {
      reached.set(into, (reached.get(into) ?? new Set()).add(video));
      const found = facts.finalVideos.find(({ id }) => id === video);
      // A removed video keeps the tag, which is read as the other one when it comes back.
      const isThere =
        found === undefined || found.tags.includes(isMerged ? into : tag) || isRemovedWith(facts, video, tag);
      if (outcome === 'done' && !isThere) say(`video ${video} has lost tag ${tag}${isMerged ? ` to ${into}` : ''}`);
    }
  }
  for (const target of new Set(facts.of('merge').map(({ into }) => into)))
    for (const { id, tags } of facts.finalVideos)
      if (tags.includes(target) && reached.get(target)?.has(id) !== true)
        say(`video ${id} has tag ${target}, which nobody has given`);
  return violations;
}

function isRemovedWith({ history }: Facts, video: string, tag: string): boolean {
  return history.final.removed.some(({ id, tags }) => id === video && tags.includes(tag));
}

/** Each upload is one video or one removed video, as often removed and restored as was acknowledged. */
function checkVideos(facts: Facts): Violation[] {
  const { final, uploads } = facts.history;
  const violations: Violation[] = [];
  const say = (what: string) => violations.push({ rule: 'videos', what });
  const here = Map.groupBy(final.videos, ({ id }) => id);
  const gone = Map.groupBy(final.removed, ({ id }) => id);
  for (const { file, video, outcome } of facts.of('complete')) {
    if (outcome !== 'done' || video === null) continue;
    const count = (here.get(video)?.length ?? 0) + (gone.get(video)?.length ?? 0);
    if (count !== 1) say(`upload ${file} was acknowledged as video ${video}, which is there ${count} times`);
  }
  for (const [file, { filename }] of uploads) {
    const [removals, returns] = [countOf(facts, 'delete', file), countOf(facts, 'restore', file)];
    const removed = final.activities.get(`upload_removed ${filename}`) ?? 0;
    const restored = final.activities.get(`upload_restored ${filename}`) ?? 0;
    if (removed < removals.done || removed > removals.possible)
      say(`upload ${file} was removed ${removed} times, and ${removals.done} to ${removals.possible} were asked for`);
    if (restored < returns.done || restored > returns.possible)
      say(`upload ${file} was restored ${restored} times, and ${returns.done} to ${returns.possible} were asked for`);
    const video = facts.videoOf.get(file);
    if (video === undefined) continue;
    const isHere = here.has(video);
    if (removed - restored !== (isHere ? 0 : 1)) say(`video ${video} is ${isHere ? 'here' : 'gone'} after all that`);
  }
  const bySum = Map.groupBy(facts.videoOf, ([file]) => uploads.get(file)?.sum);
  for (const [sum, pairs] of bySum) {
    const videos = new Set(pairs.map(([, video]) => video));
    if (sum !== undefined && videos.size > 1) say(`equal bytes have become ${videos.size} videos`);
  }
  return violations;
}

function countOf(facts: Facts, kind: 'delete' | 'restore', file: string): { done: number; possible: number } {
  const calls = facts.of(kind).filter((call) => call.file === file);
  return {
    done: calls.filter(({ outcome }) => outcome === 'done').length,
    possible: calls.filter(mayHaveHappened).length,
  };
}

/** Each video that was uploaded, and each removed one, has one object with the bytes that were sent; no others are left. */
function checkObjects(facts: Facts): Violation[] {
  const { final, uploads } = facts.history;
  const wanted = new Set(facts.finalVideos.flatMap(({ file }) => file ?? []));
  const found = Map.groupBy(final.objects, ({ file }) => file);
  const lost = [...wanted].filter((file) => found.get(file)?.length !== 1);
  const left = [...found.keys()].filter((file) => !wanted.has(file) && !final.receiving.has(file));
  const wrong = final.objects.filter(({ file, sum }) => wanted.has(file) && uploads.get(file)?.sum !== sum);
  return [
    ...lost.map((file) => `upload ${file} has ${found.get(file)?.length ?? 0} objects`),
    ...left.map((file) => `an object of upload ${file} is left`),
    ...wrong.map(({ file }) => `the object of upload ${file} has other bytes than were sent`),
  ].map((what) => ({ rule: 'objects', what }));
}

function checkOffsets(facts: Facts): Violation[] {
  const violations: Violation[] = [];
  const sent = Map.groupBy(facts.of('send'), ({ file }) => file);
  for (const read of [...facts.of('read-offset'), ...facts.of('send')]) {
    if (read.outcome !== 'done') continue;
    const before = (sent.get(read.file) ?? []).filter((call) => call.outcome === 'done' && isBefore(call, read));
    const reached = Math.max(0, ...before.map(({ offset }) => offset));
    if (read.offset < reached)
      violations.push({
        rule: 'offsets',
        what: `upload ${read.file} was at ${reached} bytes, and then at ${read.offset} on node ${read.node}`,
      });
  }
  return violations;
}

/** What a rule says about answers from memory. */
interface Judgement {
  violations: Violation[];
  judged: number;
  /** The oldest answer, in milliseconds behind a change. */
  oldest: number;
}

/** Of each pick, so many of the videos that were deleted last are looked at to tell whether it is judged. */
const lastRemovals = 10;

function checkPicks(facts: Facts): Judgement {
  const result: Judgement = { violations: [], judged: 0, oldest: 0 };
  const sightings = listSightings(facts);
  const [removals, returns] = [facts.of('delete').filter(isDone), facts.of('restore').filter(mayHaveHappened)];
  const mayBeBack = (removal: CallOf<'delete'>, pick: CallOf<'pick'>) =>
    returns.some(({ file, begin, end }) => file === removal.file && begin <= pick.end && end > removal.begin);
  for (const pick of facts.of('pick')) {
    const { node, video } = pick;
    if (!isDone(pick) || node === null) continue;
    const over = removals.filter((call) => isBefore(call, pick) && !mayBeBack(call, pick));
    if (over.slice(-lastRemovals).some((call) => accusePick(facts, sightings, call, pick) !== null)) result.judged += 1;
    const file = video === null ? undefined : facts.fileOf.get(video);
    const removal = over.findLast((call) => call.file === file);
    if (removal === undefined) continue;
    const why = accusePick(facts, sightings, removal, pick);
    if (why !== null) result.violations.push({ rule: 'picks', what: `node ${node} has given deleted ${video} ${why}` });
    else result.oldest = Math.max(result.oldest, pick.begin - removal.end);
  }
  return result;
}

/** @returns in words why a node must not give a deleted video any more; null if it may */
function accusePick(
  facts: Facts,
  sightings: Sightings,
  removal: CallOf<'delete'>,
  pick: CallOf<'pick'>,
): string | null {
  const node = pick.node ?? '';
  // A node answers a change although it cannot read the log, if its database has just gone.
  const isOwn = removal.node === node && facts.isWell(node, removal.begin, removal.end);
  if (isOwn) return 'after it had deleted it itself';
  if (facts.hasBegunAfter(node, removal.end, pick)) return 'although it began after it was deleted';
  if (seenBefore(sightings.get(node) ?? [], pick.begin) > removal.end)
    return 'although it had given one that was added later';
  const age = pick.begin - removal.end;
  const isTooOld = age > pickAgeMs && facts.isWell(node, removal.end, pick.end);
  return isTooOld ? `${Math.round(age)} ms after it was deleted` : null;
}

/**
 * What picks show of how far a node has read the log, in the order of their ends: it has given a video that appeared
 * after `knows`.
 */
type Sightings = ReadonlyMap<string, readonly { end: number; knows: number }[]>;

function listSightings(facts: Facts): Sightings {
  const appeared = new Map<string, number>();
  for (const { file, begin, outcome } of facts.of('complete')) {
    const video = facts.videoOf.get(file);
    if (video !== undefined && outcome !== 'refused')
      appeared.set(video, Math.min(begin, appeared.get(video) ?? Number.POSITIVE_INFINITY));
  }
  const sightings = new Map<string, { end: number; knows: number }[]>();
  for (const { node, end, video } of facts.of('pick').sort((one, other) => one.end - other.end)) {
    const knows = video === null ? undefined : appeared.get(video);
    if (knows === undefined || node === null) continue;
    const ofNode = sightings.get(node) ?? [];
    ofNode.push({ end, knows: Math.max(knows, ofNode.at(-1)?.knows ?? 0) });
    sightings.set(node, ofNode);
  }
  return sightings;
}

/** Up to when a node had surely read the log at an instant. */
function seenBefore(sightings: readonly { end: number; knows: number }[], instant: number): number {
  let [low, high] = [0, sightings.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sightings[middle]?.end ?? 0) < instant) low = middle + 1;
    else high = middle;
  }
  return sightings[low - 1]?.knows ?? 0;
}

function checkSessions(facts: Facts): Judgement {
  const { final } = facts.history;
  const result: Judgement = { violations: [], judged: 0, oldest: 0 };
  const say = (what: string) => result.violations.push({ rule: 'sessions', what });
  const begun = new Map(facts.of('sign-in').flatMap((call) => (call.session === null ? [] : [[call.session, call]])));
  const ends = Map.groupBy(facts.of('sign-out').filter(mayHaveHappened), ({ session }) => session);
  for (const read of facts.of('read-session')) {
    const { session, node } = read;
    if (read.outcome !== 'done' || node === null) continue;
    const [start, over] = [begun.get(session), ends.get(session) ?? []];
    const mayHaveEnded = over.some(({ begin }) => begin <= read.end);
    if (!read.isAccepted && start !== undefined && isDone(start) && isBefore(start, read) && !mayHaveEnded)
      say(`node ${node} does not know session ${session}, which was begun`);
    const end = over.find((call) => isDone(call) && isBefore(call, read));
    if (end === undefined) continue;
    const age = read.begin - end.end;
    const isKnown = end.node === node || facts.hasBegunAfter(node, end.end, read);
    const isJudged = isKnown || (age > sessionAgeMs && facts.isWell(node, end.end, read.end));
    if (isJudged) result.judged += 1;
    if (!read.isAccepted) continue;
    if (isJudged)
      say(`node ${node} has accepted session ${session} ${Math.round(age)} ms after it was ended by node ${end.node}`);
    else result.oldest = Math.max(result.oldest, age);
  }
  for (const [session, { outcome }] of begun) {
    const over = ends.get(session) ?? [];
    if (outcome === 'done' && over.length === 0 && !final.sessions.has(session)) say(`session ${session} is lost`);
    if (over.some((call) => call.outcome === 'done') && final.sessions.has(session))
      say(`session ${session} is still there after its end`);
  }
  return result;
}

function checkJobs({ history: { events, final } }: Facts): Violation[] {
  const ends = Map.groupBy(
    events.filter(({ kind }) => kind === 'job-end'),
    ({ subject }) => subject,
  );
  const twice = [...ends].filter(([, list]) => list.length > 1);
  return [
    ...twice.map(([job, list]) => `job ${job} has ended on ${list.map(({ process }) => process).join(' and ')}`),
    ...final.activeJobs.map((job) => `job ${job} has not ended`),
  ].map((what) => ({ rule: 'jobs', what }));
}

function checkLeases({ history: { events, faults, processes } }: Facts): Violation[] {
  const granted = new Map<string, number>();
  const violations: Violation[] = [];
  for (const { kind, process, subject, at } of [...events].sort((one, other) => one.number - other.number)) {
    const key = `${process} ${subject}`;
    if (kind === 'grant') granted.set(key, at);
    if (kind !== 'act') continue;
    const last = granted.get(key);
    const node = processes.find(({ name }) => name === process)?.node;
    const frozenMs = faults
      .filter((fault) => fault.node === node && fault.begin <= at && fault.end >= (last ?? 0))
      .reduce((sum, { begin, end }) => sum + Math.min(end, at) - begin, 0);
    if (last === undefined)
      violations.push({ rule: 'leases', what: `${process} has done '${subject}' without the lease` });
    else if (at - last > leaseMs + finishingMs + frozenMs)
      violations.push({ rule: 'leases', what: `${process} has done '${subject}' ${at - last} ms after its lease` });
  }
  return violations;
}

function checkProcesses({ history: { processes } }: Facts): Violation[] {
  const failed = processes.filter(({ hasFailed }) => hasFailed);
  return failed.map(({ name }) => ({ rule: 'processes', what: `${name} has ended by itself` }));
}
