import { FolderOpen, Upload } from 'lucide-react';
import type { ChangeEvent, ReactNode } from 'react';
import { useEffect, useRef, useState } from 'react';
import type { Snapshot } from 'valtio';
import { useSnapshot } from 'valtio';
import { matches } from '#app/platform/capabilities.ts';
import { pickFileHandles, picksFolders, picksHandles } from '#app/platform/file-access.ts';
import { currentForm } from '#app/platform/input/screen-form.ts';
import type { PickedFile, SharedBatch } from '#app/state/uploads/uploads-state.ts';
import { uploads } from '#app/state/uploads/uploads-state.ts';
import { Button } from '#app/ui/button.tsx';
import { Card } from '#app/ui/card.tsx';
import { sizeText } from '#app/ui/texts.ts';
import { messageOf } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { notices } from '#contract/notices.ts';
import styles from './add-panel.module.css';
import { addDropped, addFolder, addPasted, withoutHandles } from './add-store.ts';
import { addFiles, claimShared, discardShared, showAlert, uploadScreen } from './upload-store.ts';

/** The area in which files are dropped or chosen. */
export function AddPanel() {
  const isOver = useFileDrop();
  const { isAdding } = useSnapshot(uploadScreen);
  const videos = useFilePicker((files) => void addFiles(files), { isMultiple: true });
  const isPhone = currentForm() === 'phone';
  return (
    <section className={`${styles.area} ${isOver ? styles.over : ''}`} aria-labelledby="add-videos">
      <Upload className={styles.icon} aria-hidden="true" />
      <h2 id="add-videos" className={styles.title}>
        {isPhone || !matches('(hover: hover)') ? 'Add videos' : 'Drop videos here'}
      </h2>
      <div className={styles.buttons}>
        <Button
          kind="line"
          isFirst
          label={isAdding ? 'Adding...' : 'Choose files'}
          icon={<FolderOpen aria-hidden="true" />}
          isDisabled={isAdding}
          onPress={videos.open}
        />
        {picksFolders() && <Button kind="quiet" label="Choose folder" onPress={() => void addFolder()} />}
        {matches('(pointer: coarse)') && <CameraButton />}
      </div>
      {videos.input}
      <p className={styles.hint}>{limits.uploadExtensions.join(', ')}</p>
      <p className={styles.hint}>Up to 5 GB each</p>
    </section>
  );
}

function CameraButton() {
  const camera = useFilePicker((files) => void addFiles(files), { isCamera: true, label: 'Camera' });
  return (
    <>
      <Button kind="quiet" label="Record a video" onPress={camera.open} />
      {camera.input}
    </>
  );
}

/**
 * Adds files that are dropped anywhere on the page, or pasted; otherwise the browser would open
 * them in place of the page.
 * @returns whether files are held over the page
 */
function useFileDrop(): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      // Moving from one element to the next does not leave the window.
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      if (!hasFiles(event) || event.dataTransfer === null) return;
      event.preventDefault();
      setOver(false);
      void addDropped(event.dataTransfer);
    };
    const paste = (event: ClipboardEvent) => {
      if (event.clipboardData && event.clipboardData.files.length > 0) void addPasted(event.clipboardData.files);
    };
    const stops = [listen('dragover', over), listen('dragleave', leave), listen('drop', drop), listen('paste', paste)];
    return () => {
      for (const stop of stops) stop();
    };
  }, []);
  return isOver;
}

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return Array.from(dataTransfer?.types ?? []).includes('Files');
}

function listen<Name extends keyof WindowEventMap>(
  name: Name,
  listener: (event: WindowEventMap[Name]) => void,
): () => void {
  window.addEventListener(name, listener);
  return () => window.removeEventListener(name, listener);
}

/** Desktops filter by extension, phones by media type. */
const accepted = `video/*,${limits.uploadExtensions.join()}`;

interface Options {
  isMultiple?: boolean;
  /** Opens the camera, where there is one. */
  isCamera?: boolean;
  label?: string;
}

/**
 * Opens a file picker: with handles in browsers that have them, else by an input element, which has
 * to be rendered.
 */
export function useFilePicker(
  onPick: (files: PickedFile[]) => void,
  { isMultiple = false, isCamera = false, label = 'Videos' }: Options = {},
): { open: () => void; input: ReactNode } {
  const field = useRef<HTMLInputElement>(null);
  const choose = ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    onPick(withoutHandles(currentTarget.files ?? []));
    // An empty value lets the same file be chosen again.
    currentTarget.value = '';
  };
  const open = () => {
    if (picksHandles() && !isCamera) void pickHandles(isMultiple).then(onPick, showFailure);
    else field.current?.click();
  };
  const input = (
    <input
      ref={field}
      type="file"
      accept={isCamera ? 'video/*' : accepted}
      multiple={isMultiple}
      {...(isCamera && { capture: 'environment' as const })}
      aria-label={label}
      hidden
      onChange={choose}
    />
  );
  return { open, input };
}

/** Shows that a chosen file was deleted, or cannot be read. */
function showFailure(error: unknown): void {
  showAlert('Upload Videos', messageOf(error));
}

async function pickHandles(isMultiple: boolean): Promise<PickedFile[]> {
  const handles = await pickFileHandles(isMultiple, limits.uploadExtensions);
  return Promise.all(handles.map(async (handle) => ({ file: await handle.getFile(), handle })));
}

/** The most names that are listed. */
const maxNames = 5;

/** Files that were shared into the app, which are not sent before a user adds them. */
export function SharedCards() {
  const { shared } = useSnapshot(uploads);
  return shared.map((files) =>
    files.names.length === 0 ? (
      <Refusals key={files.batchId} batchId={files.batchId} />
    ) : (
      <SharedCard key={files.batchId} {...files} />
    ),
  );
}

/** Shows at once why all shared files were refused, as there is nothing to add. */
function Refusals({ batchId }: { batchId: string }) {
  useEffect(() => void claimShared(batchId), [batchId]);
  return null;
}

function SharedCard({ batchId, names, size }: Snapshot<SharedBatch>) {
  return (
    <div className={styles.place}>
      <Card title={notices.filesShared(names.length)}>
        <p className={styles.names}>
          <bdi>{names.slice(0, maxNames).join(', ')}</bdi>
          {names.length > maxNames && ` and ${names.length - maxNames} more`}
          {`, ${sizeText(size)}`}
        </p>
        <div className={styles.sharedCardsButtons}>
          <Button kind="tonal" label="Add to my uploads" onPress={() => void claimShared(batchId)} />
          <Button kind="line" label="Discard" onPress={() => void discardShared(batchId)} />
        </div>
      </Card>
    </div>
  );
}
