import { expect, test } from 'vitest';
import { activitySentence } from '#app/features/admin/activity-section.tsx';
import type { Activity } from '#contract/entities/site.ts';
import { activities } from '#contract/entities/site.ts';

const say = (facts: Partial<Activity>) =>
  activitySentence({
    id: '1',
    at: '2026-11-22T12:00:00.000Z',
    actor: 'Ada',
    kind: 'tier_changed',
    subject: 'Ben',
    detail: null,
    ...facts,
  })
    .map((part) => (typeof part === 'string' ? part : part.name))
    .join('');

test.each<[Partial<Activity>, string]>([
  [{ kind: 'tier_changed', detail: 'pro until 2027-03-01' }, 'Ada gave Ben the plan Pro until Mar 1, 2027'],
  [{ kind: 'tier_changed', detail: 'lifetime' }, 'Ada gave Ben the plan Lifetime'],
  [{ kind: 'tier_changed', subject: 'Ada', detail: 'pro' }, 'Ada changed to the plan Pro'],
  [{ kind: 'tier_changed', detail: 'something else' }, 'Ada gave Ben the plan something else'],
  [{ kind: 'account_created', subject: 'Ada', detail: 'invitation' }, 'Ada created an account (invitation)'],
  [{ kind: 'account_changed', detail: 'display name, email' }, 'Ada changed the account Ben (display name, email)'],
  [{ kind: 'account_deleted' }, 'Ada deleted the account Ben'],
  [{ kind: 'account_deleted', subject: 'Ada' }, 'Ada deleted the own account'],
  [{ kind: 'password_set' }, 'Ada set a new password for Ben'],
  [{ kind: 'sessions_ended' }, 'Ada signed Ben out everywhere'],
  [{ kind: 'invitation_created', subject: null, detail: 'pro' }, 'Ada made an invitation to the plan Pro'],
  [{ kind: 'invitation_used', detail: 'basic' }, 'Ada came with an invitation of Ben to the plan Basic (Free)'],
  [
    { kind: 'invitation_used', subject: null, detail: 'pro' },
    'Ada came with an invitation of somebody to the plan Pro',
  ],
  [{ kind: 'invitation_revoked', detail: 'pro' }, 'Ada revoked an invitation of Ben to the plan Pro'],
  [{ kind: 'video_hidden', subject: 'a/b.mp4' }, 'Ada hid the video a/b.mp4'],
  [{ kind: 'video_shown', subject: 'a/b.mp4' }, 'Ada showed the video a/b.mp4 again'],
  [{ kind: 'upload_removed', subject: 'a.mp4' }, 'Ada removed the upload a.mp4'],
  [{ kind: 'upload_restored', subject: 'a.mp4' }, 'Ada brought the upload a.mp4 back'],
  [{ kind: 'upload_purged', subject: 'a.mp4' }, 'Ada deleted the upload a.mp4 for good'],
  [{ kind: 'tag_removed', subject: 'Rain' }, 'Ada removed the channel Rain'],
  [{ kind: 'tag_merged', subject: 'Rain', detail: 'Storm' }, 'Ada merged the channel Rain into Storm'],
  [{ kind: 'tags_imported', subject: 'tags.csv' }, 'Ada imported channels from tags.csv'],
  [{ kind: 'tag_change_undone', subject: 'Rain', detail: 'merge' }, 'Ada undid the merge of Rain'],
  [{ kind: 'tag_change_undone', subject: 'Rain', detail: 'split' }, 'Ada undid the change of Rain'],
  [{ kind: 'tag_person_undone', detail: '1' }, 'Ada undid what Ben did to channels in the last hour'],
  [{ kind: 'tag_person_undone', detail: '168' }, 'Ada undid what Ben did to channels in the last 7 days'],
  [
    { kind: 'settings_changed', subject: 'Switch interval', detail: '10 seconds' },
    'Ada set Switch interval to 10 seconds',
  ],
  [{ kind: 'settings_undone', subject: 'Site password' }, 'Ada undid a change of Site password'],
  [{ kind: 'cache_cleared', subject: null, detail: '12000000 bytes' }, 'Ada cleared the cache (12 MB freed)'],
  [{ kind: 'cache_cleared', actor: null, subject: null }, 'The site cleared the cache'],
])('%o', (facts, sentence) => {
  expect(say(facts)).toBe(sentence);
});

test('every kind of the contract has words of its own', () => {
  for (const kind of activities) expect(say({ kind, detail: 'pro' })).not.toContain('did:');
});

test('a kind that this page does not know is named all the same', () => {
  const kind = 'moon_painted' as Activity['kind'];
  expect(say({ kind, detail: 'blue' })).toBe('Ada did: moon painted, Ben (blue)');
  expect(say({ kind, subject: null })).toBe('Ada did: moon painted');
});

test('names stand apart from the words around them, as they may run in the other direction', () => {
  const parts = activitySentence({ id: '1', at: '', actor: 'אדה', kind: 'password_set', subject: 'Ben', detail: null });
  expect(parts.filter((part) => typeof part !== 'string')).toEqual([{ name: 'אדה' }, { name: 'Ben' }]);
});
