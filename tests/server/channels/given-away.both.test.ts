import { readFileSync } from 'node:fs';
import type { LightMyRequestResponse } from 'fastify';
import { expect, test, vi } from 'vitest';
import type { Endpoint } from '#contract/endpoint.ts';
import * as endpoints from '#contract/endpoints.ts';
import { firstVideosId } from '#contract/first-videos.ts';
import type { TagAudience } from '#contract/rules/tag.ts';
import { audienceRanks, tagAudiences } from '#contract/rules/tag.ts';
import type { Tier } from '#contract/rules/tiers.ts';
import { storeEncoding, storeStoryboard } from '#tests/support/media/stored-encodings.ts';
import { storeNotes, storeSubtitles } from '#tests/support/media/stored-subtitles.ts';
import { box, putFile, smallVideo } from '#tests/support/media/videos.ts';
import type { Person } from '#tests/support/people.ts';
import { putPerson } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import { isWholeSoak, soakSeed } from '#tests/support/soak.ts';
import { storeUpload } from '#tests/support/stored-uploads.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';
import { seededRandom } from '../../unit/server/id-sets/list-set.ts';
import type { Asked, KnownVideo, Placed, Reply } from './every-call.ts';
import { allCalls, expectPlaces, isFor, placed, urlOf } from './every-call.ts';

interface ModelVideo {
  readonly id: string;
  readonly path: string;
  isHidden: boolean;
  /** What no answer to who does not see the video holds: ids, names, texts, and words of its bytes. */
  readonly traces: string[];
}

interface ModelTag {
  readonly id: string;
  isActive: boolean;
  audience: TagAudience;
  /** The tag that its id leads to in a filter. */
  mergedInto: ModelTag | null;
  readonly videos: Set<ModelVideo>;
  readonly traces: string[];
}

interface Viewer {
  /** Null: nobody is signed in. */
  readonly person: Person | null;
  rank: number;
  /** With the cookie of a browser, for which addresses are signed. */
  readonly headers: Record<string, string>;
  /** The addresses that were signed for it, by the id of their video. */
  readonly signed: Map<string, Set<string>>;
  isReporting: boolean;
}

const vowels = 'aeiou';
const consonants = 'bdfgklmnprstvz';

class Site {
  readonly random;
  readonly clock = settableClock();
  readonly videos: ModelVideo[] = [];
  readonly tags: ModelTag[] = [];
  readonly viewers: Viewer[] = [];
  readonly history: string[] = [];
  /** The changes that may be undone: their id, and the tags that they touch. */
  readonly changes: { id: string; kind: 'removal' | 'merge'; tags: ModelTag[] }[] = [];
  server!: ServerUnderTest;
  boss!: Person;
  private words = 0;

  constructor(seed: number) {
    this.random = seededRandom(seed);
  }

  choose<T>(from: readonly T[]): T {
    return from[this.random(from.length)] as T;
  }

  /** A word that no answer has by chance. */
  word(): string {
    this.words += 1;
    let word = '';
    for (let letter = 0; letter < 6; letter += 1) word += this.choose([...consonants]) + this.choose([...vowels]);
    return `${word}${this.words}`;
  }

  send(method: 'POST' | 'PUT' | 'DELETE', url: string, payload?: object) {
    return this.server.call(method, url, { headers: this.boss.headers, ...(payload && { payload }) });
  }
}

/** A site of some videos, each with a poster, sheet, subtitles, texts and an encoding of its own. */
async function openSite(seed: number): Promise<Site> {
  const site = new Site(seed);
  const folder = temporaryFolder();
  const app = temporaryFolder();
  putFile(app, 'index.html', `<!doctype html><script type="application/json" id="${firstVideosId}"></script>`);
  const words = new Map<string, string>();
  for (let which = 0; which < 5; which += 1) {
    const word = site.word();
    const path = `${word}.mp4`;
    words.set(path, word);
    putFile(folder, path, Buffer.concat([readFileSync(smallVideo(which)), box('uniq', word)]));
  }
  site.server = await startServer({
    library: [folder],
    overrides: { clock: site.clock, folders: { app }, jobTimes: { poll: 10 } },
  });
  const { server } = site;
  site.boss = await putPerson(server, 'boss', 'admin');
  for (const tier of [null, 'basic', 'pro', 'lifetime', 'admin'] as const) {
    const person = tier === null ? null : await putPerson(server, `a-${tier}`, tier);
    const set = (await server.get('/api/config')).headers['set-cookie'];
    const headers = { ...person?.headers, cookie: String([set].flat()[0]).split(';')[0] ?? '' };
    site.viewers.push({ person, rank: site.viewers.length, headers, signed: new Map(), isReporting: true });
  }
  const uploaded = site.word();
  const bytes = Buffer.concat([readFileSync(smallVideo(6)), box('uniq', uploaded)]);
  const uploader = site.viewers[1]?.person?.id ?? '';
  await storeUpload(server, uploader, { filename: `${uploaded}.mp4`, bytes });
  for (const { id, path, number, size, modified_us } of await server.services.database.reader
    .selectFrom('videos')
    .selectAll()
    .execute()) {
    const word = words.get(path) ?? uploaded;
    const content = number.toString(16).padStart(40, 'abcdef');
    putFile(server.services.folders.posters, `${content.slice(0, 2)}/${content}.webp`, `RIFF ${word}`);
    const poster = { video_number: number, size, modified_us, content, reason: null, made_at: 1 };
    await server.services.database.write((transaction) =>
      transaction
        .insertInto('posters')
        .values(poster)
        .onConflict((conflict) => conflict.column('video_number').doUpdateSet(poster))
        .execute(),
    );
    const sheet = await storeStoryboard(server, path, Buffer.from(`a sheet of ${word}`));
    const grid = await storeEncoding(server, path, 'grid', Buffer.from(`an encoding of ${word}`));
    await storeSubtitles(server.services, id, [{ language: 'en', label: word, text: word }]);
    await storeNotes(server.services, id, []);
    const traces = [id, word, sheet, grid, content];
    const named = (await server.get(`/api/videos/${id}`)).json().video.path;
    site.videos.push({ id, path: named, isHidden: false, traces });
  }
  for (const audience of tagAudiences) {
    const tag = await makeTag(site);
    for (const video of site.videos) if (site.random(3) === 0) await put(site, tag, video);
    await setAudience(site, tag, audience);
  }
  // Everybody likes and has watched everything that they see at first.
  for (const viewer of site.viewers) {
    const ids = site.videos.map(({ id }) => id);
    await server.call('POST', '/api/watched', { headers: viewer.headers, payload: { ids } });
    if (viewer.person === null) continue;
    for (const id of ids) await server.call('PUT', `/api/favourites/${id}`, { headers: viewer.headers });
  }
  return site;
}

async function makeTag(site: Site): Promise<ModelTag> {
  const [name, description] = [site.word(), site.word()];
  const { tag } = (await site.send('POST', '/api/tags', { name, description })).json();
  const alias = site.word();
  await site.send('PUT', `/api/tags/${tag.id}/aliases`, { aliases: [alias] });
  const made: ModelTag = {
    id: tag.id,
    isActive: true,
    audience: 'anyone',
    mergedInto: null,
    videos: new Set(),
    traces: [tag.id, name, description, alias],
  };
  site.tags.push(made);
  return made;
}

async function put(site: Site, tag: ModelTag, video: ModelVideo): Promise<void> {
  const reply = await site.send('POST', `/api/videos/${encodeURIComponent(video.path)}/tags`, { tag_ids: [tag.id] });
  expect(reply.statusCode).toBe(200);
  tag.videos.add(video);
}

async function setAudience(site: Site, tag: ModelTag, audience: TagAudience): Promise<void> {
  expect((await site.send('PUT', `/api/tags/${tag.id}`, { audience })).statusCode).toBe(200);
  tag.audience = audience;
}

async function giveTier(site: Site, viewer: Viewer, tier: Tier, expires_at: string | null = null): Promise<void> {
  const url = `/users/admin/${viewer.person?.id}/subscription`;
  expect((await site.send('PUT', url, { tier, expires_at })).statusCode).toBe(200);
}

const activeTags = (site: Site) => site.tags.filter(({ isActive }) => isActive);
const chooseActive = (site: Site) => site.choose(activeTags(site));

/** What may happen to a site, by name. */
const acts: Record<string, (site: Site) => Promise<unknown>> = {
  async restrict(site) {
    await setAudience(site, chooseActive(site), site.choose(tagAudiences));
  },
  async put(site) {
    await put(site, chooseActive(site), site.choose(site.videos.filter(({ isHidden }) => !isHidden)));
  },
  async take(site) {
    const tag = chooseActive(site);
    const video = site.choose([...tag.videos].filter(({ isHidden }) => !isHidden));
    if (video === undefined) return;
    await site.send('DELETE', `/api/videos/${encodeURIComponent(video.path)}/tags/${tag.id}`);
    tag.videos.delete(video);
  },
  async hide(site) {
    const shown = site.videos.filter(({ isHidden }) => !isHidden);
    if (shown.length < 3) return;
    const video = site.choose(shown);
    expect((await site.send('PUT', `/api/admin/videos/${video.id}/hidden`)).statusCode).toBe(204);
    video.isHidden = true;
  },
  async show(site) {
    const video = site.choose(site.videos.filter(({ isHidden }) => isHidden));
    if (video === undefined) return;
    expect((await site.send('DELETE', `/api/admin/videos/${video.id}/hidden`)).statusCode).toBe(204);
    video.isHidden = false;
  },
  async plan(site) {
    const [viewer, tier] = [site.choose(site.viewers.slice(1, 4)), site.choose(['basic', 'pro', 'lifetime'] as const)];
    await giveTier(site, viewer, tier);
    viewer.rank = audienceRanks[tier === 'basic' ? 'user' : tier];
  },
  async planThatEnds(site) {
    const viewer = site.choose(site.viewers.slice(1, 4));
    await giveTier(site, viewer, 'pro', new Date(site.clock.now() + 1_000).toISOString());
    viewer.rank = audienceRanks.user;
    site.clock.pass(1_001);
  },
  async make(site) {
    if (activeTags(site).length < 7) await makeTag(site);
  },
  async remove(site) {
    if (activeTags(site).length < 3) return;
    const tag = chooseActive(site);
    expect((await site.send('DELETE', `/api/tags/${tag.id}`)).statusCode).toBe(204);
    tag.isActive = false;
    site.changes.push({ id: (await latestChange(site)).id, kind: 'removal', tags: [tag] });
  },
  async merge(site) {
    if (activeTags(site).length < 4) return;
    const [from, into] = [chooseActive(site), chooseActive(site)];
    if (from === into) return;
    const reply = await site.send('POST', `/api/tags/${from.id}/merge`, { into: into.id });
    expect(reply.statusCode).toBe(202);
    const { id } = reply.json().change;
    await untilState(site, id, 'done');
    from.isActive = false;
    from.mergedInto = into;
    for (const video of from.videos) into.videos.add(video);
    // Its names lead to the other one from now on.
    into.traces.push(...from.traces.splice(1));
    site.changes.push({ id, kind: 'merge', tags: [from, into] });
  },
  async undo(site) {
    const change = site.changes.pop();
    if (change === undefined) return;
    const reply = await site.send('POST', `/api/admin/tags/changes/${change.id}/undo`);
    if (reply.statusCode === 409) return;
    await untilState(site, change.id, 'undone');
    const [first, into] = change.tags;
    if (first !== undefined) Object.assign(first, { isActive: true, mergedInto: null });
    if (into !== undefined) first?.traces.push(...into.traces.splice(-3));
    // What a merge has left where it was has its own tests; for whom the channels are is the model's.
    for (const tag of change.tags) await readVideosOf(site, tag);
  },
  async rename(site) {
    const [tag, name] = [chooseActive(site), site.word()];
    await site.send('PUT', `/api/tags/${tag.id}`, { name });
    tag.traces[1] = name;
  },
  async retitle(site) {
    const [video, title, description] = [site.choose(site.videos), site.word(), site.word()];
    await site.send('PUT', `/api/videos/${video.id}/details`, { title, description });
    video.traces.push(title, description);
  },
  async import(site) {
    const [tag, video] = [chooseActive(site), site.choose(site.videos.filter(({ isHidden }) => !isHidden))];
    const text = `tag,path\n${tag.traces[1]},${video.path}\n`;
    const reply = await site.send('POST', '/api/admin/tags/import', { filename: 'a.csv', format: 'csv', text });
    const { change } = reply.json();
    if (change !== null) await untilState(site, change.id, 'done');
    tag.videos.add(video);
  },
};

async function latestChange({ server, boss }: Site): Promise<{ id: string }> {
  return (await server.get('/api/admin/tags/changes?limit=1', boss.headers)).json().changes[0];
}

async function untilState({ server, boss }: Site, id: string, state: string): Promise<void> {
  await vi.waitFor(
    async () => {
      const { changes } = (await server.get('/api/admin/tags/changes?limit=100', boss.headers)).json();
      expect(changes.find((change: { id: string }) => change.id === id)?.state).toBe(state);
    },
    { interval: 10 },
  );
}

async function readVideosOf({ server, videos }: Site, tag: ModelTag): Promise<void> {
  const rows = await server.services.database.reader
    .selectFrom('video_tags')
    .innerJoin('tags', 'tags.number', 'video_tags.tag_number')
    .innerJoin('videos', 'videos.number', 'video_tags.video_number')
    .select('videos.id')
    .where('tags.id', '=', tag.id)
    .execute();
  tag.videos.clear();
  for (const video of videos) if (rows.some(({ id }) => id === video.id)) tag.videos.add(video);
}

const seesTag = ({ rank }: Viewer, tag: ModelTag) => tag.isActive && audienceRanks[tag.audience] <= rank;

const survivorOf = (tag: ModelTag): ModelTag => (tag.mergedInto === null ? tag : survivorOf(tag.mergedInto));

/** The model: a video is seen by who sees one of its channels, and by everybody when it has none. */
const sees = (site: Site, viewer: Viewer, video: ModelVideo) => !video.isHidden && isOpenTo(site, viewer, video);

function isOpenTo(site: Site, viewer: Viewer, video: ModelVideo): boolean {
  const own = activeTags(site).filter(({ videos }) => videos.has(video));
  return own.length === 0 || own.some((tag) => seesTag(viewer, tag));
}

/** All that an answer says. */
const wholeOf = ({ headers, rawPayload }: LightMyRequestResponse) =>
  `${JSON.stringify(headers)}\n${rawPayload.toString('latin1')}`;

/** What an answer says beside what was asked. */
function saidOf(reply: LightMyRequestResponse, { id, path }: KnownVideo): unknown {
  const type = String(reply.headers['content-type']);
  if (!type.startsWith('application/json')) return [reply.statusCode, type, reply.rawPayload.length];
  const { request_id: _, ...body } = reply.json();
  const text = JSON.stringify(body).replaceAll(id, '{id}').replaceAll(path, '{path}');
  return [reply.statusCode, text.replaceAll(encodeURIComponent(path), '{path}')];
}

/** Makes every call of a viewer, and expects what the model says and no more. */
class Check {
  private readonly site: Site;
  private readonly viewer: Viewer;
  private readonly seen: ModelVideo[];
  private readonly withheld: ModelVideo[];
  private readonly secrets: string[];

  constructor(site: Site, viewer: Viewer) {
    this.site = site;
    this.viewer = viewer;
    this.seen = site.videos.filter((video) => sees(site, viewer, video));
    this.withheld = site.videos.filter((video) => !this.seen.includes(video));
    const tags = site.tags.filter((tag) => !seesTag(viewer, tag));
    this.secrets = [...this.withheld, ...tags].flatMap(({ traces }) => traces);
  }

  async run(): Promise<void> {
    for (const endpoint of allCalls) {
      const place = placed.get(endpoint);
      const isMade = isFor(endpoint, this.viewer.person !== null);
      if (endpoint.caller === 'admin') await this.expectRefused(endpoint, this.site.random(5) > 0);
      else if (place === undefined || !isMade) continue;
      else if (place.says === 'one') await this.askOfEach(endpoint, place);
      else if (place.says === 'none') await this.askNothing(endpoint);
      else for (const asked of place.ask) await this.askForMany(endpoint, place, asked);
    }
    await this.askOfChannels();
    await this.pickBeyondSeen();
    await this.listFavourites();
    await this.askSigned();
    await this.readPage();
    await this.readOwnUpload();
  }

  private async make({ method, path, caller, facts }: Endpoint, asked: Asked): Promise<LightMyRequestResponse> {
    const endpoint = { method, path, caller, ...(facts && { facts }) };
    const headers = { ...this.viewer.headers, ...asked.headers };
    const body = method === 'GET' ? {} : { payload: asked.body ?? {} };
    const params = Object.fromEntries(
      Object.entries(asked.params ?? {}).map(([name, value]) => [name, encodeURIComponent(value)]),
    );
    return this.site.server.call(method, urlOf(endpoint, { ...asked, params }), { headers, ...body });
  }

  /** @param named what the question named itself, which an answer may repeat */
  private expectNoSecret(reply: LightMyRequestResponse, named: readonly string[] = []): void {
    const whole = wholeOf(reply);
    const said = this.secrets.filter((secret) => !named.includes(secret) && whole.includes(secret));
    expect(said, `${reply.raw.req.method} ${reply.raw.req.url} answers ${reply.statusCode} ${whole}`).toEqual([]);
  }

  /** A call for administrators says nothing to others, whatever it is asked about. */
  private async expectRefused(endpoint: Endpoint, isLeftOut: boolean): Promise<void> {
    const { id } = this.site.choose(this.site.videos);
    if (isLeftOut || this.viewer.rank === audienceRanks.admin) return;
    const reply = await this.make(endpoint, { params: { id } });
    expect([403, 401]).toContain(reply.statusCode);
    this.expectNoSecret(reply);
  }

  private async askNothing(endpoint: Endpoint): Promise<void> {
    if (endpoint.method === 'GET') this.expectNoSecret(await this.make(endpoint, {}));
  }

  private async askForMany(endpoint: Endpoint, place: Placed, asked: Asked): Promise<void> {
    const reply = await this.make(endpoint, asked);
    const isOwn = endpoint === endpoints.listFavourites || endpoint === endpoints.listUploadHistory;
    this.expectNoSecret(reply, isOwn ? this.ownNames() : []);
    if (endpoint === endpoints.pickVideo) this.expectPick(reply.json());
    if (endpoint === endpoints.readStatus) {
      const { total_videos, available_videos } = reply.json();
      expect(available_videos).toBe(this.seen.length);
      const isSecretive = this.site.tags.some((tag) => tag.isActive && !seesTag(this.viewer, tag));
      if (isSecretive) expect(total_videos).toBe(this.seen.length);
    }
    if (endpoint === endpoints.listTags) this.expectChannels(reply.json().tags);
    if (place.says !== 'all') return;
    expect(reply.statusCode).toBe(200);
    const whole = wholeOf(reply);
    const found = this.seen.filter(({ id }) => whole.includes(id));
    const isComplete = endpoint !== endpoints.listWatched;
    if (isComplete) expect([reply.raw.req.url, found]).toEqual([reply.raw.req.url, this.seen]);
    if (isComplete) expect(place.total(reply.json())).toBe(this.seen.length);
  }

  private expectPick({ id, matching, error }: Reply): void {
    if (this.seen.length === 0) expect(error).toBe('no_videos_available');
    else expect(this.seen.map((video) => video.id)).toContain(id);
    if (this.seen.length > 0) expect(matching).toBe(this.seen.length);
  }

  private expectChannels(told: { id: string; video_count: number }[]): void {
    const { site, viewer } = this;
    const counts = site.tags
      .filter((tag) => seesTag(viewer, tag))
      .map((tag) => [tag.id, this.seenOn(tag).length] as const);
    expect(new Map(told.map(({ id, video_count }) => [id, video_count]))).toEqual(new Map(counts));
  }

  private seenOn(tag: ModelTag): ModelVideo[] {
    return [...tag.videos].filter((video) => this.seen.includes(video));
  }

  private async askOfEach(endpoint: Endpoint, place: Placed & { says: 'one' }): Promise<void> {
    const { site, viewer } = this;
    const isAdmin = viewer.rank === audienceRanks.admin;
    const isReport = endpoint === endpoints.reportVideo;
    // Somebody reports twenty videos a day.
    if (isReport && (!viewer.isReporting || !isWorthAReport(site))) return;
    for (const video of site.videos) {
      const isSeen = this.seen.includes(video);
      // Administrators look after what is hidden.
      if ((isAdmin && !isSeen) || (isSeen && endpoint.method !== 'GET' && !place.reads)) continue;
      const tagIds = site.tags.filter((tag) => seesTag(viewer, tag)).map(({ id }) => id);
      const known = { ...video, tagIds };
      const unknown = { id: 'unknown', path: 'unknown.mp4', tagIds };
      const ofUnknown = isSeen ? [] : place.ask(unknown);
      for (const [at, asked] of place.ask(known).entries()) {
        const reply = await this.make(endpoint, asked);
        if (isSeen && at === 0) expect([reply.raw.req.url, reply.statusCode]).toEqual([reply.raw.req.url, 200]);
        if (isSeen && place.reads && at === 0) {
          const whole = wholeOf(reply);
          expect(video.traces.filter((trace) => whole.includes(trace))).not.toEqual([]);
        }
        if (isSeen) this.expectNoSecret(reply);
        if (isSeen && endpoint === endpoints.readVideo) this.keepAddress(video, reply.json().video);
        if (isSeen && endpoint === endpoints.findHiddenVideos) expect(reply.json().hidden).toEqual([]);
        if (isSeen && endpoint === endpoints.checkVideos) expect(reply.json().videos[0].state).toBe('fine');
        if (isSeen) continue;
        this.expectNoSecret(reply, [video.id, video.path, video.traces[1] ?? '']);
        // A device that keeps a video learns that it is hidden.
        if (endpoint === endpoints.checkVideos && video.isHidden) continue;
        const other = await this.make(endpoint, ofUnknown[at] ?? {});
        const url = reply.raw.req.url;
        expect([url, saidOf(reply, known)]).toEqual([url, saidOf(other, unknown)]);
        if (isReport) return;
      }
    }
  }

  private keepAddress({ id }: ModelVideo, { url, poster_url, storyboard }: Reply): void {
    const kept = this.viewer.signed.get(id) ?? new Set();
    for (const address of [url, poster_url, storyboard?.url]) if (address) kept.add(address);
    this.viewer.signed.set(id, kept);
  }

  /** Addresses that were signed while a video was seen, for this browser and for another one. */
  private async askSigned(): Promise<void> {
    const { server, viewers } = this.site;
    for (const { id } of this.withheld) {
      for (const { headers, signed } of viewers) {
        for (const address of signed.get(id) ?? []) {
          const cookie = headers.cookie ?? '';
          const reply = await server.get(address, { ...this.viewer.headers, cookie });
          const isAdmin = this.viewer.rank === audienceRanks.admin;
          if (!isAdmin) expect([address, reply.statusCode]).toEqual([address, 404]);
          if (!isAdmin) this.expectNoSecret(reply, [id, ...address.split(/\W/)]);
        }
      }
    }
  }

  private async askOfChannels(): Promise<void> {
    const { site, viewer } = this;
    for (const tag of site.tags) {
      // Administrators look after removed channels.
      if (!tag.isActive && viewer.rank === audienceRanks.admin) continue;
      const isSeen = seesTag(viewer, tag);
      const meant = survivorOf(tag);
      const shown = seesTag(viewer, meant) ? this.seenOn(meant) : [];
      const one = await this.make(endpoints.readTag, { params: { id: tag.id } });
      expect([tag.id, one.statusCode]).toEqual([tag.id, isSeen ? 200 : 404]);
      this.expectNoSecret(one, [tag.id]);
      const list = await this.make(endpoints.listVideosByTags, { query: `?tag_ids=${tag.id}&limit=50` });
      this.expectNoSecret(list, [tag.id]);
      expect([tag.id, list.json().total]).toEqual([tag.id, shown.length]);
      const pick = await this.make(endpoints.pickVideo, {
        params: { quadrant: 'top-left' },
        query: `?tag_ids=${tag.id}`,
      });
      this.expectNoSecret(pick, [tag.id]);
      if (shown.length === 0) expect(pick.json().error).toBe('no_videos_available');
      if (isSeen || viewer.rank === audienceRanks.admin) continue;
      const word = tag.traces[1];
      const search = await this.make(endpoints.listVideosByTags, { query: `?search=${word}` });
      if (word !== undefined) expect(search.json().total).toBe(0);
      if (viewer.person === null) continue;
      for (const [endpoint, body] of [
        [endpoints.updateTag, { color: '#000000' }],
        [endpoints.deleteTag, {}],
      ] as const)
        expect((await this.make(endpoint, { params: { id: tag.id }, body })).statusCode).toBe(404);
    }
  }

  /** Where everything that is seen is excluded, it comes again: what is withheld does not take its place. */
  private async pickBeyondSeen(): Promise<void> {
    const query = `?exclude=${this.seen.map(({ id }) => id).join()}`;
    const pick = await this.make(endpoints.pickVideo, { params: { quadrant: 'top-left' }, query });
    this.expectNoSecret(pick);
    this.expectPick(pick.json());
  }

  /** What was liked while it was seen stays a favourite, and is listed among them only while it is seen. */
  private async listFavourites(): Promise<void> {
    if (this.viewer.person === null) return;
    for (const { id } of this.seen) await this.make(endpoints.addFavourite, { params: { id } });
    const list = await this.make(endpoints.listVideosByTags, { query: '?tag_ids=is:favourite&limit=50' });
    this.expectNoSecret(list);
    const ids: string[] = list.json().videos.map(({ id }: { id: string }) => id);
    expect(ids.sort()).toEqual(this.seen.map(({ id }) => id).sort());
  }

  private async readPage(): Promise<void> {
    const { server } = this.site;
    this.expectNoSecret(await server.get('/', { ...this.viewer.headers, authorization: '' }));
    this.expectNoSecret(await server.get('/', this.viewer.headers));
  }

  /** Who has sent a file knows its name, and learns nothing of a video that is withheld. */
  private async readOwnUpload(): Promise<void> {
    const { server } = this.site;
    if (this.viewer.person === null) return;
    const history = (await server.get('/api/upload/history', this.viewer.headers)).json();
    for (const { session_id } of history.uploads) {
      const reply = await server.call('POST', `/api/upload/complete/${session_id}`, {
        headers: this.viewer.headers,
        payload: { session_id, files: [] },
      });
      expect(reply.statusCode).toBe(200);
      this.expectNoSecret(reply, this.ownNames());
    }
  }

  /**
   * What a person is told of their own favourites and uploads: the names that they gave, and the ids of what an
   * administrator has hidden, unless it is withheld from them as well.
   */
  private ownNames(): string[] {
    const { site, viewer } = this;
    const hidden = this.withheld.filter((video) => isOpenTo(site, viewer, video));
    return [...hidden.map(({ id }) => id), ...site.videos.map(({ traces }) => traces[1] ?? '')];
  }
}

function isWorthAReport({ random }: Site): boolean {
  return random(4) === 0;
}

async function checkSite(seed: number, steps: number): Promise<void> {
  const site = await openSite(seed);
  expectPlaces(site.server.app.allowedMethods.keys());
  const check = async (viewer: Viewer) => {
    site.clock.pass(30_000);
    site.history.push(`look as ${viewer.person?.username ?? 'nobody'} (${viewer.rank})`);
    await new Check(site, viewer).run();
  };
  try {
    for (const viewer of site.viewers) await check(viewer);
    for (let step = 0; step < steps; step += 1) {
      const name = site.choose([...Object.keys(acts), 'restrict', 'put', 'put', 'undo']);
      site.history.push(name);
      await acts[name]?.(site);
      if (step % 4 === 3) await check(site.choose(site.viewers));
    }
    for (const viewer of isWholeSoak ? site.viewers : [site.choose(site.viewers)]) await check(viewer);
  } catch (error) {
    throw new Error(`SOAK_SEED=${seed}: ${site.history.join(', ')}: ${String(error)}`, { cause: error });
  } finally {
    await site.server.stop();
  }
}

test('no answer holds a video that its caller may not see, whatever happens to channels, videos and plans', async () => {
  const rounds = isWholeSoak ? 8 : 1;
  for (let round = 0; round < rounds; round += 1) await checkSite(soakSeed + round, isWholeSoak ? 24 : 12);
});
