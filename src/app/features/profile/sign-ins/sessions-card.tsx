import type { Snapshot } from 'valtio';
import { useSnapshot } from 'valtio';
import { connection } from '#app/state/connection.ts';
import { Button } from '#app/ui/button.tsx';
import { Badge } from '#app/ui/card/badge.tsx';
import { Card } from '#app/ui/card/card.tsx';
import { Notice } from '#app/ui/card/notice.tsx';
import { Row } from '#app/ui/card/row.tsx';
import { momentOf } from '#app/ui/time-text.ts';
import type { Session } from '#contract/entities/account.ts';
import { startSignOut } from '../outbox/sign-out-store.ts';
import { ListMissing } from './list-missing.tsx';
import { endOneSession, loadSessions, sessions } from './sessions-store.ts';

/** The user's sessions, each with a button that ends it. */
export function SessionsCard() {
  const { list, hasFailed, refusal } = useSnapshot(sessions);
  const { isReachable } = useSnapshot(connection);
  return (
    <Card
      title="Signed-in Devices"
      foot={
        <Button
          kind="line"
          label="Sign Out Everywhere"
          isDisabled={!isReachable}
          onPress={() => startSignOut('everywhere')}
        />
      }
    >
      {list ? (
        <ul>
          {list.map((one) => (
            <SessionRow key={one.id} session={one} />
          ))}
        </ul>
      ) : (
        <ListMissing
          hasFailed={hasFailed}
          sentence="Your devices could not be loaded."
          onRetry={() => void loadSessions()}
        />
      )}
      <Notice notice={refusal === null ? null : { kind: 'danger', sentence: refusal }} />
    </Card>
  );
}

function SessionRow({ session: { id, device, last_used_at, current } }: { session: Snapshot<Session> }) {
  const { ending } = useSnapshot(sessions);
  const { isReachable } = useSnapshot(connection);
  const isEnding = ending.includes(id);
  return (
    <Row label={device} value={`Last used ${momentOf(last_used_at)}`}>
      {current ? (
        <Badge words="This device" />
      ) : (
        <Button
          kind="line"
          label={isEnding ? 'Signing out...' : 'Sign Out'}
          name={`Sign Out ${device}`}
          isDisabled={isEnding || !isReachable}
          onPress={() => void endOneSession(id)}
        />
      )}
    </Row>
  );
}
