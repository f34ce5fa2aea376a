// `npm run test:container`: builds the image and runs it as `.container/compose.yaml` does, with Podman or Docker. The
// lines say what holds, what does not, and what this machine cannot try. `-- --image NAME` takes an image that is there.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { appendFile, chmod, chown, copyFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuthReply } from '#contract/entities/account.ts';
import type { PickedVideo } from '#contract/entities/feed.ts';
import type { About, Health } from '#contract/entities/site.ts';
import type { UploadCompleted, UploadHistory, UploadSession } from '#contract/entities/upload.ts';
import { quadrants } from '#contract/quadrants.ts';
import { projectFolder } from '#scripts/build-stamp.ts';
import { acceptAgreement, registerAt, send, signInAt } from '#tests/e2e/accounts.ts';
import type { Library } from '#tests/support/library.ts';
import { fixtureNames, makeLibrary } from '#tests/support/library.ts';
import { videoBytes } from '#tests/support/uploads.ts';
import type { Container } from './engine.ts';
import { Engine, holdStream, NotTried, until } from './engine.ts';

const counts = { passed: 0, failed: 0, notTried: 0 };
const mebibyte = 1024 * 1024;
const longestStopSeconds = 10;
const stranger = 2345;

/** Runs a step and prints how it went. @returns what it returns; null unless it passed */
async function step<Result>(sentence: string, run: () => Promise<Result>): Promise<Result | null> {
  try {
    const result = await run();
    counts.passed += 1;
    console.log(`passed     ${sentence}`);
    return result;
  } catch (error) {
    const isLack = error instanceof NotTried;
    counts[isLack ? 'notTried' : 'failed'] += 1;
    console.log(
      `${isLack ? 'not tried ' : 'FAILED    '} ${sentence}: ${error instanceof Error ? error.message : error}`,
    );
    return null;
  }
}

async function pickFour(container: Container): Promise<PickedVideo[]> {
  const picks: PickedVideo[] = [];
  for (const quadrant of quadrants) {
    const exclude = picks.map(({ id }) => id).join(',');
    picks.push(await send<PickedVideo>(container, 'GET', `/api/video/${quadrant}?exclude=${exclude}`, null));
  }
  return picks;
}

const urlOf = (container: Container, { url }: PickedVideo) => new URL(url, container.address).href;

async function playFour(container: Container): Promise<void> {
  const picks = await pickFour(container);
  const bodies = await Promise.all(
    picks.map(async (pick) => {
      const answer = await fetch(urlOf(container, pick), { headers: { range: 'bytes=0-1023' } });
      return [answer.status, Buffer.from(await answer.arrayBuffer()).toString('latin1', 4, 8)];
    }),
  );
  assert.deepEqual(bodies, Array(4).fill([206, 'ftyp']));
  assert.equal(new Set(picks.map(({ id }) => id)).size, 4);
}

async function upload(container: Container, person: AuthReply): Promise<void> {
  const bytes = videoBytes('brief-120');
  const files = [{ filename: 'an upload.mp4', file_size: bytes.length }];
  const token = person.access_token;
  const session = await send<UploadSession>(container, 'POST', '/api/upload/initiate', token, { files });
  const { session_id, bunny_access_key } = session;
  const address = new URL(session.files[0]?.address ?? '', container.address);
  const sent = await fetch(address, { method: 'PUT', headers: { AccessKey: bunny_access_key }, body: bytes });
  assert.ok(sent.ok, `The upload was answered with ${sent.status}.`);
  const path = `/api/upload/complete/${session_id}`;
  const completed = await send<UploadCompleted>(container, 'POST', path, token, { session_id, files: [] });
  assert.equal(completed.videos[0]?.available, true);
}

const available = async (container: Container) =>
  (await send<{ AvailableVideos: number }>(container, 'GET', '/api/status', null)).AvailableVideos;

const readAbout = (container: Container, { access_token }: AuthReply) =>
  send<About>(container, 'GET', '/api/admin/about', access_token);

/** A library that only its owner may read. */
async function giveAway(library: Library): Promise<void> {
  if (process.getuid?.() !== 0) throw new NotTried('only root can give files to another user');
  await chown(library.folder, stranger, stranger);
  await chmod(library.folder, 0o700);
}

/** A profile of seccomp as engines had it before they knew Landlock. */
async function writeOldProfile(): Promise<string> {
  const names = ['landlock_create_ruleset', 'landlock_add_rule', 'landlock_restrict_self'];
  const file = join(tmpdir(), `fourfold-seccomp-${process.pid}.json`);
  const syscalls = [{ names, action: 'SCMP_ACT_ERRNO', errnoRet: 1 }];
  await writeFile(file, JSON.stringify({ defaultAction: 'SCMP_ACT_ALLOW', syscalls }));
  return file;
}

async function tryImage(engine: Engine, image: string, library: Library): Promise<void> {
  const data = engine.volume('data');
  const few = ['--memory', '256m'];
  const first = await step('a container starts, with 256 MiB and a root that nobody writes to', async () => {
    const container = await engine.start(image, { data, library: library.folder, flags: few });
    await until('the library has been looked through', async () => (await available(container)) > 4);
    assert.match(await container.shell('touch /app/file 2>&1 || echo refused'), /Read-only.*refused/s);
    return container;
  });
  if (first === null) return;
  await step('four videos come by HTTP', () => playFour(first));
  await step('the server is not root, has no rights, and keeps what it writes to itself', async () => {
    const facts = await first.shell('grep -E "^(Uid|CapEff|NoNewPrivs)" /proc/1/status; stat -c "%u:%g %a" /data');
    assert.match(facts, /^Uid:\t1000\t.*\nCapEff:\t0+\nNoNewPrivs:\t1\n1000:1000 700$/);
  });
  await step('the image has the Node of the lock file, an ffmpeg, and nothing to build with', async () => {
    const { version } = JSON.parse(await first.shell('cat node_modules/node-linux-*/package.json'));
    assert.equal(await first.shell('node --version; which npm cc gcc make git python3 || :'), `v${version}`);
    assert.match(await first.shell('ffmpeg -version'), /^ffmpeg version/);
  });
  await step('the engine finds it healthy', async () => {
    if (engine.isPodman) await engine.call('healthcheck', 'run', first.name);
    else await until('it is healthy', async () => (await first.state('Health.Status')) === 'healthy');
  });
  const person = await step('the first account is made with the code of the log, and uploads a video', async () => {
    const account = await registerAt(first, 'keeper');
    await acceptAgreement(first, account);
    await upload(first, account);
    return account;
  });
  if (person === null) return;
  await step('ffmpeg works in its sandbox, and a poster is made', async () => {
    const { sandbox, ffmpeg } = await readAbout(first, person);
    assert.equal(ffmpeg, '/usr/bin/ffmpeg');
    const hasPoster = async () => (await pickFour(first)).every(({ poster_url }) => poster_url !== null);
    await until('every video has a poster', hasPoster);
    if (sandbox === null) throw new NotTried('the kernel or the engine has no Landlock; posters were made without');
  });
  await step('256 MiB were enough for all of that', async () => {
    assert.deepEqual([await first.state('OOMKilled'), await first.state('Running')], ['false', 'true']);
    assert.doesNotMatch(first.logs(), /"level":"(error|fatal)"/);
  });
  await step(`SIGTERM ends it within ${longestStopSeconds} s while four videos are read`, async () => {
    await Promise.all((await pickFour(first)).map((pick) => holdStream(urlOf(first, pick))));
    const seconds = await first.stop();
    assert.equal(await first.state('ExitCode'), '0');
    assert.ok(seconds <= longestStopSeconds, `It took ${seconds.toFixed(1)} s.`);
  });
  await step('another container with the same /data goes on with accounts and uploads', async () => {
    const second = await engine.start(image, { data, library: library.folder, settings: { TZ: 'Asia/Tokyo' } });
    const { access_token } = await signInAt(second, 'keeper');
    const { uploads } = await send<UploadHistory>(second, 'GET', '/api/upload/history', access_token);
    assert.equal(uploads.length, 1);
    await until('all videos are available', async () => (await available(second)) > 5);
    assert.equal(await second.shell('date +%Z'), 'JST');
    await second.stop();
  });
  await step('a library of another user is named in About, and plays with PUID and PGID', async () => {
    await giveAway(library);
    const refused = await engine.start(image, { data, library: library.folder });
    const keeper = await signInAt(refused, 'keeper');
    await until('About names the folder', async () =>
      (await readAbout(refused, keeper)).degraded.some(({ problem }) => problem.includes('folder /library cannot')),
    );
    await refused.stop();
    const settings = { PUID: String(stranger), PGID: String(stranger) };
    const own = await engine.start(image, { data, library: library.folder, settings });
    await signInAt(own, 'keeper');
    await until('its videos are available', async () => (await available(own)) > 5);
    await playFour(own);
    assert.equal(await own.shell('stat -c %u /data/fourfold.sqlite', String(stranger)), String(stranger));
    await own.stop();
  });
  await step('an engine that knows no Landlock leaves ffmpeg without a sandbox, as the log says once', async () => {
    const profile = await writeOldProfile();
    const flags = ['--security-opt', `seccomp=${profile}`];
    const settings = { PUID: String(stranger), PGID: String(stranger) };
    const old = await engine.start(image, { data: engine.volume('old'), library: library.folder, settings, flags });
    await until('the log says it', async () => old.logs().includes('Degraded: ffmpeg runs without a sandbox'));
    assert.equal(old.logs().split('Degraded: ffmpeg').length, 2);
    const health = await send<Health>(old, 'GET', '/readyz', null);
    assert.deepEqual(health, { status: 'degraded', missing: ['sandbox'] });
    const hasPoster = async () => (await pickFour(old)).every(({ poster_url }) => poster_url !== null);
    await until('every video has a poster nevertheless', hasPoster);
    await old.stop();
    await rm(profile);
  });
}

async function makeVideos(): Promise<Library> {
  const library = await makeLibrary((await fixtureNames('hue')).slice(0, 4));
  // Each one is so large that an unread stream stays open.
  for (const name of ['a', 'b', 'c', 'd']) {
    const file = join(library.folder, `long ${name}.mp4`);
    await copyFile(join(library.folder, 'hue-000.mp4'), file);
    const head = Buffer.from([0, 0, 0, 0, ...Buffer.from('free'), ...Buffer.from(name)]);
    head.writeUInt32BE(32 * mebibyte);
    await appendFile(file, Buffer.concat([head, Buffer.alloc(32 * mebibyte - head.length)]));
  }
  await chmod(library.folder, 0o755);
  return library;
}

const engine = Engine.find();
if (engine === null) {
  counts.notTried += 1;
  console.log('not tried  everything: neither podman nor docker answers on this machine');
} else {
  const library = await makeVideos();
  const [, given] = process.argv.slice(2);
  try {
    const build = () => engine.build(projectFolder);
    const image = given ?? (await step('the image is built from its Containerfile', build));
    if (image !== null) await tryImage(engine, image, library);
  } finally {
    engine.removeAll();
    await library.remove();
  }
  await step('a graphics device encodes', async () => {
    if (!existsSync('/dev/dri')) throw new NotTried('this machine has none');
    throw new NotTried('a driver is needed that no test can choose');
  });
  for (const [sentence, lack] of [
    ['the image runs on the other processor', 'this builds for the processor of this machine alone'],
    ['PostgreSQL and Caddy work as the compose file has them', 'their images are those of others'],
  ] as const)
    await step(sentence, async () => {
      throw new NotTried(lack);
    });
}
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.notTried} not tried`);
process.exitCode = counts.failed === 0 && counts.passed > 0 ? 0 : 1;
