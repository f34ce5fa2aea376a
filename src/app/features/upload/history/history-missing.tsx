import { useSnapshot } from 'valtio';
import { connection } from '#app/state/connection.ts';

/** Shown instead of the past uploads while their file could not be loaded. */
export function HistoryMissing() {
  const { isReachable } = useSnapshot(connection);
  return (
    <section aria-labelledby="past-uploads">
      <h2 id="past-uploads">Past uploads</h2>
      <p role="status">{isReachable ? 'They could not be loaded.' : 'Waiting for network'}</p>
    </section>
  );
}
