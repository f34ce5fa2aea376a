import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { Card } from '#app/ui/card/card.tsx';
import { countText } from '#app/ui/count-text.ts';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { faceOf } from '#app/ui/list/list-state.ts';
import { Pagination } from '#app/ui/list/pagination.tsx';
import { Skeleton } from '#app/ui/loading/skeleton.tsx';
import type { Activity } from '#contract/entities/site.ts';
import { limits } from '#contract/limits.ts';
import { EntryRow } from '../entry-row.tsx';
import { Moment } from '../moment.tsx';
import shared from '../section.module.css';
import { Sentence } from '../sentence.tsx';
import { activities } from './activity-store.ts';
import { activitySentence } from './activity-words.ts';

/** The log of what was done to accounts, invitations, videos, channels and settings. */
export function ActivitySection() {
  const state = useSnapshot(activities.state);
  useEffect(() => activities.open(), []);
  return (
    <Card title="Who did what">
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
  return (
    <EntryRow label={<Sentence parts={activitySentence(activity)} />}>
      <p>
        <Moment time={activity.at} />
      </p>
    </EntryRow>
  );
}
