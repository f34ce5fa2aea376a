import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { AuthReply } from '#contract/entities/account.ts';
import type { PickReply } from '#contract/entities/feed.ts';
import type { TagReply } from '#contract/entities/tag.ts';
import type { VideoTags } from '#contract/entities/tagging.ts';
import type { UploadCompleted, UploadSession } from '#contract/entities/upload.ts';
import type { RandomBelow } from '#server/ids.ts';
import { partBytes } from '#server/storage/storage.ts';
import { tus, videoBytes } from '#tests/support/uploads.ts';
import type { Call, CallOf } from './history.ts';
import type { Answer, Caller, Question, Recorder } from './recorder.ts';

export const password = 'north pier at dawn';

/** What all clients know of the site. */
export interface Town {
  admin: string;
  /** Access tokens of people who upload. */
  people: readonly string[];
  /** Names of those who sign in and out. */
  guests: readonly string[];
  /** Tags that are put on and taken off. */
  tags: readonly string[];
  /** Tags that uploads come with: a pick of one of them draws from few videos. */
  groups: readonly string[];
  /** Tags that others are merged into. */
  targets: readonly string[];
  videos: KnownVideo[];
  /** Access tokens of sessions by their ids, those that have ended, too. */
  sessions: Map<string, string>;
  /** Ids by the names of tags that were made to be merged. */
  merged: Map<string, string>;
  /** Uploads that go on although nobody starts new work. */
  isEnding: boolean;
}

export interface KnownVideo {
  id: string;
  path: string;
  group: string | null;
  /** Null for a video of the library, and for one that others have uploaded, too: it is never deleted. */
  file: { id: string; owner: string } | null;
  /** As was last acknowledged; null after a call without an answer. */
  isHere: boolean | null;
}

interface ClientParts {
  caller: Caller;
  recorder: Recorder;
  town: Town;
  random: RandomBelow;
  /** Uploads with more than one part of the store. */
  hasLargeFiles: boolean;
}

const pauseMs = 40;

/** Somebody who does one thing after the other. */
export class Client {
  private readonly parts: ClientParts;
  private readonly works: readonly (readonly [weight: number, work: () => Promise<void>])[];

  constructor(parts: ClientParts) {
    this.parts = parts;
    this.works = [
      [5, () => this.changeTag(true)],
      [3, () => this.changeTag(false)],
      [5, () => this.readTags()],
      [8, () => this.pick(this.any(this.parts.town.groups))],
      [3, () => this.upload()],
      [3, () => this.remove()],
      [3, () => this.restore()],
      [1, () => this.merge()],
      [1, () => this.signIn()],
      [1, () => this.signOut()],
      [4, () => this.readSession()],
    ];
  }

  async work(): Promise<void> {
    const { town, random } = this.parts;
    const chances = this.works.flatMap(([weight, work]) => Array.from({ length: weight }, () => work));
    while (!town.isEnding) {
      await this.any(chances)();
      await wait(random(pauseMs));
    }
  }

  private any<Value>(values: readonly Value[]): Value {
    return values[this.parts.random(values.length)] as Value;
  }

  private async changeTag(isOn: boolean): Promise<void> {
    const { people, tags, videos } = this.parts.town;
    const [video, tag] = [this.any(videos), this.any(tags)];
    const answer = await this.link(video, tag, isOn, this.any(people));
    if (answer.outcome === 'done') await this.readTags(video);
  }

  private async link(video: KnownVideo, tag: string, isOn: boolean, token: string): Promise<Answer> {
    const path = `/api/videos/${encodeURIComponent(video.path)}/tags`;
    const answer = await this.parts.caller.ask(
      isOn
        ? { method: 'POST', path, token, body: { tag_ids: [tag] } }
        : { method: 'DELETE', path: `${path}/${tag}`, token },
    );
    this.record(answer, { kind: 'link', video: video.id, tag, isOn });
    return answer;
  }

  private async readTags(video = this.any(this.parts.town.videos)): Promise<void> {
    const path = `/api/videos/${encodeURIComponent(video.path)}/tags`;
    const answer = await this.parts.caller.ask({ method: 'GET', path });
    if (answer.outcome !== 'done') return;
    const { tags } = answer.json as VideoTags;
    this.record(answer, { kind: 'read-links', video: video.id, tags: tags.map(({ id }) => id) });
  }

  private async pick(group: string | null, node?: string): Promise<void> {
    const filter = group === null ? '' : `?tag_ids=${group}`;
    const answer = await this.parts.caller.ask({ method: 'GET', path: `/api/video/top-left${filter}`, ...at(node) });
    if (answer.outcome === 'done') this.record(answer, { kind: 'pick', video: (answer.json as PickReply).id });
  }

  /** One file, or the same bytes twice at once. */
  private async upload(): Promise<void> {
    const { random, hasLargeFiles } = this.parts;
    const isLarge = hasLargeFiles && random(8) === 0;
    const bytes = filmOf(random, isLarge ? partBytes + random(partBytes) : 2_000 + random(200_000));
    const isTwice = random(5) === 0;
    await Promise.all(isTwice ? [this.send(bytes, true), this.send(bytes, true)] : [this.send(bytes, false)]);
  }

  private async send(bytes: Buffer, isShared: boolean): Promise<void> {
    const { caller, recorder, town, random } = this.parts;
    const [owner, group] = [this.any(town.people), this.any(town.groups)];
    const filename = `${random(1e9)}-${recorder.uploads.size}.mp4`;
    const body = { files: [{ filename, file_size: bytes.length }], tag_ids: [group] };
    const begun = await caller.ask({ method: 'POST', path: '/api/upload/initiate', token: owner, body });
    if (begun.outcome !== 'done') return;
    const { session_id: session, bunny_access_key: key, files } = begun.json as UploadSession;
    const { id: file = '', address = '' } = files[0] ?? {};
    recorder.uploads.set(file, {
      filename,
      sum: createHash('sha256').update(bytes).digest('hex'),
      tags: [group],
    });
    await this.sendBytes({ file, address, key }, bytes);
    const video = await this.complete(session, file, key);
    if (video === null) return;
    town.videos.push({ ...video, group, file: isShared ? null : { id: file, owner }, isHere: true });
  }

  private async sendBytes({ file, address, key }: { file: string; address: string; key: string }, bytes: Buffer) {
    const { caller, random } = this.parts;
    const headers = { ...tus, accesskey: key };
    const most = Math.max(bytes.length >> 1, 65_536);
    for (let offset = 0; offset < bytes.length; ) {
      const end = Math.min(bytes.length, offset + 1 + random(most));
      const sent = await caller.ask({
        method: 'PATCH',
        path: address,
        bytes: bytes.subarray(offset, end),
        headers: { ...headers, 'content-type': 'application/offset+octet-stream', 'upload-offset': String(offset) },
      });
      if (sent.outcome === 'done') {
        offset = Number(sent.headers.get('upload-offset'));
        this.record(sent, { kind: 'send', file, offset });
      }
      if (sent.outcome === 'done' && random(4) !== 0) continue;
      offset = await this.readOffset({ method: 'HEAD', path: address, headers }, file);
    }
  }

  /** Another request may hold the file for a while after its client has gone. */
  private async readOffset(question: Question, file: string): Promise<number> {
    for (;;) {
      const answer = await this.parts.caller.insist(question);
      if (answer.outcome !== 'done') {
        await wait(pauseMs);
        continue;
      }
      const offset = Number(answer.headers.get('upload-offset'));
      this.record(answer, { kind: 'read-offset', file, offset });
      return offset;
    }
  }

  private async complete(session: string, file: string, key: string): Promise<{ id: string; path: string } | null> {
    const { caller } = this.parts;
    for (;;) {
      const answer = await caller.ask({
        method: 'POST',
        path: `/api/upload/complete/${session}`,
        body: { session_id: session, files: [] },
        headers: { accesskey: key },
      });
      const reply = answer.outcome === 'done' ? (answer.json as UploadCompleted) : null;
      const video = reply?.videos[0] ?? null;
      const outcome = answer.outcome === 'done' && video === null ? 'refused' : answer.outcome;
      this.record({ ...answer, outcome }, { kind: 'complete', file, video: video?.id ?? null });
      if (video !== null) return video;
      await wait(pauseMs);
    }
  }

  private async remove(): Promise<void> {
    const { caller, town, random } = this.parts;
    const video = this.any(town.videos.filter(({ file, isHere }) => file !== null && isHere !== false));
    if (video?.file == null) return;
    const { id, owner } = video.file;
    const answer = await caller.ask({ method: 'DELETE', path: `/api/upload/file/${id}`, token: owner });
    this.record(answer, { kind: 'delete', file: id });
    settle(video, answer, false);
    for (let left = answer.outcome === 'done' ? 6 : 0; left > 0; left -= 1)
      await this.pick(random(4) === 0 ? null : video.group);
  }

  private async restore(): Promise<void> {
    const { caller, town } = this.parts;
    const video = this.any(town.videos.filter(({ isHere }) => isHere !== true));
    if (video?.file == null) return;
    const { id } = video.file;
    const path = `/api/admin/uploads/removed/${id}/restore`;
    const answer = await caller.ask({ method: 'POST', path, token: town.admin });
    this.record(answer, { kind: 'restore', file: id });
    settle(video, answer, true);
  }

  /** A new tag is given to some videos, and goes into another one. */
  private async merge(): Promise<void> {
    const { caller, town, random } = this.parts;
    const name = `merge ${random(1e9)}`;
    const made = await caller.ask({ method: 'POST', path: '/api/tags', token: town.admin, body: { name } });
    if (made.outcome !== 'done') return;
    const { id: tag } = (made.json as TagReply).tag;
    town.merged.set(name, tag);
    for (let left = 1 + random(4); left > 0; left -= 1) await this.link(this.any(town.videos), tag, true, town.admin);
    const into = this.any(town.targets);
    const path = `/api/tags/${tag}/merge`;
    const answer = await caller.ask({ method: 'POST', path, token: town.admin, body: { into } });
    this.record(answer, { kind: 'merge', tag, into });
  }

  private async signIn(): Promise<void> {
    const { caller, town } = this.parts;
    const body = { identifier: this.any(town.guests), password };
    const answer = await caller.ask({ method: 'POST', path: '/auth/login', body });
    const token = answer.outcome === 'done' ? (answer.json as AuthReply).access_token : null;
    const session = token === null ? null : sessionOf(token);
    this.record(answer, { kind: 'sign-in', session });
    if (token !== null && session !== null) town.sessions.set(session, token);
  }

  private async signOut(): Promise<void> {
    const { caller, town } = this.parts;
    const [session, token] = this.any([...town.sessions]) ?? [];
    if (session === undefined) return;
    const answer = await caller.ask({ method: 'POST', path: '/auth/logout', token, body: {} });
    this.record(answer, { kind: 'sign-out', session });
    if (answer.outcome === 'done') await this.readSession(session);
  }

  /** @param session absent: any */
  private async readSession(session = this.any([...this.parts.town.sessions.keys()])): Promise<void> {
    if (session !== undefined) await readSession(this.parts, session);
  }

  private record(answer: Answer, facts: FactsOf<Call>): void {
    this.parts.recorder.calls.push(toCall(answer, facts));
  }
}

type FactsOf<Any extends Call> = Any extends Call ? Omit<Any, 'node' | 'begin' | 'end' | 'heard' | 'outcome'> : never;

function toCall({ node, begin, end, heard, outcome }: Answer, facts: FactsOf<Call>): Call {
  return { node, begin, end, heard, outcome, ...facts } as Call;
}

/** Asks who somebody is. @returns whether the session was accepted; null without an answer */
export async function readSession(
  { caller, recorder, town }: Pick<ClientParts, 'caller' | 'recorder' | 'town'>,
  session: string,
  node?: string,
): Promise<boolean | null> {
  const question = { method: 'GET', path: '/auth/me', token: town.sessions.get(session) };
  const answer = await caller.ask({ ...question, ...at(node) });
  const isAccepted = answer.status === 401 ? false : answer.outcome === 'done' ? true : null;
  if (isAccepted === null) return null;
  const facts: FactsOf<CallOf<'read-session'>> = { kind: 'read-session', session, isAccepted };
  recorder.calls.push(toCall({ ...answer, outcome: 'done' }, facts));
  return isAccepted;
}

/** Draws a video from all of them on one node. */
export async function pickOn({ caller, recorder }: Pick<ClientParts, 'caller' | 'recorder'>, node: string) {
  const answer = await caller.ask({ method: 'GET', path: '/api/video/top-left', node });
  if (answer.outcome !== 'done') return;
  recorder.calls.push(toCall(answer, { kind: 'pick', video: (answer.json as PickReply).id }));
}

/** The id of its session stands in a token. */
export function sessionOf(token: string): string {
  const [, payload = ''] = token.split('.');
  return (JSON.parse(Buffer.from(payload, 'base64url').toString()) as { sid: string }).sid;
}

function at(node: string | undefined): { node?: string } {
  return node === undefined ? {} : { node };
}

function settle(video: KnownVideo, { outcome }: Answer, isHere: boolean): void {
  if (outcome === 'done') video.isHere = isHere;
  if (outcome === 'unknown') video.isHere = null;
}

/** A video with a box of random bytes behind it, which no reader knows. */
function filmOf(random: RandomBelow, boxBytes: number): Buffer {
  const box = Buffer.alloc(boxBytes);
  for (let place = 0; place < boxBytes; place += 4_096)
    box.writeUInt32BE(random(2 ** 32), Math.min(place, boxBytes - 4));
  box.writeUInt32BE(boxBytes, 0);
  box.write('uniq', 4, 'latin1');
  box.writeUInt32BE(random(2 ** 32), 8);
  return Buffer.concat([videoBytes(), box]);
}
