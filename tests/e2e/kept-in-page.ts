/**
 * Runs in a page, in the syntax of the oldest engine: how many videos of this kind ('chosen', 'reel') the device has whole.
 */
export function countKept(kind: string): Promise<number> {
  return new Promise((resolve) => {
    const opening = indexedDB.open('fourfold');
    opening.onsuccess = () => {
      const reading = opening.result.transaction('saved-videos').objectStore('saved-videos').getAll();
      reading.onsuccess = () => {
        opening.result.close();
        const rows: { kind: string; state: string }[] = reading.result;
        resolve(rows.filter((row) => row.kind === kind && row.state === 'whole').length);
      };
    };
  });
}
