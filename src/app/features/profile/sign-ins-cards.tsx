import { CircleAlert } from 'lucide-react';
import type { Snapshot } from 'valtio';
import { useSnapshot } from 'valtio';
import { connection } from '#app/state/connection.ts';
import { providers, visitProvider } from '#app/state/providers.ts';
import { Badge } from '#app/ui/badge.tsx';
import { Button } from '#app/ui/button.tsx';
import { Card, Notice, Row } from '#app/ui/card.tsx';
import { Skeleton } from '#app/ui/loading.tsx';
import { Banner } from '#app/ui/messages.tsx';
import { momentOf } from '#app/ui/texts.ts';
import type { AuthProvider, Session } from '#contract/entities/account.ts';
import styles from './sign-ins-cards.module.css';
import type { ProviderRow } from './sign-ins-store.ts';
import {
  endOneSession,
  identities,
  loadIdentities,
  loadSessions,
  providerRowsOf,
  sessions,
  unlink,
} from './sign-ins-store.ts';
import { startSignOut } from './sign-out-dialog.tsx';

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

/** Linked accounts of sign-in providers; hidden where no provider is configured. */
export function IdentitiesCard() {
  const { linked, hasFailed, refusal } = useSnapshot(identities);
  const { list, failure } = useSnapshot(providers);
  const problem = refusal ?? failure;
  if (list.length === 0 && !hasFailed && !linked?.length) return null;
  return (
    <Card title="Sign-in With Others">
      {linked ? (
        <ul>
          {providerRowsOf(list, linked).map((row) => (
            <IdentityRow key={row.name} row={row} provider={list.find(({ name }) => name === row.name)} />
          ))}
        </ul>
      ) : (
        <ListMissing
          hasFailed={hasFailed}
          sentence="Your linked accounts could not be loaded."
          onRetry={() => void loadIdentities()}
        />
      )}
      <Notice notice={problem === null ? null : { kind: 'danger', sentence: problem }} />
    </Card>
  );
}

function IdentityRow({
  row: { name, label, linked },
  provider,
}: {
  row: ProviderRow;
  provider: Snapshot<AuthProvider> | undefined;
}) {
  const { unlinking } = useSnapshot(identities);
  const isDisabled = !useSnapshot(connection).isReachable;
  const isWaiting = useSnapshot(providers).waitingFor === name;
  if (linked) {
    return (
      <Row label={label} value={linked.email ?? 'Linked'}>
        <Button
          kind="line"
          label="Unlink"
          name={`Unlink ${label}`}
          isDisabled={isDisabled || unlinking !== null}
          onPress={() => void unlink(name)}
        />
      </Row>
    );
  }
  return (
    <Row label={label} value="Not linked">
      {provider && (
        <Button
          kind="line"
          label={isWaiting ? 'Linking...' : 'Link'}
          name={`Link ${label}`}
          isDisabled={isDisabled || isWaiting}
          onPress={() => link(provider)}
        />
      )}
    </Row>
  );
}

function link(provider: AuthProvider): void {
  identities.refusal = null;
  visitProvider(provider, { isLinking: true, onSuccess: () => void loadIdentities() });
}

interface Props {
  hasFailed: boolean;
  /** The message when the list could not be loaded. */
  sentence: string;
  onRetry: () => void;
}

/** Shown instead of a list that is loading or could not be loaded. */
function ListMissing({ hasFailed, sentence, onRetry }: Props) {
  if (hasFailed) {
    return (
      <Banner
        kind="danger"
        icon={<CircleAlert aria-hidden="true" />}
        sentence={sentence}
        action={{ label: 'Retry', onPress: onRetry }}
      />
    );
  }
  return (
    <div role="status">
      <span className="visually-hidden">Loading...</span>
      <Skeleton className={styles.line} />
      <Skeleton className={styles.line} />
    </div>
  );
}
