import { CircleAlert } from 'lucide-react';
import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { recovered } from '#app/platform/http/recovery.ts';
import { cancelVisit, loadMissingProviders, loadProviders, providers, visitProvider } from '#app/state/providers.ts';
import { Banner } from '#app/ui/banner.tsx';
import { Button } from '#app/ui/button.tsx';
import styles from './provider-buttons.module.css';

/** Sign-in with providers, where the operator has configured any (§2 Sign-in dialog). */
export function ProviderButtons() {
  const { list, waitingFor, failure } = useSnapshot(providers);
  useEffect(() => {
    void loadProviders();
    return cancelVisit;
  }, []);
  useEffect(() => recovered.listen(() => void loadMissingProviders()), []);
  if (list.length === 0 && failure === null) return null;
  return (
    <div className={styles.providers}>
      <p className={styles.heading}>or continue with</p>
      {failure && <Banner kind="danger" icon={<CircleAlert aria-hidden="true" />} sentence={failure} />}
      {list.map((provider) => (
        <Button
          key={provider.name}
          kind="line"
          label={`Continue with ${provider.display_name}`}
          isBlock
          isDisabled={waitingFor !== null}
          onPress={() => visitProvider(provider)}
        />
      ))}
    </div>
  );
}
