import { useContext } from 'react';
import type { Snapshot } from 'valtio';
import { Button } from '#app/ui/button.tsx';
import { Card } from '#app/ui/card/card.tsx';
import { Row } from '#app/ui/card/row.tsx';
import type { EncodingOverview } from '#contract/entities/library.ts';
import shared from '../section.module.css';
import { SectionSwitch } from '../section-switch.ts';

/** How many videos have an encoding, wait for one, or could not get one. */
export function CountsCard({ overview }: { overview: Snapshot<EncodingOverview> }) {
  const openSection = useContext(SectionSwitch);
  const { videos, waiting, failed, running } = overview;
  const isNew = videos + waiting + failed + running.length === 0;
  return (
    <Card title="Videos" isReadOnly={failed === 0}>
      {isNew ? (
        <p className={shared.empty}>Nothing was encoded yet. A video is encoded when somebody needs it.</p>
      ) : (
        <ul>
          <Row label="With an encoding" value={videos.toLocaleString()} />
          <Row label="Waiting" value={waiting.toLocaleString()} />
          <Row label="Failed" value={failed.toLocaleString()}>
            {failed > 0 && <Button kind="line" label="Show in Jobs" onPress={() => openSection('jobs')} />}
          </Row>
        </ul>
      )}
    </Card>
  );
}
