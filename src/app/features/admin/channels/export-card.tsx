import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { connection } from '#app/state/connection.ts';
import { Button } from '#app/ui/button.tsx';
import { Card } from '#app/ui/card/card.tsx';
import { Notice } from '#app/ui/card/notice.tsx';
import { sizeText } from '#app/ui/size-text.ts';
import { transferFormats } from '#contract/rules/tag.ts';
import shared from '../section.module.css';
import { exportChannels, resetExport, tagExport } from './export-store.ts';

/** All channels as a file. */
export function ExportCard() {
  const { format, bytes, notice } = useSnapshot(tagExport);
  const { isReachable } = useSnapshot(connection);
  useEffect(() => resetExport, []);
  return (
    <Card title="Export">
      <div className={shared.lines}>
        <p className={shared.quiet}>All channels, with the paths of their videos, as one file.</p>
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
