/** Grants a lock of a name to one after another, as the browser does. */
export function fakeLocks(): LockManager {
  const last = new Map<string, Promise<unknown>>();
  const request = (name: string, { signal }: LockOptions, run: () => Promise<unknown>) =>
    new Promise((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(new DOMException('Waited for too long', 'AbortError')));
      const before = last.get(name) ?? Promise.resolve();
      last.set(
        name,
        before.then(() => (signal?.aborted ? undefined : run().then(resolve, reject))),
      );
    });
  return { request } as unknown as LockManager;
}
