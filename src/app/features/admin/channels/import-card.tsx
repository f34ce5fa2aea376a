import type { ChangeEvent, DragEvent, ReactNode } from 'react';
import { useEffect, useRef, useState } from 'react';
import type { Snapshot } from 'valtio';
import { useSnapshot } from 'valtio';
import { matches } from '#app/platform/capabilities.ts';
import { currentForm } from '#app/platform/input/screen-form.ts';
import { connection } from '#app/state/connection.ts';
import { Button } from '#app/ui/button.tsx';
import { Card, Notice } from '#app/ui/card.tsx';
import { countText } from '#app/ui/texts.ts';
import type { TransferFormat } from '#contract/rules/tag.ts';
import shared from '../section.module.css';
import { EntryRow } from '../section-parts.tsx';
import styles from './import-card.module.css';
import type { ImportPlan } from './import-store.ts';
import { checkImport, resetImport, startImport, tagImport } from './import-store.ts';

/** Imports channels from a file. The plan is shown before anything changes. */
export function ImportCard() {
  const { checking, plan, isImporting, notice } = useSnapshot(tagImport);
  const { isReachable } = useSnapshot(connection);
  const isReady = isReachable && checking === null && !isImporting;
  useEffect(() => resetImport, []);
  return (
    <DropArea isReady={isReady} onDrop={(file) => void checkImport(file)}>
      <Card title="Import">
        <FileForms />
        <div className={shared.buttons}>
          <FileButton label={checking === null ? 'Choose a File' : 'Checking...'} isReady={isReady} />
          {canDrop() && <p className={styles.hint}>or drop one here</p>}
        </div>
        <Notice notice={notice} />
        <div role="status">{plan && <ImportPlanPanel plan={plan} />}</div>
      </Card>
    </DropArea>
  );
}

/** Whether files can be dropped: with a mouse, but not on a TV. */
function canDrop(): boolean {
  return currentForm() !== 'tv' && matches('(hover: hover)');
}

function FileButton({ label, isReady }: { label: string; isReady: boolean }) {
  const input = useRef<HTMLInputElement>(null);
  const choose = ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    const [file] = currentTarget.files ?? [];
    if (file) void checkImport(file);
    // An empty value lets the same file be chosen again after it was corrected.
    currentTarget.value = '';
  };
  return (
    <>
      <input ref={input} type="file" accept={importTypes} aria-label="File of channels" hidden onChange={choose} />
      <Button kind="tonal" label={label} isDisabled={!isReady} onPress={() => input.current?.click()} />
    </>
  );
}

/** The changes that the import would make, with buttons to confirm or cancel. */
function ImportPlanPanel({ plan }: { plan: Snapshot<ImportPlan> }) {
  const { isImporting } = useSnapshot(tagImport);
  const { isReachable } = useSnapshot(connection);
  return (
    <div className={styles.plan}>
      <h3 className={styles.filename}>
        <bdi>{plan.filename}</bdi>
      </h3>
      <ul>
        {planTexts(plan).map((words) => (
          <li key={words}>{words}</li>
        ))}
      </ul>
      <div className={shared.buttons}>
        {!changesNothing(plan) && (
          <Button
            label={isImporting ? 'Importing...' : 'Import'}
            isDisabled={isImporting || !isReachable}
            onPress={() => void startImport()}
          />
        )}
        <Button kind="quiet" label="Cancel" name="Cancel the import" isDisabled={isImporting} onPress={resetImport} />
      </div>
      <FailedLines plan={plan} />
    </div>
  );
}

function FailedLines({ plan: { format, failed, failed_count } }: { plan: Snapshot<ImportPlan> }) {
  const unnamed = failed_count - failed.length;
  if (failed_count === 0) return null;
  return (
    <div className={styles.failed}>
      <ul aria-label="Lines that cannot be imported">
        {failed.map(({ line, message }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line can fail twice, and the list never changes
          <EntryRow key={at} label={lineText(format, line)}>
            <p>
              <bdi>{message}</bdi>
            </p>
          </EntryRow>
        ))}
      </ul>
      {unnamed > 0 && <p className={shared.quiet}>{moreText(unnamed)}</p>}
    </div>
  );
}

type Counts = Pick<ImportPlan, 'tags_created' | 'links_added' | 'links_present' | 'details_changed' | 'failed_count'>;

export function changesNothing({ tags_created, links_added, details_changed }: Counts): boolean {
  return tags_created + links_added + details_changed === 0;
}

/** Sentences about the changes of an import and the lines that cannot be imported. */
export function planTexts(plan: Counts): string[] {
  const { tags_created, links_added, links_present, details_changed, failed_count } = plan;
  return [
    ...(changesNothing(plan) ? ['Nothing would change'] : []),
    ...(tags_created > 0 ? [`${countText(tags_created, 'channel')} will be created`] : []),
    ...(links_added > 0 ? [`${countText(links_added, 'assignment')} will be added`] : []),
    ...(links_present > 0 ? [`${countText(links_present, 'assignment')} already there`] : []),
    ...(details_changed > 0 ? [`${countText(details_changed, 'video')} will get another title or description`] : []),
    ...(failed_count > 0 ? [`${countText(failed_count, 'line')} cannot be imported`] : []),
  ];
}

/**
 * The line of a failure. The server counts lines of CSV, and the channels and then videos of JSON.
 */
export function lineText(format: TransferFormat, line: number): string {
  return `${format === 'csv' ? 'Line' : 'Entry'} ${line.toLocaleString()}`;
}

function moreText(count: number): string {
  return `and ${count.toLocaleString()} more`;
}

const csv = `tag,description,color,aliases,path,title,video_description
Alps,Peaks,#3B82F6,Alpes|Alpen,,,
Alps,,,,films/alps.mp4,,
,,,,films/alps.mp4,Over the Alps,By balloon`;

const json = `{"tags": [{
  "name": "Alps",
  "description": "Peaks",
  "color": "#3B82F6",
  "aliases": ["Alpes", "Alpen"],
  "videos": ["films/alps.mp4"]
}], "videos": [{
  "path": "films/alps.mp4",
  "title": "Over the Alps",
  "description": "By balloon"
}]}`;

/** Examples of the two file formats. */
function FileForms() {
  return (
    <div className={`${shared.lines} ${shared.quiet}`}>
      <p>
        Channels and the paths of their videos, in the form of an export. What is there already stays as it is, but for
        titles and descriptions of videos, which are replaced. In a CSV file, a row without a path describes a channel,
        one with a path puts it on a video, and one with a path alone gives the video its title and description.
      </p>
      <div className={shared.columns}>
        <div className={shared.lines}>
          <p>CSV</p>
          <pre className={styles.form}>{csv}</pre>
        </div>
        <div className={shared.lines}>
          <p>JSON</p>
          <pre className={styles.form}>{json}</pre>
        </div>
      </div>
    </div>
  );
}

interface Props {
  /**
   * Whether a dropped file is taken. Otherwise it is ignored, so that the browser does not open it
   * instead of the page.
   */
  isReady: boolean;
  /** Gets the first of the dropped files. */
  onDrop: (file: File) => void;
  children: ReactNode;
}

/** An area that accepts dropped files. */
function DropArea({ isReady, onDrop, children }: Props) {
  const [isOver, setOver] = useState(false);
  const enter = (event: DragEvent) => {
    event.preventDefault();
    setOver(isReady);
  };
  const leave = ({ currentTarget, relatedTarget }: DragEvent) => {
    if (!currentTarget.contains(relatedTarget as Node | null)) setOver(false);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const [file] = event.dataTransfer.files;
    if (isReady && file) onDrop(file);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is one more way; the button has all of it
    <div className={isOver ? styles.over : undefined} onDragOver={enter} onDragLeave={leave} onDrop={drop}>
      {children}
    </div>
  );
}

/** The `accept` value of the file input: extensions for desktops, media types for Android. */
const importTypes = '.csv,.json,text/csv,application/json';
