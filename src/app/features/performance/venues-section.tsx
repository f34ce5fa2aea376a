import { X } from 'lucide-react';
import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { IconButton } from '#app/ui/button.tsx';
import { Card, Notice } from '#app/ui/card.tsx';
import { ConfirmDialog } from '#app/ui/dialogs.tsx';
import { ListBody } from '#app/ui/list/list-body.tsx';
import type { Column } from '#app/ui/list/table.tsx';
import { Table } from '#app/ui/list/table.tsx';
import { Skeleton } from '#app/ui/loading.tsx';
import { Resource, resourceFace } from '#app/ui/resource.ts';
import { useNarrow } from '#app/ui/store-hooks.ts';
import { agoText } from '#app/ui/texts.ts';
import { confirmations } from '#contract/confirmations.ts';
import { forgetVenue, listVenues } from '#contract/endpoints.ts';
import type { Venue, Venues } from '#contract/entities/performance.ts';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { quadrants } from '#contract/quadrants.ts';
import { now } from '#device/timers.ts';
import shared from './section.module.css';

/** The screens in venue mode, and whether they play. */
export function VenuesSection() {
  const state = useSnapshot(venues.state);
  const { asked, failure } = useSnapshot(forgetting);
  useEffect(() => venues.open(), []);
  useEffect(() => resetForgetting, []);
  return (
    <Card title="Venues">
      <ListBody
        face={resourceFace(state)}
        failure={state.failure}
        onRetry={() => void venues.reload()}
        skeleton={<Skeleton className={shared.waiting} />}
        empty={null}
      >
        {state.value && <VenueTable venues={state.value.venues} />}
      </ListBody>
      <Notice notice={failure === null ? null : { kind: 'danger', sentence: failure }} />
      {asked && (
        <ConfirmDialog
          title="Forget venue"
          sentence={confirmations.forgetVenue(asked.name)}
          action="Forget"
          onConfirm={() => void forget(asked.id)}
          onClose={resetForgetting}
        />
      )}
    </Card>
  );
}

function VenueTable({ venues: listed }: { venues: readonly Venue[] }) {
  const isNarrow = useNarrow();
  if (listed.length === 0) return <p className={shared.empty}>No screen is in venue mode.</p>;
  return (
    <Table
      label="Venues"
      columns={venueColumns(isNarrow)}
      rows={listed}
      idOf={({ id }) => id}
      nameOf={({ name }) => name}
      actions={(venue) => (
        <IconButton
          label={`Forget ${venue.name}`}
          icon={<X aria-hidden="true" />}
          onPress={() => {
            forgetting.asked = { id: venue.id, name: venue.name };
          }}
        />
      )}
    />
  );
}

const venues = new Resource<Venues>({
  load: (signal) => call(listVenues, { signal }),
  toSentence: failures.loadVenues,
  refreshMs: () => limits.dashboardRefreshMs,
});

const forgetting = proxy<{ asked: Pick<Venue, 'id' | 'name'> | null; failure: string | null }>({
  asked: null,
  failure: null,
});

function resetForgetting(): void {
  Object.assign(forgetting, { asked: null, failure: null });
}

async function forget(id: string): Promise<void> {
  resetForgetting();
  try {
    await call(forgetVenue, { params: { id } });
    await venues.reload();
  } catch (error) {
    forgetting.failure = failures.forgetVenue(error);
  }
}

/** @param isList whether the facts share one line without column titles */
function venueColumns(isList: boolean): Column<Venue>[] {
  return [
    { title: 'Name', inList: 'name', cell: ({ name }) => <bdi>{name}</bdi> },
    { title: 'Playing', inList: 'fact', cell: (venue) => playingText(venue) },
    {
      title: 'Since',
      inList: 'fact',
      cell: ({ since }) => (
        <time dateTime={since}>{isList ? `since ${agoText(since, now())}` : agoText(since, now())}</time>
      ),
    },
    { title: 'Version', inList: 'fact', cell: ({ version }) => <bdi>{version}</bdi> },
    {
      title: 'Last seen',
      inList: 'fact',
      cell: ({ last_seen: at }) => (
        <time dateTime={at}>{isList ? `seen ${agoText(at, now())}` : agoText(at, now())}</time>
      ),
    },
  ];
}

function playingText({ state, playing, is_signed_out: isSignedOut }: Venue): string {
  const words = state === 'open' ? `${playing} of ${quadrants.length}` : state === 'closed' ? 'Closed' : 'Silent';
  return isSignedOut ? `${words}, signed out` : words;
}
