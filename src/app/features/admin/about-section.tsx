import { CircleAlert, CircleCheck } from 'lucide-react';
import { useEffect } from 'react';
import type { Snapshot } from 'valtio';
import { useSnapshot } from 'valtio';
import { call } from '#app/platform/http/call.ts';
import { Card, Row } from '#app/ui/card.tsx';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { Skeleton } from '#app/ui/loading.tsx';
import { Banner } from '#app/ui/messages.tsx';
import { QrCode } from '#app/ui/qr-code.tsx';
import { Resource, resourceFace } from '#app/ui/resource.ts';
import { momentOf, sizeText, spanText } from '#app/ui/texts.ts';
import { readAbout } from '#contract/endpoints.ts';
import type { About, BackupState, Degradation, StoredBackup } from '#contract/entities/site.ts';
import { failures } from '#contract/failures.ts';
import styles from './about-section.module.css';
import shared from './section.module.css';
import { DiskSpaceBar, EntryRow, Moment } from './section-parts.tsx';

/** The version, platform and backup of the site, and what it lacks. */
export function AboutSection() {
  const state = useSnapshot(about.state);
  useEffect(() => about.open(), []);
  return (
    <div className={shared.section}>
      <ListBody
        face={resourceFace(state)}
        failure={state.failure}
        onRetry={() => void about.reload()}
        skeleton={<Skeleton className={styles.waiting} />}
        empty={null}
      >
        {state.value && (
          <div className={shared.section}>
            <MissingCard degraded={state.value.degraded} />
            <div className={shared.columns}>
              <ServerCard about={state.value} />
              <StorageCard about={state.value} />
              <BackupCard backup={state.value.backup} />
              <AddressCard addresses={state.value.addresses} />
              {state.value.nodes.length > 0 && <NodesCard nodes={state.value.nodes} />}
            </div>
          </div>
        )}
      </ListBody>
    </div>
  );
}

/** Facts about this installation. */
export const about = new Resource<About>({
  load: (signal) => call(readAbout, { signal }),
  toSentence: failures.loadAbout,
});

/** The features that this installation lacks, each with its remedy. */
function MissingCard({ degraded }: { degraded: readonly Readonly<Degradation>[] }) {
  return (
    <Card title="What is missing" isReadOnly={degraded.length === 0}>
      {degraded.length === 0 ? (
        <p className={styles.fine}>
          <CircleCheck aria-hidden="true" />
          Everything works.
        </p>
      ) : (
        <ul>
          {degraded.map(({ problem, mend }) => (
            <EntryRow key={problem} label={problem}>
              <p>{mend}</p>
            </EntryRow>
          ))}
        </ul>
      )}
    </Card>
  );
}

function ServerCard({ about: { version, update, uptime_seconds, node, ffmpeg, sandbox } }: { about: Snapshot<About> }) {
  return (
    <Card title="Server" isReadOnly>
      <ul>
        <Row label="Version" value={version} />
        {update && <Row label="Newer version" value={newerVersionText(update)} />}
        <Row label="Running for" value={spanText(uptime_seconds)} />
        <Row label="Node" value={node} />
        <Row label="ffmpeg" value={ffmpeg ?? 'None'} />
        <Row label="Sandbox of ffmpeg" value={sandbox === null ? 'None' : sandboxNames[sandbox]} />
      </ul>
    </Card>
  );
}

function newerVersionText({ newest, is_newer }: Readonly<NonNullable<About['update']>>): string {
  if (newest === null) return 'Not known: UPDATE_CHECK_URL gave no version.';
  return is_newer ? `${newest} is there. The changelog says what it changes.` : 'None';
}

/** The other servers of the site, and what each of them cannot reach. */
function NodesCard({ nodes }: { nodes: Snapshot<About['nodes']> }) {
  return (
    <Card title="Other servers of this site">
      <ul>
        {nodes.map(({ name, role, version, state, away }) => (
          <EntryRow key={name} label={name}>
            <p>{`${roleNames[role]} · ${stateNames[state]} · version ${version}`}</p>
            {away.map((folder) => (
              <p key={folder}>{`It cannot read ${folder}, or sees nothing there.`}</p>
            ))}
          </EntryRow>
        ))}
      </ul>
    </Card>
  );
}

const roleNames: Record<About['nodes'][number]['role'], string> = {
  all: 'Calls and jobs',
  web: 'Calls alone',
  jobs: 'Jobs alone',
};

const stateNames: Record<About['nodes'][number]['state'], string> = {
  starting: 'starting',
  ready: 'ready',
  draining: 'leaving',
};

/** The location of the database and of the generated files, with the free disk space. */
function StorageCard({ about: { database, storage } }: { about: Snapshot<About> }) {
  return (
    <Card title="Database and storage" isReadOnly>
      <div className={shared.lines}>
        <ul>
          <Row label={databaseNames[database.kind]} value={database.place} />
          <Row label="A folder on this machine" value={storage.folder} />
          {storage.store && <StoreRows kind={storage.kind} store={storage.store} />}
        </ul>
        <DiskSpaceBar freeBytes={storage.free_bytes} totalBytes={storage.total_bytes} />
      </div>
    </Card>
  );
}

/** A store that other files lie in, and how quickly it answers. */
function StoreRows({ kind, store }: { kind: About['storage']['kind']; store: Snapshot<StoreState> }) {
  const { place, delivers_from, half_within_ms, most_within_ms, clock_ahead_seconds } = store;
  return (
    <>
      <Row label={storageNames[kind]} value={place} />
      <Row label="Its videos come from" value={delivers_from ?? 'This server'} />
      <Row
        label="It answers within"
        value={`${half_within_ms} ms half of the time, ${most_within_ms} ms 99 times of 100`}
      />
      {clock_ahead_seconds !== 0 && (
        <Row
          label="Its clock"
          value={`${Math.abs(clock_ahead_seconds)} s ${clock_ahead_seconds > 0 ? 'ahead' : 'behind'}`}
        />
      )}
    </>
  );
}

type StoreState = NonNullable<About['storage']['store']>;

/** The latest backup, and the data that no backup contains. */
function BackupCard({ backup }: { backup: Snapshot<BackupState> }) {
  const { folder, next_at, latest, failure, left_out } = backup;
  return (
    <Card title="Backup" isReadOnly>
      <div className={shared.lines}>
        {failure && (
          <Banner
            kind="danger"
            icon={<CircleAlert aria-hidden="true" />}
            sentence={`The backup of ${momentOf(failure.at)} failed: ${failure.message}`}
          />
        )}
        {folder === null ? (
          <p>
            No backup is made by itself. Name a folder under Settings: then one is made each night.{' '}
            <code>npm run backup</code> makes one now.
          </p>
        ) : (
          <p className={shared.path}>
            Each night into <bdi>{folder}</bdi>
            {next_at !== null && `, next ${momentOf(next_at)}`}
          </p>
        )}
        {latest ? <Latest latest={latest} /> : <p className={shared.quiet}>There is no backup yet.</p>}
        <LeftOut folders={left_out} />
      </div>
    </Card>
  );
}

function Latest({ latest: { at, file, bytes } }: { latest: Readonly<StoredBackup> }) {
  return (
    <p className={shared.path}>
      The latest is of <Moment time={at} />: <bdi>{file}</bdi>, {sizeText(bytes)}
    </p>
  );
}

function LeftOut({ folders }: { folders: readonly string[] }) {
  if (folders.length === 0) return null;
  return (
    <div className={shared.quiet}>
      <p>In no backup, to be copied by other means:</p>
      <ul>
        {folders.map((folder) => (
          <li key={folder} className={shared.path}>
            <bdi>{folder}</bdi>
          </li>
        ))}
      </ul>
    </div>
  );
}

function AddressCard({ addresses }: { addresses: readonly string[] }) {
  return (
    <Card title="Addresses" isReadOnly>
      <SiteAddresses addresses={addresses} />
    </Card>
  );
}

/** The addresses at which the site can be opened, with a QR code for phones. */
export function SiteAddresses({ addresses }: { addresses: readonly string[] }) {
  const forPhone = phoneAddress(addresses);
  return (
    <>
      {addresses.length === 0 ? (
        <p className={shared.quiet}>The site does not know its addresses.</p>
      ) : (
        <ul className={shared.lines}>
          {addresses.map((address) => (
            <li key={address} className={shared.path}>
              <bdi>{address}</bdi>
            </li>
          ))}
        </ul>
      )}
      {forPhone !== null && (
        <>
          <QrCode text={forPhone} label={`QR code for ${forPhone}`} className={styles.qr} />
          <p className={shared.quiet}>Scan it to open the site on a phone.</p>
        </>
      )}
    </>
  );
}

const databaseNames: Record<About['database']['kind'], string> = { sqlite: 'SQLite', postgres: 'PostgreSQL' };

const storageNames: Record<About['storage']['kind'], string> = {
  disk: 'A folder on this machine',
  s3: 'S3',
  bunny: 'Bunny',
};

const sandboxNames: Record<NonNullable<About['sandbox']>, string> = {
  landlock: 'Landlock',
  bubblewrap: 'Bubblewrap',
};

/** The first address that another device can open; null when there is none. */
export function phoneAddress(addresses: readonly string[]): string | null {
  return addresses.find((address) => !isLocal(address)) ?? null;
}

/** Whether only this machine can open the address. */
function isLocal(address: string): boolean {
  return /^\w+:\/\/(localhost|127\.|\[::1\])/.test(address);
}
