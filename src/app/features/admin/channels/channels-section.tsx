import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { download, saveFile } from '#app/platform/http/download.ts';
import { connection } from '#app/state/connection.ts';
import { Button } from '#app/ui/button.tsx';
import type { Outcome } from '#app/ui/card.tsx';
import { Card, Notice } from '#app/ui/card.tsx';
import { readRefusal } from '#app/ui/form/form.ts';
import { dayText, sizeText } from '#app/ui/texts.ts';
import { exportTags, importSidecars } from '#contract/endpoints.ts';
import { notices } from '#contract/notices.ts';
import type { TransferFormat } from '#contract/rules/tag.ts';
import { transferFormats } from '#contract/rules/tag.ts';
import { now } from '#device/timers.ts';
import shared from '../section.module.css';
import { ChangeList } from './change-list.tsx';
import { resetChangeActions, tagChanges } from './changes-store.ts';
import { ImportCard } from './import-card.tsx';

/** Export and import of channels, and the list of their changes. */
export function ChannelsSection() {
  useEffect(() => resetChangeActions, []);
  return (
    <div className={shared.section}>
      <div className={shared.columns}>
        <ExportCard />
        <SidecarCard />
      </div>
      <ImportCard />
      <ChangeList />
    </div>
  );
}

/** Exports all channels as a file. */
function ExportCard() {
  const { format, bytes, notice } = useSnapshot(tagExport);
  const { isReachable } = useSnapshot(connection);
  useEffect(() => resetExport, []);
  return (
    <Card title="Export">
      <div className={shared.lines}>
        <p className={shared.quiet}>
          All channels, with the paths of their videos, and the titles and descriptions that people gave videos, as one
          file.
        </p>
        <div className={shared.buttons}>
          {transferFormats.map((one) => (
            <Button
              key={one}
              kind="tonal"
              label={`Export as ${one.toUpperCase()}`}
              isDisabled={format !== null || !isReachable}
              onPress={() => void exportChannels(one)}
            />
          ))}
          {format !== null && <Button kind="quiet" label="Cancel" name="Cancel the export" onPress={resetExport} />}
        </div>
        {format !== null && <p>{bytes === 0 ? 'Exporting...' : `Exporting... ${sizeText(bytes)}`}</p>}
        <Notice notice={notice} />
      </div>
    </Card>
  );
}

interface ExportState {
  /** The format of the export in progress, or null. */
  format: TransferFormat | null;
  /** Bytes received so far. */
  bytes: number;
  notice: Outcome | null;
}

const atRest: ExportState = { format: null, bytes: 0, notice: null };

const tagExport = proxy<ExportState>({ ...atRest });

/** The shortest time between two updates of the shown count. */
const progressMs = 500;

let exporting = new AbortController();

/** Saves all channels and their assignments as a file. */
async function exportChannels(format: TransferFormat): Promise<void> {
  if (tagExport.format !== null) return;
  resetExport();
  const { signal } = exporting;
  tagExport.format = format;
  try {
    const file = await download(exportTags, { query: { format }, signal, onProgress: showProgress() });
    if (signal.aborted) return;
    const filename = `channels-${dayText(new Date(now()))}.${format}`;
    saveFile(file, filename);
    Object.assign(tagExport, atRest, {
      notice: { kind: 'ok', sentence: notices.channelsExported(filename, sizeText(file.size)) },
    });
  } catch (error) {
    if (signal.aborted) return;
    Object.assign(tagExport, atRest, { notice: { kind: 'danger', sentence: readRefusal(error) } });
  }
}

/** Cancels the export in progress. */
function resetExport(): void {
  exporting.abort();
  exporting = new AbortController();
  Object.assign(tagExport, atRest);
}

function showProgress(): (bytes: number) => void {
  let shownAt = Number.NEGATIVE_INFINITY;
  return (bytes) => {
    if (now() - shownAt < progressMs) return;
    shownAt = now();
    tagExport.bytes = bytes;
  };
}

/** Imports tags from sidecar files, which downloaders leave beside videos. */
function SidecarCard() {
  const { isStarting, notice } = useSnapshot(sidecarImport);
  const { isReachable } = useSnapshot(connection);
  useEffect(() => resetSidecarImport, []);
  return (
    <Card title="Sidecar Files">
      <div className={shared.lines}>
        <p className={shared.quiet}>
          Downloaders leave files beside videos that say what is in them: <code>.nfo</code>, <code>.info.json</code> and{' '}
          <code>.json</code>. Each tag in them becomes a channel of its video.
        </p>
        <div className={shared.buttons}>
          <Button
            kind="tonal"
            label={isStarting ? 'Starting...' : 'Read Tags from Sidecar Files'}
            isDisabled={isStarting || !isReachable}
            onPress={() => void startSidecarImport()}
          />
        </div>
        <Notice notice={notice} />
      </div>
    </Card>
  );
}

interface SidecarImport {
  isStarting: boolean;
  notice: Outcome | null;
}

const sidecarImport = proxy<SidecarImport>({ isStarting: false, notice: null });

async function startSidecarImport(): Promise<void> {
  if (sidecarImport.isStarting) return;
  Object.assign(sidecarImport, { isStarting: true, notice: null });
  try {
    await call(importSidecars);
    sidecarImport.notice = { kind: 'ok', sentence: notices.sidecarsStarted };
    void tagChanges.reload();
  } catch (error) {
    sidecarImport.notice = { kind: 'danger', sentence: readRefusal(error) };
  } finally {
    sidecarImport.isStarting = false;
  }
}

function resetSidecarImport(): void {
  Object.assign(sidecarImport, { isStarting: false, notice: null });
}
