import { useSnapshot } from 'valtio';
import { Card } from '#app/ui/card/card.tsx';
import { dashboard } from '../performance-store.ts';
import { AlertRow } from './alert-row.tsx';
import styles from './alerts-card.module.css';

/** The latest thresholds that were crossed in the last 24 hours. */
export function AlertsCard() {
  const { alerts } = useSnapshot(dashboard);
  return (
    <Card title="Performance Alerts" isReadOnly>
      {alerts.length === 0 ? (
        <p className={styles.none}>No alerts in the last 24 hours.</p>
      ) : (
        <ul>
          {alerts.map((alert) => (
            <AlertRow key={`${alert.id} ${alert.timestamp}`} alert={alert} />
          ))}
        </ul>
      )}
    </Card>
  );
}
