import { useEffect, useState } from 'react';

/** Whether a sheet of stills is there. It is asked for when it is first wanted. */
export function useSheet(url: string, isWanted: boolean): boolean {
  const [loaded, setLoaded] = useState<string | null>(null);
  const isLoaded = loaded === url;
  const isMissing = isWanted && !isLoaded;
  useEffect(() => {
    if (!isMissing) return;
    const image = new Image();
    image.onload = () => setLoaded(url);
    image.src = url;
    return () => {
      image.onload = null;
    };
  }, [url, isMissing]);
  return isLoaded;
}
