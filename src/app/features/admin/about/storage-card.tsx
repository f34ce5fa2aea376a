import type { Snapshot } from 'valtio';
import { Card } from '#app/ui/card/card.tsx';
import { Row } from '#app/ui/card/row.tsx';
import type { About } from '#contract/entities/site.ts';
import { DiskSpace } from '../disk-space.tsx';
import shared from '../section.module.css';
import { databaseNames, storageNames } from './about-words.ts';

/** Where the site keeps what it knows, and what it makes. */
export function StorageCard({ about: { database, storage } }: { about: Snapshot<About> }) {
  return (
    <Card title="Database and storage">
      <div className={shared.lines}>
        <ul>
          <Row label={databaseNames[database.kind]} value={database.place} />
          <Row label={storageNames[storage.kind]} value={storage.folder} />
        </ul>
        <DiskSpace freeBytes={storage.free_bytes} totalBytes={storage.total_bytes} />
      </div>
    </Card>
  );
}
