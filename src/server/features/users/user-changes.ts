/**
 * Notifies whoever holds a copy of an account in memory that it has changed. Other nodes read it again within seconds.
 */
export interface UserChanges {
  notify(userId: string): void;
  listen(listener: (userId: string) => void): void;
}

export function createUserChanges(): UserChanges {
  const listeners: ((userId: string) => void)[] = [];
  return {
    notify(userId) {
      for (const listener of listeners) listener(userId);
    },
    listen(listener) {
      listeners.push(listener);
    },
  };
}
