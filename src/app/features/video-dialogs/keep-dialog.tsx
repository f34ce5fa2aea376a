import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { proxy, ref } from 'valtio/vanilla';
import { connection } from '#app/state/connection.ts';
import type { Keeping, KeepRequest } from '#app/state/saved/keeping.ts';
import { fitting, followFilter, keepingOf, keepRequest, keepVideos, listNewest } from '#app/state/saved/keeping.ts';
import type { SavedRoom } from '#app/state/saved/saved-room.ts';
import { readRoom } from '#app/state/saved/saved-room.ts';
import { savedOpened } from '#app/state/saved/saved-session.ts';
import { saved } from '#app/state/saved/saved-state.ts';
import { Button } from '#app/ui/button.tsx';
import { CheckRow } from '#app/ui/form/check-row.tsx';
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
  const { room, failure, isKeeping } = useSnapshot(keeping);
  const { isPossible } = useSnapshot(saved);
  const { isReachable } = useSnapshot(connection);
  const name = current?.kind === 'filter' ? current.name : current?.video.title;
  const chosen = chosenKeepings(useSnapshot(keeping) as KeepingState, current);
  const problem = isPossible === false ? failures.savingNotPossible : (failure ?? roomProblem(chosen, room));
  return (
    <Modal title="Keep offline" sentence={name ?? ''} onClose={onClose}>
      {room === null && problem === null ? (
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
        <Button
          label="Keep offline"
          isFirst
          isDisabled={room === null || problem !== null || chosen.length === 0 || isKeeping || !isReachable}
          onPress={() => void keep(chosen, current, onClose)}
        />
      </div>
    </Modal>
  );
}

function Options({ request }: { request: KeepRequest | null }) {
  const { videos, inHd, extent } = useSnapshot(keeping);
  const hasHd = videos.some(({ renditions }) => renditions.some(({ name }) => name === 'hd'));
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
  videos: readonly Keeping['video'][];
  /** Null until it is known what there is to keep, and room for it. */
  room: SavedRoom | null;
  inHd: boolean;
  extent: (typeof extents)[number]['value'];
  failure: string | null;
  isKeeping: boolean;
}

const initial = (): KeepingState => ({
  videos: ref([]),
  room: null,
  inHd: false,
  extent: 'space',
  failure: null,
  isKeeping: false,
});

const keeping = proxy<KeepingState>(initial());

/** Returns a function that forgets the request. */
function openKeeping(request: KeepRequest): () => void {
  let isOpen = true;
  void load(request, () => isOpen);
  return () => {
    isOpen = false;
    Object.assign(keeping, initial());
  };
}

async function load(request: KeepRequest, isOpen: () => boolean): Promise<void> {
  try {
    await savedOpened();
    const videos = request.kind === 'video' ? [request.video] : await listNewest(request.filter);
    const room = await readRoom();
    if (isOpen()) Object.assign(keeping, { videos: ref(videos), room });
  } catch (error) {
    if (isOpen()) keeping.failure = failures.loadVideos(error);
  }
}

function chosenKeepings({ videos, room, inHd, extent }: KeepingState, request: KeepRequest | null): Keeping[] {
  const kept = new Set(saved.rows.filter(({ kind }) => kind === 'chosen').map(({ videoId }) => videoId));
  const all = videos.filter(({ id }) => !kept.has(id)).flatMap((video) => keepingOf(video, inHd) ?? []);
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
  const [channelId = null] = request?.kind === 'filter' ? request.filter.tagIds : [];
  const isKept = await keepVideos(chosen, channelId).catch(() => false);
  if (isKept && request?.kind === 'filter') await followFilter(followed(request));
  keeping.isKeeping = false;
  if (isKept) onKept();
  else keeping.failure = failures.noRoomToSave(sizeText(bytesOf(chosen)));
}

function followed({ filter: { tagIds, mode } }: Extract<KeepRequest, { kind: 'filter' }>) {
  const { inHd, extent } = keeping;
  return { tagIds: [...tagIds], mode, inHd, seconds: extent === 'hours' ? hoursSeconds : null };
}
