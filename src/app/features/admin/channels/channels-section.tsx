import { useEffect } from 'react';
import shared from '../section.module.css';
import { ChangeList } from './change-list.tsx';
import { resetChangeActions } from './changes-store.ts';
import { ExportCard } from './export-card.tsx';
import { ImportCard } from './import-card.tsx';
import { SidecarCard } from './sidecar-card.tsx';

/** Channels as files, and the way back of what was done to them. */
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
