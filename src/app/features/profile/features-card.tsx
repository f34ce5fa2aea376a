import { Check, X } from 'lucide-react';
import { useSnapshot } from 'valtio';
import { currentForm } from '#app/platform/input/screen-form.ts';
import { openDialog } from '#app/state/navigation.ts';
import { session } from '#app/state/session.ts';
import { Button } from '#app/ui/button.tsx';
import { Card } from '#app/ui/card/card.tsx';
import type { FeatureName } from '#contract/rules/tiers.ts';
import { defaultFeatures } from '#contract/rules/tiers.ts';
import styles from './features-card.module.css';

/** §2 Profile names these three. */
const shown: ReadonlyArray<{ name: FeatureName; label: string }> = [
  { name: 'quad_stream', label: 'Quad-Multiplayer Streaming' },
  { name: 'video_controls', label: 'Video Controls (Mute/Pin/Seek/Skip)' },
  { name: 'customizable_skip_limits', label: 'Customizable Skip Limits' },
];

/** The viewer's features, and a button to the plans. */
export function FeaturesCard() {
  const { user, features } = useSnapshot(session);
  const granted = features ?? defaultFeatures;
  return (
    <Card title="Available Features">
      <ul className={styles.features}>
        {shown.map(({ name, label }) => (
          <li key={name} className={granted[name] ? styles.granted : styles.missing}>
            {granted[name] ? <Check aria-hidden="true" /> : <X aria-hidden="true" />}
            <span className={styles.words}>{label}</span>
            <span className="visually-hidden">{granted[name] ? ', included' : ', not included'}</span>
          </li>
        ))}
      </ul>
      {/* The focus starts here, not on 'Sign Out', which a remote could press by accident. */}
      <Button
        kind="tonal"
        isBlock
        isFirst={user !== null && currentForm() === 'tv'}
        label={user ? 'View Plans & Upgrade' : 'View Subscription Plans'}
        onPress={() => openDialog('plans')}
      />
    </Card>
  );
}
