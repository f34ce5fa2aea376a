import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { connection } from '#app/state/connection.ts';
import { Button } from '#app/ui/button.tsx';
import type { Outcome } from '#app/ui/card.tsx';
import { Card, Notice } from '#app/ui/card.tsx';
import { readRefusal } from '#app/ui/form/form.ts';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { faceOf } from '#app/ui/list/list-state.ts';
import { createPagedList } from '#app/ui/list/paged-list.ts';
import { Pagination } from '#app/ui/list/pagination.tsx';
import { Skeleton } from '#app/ui/loading.tsx';
import { countText, dayOf, sizeText } from '#app/ui/texts.ts';
import { listActivities, undoActivity } from '#contract/endpoints.ts';
import type { Activity, ActivityKind } from '#contract/entities/site.ts';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { tierBadges } from '#contract/rules/plans.ts';
import { personUndoSpans } from '#contract/rules/tag.ts';
import { isTier } from '#contract/rules/tiers.ts';
import shared from './section.module.css';
import type { Part } from './section-parts.tsx';
import { EntryRow, Moment, Sentence } from './section-parts.tsx';

/** The log of what was done to accounts, invitations, videos, channels and settings. */
export function ActivitySection() {
  const state = useSnapshot(activities.state);
  const { notice } = useSnapshot(undoing);
  useEffect(() => activities.open(), []);
  useEffect(() => forgetUndo, []);
  return (
    <Card title="Who did what">
      <Notice notice={notice} />
      <ListBody
        face={faceOf(state)}
        failure={state.failure}
        onRetry={() => void activities.reload()}
        skeleton={<Skeleton className={shared.waiting} />}
        empty={
          <p className={shared.empty}>
            {`Nothing was done yet. What administrators do is listed here for ${limits.activityDays} days.`}
          </p>
        }
      >
        <ul aria-label="Activity" aria-busy={state.isLoading}>
          {state.items.map((activity) => (
            <ActivityRow key={activity.id} activity={activity} />
          ))}
        </ul>
      </ListBody>
      <Pagination
        page={state.page}
        lastPage={state.lastPage}
        onGo={(page) => activities.goTo(page)}
        note={countText(state.total ?? 0, 'line')}
      />
    </Card>
  );
}

function ActivityRow({ activity }: { activity: Activity }) {
  const { isUndoing } = useSnapshot(undoing);
  const { isReachable } = useSnapshot(connection);
  return (
    <EntryRow
      label={<Sentence parts={activitySentence(activity)} />}
      actions={
        activity.can_undo && (
          <Button
            kind="line"
            label="Undo"
            name={`Undo: ${activity.subject}`}
            isDisabled={isUndoing || !isReachable}
            onPress={() => void undo(activity)}
          />
        )
      }
    >
      <p>
        <Moment time={activity.at} />
      </p>
    </EntryRow>
  );
}

const limit = limits.activitiesPerPage;

/** Undoing a change of settings: whether it goes on, and how the last one went. */
const undoing = proxy<{ isUndoing: boolean; notice: Outcome | null }>({ isUndoing: false, notice: null });

async function undo({ id, subject }: Activity): Promise<void> {
  if (undoing.isUndoing) return;
  Object.assign(undoing, { isUndoing: true, notice: null });
  try {
    await call(undoActivity, { params: { id } });
    undoing.notice = { kind: 'ok', sentence: `Undone: ${subject}` };
  } catch (error) {
    undoing.notice = { kind: 'danger', sentence: readRefusal(error) };
  }
  // A refusal mostly means that somebody else was faster.
  await activities.reload();
  undoing.isUndoing = false;
}

function forgetUndo(): void {
  undoing.notice = null;
}

/** The activity log, latest first. */
const activities = createPagedList<Activity, object>({
  limit,
  filters: {},
  load: async ({ page }, signal) => {
    const reply = await call(listActivities, { query: { page, limit }, signal });
    return { items: reply.activities, total: reply.total };
  },
  idOf: ({ id }) => id,
  toSentence: failures.loadActivity,
});

type SentenceParts = readonly Part[];

interface Words {
  actor: Part;
  subject: Part;
  detail: string;
  /** Whether the actor and the subject are the same person. */
  isOwn: boolean;
}

/**
 * The sentence of each kind, without its actor. `otherWords` covers kinds that are unknown here.
 */
const wordsOf: { readonly [Kind in ActivityKind]: (words: Words) => SentenceParts } = {
  account_created: ({ subject, isOwn, detail }) =>
    isOwn ? ['created an account', inBrackets(detail)] : ['created the account ', subject, inBrackets(detail)],
  account_changed: ({ subject, detail }) => ['changed the account ', subject, inBrackets(detail)],
  account_deleted: ({ subject, isOwn }) => (isOwn ? ['deleted the own account'] : ['deleted the account ', subject]),
  password_set: ({ subject }) => ['set a new password for ', subject],
  tier_changed: ({ subject, isOwn, detail }) =>
    isOwn ? ['changed to the plan ', planText(detail)] : ['gave ', subject, ' the plan ', planText(detail)],
  sessions_ended: ({ subject }) => ['signed ', subject, ' out everywhere'],
  invitation_created: ({ detail }) => ['made an invitation to the plan ', planText(detail)],
  invitation_used: ({ subject, detail }) => ['came with an invitation of ', subject, ' to the plan ', planText(detail)],
  invitation_revoked: ({ subject, detail }) => [
    'revoked an invitation of ',
    subject,
    ' to the plan ',
    planText(detail),
  ],
  video_hidden: ({ subject }) => ['hid the video ', subject],
  video_shown: ({ subject }) => ['showed the video ', subject, ' again'],
  reports_dismissed: ({ subject }) => ['dismissed the reports of the video ', subject],
  video_details_changed: ({ subject }) => ['changed the details of the video ', subject],
  upload_removed: ({ subject }) => ['removed the upload ', subject],
  upload_restored: ({ subject }) => ['brought the upload ', subject, ' back'],
  upload_purged: ({ subject }) => ['deleted the upload ', subject, ' for good'],
  tag_removed: ({ subject, detail }) => ['removed the channel ', subject, inBrackets(detail)],
  tag_merged: ({ subject, detail }) => ['merged the channel ', subject, ' into ', { name: detail }],
  tags_imported: ({ subject }) => ['imported channels from ', subject],
  tag_change_undone: ({ subject, detail }) => ['undid the ', changeNames[detail] ?? 'change', ' of ', subject],
  tag_person_undone: ({ subject, detail }) => [
    'undid what ',
    subject,
    ` did to channels in ${spans[detail] ?? 'a while'}`,
  ],
  settings_changed: ({ subject, detail }) => ['set ', subject, detail === '' ? '' : ` to ${detail}`],
  settings_undone: ({ subject }) => ['undid a change of ', subject],
  cache_cleared: ({ detail }) => ['cleared the cache', inBrackets(bytesText(detail))],
};

/** Time spans by their number of hours. */
const spans: Readonly<Record<string, string>> = personUndoSpans;

/** Names of the kinds in `tagChangeKinds`. */
const changeNames: Readonly<Record<string, string>> = {
  removal: 'removal',
  merge: 'merge',
  import: 'import',
  sidecars: 'import',
  details: 'change',
};

/** The parts of a sentence such as 'Ada gave Ben the plan Pro until Mar 1, 2027'. */
export function activitySentence({ actor, kind, subject, detail }: Omit<Activity, 'can_undo'>): SentenceParts {
  const words: Words = {
    actor: actor === null ? 'The site' : { name: actor },
    subject: subject === null ? 'somebody' : { name: subject },
    detail: detail ?? '',
    isOwn: actor !== null && actor === subject,
  };
  const tell = (wordsOf as Partial<typeof wordsOf>)[kind];
  return [words.actor, ' ', ...(tell ? tell(words) : otherWords(kind, subject, words))];
}

/** The sentence for a kind that only a newer server knows. */
function otherWords(kind: string, subject: string | null, words: Words): SentenceParts {
  return [
    `did: ${kind.replace(/_/g, ' ')}`,
    ...(subject === null ? [] : [', ', words.subject]),
    inBrackets(words.detail),
  ];
}

/** Puts the server's `pro until 2027-03-01` into the viewer's words. */
function planText(detail: string): string {
  const [, tier = '', day] = /^(\w+)(?: until (\d{4}-\d\d-\d\d))?$/.exec(detail) ?? [];
  if (!isTier(tier)) return detail;
  // Noon, so that no time zone moves it to another day.
  return day === undefined ? tierBadges[tier] : `${tierBadges[tier]} until ${dayOf(`${day}T12:00:00`)}`;
}

function bytesText(detail: string): string {
  const [, bytes] = /^(\d+) bytes$/.exec(detail) ?? [];
  return bytes === undefined ? detail : `${sizeText(Number(bytes))} freed`;
}

function inBrackets(detail: string): string {
  return detail === '' ? '' : ` (${detail})`;
}
