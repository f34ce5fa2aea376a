import { useState } from 'react';
import { useSnapshot } from 'valtio';
import { connection } from '#app/state/connection.ts';
import { Button } from '#app/ui/button.tsx';
import { Card } from '#app/ui/card/card.tsx';
import { Notice } from '#app/ui/card/notice.tsx';
import { ConfirmDialog } from '#app/ui/overlay/confirm-dialog.tsx';
import { sizeText } from '#app/ui/size-text.ts';
import * as confirmations from '#contract/confirmations.ts';
import shared from '../section.module.css';
import { clearCache, libraryActions } from './library-store.ts';

/** What the site has made of the videos, and could make again. */
export function CacheCard({ bytes }: { bytes: number }) {
  const [isAsked, setAsked] = useState(false);
  const { isClearing, cacheNotice } = useSnapshot(libraryActions);
  const { isReachable } = useSnapshot(connection);
  const confirm = () => {
    setAsked(false);
    void clearCache();
  };
  return (
    <Card title="Cache">
      <div className={shared.lines}>
        <p>{`${sizeText(bytes)} of posters and previews`}</p>
        <div className={shared.buttons}>
          <Button
            kind="line"
            label={isClearing ? 'Clearing...' : 'Clear cache'}
            isDisabled={isClearing || !isReachable}
            onPress={() => setAsked(true)}
          />
        </div>
        <Notice notice={cacheNotice} />
      </div>
      {isAsked && (
        <ConfirmDialog
          title="Clear Cache"
          sentence={confirmations.clearCache}
          action="Clear cache"
          onConfirm={confirm}
          onClose={() => setAsked(false)}
        />
      )}
    </Card>
  );
}
