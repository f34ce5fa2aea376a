import { ArrowDownToLine, Pause, Play, RotateCw, Trash2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useSnapshot } from 'valtio';
import { proxy } from 'valtio/vanilla';
import { isInIosTab, serviceWorkers } from '#app/platform/later-capabilities.ts';
import { chooseReelSize, isLinkKnown, linkChoice, reelChoice, reelSizes, setWifiOnly } from '#app/state/link-choice.ts';
import { forgetFilters, pauseSaved, resumeSaved, startKeeping } from '#app/state/saved/keeping.ts';
import { chooseSpace, savedSpaces } from '#app/state/saved/saved-room.ts';
import { removeSaved, savedOpened } from '#app/state/saved/saved-session.ts';
import { saved } from '#app/state/saved/saved-state.ts';
import { isAmong, session } from '#app/state/session.ts';
import { Bar } from '#app/ui/bar.tsx';
import { Button, IconButton } from '#app/ui/button.tsx';
import { Card } from '#app/ui/card.tsx';
import { ConfirmDialog } from '#app/ui/dialogs.tsx';
import { CheckRow } from '#app/ui/form/check-row.tsx';
import { Select } from '#app/ui/form/select.tsx';
import { SquaresLoader } from '#app/ui/loading.tsx';
import { savingText, sizeText } from '#app/ui/texts.ts';
import { confirmations } from '#contract/confirmations.ts';
import { failures } from '#contract/failures.ts';
import { notices } from '#contract/notices.ts';
import { isHeavyToKeep } from '#contract/rules/rendition.ts';
import type { SavedReason, SavedVideo } from '#device/saved/saved-video.ts';
import styles from './kept-card.module.css';

/** The videos that this device keeps for the viewer (§2 Profile). */
export function KeptCard() {
  const state = useSnapshot(saved) as typeof saved;
  const { isAsking } = useSnapshot(removing);
  useEffect(startKeeping, []);
  useEffect(() => void savedOpened(), []);
  const rows = state.rows;
  return (
    <Card title="Kept on this device" foot={rows.length > 0 && <RemoveAll />}>
      {state.isPossible === false ? (
        <p className={styles.hint}>{failures.savingNotPossible}</p>
      ) : (
        <>
          <Room />
          <Rows />
          <Promises hasRows={rows.length > 0} />
        </>
      )}
      {isAsking && (
        <ConfirmDialog
          title="Remove all"
          sentence={confirmations.removeSaved(rows.length)}
          action="Remove all"
          onConfirm={() => void removeAll(rows)}
          onClose={cancelRemoval}
        />
      )}
    </Card>
  );
}

/** Says what this browser does not promise about the videos that it keeps. */
function Promises({ hasRows }: { hasRows: boolean }) {
  const { isPersistent } = useSnapshot(saved);
  const { user } = useSnapshot(session);
  const hasWorker = serviceWorkers() !== undefined;
  const sentences = [
    hasRows && isPersistent === false && !isInIosTab() && notices.savedMayBeRemoved,
    hasRows && isInIosTab() && notices.savedUntilUnused,
    !hasWorker && notices.savedWhileOpen,
    !hasWorker && isAmong(user, 'admin') && notices.secureAddressWay,
  ];
  return sentences.map(
    (sentence) =>
      sentence && (
        <p key={sentence} className={styles.hint}>
          {sentence}
        </p>
      ),
  );
}

const removing = proxy({ isAsking: false });

function RemoveAll() {
  return (
    <Button
      kind="danger"
      label="Remove all"
      onPress={() => {
        removing.isAsking = true;
      }}
    />
  );
}

function cancelRemoval(): void {
  removing.isAsking = false;
}

async function removeAll(rows: readonly SavedVideo[]): Promise<void> {
  cancelRemoval();
  // Otherwise new videos of a kept channel would come again.
  await forgetFilters();
  await removeSaved(rows.map(({ id }) => id));
}

/** How much of the chosen space is used, and the choice of it. */
function Room() {
  const { room, isRoomLate } = useSnapshot(saved);
  const { saving: isWifiOnly } = useSnapshot(linkChoice);
  const { megabytes: reelMegabytes } = useSnapshot(reelChoice);
  if (!room) return isRoomLate && <Failed sentence={failures.storageSilent} />;
  const isBounded = Number.isFinite(room.space);
  const words = isBounded ? `${sizeText(room.used)} of ${sizeText(room.space)}` : sizeText(room.used);
  return (
    <div className={styles.room}>
      {isBounded && <Bar share={room.space > 0 ? Math.min(1, room.used / room.space) : 0} />}
      <p className={styles.used}>{words}</p>
      <Select
        label="Space for saved videos"
        options={spacesWith(room.space)}
        value={String(room.space)}
        onChange={(space) => chooseSpace(Number(space))}
      />
      <Select
        label="Keep what was watched"
        options={reelOptions}
        value={String(reelMegabytes)}
        onChange={(megabytes) => chooseReelSize(Number(megabytes))}
      />
      {isLinkKnown() && (
        <CheckRow
          label="Wi-Fi only"
          hint="On this device, for all saved videos."
          isOn={isWifiOnly}
          onChange={(isOn) => setWifiOnly('saving', isOn)}
        />
      )}
    </div>
  );
}

const reelOptions = reelSizes.map((megabytes) => ({
  value: String(megabytes),
  label: megabytes === 0 ? 'Off' : sizeText(megabytes * 1_000_000),
}));

/** The spaces to choose from, with the present one where the viewer has not chosen yet. */
function spacesWith(present: number): { value: string; label: string }[] {
  const spaces = savedSpaces.includes(present) ? savedSpaces : [present, ...savedSpaces];
  return spaces.map((space) => ({
    value: String(space),
    label: Number.isFinite(space) ? sizeText(space) : 'All that may be had',
  }));
}

function Rows() {
  const { rows, phase } = useSnapshot(saved) as typeof saved;
  if (phase === 'failed') return <Failed sentence={failures.savedNotRead} />;
  if (phase === 'loading') return <SquaresLoader className={styles.loader} />;
  if (rows.length === 0)
    return <p className={styles.hint}>Nothing is kept yet. Keep offline is in the menu of each video.</p>;
  return (
    <ul className={styles.list} data-focus-region>
      {rows.map((row) => (
        <KeptRow key={row.id} row={row} />
      ))}
    </ul>
  );
}

function Failed({ sentence }: { sentence: string }) {
  return (
    <div role="alert" className={styles.failed}>
      <p>{sentence}</p>
      <Button kind="line" label="Retry" onPress={() => void savedOpened()} />
    </div>
  );
}

function KeptRow({ row }: { row: SavedVideo }) {
  const { activeId, isElsewhere, encodings } = useSnapshot(saved);
  const { id, filename, kind, size, savedBytes, state, reason } = row;
  const isHeavy = reason === 'not-smaller';
  const isUnderWay = state === 'waiting' || state === 'saving';
  return (
    <li className={styles.row}>
      <Poster poster={row.poster} />
      <div className={styles.words}>
        <bdi className={styles.name}>{filename}</bdi>
        <p className={styles.state}>{stateWords(row, activeId === id, { isElsewhere, encodings })}</p>
        {isUnderWay && <Bar share={size > 0 ? savedBytes / size : null} />}
      </div>
      <div className={styles.buttons}>
        {isUnderWay && (
          <IconButton
            label={`Pause: ${filename}`}
            icon={<Pause aria-hidden="true" />}
            onPress={() => void pauseSaved(id)}
          />
        )}
        {state === 'paused' && (
          <IconButton
            label={`${isHeavy ? 'Keep the original' : 'Resume'}: ${filename}`}
            icon={isHeavy ? <ArrowDownToLine aria-hidden="true" /> : <Play aria-hidden="true" />}
            onPress={() => void resumeSaved(id)}
          />
        )}
        {state === 'failed' && kind === 'chosen' && (
          <IconButton
            label={`Retry: ${filename}`}
            icon={<RotateCw aria-hidden="true" />}
            onPress={() => void resumeSaved(id)}
          />
        )}
        <IconButton
          label={`Remove: ${filename}`}
          icon={<Trash2 aria-hidden="true" />}
          onPress={() => void removeSaved([id])}
        />
      </div>
    </li>
  );
}

/** The poster of a kept video; a plain tile where it has none, or where it is no picture. */
function Poster({ poster }: { poster: Blob | null }) {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (!poster) return;
    const created = URL.createObjectURL(poster);
    setUrl(created);
    return () => URL.revokeObjectURL(created);
  }, [poster]);
  return <div className={styles.poster}>{url !== null && <img src={url} alt="" onError={() => setUrl(null)} />}</div>;
}

function stateWords(
  row: SavedVideo,
  isActive: boolean,
  { isElsewhere, encodings }: Pick<typeof saved, 'isElsewhere' | 'encodings'>,
): string {
  const { id, state, reason, size, savedBytes, kind } = row;
  if (state === 'whole') return `${kind === 'reel' ? 'Watched' : 'Kept offline'} · ${sizeText(size)}`;
  if (reason !== null) return reasonWords(row, reason);
  if (state === 'paused') return `Paused · ${sizeText(savedBytes)} of ${sizeText(size)}`;
  if (isActive || state === 'saving' || encodings[id] !== undefined) return savingText(row, encodings[id]);
  return isElsewhere ? 'Saving in another tab' : `Waiting · ${sizeText(size)}`;
}

function reasonWords(row: SavedVideo, reason: SavedReason): string {
  const missing = sizeText(row.size - row.savedBytes);
  const isHeavy = isHeavyToKeep(row.size, row.durationSeconds);
  const words: Record<SavedReason, string> = {
    evicted: failures.savedEvicted,
    gone: failures.savedGone,
    plan: failures.savedNotInPlan,
    'no-room': failures.noRoomToSave(missing),
    unplayable: failures.savedUnplayable,
    'too-large': failures.savedTooLarge,
    'not-smaller': isHeavy ? failures.savedNotSmaller(missing) : failures.savedNotPrepared(missing),
  };
  return words[reason];
}
