/** Tells whoever keeps something about a person in memory that it no longer holds. Other nodes look again within seconds. */
export interface UserChanges {
  tell(userId: string): void;
  listen(listener: (userId: string) => void): void;
}

export function createUserChanges(): UserChanges {
  const listeners: ((userId: string) => void)[] = [];
  return {
    tell(userId) {
      for (const listener of listeners) listener(userId);
    },
    listen(listener) {
      listeners.push(listener);
    },
  };
}
