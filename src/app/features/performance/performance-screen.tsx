import type { KeyboardEvent, ReactNode } from 'react';
import { useEffect, useRef } from 'react';
import type { Snapshot } from 'valtio';
import { useSnapshot } from 'valtio';
import { call } from '#app/platform/http/call.ts';
import { currentForm } from '#app/platform/input/screen-form.ts';
import { siteConfig } from '#app/state/site-config.ts';
import { Card } from '#app/ui/card.tsx';
import { Select } from '#app/ui/form/select.tsx';
import { quadrantNames } from '#app/ui/glyphs.tsx';
import { ListBody } from '#app/ui/list/list-body.tsx';
import type { Column } from '#app/ui/list/table.tsx';
import { Table } from '#app/ui/list/table.tsx';
import { Skeleton } from '#app/ui/loading.tsx';
import { Page } from '#app/ui/page.tsx';
import { Resource, resourceFace } from '#app/ui/resource.ts';
import { useNarrow } from '#app/ui/store-hooks.ts';
import { agoText, countText } from '#app/ui/texts.ts';
import { listActiveViewers } from '#contract/endpoints.ts';
import type { ActiveViewer, ActiveViewers } from '#contract/entities/performance.ts';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { quadrants } from '#contract/quadrants.ts';
import { timeWindows } from '#contract/rules/health.ts';
import { now } from '#device/timers.ts';
import { allQuadrants, QuadrantCard, seriesWindowOf, timeOfDayText } from './figures.tsx';
import styles from './performance-screen.module.css';
import type { QuadrantChoice, ShownReadings } from './performance-store.ts';
import { chooseQuadrant, chooseWindow, dashboard, readings } from './performance-store.ts';
import shared from './section.module.css';
import { AlertAnnouncer, AlertsCard, BandwidthCard, HealthCard } from './site-cards.tsx';
import { VenuesSection } from './venues-section.tsx';
import { VideosSection } from './videos-section.tsx';

interface Props {
  title: string;
  notice: ReactNode;
}

/** §2 Performance Dashboard. */
export function PerformanceScreen({ title, notice }: Props) {
  const state = useSnapshot(readings.state);
  useEffect(() => readings.open(), []);
  return (
    <Page title={title} notice={notice} mark={<LiveMark />} end={<PerformanceTools />}>
      <AlertAnnouncer />
      <div className={styles.body}>
        <ListBody
          face={resourceFace(state)}
          failure={state.failure}
          onRetry={() => void readings.reload()}
          skeleton={<PerformanceSkeleton />}
          empty={null}
        >
          {state.value && <PerformanceCards readings={state.value} />}
        </ListBody>
      </div>
    </Page>
  );
}

const choices: readonly { value: QuadrantChoice; label: string }[] = [
  { value: 'all', label: allQuadrants },
  ...quadrants.map((value) => ({ value, label: quadrantNames[value] })),
];

/** The choices of time window and quadrant. */
function PerformanceTools() {
  const { window, quadrant } = useSnapshot(dashboard);
  return (
    <div className={styles.tools}>
      <Segmented label="Time window" values={timeWindows} value={window} onChange={chooseWindow} />
      <div className={styles.quadrant}>
        <Select label="Quadrant" isLabelHidden options={choices} value={quadrant} onChange={chooseQuadrant} />
      </div>
    </div>
  );
}

interface SegmentedProps<Value extends string> {
  label: string;
  /** The values, which are also their labels. */
  values: readonly Value[];
  value: Value;
  onChange: (value: Value) => void;
}

const steps: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/**
 * A row of radio buttons for a few short values. Arrows choose, as in any radio group. On TVs
 * arrows move the focus, as everywhere there, and OK chooses.
 */
function Segmented<Value extends string>({ label, values, value, onChange }: SegmentedProps<Value>) {
  const group = useRef<HTMLDivElement>(null);
  const isOnTv = currentForm() === 'tv';
  const choose = (at: number) => {
    const next = values[at];
    if (next !== undefined) onChange(next);
    group.current?.querySelectorAll('button')[at]?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = steps[event.key];
    if (step === undefined || isOnTv) return;
    event.preventDefault();
    choose((values.indexOf(value) + step + values.length) % values.length);
  };
  return (
    <div ref={group} role="radiogroup" aria-label={label} className={styles.group} onKeyDown={onKeyDown}>
      {values.map((one) => (
        // biome-ignore lint/a11y/useSemanticElements: an input would be drawn apart from its segment, and the remote's focus goes by what is drawn
        <button
          key={one}
          type="button"
          role="radio"
          aria-checked={one === value}
          tabIndex={isOnTv || one === value ? 0 : -1}
          data-focus-first={one === value || undefined}
          className={styles.segment}
          onClick={() => onChange(one)}
        >
          {one}
        </button>
      ))}
    </div>
  );
}

/** Shows whether the figures are live, otherwise their time, and whether they are estimates. */
function LiveMark() {
  const { measuredOneIn } = useSnapshot(siteConfig);
  const { value, failure, isOffline } = useSnapshot(readings.state);
  const isLive = !isOffline && failure === null;
  const words = isLive ? 'Live' : isOffline ? 'Offline' : 'Not live';
  return (
    <p role="status" className={isLive ? styles.live : styles.stale}>
      {(value || !isLive) && (
        <>
          <span className={styles.dot} />
          {isLive || !value ? words : `${words}, as of ${timeOfDayText(value.readAt)}`}
          {measuredOneIn > 1 && `, measured at one in ${measuredOneIn.toLocaleString()}`}
        </>
      )}
    </p>
  );
}

/** The figures of one refresh, followed by the active viewers and the videos with problems. */
function PerformanceCards({ readings }: { readings: ShownReadings }) {
  const { quadrant: chosen, window } = useSnapshot(dashboard);
  const range = seriesWindowOf(readings);
  const isWide = chosen !== 'all';
  const shown = quadrants.filter((quadrant) => !isWide || quadrant === chosen);
  return (
    <div className={styles.cards}>
      <div className={styles.site}>
        <HealthCard readings={readings} />
        <BandwidthCard readings={readings} range={range} />
      </div>
      <div className={isWide ? undefined : styles.quadrants}>
        {shown.map((quadrant) => (
          <QuadrantCard key={quadrant} quadrant={quadrant} readings={readings} range={range} isWide={isWide} />
        ))}
      </div>
      <AlertsCard />
      <ViewersSection />
      <VideosSection window={window} />
      <VenuesSection />
    </div>
  );
}

/** The skeleton of the cards. */
function PerformanceSkeleton() {
  return (
    <div className={styles.cards}>
      <div className={styles.site}>
        <Skeleton className={styles.tall} />
        <Skeleton className={styles.tall} />
      </div>
      <div className={styles.quadrants}>
        {quadrants.map((quadrant) => (
          <Skeleton key={quadrant} className={styles.tall} />
        ))}
      </div>
    </div>
  );
}

/** The active viewers without names, those with the most stalls first. */
export function ViewersSection() {
  const state = useSnapshot(viewers.state);
  useEffect(() => viewers.open(), []);
  return (
    <Card title="Watching now" end={state.value && <p>{countText(state.value.total, 'viewer')}</p>}>
      <p className={shared.note}>
        As the server that answers counts them. It has these figures in its memory only, without names, and writes none
        of them into a log.
      </p>
      <ListBody
        face={resourceFace(state)}
        failure={state.failure}
        onRetry={() => void viewers.reload()}
        skeleton={<Skeleton className={shared.waiting} />}
        empty={null}
      >
        {state.value?.total === 0 && <p className={shared.empty}>Nobody is watching.</p>}
        {state.value && state.value.total > 0 && <ViewerTable active={state.value} />}
      </ListBody>
    </Card>
  );
}

function ViewerTable({ active: { total, viewers: listed } }: { active: Snapshot<ActiveViewers> }) {
  const isNarrow = useNarrow();
  const more = total - listed.length;
  return (
    <>
      <Table
        label="Watching now"
        columns={viewerColumns(isNarrow)}
        rows={listed.map((viewer, index) => ({ ...viewer, key: String(index) }))}
        idOf={({ key }) => key}
        nameOf={({ key }) => key}
        isReadOnly
      />
      {more > 0 && <p className={shared.note}>{more.toLocaleString()} more</p>}
    </>
  );
}

/** The active viewers. */
const viewers = new Resource<ActiveViewers>({
  load: (signal) => call(listActiveViewers, { signal }),
  toSentence: failures.loadViewers,
  refreshMs: () => limits.dashboardRefreshMs,
});

interface ViewerRow extends ActiveViewer {
  /** The position in the list, because viewers have no names. */
  key: string;
}

const devices = { phone: 'Phone', tablet: 'Tablet', desktop: 'Desktop', tv: 'TV' };

function deviceText(form: ActiveViewer['form']): string {
  return form === null ? 'Unknown' : devices[form];
}

/**
 * @param isList whether the figures share one line without column titles, so each states its unit
 */
function viewerColumns(isList: boolean): Column<ViewerRow>[] {
  const count = (value: number, noun: string) => (isList ? countText(value, noun) : value.toLocaleString());
  return [
    { title: 'Device', inList: 'name', cell: ({ form }) => deviceText(form) },
    { title: 'Network', inList: 'fact', cell: ({ address }) => <bdi>{address || 'Unknown'}</bdi> },
    { title: 'Quadrants', inList: 'fact', isNumber: true, cell: ({ quadrants }) => count(quadrants, 'quadrant') },
    { title: 'Bandwidth', inList: 'fact', isNumber: true, cell: ({ bandwidth_mbps }) => bandwidthText(bandwidth_mbps) },
    { title: 'Stalls', inList: 'fact', isNumber: true, cell: ({ stall_events }) => count(stall_events, 'stall') },
    {
      title: 'Since',
      inList: 'fact',
      cell: ({ since }) => <time dateTime={since}>{agoText(since, now())}</time>,
    },
  ];
}

function bandwidthText(mbps: number | null): string {
  if (mbps === null) return '–';
  return `${mbps.toLocaleString(undefined, { maximumFractionDigits: 1 })} Mbps`;
}
