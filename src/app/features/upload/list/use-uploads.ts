import { useSyncExternalStore } from 'react';
import type { Snapshot } from 'valtio';
import { snapshot, subscribe } from 'valtio/vanilla';
import { uploads } from '#app/state/uploads/uploads-state.ts';

type Derived = string | number | boolean | null;

/** What is derived from all uploads: the component is drawn again only when the result is another one. */
export function useUploads<Value extends Derived>(derive: (state: Snapshot<typeof uploads>) => Value): Value {
  return useSyncExternalStore(subscribeUploads, () => derive(snapshot(uploads)));
}

function subscribeUploads(onChange: () => void): () => void {
  return subscribe(uploads, onChange);
}
