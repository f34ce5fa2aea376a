import { CircleAlert, CircleCheck } from 'lucide-react';
import { useSnapshot } from 'valtio';
import { providers } from '#app/state/providers.ts';
import { session } from '#app/state/session.ts';
import { Banner } from '#app/ui/banner.tsx';
import { Button } from '#app/ui/button.tsx';
import { PasswordField } from '#app/ui/form/password-field.tsx';
import { proofGiven, proofNeeded } from '#contract/notices.ts';
import { identities } from '../sign-ins/identities-store.ts';
import styles from './proof-fields.module.css';
import { hasPassword, proveByProvider, providerProof } from './provider-proof-store.ts';

interface Props {
  label: string;
  field: { value: string; problem: string | null | undefined; onChange: (value: string) => void };
}

/**
 * Confirms the user's identity before the account changes: the current password, or, without one, a sign-in at a linked
 * provider.
 */
export function ProofFields({ label, field }: Props) {
  return hasPassword(useSnapshot(session)) ? (
    <PasswordField label={label} autoComplete="current-password" {...field} />
  ) : (
    <ProviderProof />
  );
}

function ProviderProof() {
  const { isGiven } = useSnapshot(providerProof);
  const { list, waitingFor, failure } = useSnapshot(providers);
  const { linked } = useSnapshot(identities);
  if (isGiven) return <Banner kind="ok" icon={<CircleCheck aria-hidden="true" />} sentence={proofGiven} />;
  return (
    <div className={styles.proof}>
      <p>{proofNeeded}</p>
      {failure && <Banner kind="danger" icon={<CircleAlert aria-hidden="true" />} sentence={failure} />}
      {list
        .filter(({ name }) => linked?.some(({ provider }) => provider === name))
        .map((provider) => (
          <Button
            key={provider.name}
            kind="line"
            isBlock
            label={waitingFor === provider.name ? 'Confirming...' : `Confirm with ${provider.display_name}`}
            isDisabled={waitingFor !== null}
            onPress={() => proveByProvider(provider)}
          />
        ))}
    </div>
  );
}
