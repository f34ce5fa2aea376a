import type { Snapshot } from 'valtio';
import { Badge } from '#app/ui/card/badge.tsx';
import { Card } from '#app/ui/card/card.tsx';
import type { EncodingOverview } from '#contract/entities/library.ts';
import shared from '../section.module.css';

/** What encodes, and what it makes of HDR. */
export function EncoderCard({ overview }: { overview: Snapshot<EncodingOverview> }) {
  const { encoder, is_hardware, maps_tones } = overview;
  const badge = encoder !== null && <Badge words={is_hardware ? 'Hardware' : 'Software'} />;
  return (
    <Card title="Encoder" end={badge} isReadOnly>
      <div className={shared.lines}>
        {encoder === null ? (
          <p>No ffmpeg works here: nothing is encoded. What a device plays as it is still plays.</p>
        ) : (
          <>
            <p>
              <bdi>{encoder}</bdi>
            </p>
            <p className={shared.quiet}>
              {maps_tones
                ? 'HDR is tone mapped.'
                : 'HDR is converted without tone mapping, which this ffmpeg lacks: it looks pale.'}
            </p>
          </>
        )}
      </div>
    </Card>
  );
}
