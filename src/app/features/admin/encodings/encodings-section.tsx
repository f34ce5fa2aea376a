import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { Skeleton } from '#app/ui/loading/skeleton.tsx';
import { resourceFace } from '#app/ui/resource.ts';
import shared from '../section.module.css';
import { CountsCard } from './counts-card.tsx';
import { EncoderCard } from './encoder-card.tsx';
import { encodings } from './encodings-store.ts';
import { RunningCard } from './running-card.tsx';
import { SpaceCard } from './space-card.tsx';

/** What is made of videos so that every device plays them: its room, what is done, and what does it. */
export function EncodingsSection() {
  const state = useSnapshot(encodings.state);
  useEffect(() => encodings.open(), []);
  const overview = state.value;
  return (
    <div className={shared.section}>
      <ListBody
        face={resourceFace(state)}
        failure={state.failure}
        onRetry={() => void encodings.reload()}
        skeleton={<Skeleton className={shared.waiting} />}
        empty={null}
      >
        {overview && (
          <div className={shared.section}>
            <div className={shared.columns}>
              <SpaceCard overview={overview} />
              <CountsCard overview={overview} />
              <EncoderCard overview={overview} />
              <RunningCard running={overview.running} />
            </div>
          </div>
        )}
      </ListBody>
    </div>
  );
}
