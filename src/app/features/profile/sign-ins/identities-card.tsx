import type { Snapshot } from 'valtio';
import { useSnapshot } from 'valtio';
import { connection } from '#app/state/connection.ts';
import { providers, visitProvider } from '#app/state/providers.ts';
import { Button } from '#app/ui/button.tsx';
import { Card } from '#app/ui/card/card.tsx';
import { Notice } from '#app/ui/card/notice.tsx';
import { Row } from '#app/ui/card/row.tsx';
import type { AuthProvider } from '#contract/entities/account.ts';
import type { ProviderRow } from './identities-store.ts';
import { identities, loadIdentities, rowsOf, unlink } from './identities-store.ts';
import { ListMissing } from './list-missing.tsx';

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
          {rowsOf(list, linked).map((row) => (
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
