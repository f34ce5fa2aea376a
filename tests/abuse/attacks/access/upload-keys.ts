import { Readable } from 'node:stream';
import { uniqueFilm } from '#tests/support/stored-uploads.ts';
import type { Attack } from '../../attack.ts';
import { bothDatabases } from '../../attack.ts';
import { fieldsOf } from '../../client.ts';
import { createFindings } from '../../findings.ts';
import type { Member } from '../../people.ts';

const tus = { 'tus-resumable': '1.0.0', 'content-type': 'application/offset+octet-stream' };

/** Somebody keeps the key of an upload, and goes on with it once the right to upload has ended. */
export const uploadKeys: Attack = {
  name: 'upload-keys',
  databases: bothDatabases,
  short: ['sqlite'],
  setting: 'home',
  async run(target) {
    const findings = createFindings();
    const admin = await target.admin();
    const ends: Readonly<Record<string, (member: Member) => Promise<{ status: number }>>> = {
      'an administrator has ended the sessions': ({ id }) =>
        admin.client.ask('DELETE', `/users/admin/${id}/sessions`, { body: {} }),
      'a sign-out everywhere': ({ client }) => client.post('/auth/logout-all', {}),
      'the end of the account': ({ client, password }) =>
        client.ask('DELETE', '/users/profile', { body: { password } }),
    };
    for (const [what, end] of Object.entries(ends)) {
      const member = await target.member();
      await member.client.post('/api/users/eula/accept', {});
      const film = uniqueFilm();
      const files = [{ filename: 'a film.mp4', file_size: film.length }];
      const session = fieldsOf(await member.client.post('/api/upload/initiate', { files }));
      const [{ address }] = session.files as [{ address: string }];
      const id = String(session.session_id);
      const headers = { accesskey: String(session.bunny_access_key) };
      target.inspector.keepSecret(headers.accesskey);
      const thief = target.stranger();
      const sent = await thief.ask('PUT', address, { body: Readable.from([film]), headers });
      findings.expect(sent.status === 201, `a film is answered with ${sent.status}`);
      const ended = await end(member);
      findings.expect(ended.status < 300, `${what} is answered with ${ended.status}`);
      const tries = [
        await thief.ask('PATCH', address, { body: '', headers: { ...headers, ...tus, 'upload-offset': '0' } }),
        await thief.ask('PUT', address, { body: Readable.from([film]), headers }),
        await thief.post(`/api/upload/complete/${id}`, { session_id: id, files: [] }, headers),
      ];
      for (const { status } of tries)
        findings.expect([404, 410].includes(status), `after ${what} the key is answered with ${status}`, 'leak');
    }
    return findings.list();
  },
};
