import { useContext, useEffect } from 'react';
import type { Snapshot } from 'valtio';
import { useSnapshot } from 'valtio';
import { call } from '#app/platform/http/call.ts';
import { Badge } from '#app/ui/badge.tsx';
import { Bar } from '#app/ui/bar.tsx';
import { Button } from '#app/ui/button.tsx';
import { Card, Row } from '#app/ui/card.tsx';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { Skeleton } from '#app/ui/loading.tsx';
import { Resource, resourceFace } from '#app/ui/resource.ts';
import { sizeText } from '#app/ui/texts.ts';
import { readEncodingOverview } from '#contract/endpoints.ts';
import type { EncodingOverview, RunningEncoding } from '#contract/entities/library.ts';
import { failures } from '#contract/failures.ts';
import styles from './encodings-section.module.css';
import shared from './section.module.css';
import { EntryRow, SectionSwitch, Since } from './section-parts.tsx';

/**
 * The encodings made for devices that cannot play the sources: disk space, progress and encoder.
 */
export function EncodingsSection() {
  const state = useSnapshot(encodings.state);
  useEffect(() => encodings.open(), []);
  const overview = state.value;
  return (
    <div className={shared.section}>
      <ListBody
        face={resourceFace(state)}
        failure={state.failure}
        onRetry={() => void encodings.reload()}
        skeleton={<Skeleton className={shared.waiting} />}
        empty={null}
      >
        {overview && (
          <div className={shared.section}>
            <div className={shared.columns}>
              <SpaceCard overview={overview} />
              <CountsCard overview={overview} />
              <EncoderCard overview={overview} />
              <RunningCard running={overview.running} />
            </div>
          </div>
        )}
      </ListBody>
    </div>
  );
}

const refreshMs = 5_000;

/** Disk usage and budget of the encodings, and the ones in progress. */
const encodings = new Resource<EncodingOverview>({
  load: (signal) => call(readEncodingOverview, { signal }),
  toSentence: failures.loadEncodings,
  refreshMs: () => refreshMs,
});

/**
 * The disk space of the encodings. A full budget is normal: the least recently played ones are
 * deleted first.
 */
function SpaceCard({ overview }: { overview: Snapshot<EncodingOverview> }) {
  const { used_bytes, budget_bytes, free_bytes } = overview;
  return (
    <Card title="Space" isReadOnly>
      <div className={shared.lines}>
        <Bar share={used_bytes === 0 ? 0 : Math.min(1, used_bytes / budget_bytes)} />
        <p>{`${sizeText(used_bytes)} used of ${sizeText(budget_bytes)}`}</p>
        <p className={shared.quiet}>
          {free_bytes === null
            ? 'Its disk does not say how much room is left.'
            : `${sizeText(free_bytes)} free on its disk`}
        </p>
        <p className={shared.quiet}>The least recently played encodings are deleted first.</p>
      </div>
    </Card>
  );
}

/** How many videos have an encoding, wait for one, or could not get one. */
function CountsCard({ overview }: { overview: Snapshot<EncodingOverview> }) {
  const openSection = useContext(SectionSwitch);
  const { videos, waiting, failed, running } = overview;
  const isNew = videos + waiting + failed + running.length === 0;
  return (
    <Card title="Videos" isReadOnly={failed === 0}>
      {isNew ? (
        <p className={shared.empty}>Nothing was encoded yet. A video is encoded when somebody needs it.</p>
      ) : (
        <ul>
          <Row label="With an encoding" value={videos.toLocaleString()} />
          <Row label="Waiting" value={waiting.toLocaleString()} />
          <Row label="Failed" value={failed.toLocaleString()}>
            {failed > 0 && <Button kind="line" label="Show in Jobs" onPress={() => openSection('jobs')} />}
          </Row>
        </ul>
      )}
    </Card>
  );
}

/** The encoder in use, and its handling of HDR. */
function EncoderCard({ overview }: { overview: Snapshot<EncodingOverview> }) {
  const { encoder, is_hardware, maps_tones } = overview;
  const badge = encoder !== null && <Badge words={is_hardware ? 'Hardware' : 'Software'} />;
  return (
    <Card title="Encoder" end={badge} isReadOnly>
      <div className={shared.lines}>
        {encoder === null ? (
          <p>No ffmpeg works here: nothing is encoded. What a device plays as it is still plays.</p>
        ) : (
          <>
            <p>
              <bdi>{encoder}</bdi>
            </p>
            <p className={shared.quiet}>
              {maps_tones
                ? 'HDR is tone mapped.'
                : 'HDR is converted without tone mapping, which this ffmpeg lacks: it looks pale.'}
            </p>
          </>
        )}
      </div>
    </Card>
  );
}

const found = new Resource<EncodingOverview>({
  load: (signal) => call(readEncodingOverview, { signal }),
  toSentence: failures.loadEncodings,
});

/** Names what encodes here. The server may try all of its encoders first. */
export function EncoderFound() {
  const { value, failure } = useSnapshot(found.state);
  useEffect(() => found.open(), []);
  return <p className={shared.quiet}>{failure ?? (value ? encoderWords(value) : 'Looking for hardware...')}</p>;
}

function encoderWords({ encoder, is_hardware }: Pick<EncodingOverview, 'encoder' | 'is_hardware'>): string {
  if (encoder === null) return 'No ffmpeg works here: nothing is encoded.';
  return is_hardware ? `Hardware was found: ${encoder}` : `No hardware was found: ${encoder} encodes.`;
}

/** The encodings in progress. */
function RunningCard({ running }: { running: readonly Snapshot<RunningEncoding>[] }) {
  if (running.length === 0) {
    return (
      <Card title="Running" isReadOnly>
        <p className={shared.quiet}>Nothing is encoded now.</p>
      </Card>
    );
  }
  return (
    <Card title="Running">
      <ul aria-label="Running">
        {running.map((encoding) => (
          <RunningRow key={encoding.video_id} encoding={encoding} />
        ))}
      </ul>
    </Card>
  );
}

function RunningRow({ encoding }: { encoding: Snapshot<RunningEncoding> }) {
  const { filename, progress, paused_at, yields_since } = encoding;
  return (
    <EntryRow label={<bdi>{filename}</bdi>}>
      <div className={styles.progress}>
        <Bar share={progress / 100} label={filename} />
      </div>
      <p>{`${Math.round(progress)} %`}</p>
      {paused_at !== null && (
        <p>
          <Badge words="Paused" /> while videos stall, <Since time={paused_at} />
        </p>
      )}
      {paused_at === null && yields_since !== null && (
        <p>
          <Badge words="Paused" /> while a video that somebody waits for is encoded, <Since time={yields_since} />
        </p>
      )}
    </EntryRow>
  );
}
