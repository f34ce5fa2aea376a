import type { Snapshot } from 'valtio';
import { Bar } from '#app/ui/bar.tsx';
import { Card } from '#app/ui/card/card.tsx';
import { sizeText } from '#app/ui/size-text.ts';
import type { EncodingOverview } from '#contract/entities/library.ts';
import shared from '../section.module.css';

/** A full budget is how it should be: what was not used for the longest time makes room. */
export function SpaceCard({ overview }: { overview: Snapshot<EncodingOverview> }) {
  const { used_bytes, budget_bytes, free_bytes } = overview;
  return (
    <Card title="Space" isReadOnly>
      <div className={shared.lines}>
        <Bar share={budget_bytes === 0 ? 1 : Math.min(1, used_bytes / budget_bytes)} />
        <p>{`${sizeText(used_bytes)} used of ${sizeText(budget_bytes)}`}</p>
        <p className={shared.quiet}>
          {free_bytes === null
            ? 'Its disk does not say how much room is left.'
            : `${sizeText(free_bytes)} free on its disk`}
        </p>
        <p className={shared.quiet}>What was not played for the longest time makes room for the next.</p>
      </div>
    </Card>
  );
}
