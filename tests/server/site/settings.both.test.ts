import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { invitationListSchema } from '#contract/entities/account.ts';
import type { SiteSetting } from '#contract/entities/site.ts';
import { siteSettingsSchema } from '#contract/entities/site.ts';
import { settingRepository } from '#server/settings-repository.ts';
import { migratedSite } from '#tests/support/database/test-database.ts';
import type { Person } from '#tests/support/people.ts';
import { password, putAccount, putPerson, signIn } from '#tests/support/people.ts';
import { openIdClient, openIdServer } from '#tests/support/providers/openid-server.ts';
import type { ServerOptions, ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import type { AtEnd } from '#tests/support/temporary-folder.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';

type Values = Record<string, string | null>;

async function startWithAdmin(options: ServerOptions = {}, atEnd?: AtEnd) {
  const server = await startServer(options, atEnd);
  return { server, admin: await putPerson(server, 'root', 'admin') };
}

const change = (server: ServerUnderTest, { headers }: Pick<Person, 'headers'>, values: Values) =>
  server.call('PUT', '/api/admin/settings', { headers, payload: { values } });

async function settingOf(server: ServerUnderTest, { headers }: Person, name: string): Promise<SiteSetting | undefined> {
  const reply = siteSettingsSchema.parse((await server.get('/api/admin/settings', headers)).json());
  return reply.settings.find((setting) => setting.name === name);
}

async function activityOf(server: ServerUnderTest, { headers }: Pick<Person, 'headers'>) {
  return (await server.get('/api/admin/activity?limit=100', headers)).json().activities;
}

const undo = (server: ServerUnderTest, { headers }: Person, id: string) =>
  server.call('POST', `/api/admin/activity/${id}/undo`, { headers });

/** It is never changed. */
const refusing = startWithAdmin({ env: { LIBRARY_DIRS: '' } }, afterFile);

const problemsOf = (reply: Awaited<ReturnType<typeof change>>) => [reply.statusCode, reply.json().details];

describe('a setting', () => {
  test('comes from the environment, else from the database, else from its default, and only the second can be changed', async () => {
    const { server, admin } = await startWithAdmin({ env: { UPLOADS: 'admins' } });
    expect(await settingOf(server, admin, 'UPLOADS')).toMatchObject({ value: 'admins', source: 'environment' });
    expect(problemsOf(await change(server, admin, { UPLOADS: 'everyone', REGISTRATION: 'closed' }))).toEqual([
      400,
      [{ field: 'UPLOADS', message: 'Set by the environment' }],
    ]);
    expect(await settingOf(server, admin, 'REGISTRATION')).toMatchObject({ value: 'open', source: 'default' });
    await change(server, admin, { REGISTRATION: 'closed' });
    expect(await settingOf(server, admin, 'REGISTRATION')).toMatchObject({ value: 'closed', source: 'database' });
    await change(server, admin, { REGISTRATION: null });
    expect(await settingOf(server, admin, 'REGISTRATION')).toMatchObject({ value: 'open', source: 'default' });
    expect(server.services.env.uploads).toBe('admins');
  });

  test('holds at once: for who registers, uploads and edits channels, and in what the app asks', async () => {
    const { server, admin } = await startWithAdmin();
    const viewer = await putPerson(server, 'viewer');
    const before = (await server.get('/api/config')).headers['x-revision'];
    await change(server, admin, { REGISTRATION: 'closed', UPLOADS: 'admins', TAG_EDITING: 'admins' });
    const config = await server.get('/api/config');
    expect(config.json()).toMatchObject({
      features: { registration: false, tag_editing: 'admins' },
      upload: { allowed: 'admins' },
    });
    expect(config.headers['x-revision']).not.toBe(before);
    const newcomer = { username: 'late', email: 'late@example.com', password };
    expect((await server.call('POST', '/auth/register', { payload: newcomer })).json().error).toBe(
      'registration_closed',
    );
    const tag = await server.call('POST', '/api/tags', { headers: viewer.headers, payload: { name: 'Rain' } });
    expect(tag.statusCode).toBe(403);
  });

  test('that raises the version of the agreement asks everybody again, and one that lowers it asks nobody', async () => {
    const { server, admin } = await startWithAdmin();
    const viewer = await putPerson(server, 'viewer');
    const isAccepted = async () => (await server.get('/auth/me', viewer.headers)).json().user.eula_accepted;
    const accept = async (version?: string) => {
      const payload = version === undefined ? {} : { version };
      const reply = await server.call('POST', '/api/users/eula/accept', { headers: viewer.headers, payload });
      return [reply.statusCode, reply.json().version ?? reply.json().message];
    };
    const upload = async () => {
      const payload = { files: [{ filename: 'a.mp4', file_size: 10 }] };
      return (await server.call('POST', '/api/upload/initiate', { headers: viewer.headers, payload })).json().error;
    };
    expect(await accept()).toEqual([200, '1.0']);
    await change(server, admin, { AGREEMENT: 'Be kind.', AGREEMENT_VERSION: '1.10' });
    expect((await server.get('/api/config')).json().upload.eula_version).toBe('1.10');
    expect([await isAccepted(), await upload()]).toEqual([false, 'eula_required']);
    expect(await accept('1.0')).toEqual([400, 'This version of the EULA is not known']);
    expect(await accept('1.10')).toEqual([200, '1.10']);
    expect(await isAccepted()).toBe(true);
    await change(server, admin, { AGREEMENT_VERSION: '1.9' });
    expect([await isAccepted(), await upload()]).toEqual([true, undefined]);
  });

  test('decides which plan an invitation gives for which none is named', async () => {
    const { server, admin } = await startWithAdmin();
    await change(server, admin, { INVITATION_PLAN: 'pro' });
    const { headers } = admin;
    for (const payload of [{}, { tier: 'lifetime' }])
      await server.call('POST', '/users/admin/invitations', { headers, payload });
    const { invitations, usual_tier } = invitationListSchema.parse(
      (await server.get('/users/admin/invitations', headers)).json(),
    );
    expect([usual_tier, invitations.map(({ tier }) => tier).sort()]).toEqual(['pro', ['lifetime', 'pro']]);
  });

  test('decides how much of the disk uploads leave free, from the next upload on', async () => {
    const diskSpace = { read: async () => ({ free: 5e9, total: 1e11 }) };
    const { server, admin } = await startWithAdmin({ overrides: { uploads: { diskSpace } } });
    await server.call('POST', '/api/users/eula/accept', { headers: admin.headers, payload: {} });
    const upload = async () => {
      const payload = { files: [{ filename: 'a.mp4', file_size: 10 }] };
      return (await server.call('POST', '/api/upload/initiate', { headers: admin.headers, payload })).statusCode;
    };
    await change(server, admin, { UPLOAD_RESERVE_GB: '5' });
    expect(await upload()).toBe(507);
    await change(server, admin, { UPLOAD_RESERVE_GB: '4.9' });
    expect(await upload()).toBe(201);
  });

  test('outlives the server, and gives way to the environment that names it later', async () => {
    const env = await migratedSite();
    const { server, admin } = await startWithAdmin({ env });
    await change(server, admin, { REGISTRATION: 'closed', DERIVED_GB: '2' });
    const second = await startServer({ env: { ...env, REGISTRATION: 'open' } });
    expect(second.services.env).toMatchObject({ isRegistrationOpen: true, derivedBytes: 2e9 });
  });

  test('that no longer goes with the environment does not count, and keeps no other from counting', async () => {
    const env = await migratedSite();
    const { server, admin } = await startWithAdmin({ env: { ...env, LIBRARY_DIRS: temporaryFolder() } });
    const backups = join(temporaryFolder(), 'backups');
    await change(server, admin, { BACKUP_DIR: backups, UPLOAD_QUOTA_GB: '3' });
    await server.stop();
    const second = await startServer({ env: { ...env, LIBRARY_DIRS: backups } });
    expect(second.services.env).toMatchObject({ backupFolder: undefined, uploadQuotaBytes: 3e9 });
    expect(second.logged()).toContain('do not go with the environment');
  });

  test.each<[string, Values, string, string]>([
    [
      'a plan that nobody is invited to',
      { INVITATION_PLAN: 'admin' },
      'INVITATION_PLAN',
      'Plan of an invitation has to be one of basic, pro, lifetime',
    ],
    [
      'a version of words',
      { AGREEMENT_VERSION: 'new' },
      'AGREEMENT_VERSION',
      'Version of the agreement has to be a version such as 1.0 or 2',
    ],
    ['no reserve', { UPLOAD_RESERVE_GB: '0' }, 'UPLOAD_RESERVE_GB', 'Gigabytes that stay free has to be at least 0.1'],
    ['an unknown choice', { REGISTRATION: 'ajar' }, 'REGISTRATION', "New accounts has to be 'open' or 'closed'"],
    ['no address', { PUBLIC_URL: 'videos' }, 'PUBLIC_URL', 'Public address has to be an http or https address'],
    [
      'an address with a path',
      { PUBLIC_URL: 'https://example.org/videos' },
      'PUBLIC_URL',
      'Public address has to be without a path, as in https://videos.example.org',
    ],
    ['no number', { DERIVED_GB: 'much' }, 'DERIVED_GB', 'Gigabytes for encodings has to be a number of gigabytes'],
    [
      'half a second',
      { SWITCH_INTERVAL_SECONDS: '4.5' },
      'SWITCH_INTERVAL_SECONDS',
      'Switch interval in seconds has to be a whole number of seconds',
    ],
    ['no hour', { BACKUP_HOUR: '24' }, 'BACKUP_HOUR', 'Hour of backups has to be between 0 and 23'],
    ['half a path', { LIBRARY_DIRS: 'films' }, 'LIBRARY_DIRS', 'A folder is a whole path that begins with /'],
    ['no folder', { LIBRARY_DIRS: '/none/at/all' }, 'LIBRARY_DIRS', 'There is no folder /none/at/all'],
    [
      'no place for backups',
      { BACKUP_DIR: '/dev/null/none' },
      'BACKUP_DIR',
      'Nothing can be written into /dev/null/none',
    ],
    [
      'half a provider',
      { GITHUB_CLIENT_ID: 'id' },
      'GITHUB_CLIENT_ID',
      'GitHub client ID and GitHub client secret have to be set together',
    ],
    ['a blank password', { SITE_PASSWORD: '  ' }, 'SITE_PASSWORD', 'Site password cannot be blank'],
  ])('is refused for %s, and stays as it was', async (_, values, field, message) => {
    const { server, admin } = await refusing;
    const [status, details] = problemsOf(await change(server, admin, values));
    expect([status, details]).toEqual([400, expect.arrayContaining([{ field, message }])]);
    expect(await settingOf(server, admin, field)).toMatchObject({ source: 'default' });
  });

  test('that an earlier version has stored, and that another call changes, is one setting with its way back', async () => {
    const env = await migratedSite();
    const { server, admin } = await startWithAdmin({ env });
    const row = { name: 'switch_interval_seconds', value: '45', updated_at: 1 };
    await server.services.database.write((transaction) => transaction.insertInto('settings').values(row).execute());
    const next = await startServer({ env });
    const intervalOf = async () => (await next.get('/api/config')).json().video_settings.switch_interval_seconds;
    expect(await intervalOf()).toBe(45);
    expect(await settingOf(next, admin, 'SWITCH_INTERVAL_SECONDS')).toMatchObject({ value: '45', source: 'database' });
    const options = { headers: admin.headers, payload: { video_settings: { switch_interval_seconds: 90 } } };
    await next.call('POST', '/api/config/update', options);
    expect(await intervalOf()).toBe(90);
    const [line] = await activityOf(next, admin);
    expect((await undo(next, admin, line.id)).statusCode).toBe(204);
    expect(await intervalOf()).toBe(45);
    const stored = next.services.database.reader.selectFrom('settings').select('value').where('name', '=', row.name);
    expect(await stored.executeTakeFirst()).toEqual({ value: '45' });
    await change(next, admin, { SWITCH_INTERVAL_SECONDS: null });
    expect(await intervalOf()).toBe(120);
    const given = await startServer({ env: { ...env, SWITCH_INTERVAL_SECONDS: '7' } });
    expect((await given.get('/api/config')).json().video_settings.switch_interval_seconds).toBe(7);
    expect((await given.call('POST', '/api/config/update', options)).statusCode).toBe(400);
  });

  test('that earlier versions have stored, an address with a path, counts by its origin and takes no folder along', async () => {
    const [env, folder] = [{ ...(await migratedSite()), LIBRARY_DIRS: '' }, temporaryFolder()];
    const before = await startServer({ env });
    await before.services.database.write(async (transaction) => {
      await settingRepository.put(transaction, 'PUBLIC_URL', '{"value":"https://example.org/videos/"}', 1);
      await settingRepository.put(transaction, 'LIBRARY_DIRS', JSON.stringify({ value: folder }), 1);
    });
    await before.stop();
    const { services } = await startServer({ env });
    expect([services.env.publicOrigin, services.env.libraryFolders]).toEqual(['https://example.org', [folder]]);
  });

  test('longer than is allowed, or that nobody knows, is refused', async () => {
    const { server, admin } = await refusing;
    expect((await change(server, admin, { SITE_PASSWORD: 'x'.repeat(8_001) })).statusCode).toBe(400);
    expect((await change(server, admin, { DATABASE_URL: 'postgres://elsewhere/' })).statusCode).toBe(400);
  });
});

test('a site password closes the site for everybody but whoever set it, and its end opens the site', async () => {
  const { server, admin } = await startWithAdmin();
  const reply = await change(server, admin, { SITE_PASSWORD: 'open sesame' });
  const [gate] = reply.cookies;
  expect((await server.get('/api/config', admin.headers)).json().error).toBe('site_password_required');
  const entered = { ...admin.headers, cookie: `${gate?.name}=${gate?.value}` };
  expect((await server.get('/api/config', entered)).statusCode).toBe(200);
  await change(server, { headers: entered }, { SITE_PASSWORD: 'another one' });
  expect((await server.get('/api/config', entered)).json().error).toBe('site_password_required');
  const right = await server.call('POST', '/api/password-auth', { payload: { password: 'another one' } });
  const { name, value } = right.cookies[0] ?? { name: '', value: '' };
  await change(
    server,
    { headers: { ...admin.headers, cookie: `${name}=${value}` } as Person['headers'] },
    { SITE_PASSWORD: null },
  );
  expect((await server.get('/api/config')).statusCode).toBe(200);
});

test('a text is read by everybody at once, and the operator’s file wins over it', async () => {
  const { server, admin } = await startWithAdmin();
  const shipped = (await server.get('/whats-new.md')).body;
  await change(server, admin, { WHATS_NEW: '# Rain all week', AGREEMENT: 'Be kind.' });
  expect((await server.get('/whats-new.md')).body).toBe('# Rain all week');
  expect((await server.get('/eula.md')).body).toBe('Be kind.');
  expect((await activityOf(server, admin))[0]).toMatchObject({ subject: "What's New, Agreement", detail: null });
  await change(server, admin, { WHATS_NEW: null });
  expect((await server.get('/whats-new.md')).body).toBe(shipped);
  writeFileSync(join(server.services.env.dataFolder, 'eula.md'), 'Of the operator.');
  expect((await server.get('/eula.md')).body).toBe('Of the operator.');
  expect(await settingOf(server, admin, 'AGREEMENT')).toMatchObject({ source: 'file' });
  expect(problemsOf(await change(server, admin, { AGREEMENT: null }))).toEqual([
    400,
    [{ field: 'AGREEMENT', message: 'Set by a file' }],
  ]);
  expect((await change(server, admin, { WHATS_NEW: 'x'.repeat(30_001) })).statusCode).toBe(400);
});

test('secrets are stored sealed, and are in no reply, line of the log or of the activity', async () => {
  const { server, admin } = await startWithAdmin();
  const secret = 'a word that nobody reads';
  const reply = await change(server, admin, { SITE_PASSWORD: secret });
  const entered = { headers: { ...admin.headers, cookie: `gate=${reply.cookies[0]?.value}` } };
  expect(reply.json().settings).toContainEqual({
    name: 'SITE_PASSWORD',
    value: null,
    is_set: true,
    source: 'database',
  });
  const { database } = server.services;
  const stored = [
    await settingRepository.list(database.reader),
    await database.reader.selectFrom('setting_changes').selectAll().execute(),
  ];
  expect(stored[1]).toHaveLength(1);
  const lines = await activityOf(server, entered);
  expect(lines[0]).toMatchObject({ kind: 'settings_changed', subject: 'Site password', detail: null });
  for (const text of [reply.body, JSON.stringify(stored), JSON.stringify(lines), server.logged()])
    expect(text).not.toContain(secret);
  expect(server.services.env.sitePassword).toBe(secret);
});

test('another node follows within two seconds, by itself', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const env = await migratedSite();
  const { server, admin } = await startWithAdmin({ env });
  const other = await startServer({ env });
  await change(server, admin, { REGISTRATION: 'closed', SITE_PASSWORD: 'open sesame' });
  expect(other.services.env.isRegistrationOpen).toBe(true);
  vi.advanceTimersByTime(2_000);
  await expect.poll(() => other.services.env.isRegistrationOpen).toBe(false);
  expect((await other.get('/api/config')).json().error).toBe('site_password_required');
});

test('folders that are added and removed are served and let go without a restart', async () => {
  const [one, two] = [temporaryFolder(), temporaryFolder()];
  const { server, admin } = await startWithAdmin({ env: { LIBRARY_DIRS: '' } });
  const served = () => server.services.roots.active().flatMap((root) => (root.kind === 'folder' ? [root.folder] : []));
  const reply = await change(server, admin, { LIBRARY_DIRS: `${one}:${two}` });
  expect(reply.json().folders).toEqual([one, two].map((folder) => ({ folder, state: 'readable', videos: 0 })));
  await expect.poll(served).toEqual([one, two]);
  await change(server, admin, { LIBRARY_DIRS: two });
  await expect.poll(served).toEqual([two]);
});

test('folders that administrators add and remove at once on two servers are added and removed', async () => {
  const [old, ...added] = [1, 2, 3, 4, 5].map(() => temporaryFolder());
  const env = { ...(await migratedSite()), LIBRARY_DIRS: '' };
  const { server, admin } = await startWithAdmin({ env });
  const servers = [server, await startServer({ env })];
  await change(server, admin, { LIBRARY_DIRS: old ?? '' });
  const send = (at: number, folders: (string | undefined)[]) =>
    servers[at % 2]?.call('PUT', '/api/admin/settings', {
      headers: admin.headers,
      payload: { values: { LIBRARY_DIRS: folders.join(':') }, known_folders: old },
    });
  const replies = await Promise.all([...added.map((folder, at) => send(at, [old, folder])), send(1, [])]);
  expect(replies.map((reply) => reply?.statusCode)).toEqual(replies.map(() => 200));
  await server.services.settings.catchUp();
  const { value } = (await settingOf(server, admin, 'LIBRARY_DIRS')) ?? {};
  expect([value?.split(':').sort(), server.services.env.libraryFolders.toSorted()]).toEqual([added.sort(), added]);
});

test('a server that begins as soon as folders were changed in the browser may run beside the first', async () => {
  // No server tells in turn what it is: the clock of intervals stands still, which waits of Vitest would move on.
  vi.useFakeTimers({ toFake: ['setInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const env = { ...(await migratedSite()), LIBRARY_DIRS: '' };
  const { server, admin } = await startWithAdmin({ env });
  const folder = temporaryFolder();
  await change(server, admin, { LIBRARY_DIRS: folder });
  const readTold = () => server.services.database.reader.selectFrom('nodes').select('library').executeTakeFirst();
  while ((await readTold())?.library !== folder) await setImmediate();
  expect((await startServer({ env })).services.env.libraryFolders).toEqual([folder]);
});

test('a folder that has gone meanwhile is told, and can be taken out', async () => {
  const [gone, kept] = [join(temporaryFolder(), 'gone'), temporaryFolder()];
  const env = await migratedSite();
  mkdirSync(gone);
  const { server, admin } = await startWithAdmin({ env: { ...env, LIBRARY_DIRS: '' } });
  await change(server, admin, { LIBRARY_DIRS: `${gone}:${kept}` });
  rmdirSync(gone);
  const { folders } = (await server.get('/api/admin/settings', admin.headers)).json();
  expect(folders).toEqual([
    expect.objectContaining({ folder: gone, state: 'missing' }),
    expect.objectContaining({ folder: kept, state: 'readable' }),
  ]);
  expect((await change(server, admin, { LIBRARY_DIRS: kept })).statusCode).toBe(200);
});

test('proxies and the public address hold for the next request', async () => {
  const { server, admin } = await startWithAdmin();
  const headers = { 'x-forwarded-proto': 'https', host: 'videos.example.org' };
  expect((await server.get('/api/config', headers)).statusCode).toBe(421);
  await change(server, admin, { PUBLIC_URL: 'https://videos.example.org', TRUST_PROXY: 'on' });
  const reply = await server.get('/api/config', headers);
  expect([reply.statusCode, String(reply.headers['set-cookie'])]).toEqual([200, expect.stringContaining('Secure')]);
});

describe('nobody locks themselves out', () => {
  test('whoever uses the public address cannot take it away', async () => {
    const { server, admin } = await startWithAdmin();
    await change(server, admin, { PUBLIC_URL: 'https://videos.example.org' });
    const headers = { ...admin.headers, host: 'videos.example.org' };
    expect((await change(server, { headers }, { PUBLIC_URL: null })).statusCode).toBe(400);
    expect((await change(server, admin, { PUBLIC_URL: null })).statusCode).toBe(200);
  });

  test('the provider of the last administrator without a password stays as it is', async () => {
    const publicUrl = 'https://videos.example.org';
    const { issuer } = await openIdServer(`${publicUrl}/auth/oauth/oidc/callback`, onTestFinished);
    const { server, admin } = await startWithAdmin();
    const { clientId, clientSecret } = openIdClient;
    const oidc = { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret };
    expect((await change(server, admin, { PUBLIC_URL: publicUrl, ...oidc })).statusCode).toBe(200);
    expect((await server.get('/auth/oauth/providers')).json().providers).toMatchObject([{ name: 'oidc' }]);
    await server.services.database.write(async (transaction) => {
      await transaction.updateTable('users').set({ password_hash: null }).where('id', '=', admin.id).execute();
      const identity = { issuer, subject: 'root', provider: 'oidc', user_id: admin.id, email: null, linked_at: 0 };
      await transaction.insertInto('identities').values(identity).execute();
    });
    const none = { OIDC_ISSUER: null, OIDC_CLIENT_ID: null, OIDC_CLIENT_SECRET: null };
    const refused = await change(server, admin, none);
    expect([refused.statusCode, refused.json().message]).toEqual([400, expect.stringContaining('last administrator')]);
    await putAccount(server, 'second', 'admin');
    expect((await change(server, admin, none)).statusCode).toBe(200);
  });

  test('an issuer that does not answer, or is none, is not stored', async () => {
    const { server, admin } = await startWithAdmin({ env: { PUBLIC_URL: 'https://videos.example.org' } });
    const none = createServer((_, response) => response.writeHead(404).end());
    await new Promise<void>((resolve) => none.listen(0, '127.0.0.1', resolve));
    const issuer = `http://127.0.0.1:${(none.address() as AddressInfo).port}`;
    const oidc = { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: 'id', OIDC_CLIENT_SECRET: 'secret' };
    const refused = problemsOf(await change(server, admin, oidc));
    expect(refused).toEqual([
      400,
      [{ field: 'OIDC_ISSUER', message: `${issuer} is not the issuer of an OpenID provider` }],
    ]);
    none.closeAllConnections();
    await new Promise((resolve) => none.close(resolve));
    const unanswered = problemsOf(await change(server, admin, oidc));
    expect(unanswered).toEqual([400, [{ field: 'OIDC_ISSUER', message: `${issuer} cannot be reached` }]]);
    expect(await settingOf(server, admin, 'OIDC_ISSUER')).toMatchObject({ source: 'default' });
  });
});

describe('a change', () => {
  test('is undone once, for 30 days, unless it was changed again', async () => {
    const clock = settableClock();
    const { server, admin } = await startWithAdmin({ overrides: { clock } });
    await change(server, admin, { UPLOAD_QUOTA_GB: '5', TAG_EDITING: 'admins' });
    await change(server, admin, { UPLOAD_QUOTA_GB: '7' });
    const [second, first] = await activityOf(server, admin);
    expect([second, first]).toMatchObject([
      { subject: 'Gigabytes for each person', detail: '7', can_undo: true },
      { subject: 'Gigabytes for each person, Who may change channels', detail: null, can_undo: true },
    ]);
    expect((await undo(server, admin, first.id)).json().message).toBe('It was changed again since then.');
    expect((await undo(server, admin, second.id)).statusCode).toBe(204);
    expect(server.services.env.uploadQuotaBytes).toBe(5e9);
    expect((await undo(server, admin, second.id)).json().message).toBe('This was undone already.');
    const [undone, again] = await activityOf(server, admin);
    expect([undone, again]).toMatchObject([
      { kind: 'settings_undone', actor: 'root' },
      { id: second.id, can_undo: false },
    ]);
    clock.pass(30 * 86_400_000);
    const { headers } = { headers: (await signIn(server, 'root')).json() };
    const late = { ...admin, headers: { authorization: `Bearer ${headers.access_token}` } };
    expect((await undo(server, late, undone.id)).json().message).toContain('30 days');
    expect((await undo(server, late, 'none')).statusCode).toBe(404);
  });

  test('is forgotten by the time of the sweeps, 30 days after it could be undone', async () => {
    const clock = settableClock();
    const { server, admin } = await startWithAdmin({ overrides: { clock } });
    const { accounts, database } = server.services;
    await change(server, admin, { TAG_EDITING: 'admins' });
    const kept = async (days: number) => {
      clock.pass(days * 86_400_000);
      accounts.startSweeping();
      await accounts.stopSweeping();
      return (await database.reader.selectFrom('setting_changes').selectAll().execute()).length;
    };
    expect([await kept(59), await kept(2)]).toEqual([1, 0]);
    expect(server.services.env.tagEditing).toBe('admins');
  });

  test('of what is so already leaves no line', async () => {
    const { server, admin } = await startWithAdmin();
    await change(server, admin, { REGISTRATION: 'closed' });
    await change(server, admin, { REGISTRATION: 'closed' });
    expect(
      (await activityOf(server, admin)).filter(({ kind }: { kind: string }) => kind === 'settings_changed'),
    ).toHaveLength(1);
  });

  test('is one of 50 by two administrators at once: the last one holds, and each has its line', async () => {
    const { server, admin } = await startWithAdmin();
    const second = await putPerson(server, 'second', 'admin');
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        change(server, at % 2 === 0 ? admin : second, { UPLOAD_QUOTA_GB: String(at + 1) }),
      ),
    );
    expect(replies.map(({ statusCode }) => statusCode)).toEqual(replies.map(() => 200));
    const lines = (await activityOf(server, admin)).filter(({ kind }: { kind: string }) => kind === 'settings_changed');
    expect(lines.map(({ detail }: { detail: string }) => Number(detail)).sort((a: number, b: number) => a - b)).toEqual(
      Array.from({ length: 50 }, (_, at) => at + 1),
    );
    expect(await settingOf(server, admin, 'UPLOAD_QUOTA_GB')).toMatchObject({ value: lines[0].detail });
    expect(server.services.env.uploadQuotaBytes).toBe(Number(lines[0].detail) * 1e9);
  });
});
