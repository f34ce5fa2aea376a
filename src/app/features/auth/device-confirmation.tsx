import { CircleAlert } from 'lucide-react';
import { useSnapshot } from 'valtio';
import { Banner } from '#app/ui/banner.tsx';
import { Button } from '#app/ui/button.tsx';
import type { WaitingDevice } from '#contract/entities/account.ts';
import { approvalForm } from './device-approval-store.ts';
import styles from './device-confirmation.module.css';

/**
 * The device that is about to be signed in. The focus starts on Cancel, so that a second press of the same key approves
 * nothing.
 */
export function DeviceConfirmation({ device, onCancel }: { device: WaitingDevice; onCancel: () => void }) {
  const { isBusy } = useSnapshot(approvalForm.state);
  return (
    <>
      <dl className={styles.facts}>
        <Fact name="Device" value={device.device} />
        <Fact name="Network" value={networkOf(device)} />
        <Fact name="Asked" value={momentOf(device.asked_at)} />
      </dl>
      {device.is_same_network === false && (
        <Banner
          icon={<CircleAlert aria-hidden="true" />}
          sentence="It is not on the network that you are on. If somebody sent you this code, do not go on."
        />
      )}
      <div className={styles.buttons}>
        <Button kind="line" label="Cancel" onPress={onCancel} />
        <Button
          label={isBusy ? 'Signing In...' : 'Sign In'}
          isDisabled={isBusy}
          onPress={() => void approvalForm.submit()}
        />
      </div>
    </>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div className={styles.fact}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function networkOf({ address, is_same_network }: WaitingDevice): string {
  if (is_same_network === null) return address;
  return is_same_network ? `The same as this device (${address})` : `Another one (${address})`;
}

function momentOf(time: string): string {
  return new Date(time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
}
