import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { proxy, ref } from 'valtio/vanilla';
import { Unanswered } from '#app/platform/http/time-limit.ts';
import { connection } from '#app/state/connection.ts';
import type { Keeping, KeepRequest } from '#app/state/saved/keeping.ts';
import { fitting, followFilter, keepingOf, keepRequest, keepVideos, listNewest } from '#app/state/saved/keeping.ts';
import type { SavedRoom } from '#app/state/saved/saved-room.ts';
import { storageAnswer } from '#app/state/saved/saved-room.ts';
import { savedOpened } from '#app/state/saved/saved-session.ts';
import { saved } from '#app/state/saved/saved-state.ts';
import { watchViewer } from '#app/state/viewer-cache.ts';
import { Button } from '#app/ui/button.tsx';
import { CheckRow } from '#app/ui/form/check-row.tsx';
import { lateTeller } from '#app/ui/form/form.ts';
import { Select } from '#app/ui/form/select.tsx';
import { SquaresLoader } from '#app/ui/loading.tsx';
import { Modal } from '#app/ui/modal.tsx';
import { countText, sizeText } from '#app/ui/texts.ts';
import { failures } from '#contract/failures.ts';
import styles from './keep-dialog.module.css';

const extents = [
  { value: 'space', label: 'Until the space is full' },
  { value: 'hours', label: 'Two hours' },
] as const;

const hoursSeconds = 2 * 60 * 60;

/** Says what keeping takes before anything is fetched. */
export default function KeepDialog({ onClose }: { onClose: () => void }) {
  const { current } = useSnapshot(keepRequest) as typeof keepRequest;
  useEffect(() => (current ? openKeeping(current) : undefined), [current]);
  const state = useSnapshot(keeping) as KeepingState;
  const { room, isPossible, ...storage } = useSnapshot(saved) as typeof saved;
  const { isReachable } = useSnapshot(connection);
  const name = current?.kind === 'filter' ? current.name : current?.video.title;
  const chosen = chosenKeepings(state, room, current);
  const failure = isPossible === false ? null : (state.failure ?? storageFailure(storage));
  const problem = isPossible === false ? failures.savingNotPossible : (failure ?? roomProblem(chosen, room));
  const isLoading = state.videos === null || storage.phase === 'loading' || isPossible === null || room === null;
  return (
    <Modal title="Keep offline" sentence={name ?? ''} onClose={onClose}>
      {isLoading && problem === null ? (
        <SquaresLoader className={styles.loader} />
      ) : (
        <div className={styles.body}>
          <Options request={current} />
          <p role="status" className={problem === null ? styles.total : styles.problem}>
            {problem ?? totalWords(chosen, room)}
          </p>
          {!isReachable && <p className={styles.problem}>Needs a connection</p>}
        </div>
      )}
      <div className={styles.buttons}>
        <Button kind="line" label="Cancel" onPress={onClose} />
        {failure !== null && current ? (
          <Button label="Retry" isFirst onPress={() => load(current)} />
        ) : (
          <Button
            label="Keep offline"
            isFirst
            isDisabled={isLoading || problem !== null || chosen.length === 0 || state.isKeeping || !isReachable}
            onPress={() => void keep(chosen, current, onClose)}
          />
        )}
      </div>
    </Modal>
  );
}

/** Why it is not known yet what can be kept; null when it is, or soon will be. */
function storageFailure({
  phase,
  isPlaceLate,
  isRoomLate,
}: Pick<typeof saved, 'phase' | 'isPlaceLate' | 'isRoomLate'>) {
  if (phase === 'failed') return failures.savedNotRead;
  return isPlaceLate || isRoomLate ? failures.storageSilent : null;
}

function Options({ request }: { request: KeepRequest | null }) {
  const { videos, inHd, extent } = useSnapshot(keeping);
  const hasHd = videos?.some(({ renditions }) => renditions.some(({ name }) => name === 'hd'));
  return (
    <>
      {request?.kind === 'filter' && (
        <Select
          label="How much"
          options={extents}
          value={extent}
          onChange={(value) => {
            keeping.extent = value;
          }}
        />
      )}
      {hasHd && (
        <CheckRow
          label="In HD"
          hint="For the whole screen. It takes about four times as much."
          isOn={inHd}
          onChange={(isOn) => {
            keeping.inHd = isOn;
          }}
        />
      )}
    </>
  );
}

interface KeepingState {
  /** Null until it is known what there is to keep. */
  videos: readonly Keeping['video'][] | null;
  /** When the newest video of the filter came to the site, in epoch milliseconds. */
  newestAt: number;
  inHd: boolean;
  extent: (typeof extents)[number]['value'];
  /** Why it is not known what there is to keep, or why it was not kept. */
  failure: string | null;
  isKeeping: boolean;
}

const initial = (): KeepingState => ({
  videos: null,
  newestAt: 0,
  inHd: false,
  extent: 'space',
  failure: null,
  isKeeping: false,
});

const keeping = proxy<KeepingState>(initial());

/** The request of the open dialog: a late answer is for no other one. */
let opened: KeepRequest | null = null;

/** Returns a function that forgets the request. */
function openKeeping(request: KeepRequest): () => void {
  opened = request;
  load(request);
  return () => {
    opened = null;
    Object.assign(keeping, initial());
  };
}

/** Loads what the dialog says. `saved` tells of rows and room, or that the browser does not answer. */
function load(request: KeepRequest): void {
  keeping.failure = null;
  void savedOpened();
  void loadVideos(request);
}

async function loadVideos(request: KeepRequest): Promise<void> {
  try {
    const { videos, newestAt } =
      request.kind === 'video' ? { videos: [request.video], newestAt: 0 } : await listNewest(request.filter);
    if (opened === request) Object.assign(keeping, { videos: ref(videos), newestAt });
  } catch (error) {
    if (opened === request) keeping.failure = failures.loadVideos(error);
  }
}

function chosenKeepings(
  { videos, inHd, extent }: KeepingState,
  room: SavedRoom | null,
  request: KeepRequest | null,
): Keeping[] {
  const kept = new Set(saved.rows.filter(({ kind }) => kind === 'chosen').map(({ videoId }) => videoId));
  const all = (videos ?? []).filter(({ id }) => !kept.has(id)).flatMap((video) => keepingOf(video, inHd) ?? []);
  if (request?.kind !== 'filter') return all;
  return fitting(all, room?.left ?? 0, extent === 'hours' ? hoursSeconds : null);
}

function roomProblem(chosen: readonly Keeping[], room: SavedRoom | null): string | null {
  const bytes = bytesOf(chosen);
  return room !== null && bytes > room.left ? failures.noRoomToSave(sizeText(bytes)) : null;
}

function totalWords(chosen: readonly Keeping[], room: SavedRoom | null): string {
  const left = Math.max(0, (room?.left ?? 0) - bytesOf(chosen));
  const rest = Number.isFinite(left) ? `, ${sizeText(left)} left` : '';
  return `${countText(chosen.length, 'video')}, ${sizeText(bytesOf(chosen))}${rest}`;
}

function bytesOf(chosen: readonly Keeping[]): number {
  return chosen.reduce((sum, { file }) => sum + file.bytes, 0);
}

async function keep(chosen: readonly Keeping[], request: KeepRequest | null, onKept: () => void): Promise<void> {
  keeping.isKeeping = true;
  const tellLate = lateTeller();
  const end = (failure: string | null) => {
    if (opened !== request) {
      if (failure !== null) tellLate(failures.keepOffline(failure));
      return;
    }
    Object.assign(keeping, { isKeeping: false, failure });
    if (failure === null) onKept();
  };
  const noRoom = failures.noRoomToSave(sizeText(bytesOf(chosen)));
  const endWith = (isKept: boolean) => end(isKept ? null : noRoom);
  await storageAnswer(keepAll(chosen, request), endWith).then(endWith, (error: unknown) =>
    end(error instanceof Unanswered ? failures.storageSilent : noRoom),
  );
}

async function keepAll(chosen: readonly Keeping[], request: KeepRequest | null): Promise<boolean> {
  // The dialog may be closed, and its choice forgotten, before a slow storage answers.
  const filter = request?.kind === 'filter' ? followed(request) : null;
  const isSame = watchViewer();
  const isKept = await keepVideos(chosen, filter?.tagIds[0] ?? null);
  if (isKept && filter && isSame()) await followFilter(filter);
  return isKept;
}

function followed({ filter: { tagIds, mode } }: Extract<KeepRequest, { kind: 'filter' }>) {
  const { inHd, extent, newestAt: since } = keeping;
  return { tagIds: [...tagIds], mode, inHd, seconds: extent === 'hours' ? hoursSeconds : null, since };
}
